"""Helpers for running exports: rows as users write them, and commands in a temporary folder."""

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
    """An export that could not be run on this machine."""


class ToolMissing(CannotRun):
    """A program that an export needs and that this machine lacks."""


class SelfTestFailed(Exception):
    """An export whose results on this machine are wrong."""


def find_command(name: str) -> str:
    """Return the path of a program, or raise ToolMissing."""
    path = shutil.which(name)
    if path is None:
        raise ToolMissing(f"there is no {name} here")
    return path


def same_results(given: Array, wanted: Array) -> NDArray[np.bool_]:
    """Compare results bit for bit; all NaNs are equal."""
    given = given.astype(wanted.dtype)
    same: NDArray[np.bool_] = (given == wanted) & (np.signbit(given) == np.signbit(wanted))
    return same | (np.isnan(given) & np.isnan(wanted))


def check_golden_rows(artefact: Artefact, predict: Callable[[Array], Array]) -> None:
    """Raise SelfTestFailed unless `predict` returns the expected results of the self-test."""
    golden = artefact.golden
    shape = len(golden.rows), len(artefact.model.columns)
    rows = np.reshape(np.array(golden.rows, artefact.number_format.row_type), shape)
    wanted = np.array(golden.results)
    refuse_differences(predict(rows), wanted, "the self-test")


def refuse_differences(given: Array, wanted: Array, what: str) -> None:
    """Raise SelfTestFailed if results differ; the message calls the rows `what`."""
    same = same_results(given.reshape(wanted.shape), wanted)
    if not same.all():
        row = int(np.argmin(same.all(axis=1))) + 1
        raise SelfTestFailed(f"row {row} of {len(same)} of {what} differs")


def given_rows(artefact: Artefact, rows: Array) -> list[list[Any]]:
    """Return rows as users write them: categories as text, missing values as None."""
    table: list[list[Any]] = [[None if v != v else v for v in row] for row in rows.tolist()]
    for number, column in enumerate(artefact.model.columns):
        unseen = "?" * (1 + max(map(len, column.categories), default=0))
        for row in table if column.categories else ():
            if row[number] is not None:
                row[number] = (*column.categories, unseen)[int(row[number])]
    return table


def json_rows(artefact: Artefact, rows: Array) -> str:
    """Return `given_rows` as JSON, which can only express infinity as a number that overflows."""
    return json.dumps(given_rows(artefact, rows)).replace("Infinity", "1e999")


def raw_rows(rows: Array) -> SourceFile:
    """Return the file `rows`: little-endian doubles, plus one 0 per row so that none is empty."""
    table = np.hstack([rows.astype("<f8"), np.zeros((len(rows), 1), "<f8")])
    return SourceFile("rows", table.tobytes())


def run_commands(
    files: Files,
    *commands: Sequence[str],
    environment: Mapping[str, str] | None = None,
    read: Callable[[Path], Array] = np.fromfile,
) -> Array:
    """Run commands in a folder with these files and return the doubles they write to `results`.

    `environment` has additional environment variables, with `{}` for the folder.
    """
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            write_whole(Path(folder, file.name), file.text)
        variables = {name: value.format(folder) for name, value in (environment or {}).items()}
        for command in commands:
            # A list of arguments, no shell: our own text and a validated name.
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
