"""What runners share: rows as people give them, and programs in a folder of their own."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.targets.target import Array, Files
from dsgec.folder import write_whole

_SECONDS = 600


class CannotRun(Exception):
    """An export could not be run here."""


class ToolMissing(CannotRun):
    """This machine lacks a program that an export needs to run."""


class SelfTestFailed(Exception):
    """An export gives other results here than it should."""


def find_command(name: str) -> str:
    """The path of a program that an export needs."""
    path = shutil.which(name)
    if path is None:
        raise ToolMissing(f"there is no {name} here")
    return path


def same_results(given: Array, wanted: Array) -> NDArray[np.bool_]:
    """Compare results bit by bit; one NaN is as good as another."""
    given = given.astype(wanted.dtype)
    same: NDArray[np.bool_] = (given == wanted) & (np.signbit(given) == np.signbit(wanted))
    return same | (np.isnan(given) & np.isnan(wanted))


def check_golden_rows(artefact: Artefact, given: Callable[[Array], Array]) -> None:
    """Raise SelfTestFailed unless `given` makes of the rows of the self-test what it should."""
    golden = artefact.golden
    shape = len(golden.rows), len(artefact.model.columns)
    rows = np.reshape(np.array(golden.rows, artefact.numbers.row_type), shape)
    wanted = np.array(golden.results)
    refuse_differences(given(rows), wanted, "the self-test")


def refuse_differences(given: Array, wanted: Array, what: str) -> None:
    """Raise SelfTestFailed where results differ; `what` are the rows."""
    same = same_results(given.reshape(wanted.shape), wanted)
    if not same.all():
        row = int(np.argmin(same.all(axis=1))) + 1
        raise SelfTestFailed(f"row {row} of {len(same)} of {what} differs")


def given_rows(artefact: Artefact, rows: Array) -> list[list[Any]]:
    """The rows as people give them: texts as texts, None where a value is missing."""
    table: list[list[Any]] = [[None if v != v else v for v in row] for row in rows.tolist()]
    for number, column in enumerate(artefact.model.columns):
        unseen = "?" * (1 + max(map(len, column.categories), default=0))
        for row in table if column.categories else ():
            if row[number] is not None:
                row[number] = (*column.categories, unseen)[int(row[number])]
    return table


def json_rows(artefact: Artefact, rows: Array) -> str:
    """The same as JSON, which has no word for infinity but a number that is too large."""
    return json.dumps(given_rows(artefact, rows)).replace("Infinity", "1e999")


def raw_rows(rows: Array) -> SourceFile:
    """The file `rows`: little-endian doubles, and in each row one more, so that none is empty."""
    table = np.hstack([rows.astype("<f8"), np.zeros((len(rows), 1), "<f8")])
    return SourceFile("rows", table.tobytes())


def run_commands(
    files: Files,
    *commands: Sequence[str],
    environment: Mapping[str, str] | None = None,
    read: Callable[[Path], Array] = np.fromfile,
) -> Array:
    """The doubles that commands leave in the file `results`, in a folder with these files.

    `environment` has variables that they see beside those of this process, `{}` being the folder.
    """
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            write_whole(Path(folder, file.name), file.text)
        variables = {name: value.format(folder) for name, value in (environment or {}).items()}
        for command in commands:
            # An argument list without a shell: our own text, and a name that was checked.
            answer = subprocess.run(  # noqa: S603
                command,
                cwd=folder,
                env={**os.environ, **variables},
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_SECONDS,
                check=False,
            )
            if answer.returncode != 0:
                raise CannotRun(answer.stderr[-2000:].strip())
        return read(Path(folder, "results"))
