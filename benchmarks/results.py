"""Results to lines of JSON in a file, and back: what is there need not be run again."""

import json
import math
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

FILE = "results.jsonl"

Key = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class Result:
    """A learner on a split: accuracy, or R². `limit` is what `--seconds` was, `rows` what `--rows`
    was."""

    table: str
    split: int
    learner: str
    task: str
    limit: str
    score: float | None = None
    train_score: float | None = None
    weights: int | None = None
    neurons: int | None = None
    cpu_seconds: float | None = None
    compile_seconds: float | None = None
    length: int | None = None
    error: str = ""
    rows: int = 0

    @property
    def key(self) -> Key:
        """What it is the result of."""
        return self.table, self.split, self.learner


def append(path: Path, result: Result) -> None:
    """Add a line, and end one that was cut off before."""
    line = json.dumps(asdict(result)) + "\n"
    with path.open("ab+") as file:
        if file.tell() and not _ends_line(file):
            line = f"\n{line}"
        file.write(line.encode())


def _ends_line(file: BinaryIO) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def read(path: Path) -> list[Result]:
    """The results of a file, the last of each key; a line that was cut off is left out."""
    if not path.exists():
        return []
    found: dict[Key, Result] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            result = Result(**json.loads(line))
        except json.JSONDecodeError:
            continue
        found[result.key] = result
    return list(found.values())


def scored(results: Iterable[Result]) -> list[Result]:
    """Those that have a score."""
    return [one for one in results if one.score is not None and math.isfinite(one.score)]
