"""An exported artefact to the proof that it is what dsgec makes of the model inside.

Files are compared as text. Only what is byte for byte ours is ever compiled, imported or run.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dsgec import __version__
from dsgec.codegen.artefact import Artefact, SourceFile
from dsgec.data.ir import Table
from dsgec.errors import DsgecError, reason
from dsgec.native.library import Library
from dsgec.native.module import load_module
from dsgec.native.toolchain import compile_library, find_toolchain
from dsgec.network.evaluate import evaluate
from dsgec.run.artefacts import Found, find_artefacts
from dsgec.run.files import write_whole
from dsgec.run.predict import model_rows
from dsgec.run.record import read_model

Array = NDArray[np.float64]

_SECONDS = 600
_PREDICT = """
import importlib, sys
import numpy as np
sys.path.insert(0, ".")
net = importlib.import_module(sys.argv[1])
rows = np.fromfile("rows").reshape(-1, int(sys.argv[2]))
getattr(net, "predict_proba", net.predict)(rows, nan="propagate").tofile("results")
"""


def verify(path: Path, table: Table | None = None) -> list[str]:
    """What was proved, a line for each artefact; a DsgecError tells what could not be."""
    found = find_artefacts(path)
    if (path / "run.json").exists():
        model, _ = read_model(path)
        for one in found:
            if one.artefact.model != model:
                raise DsgecError(f"{one.path} is not of the run that {path} holds")
    return [line for one in found for line in _verify(one, table)]


def _verify(found: Found, table: Table | None) -> list[str]:
    differences = {target: _difference(found, target) for target in found.targets}
    same = [target for target in found.targets if not differences[target]]
    if not same:
        made = found.artefact.version
        advice = "Nothing of it was run." + (
            f" It was made by dsgec {made}, and this is {__version__}: use that one to verify it."
            if made != __version__
            else ""
        )
        raise DsgecError(_nearest(differences), advice)
    target = same[0]
    lines = [
        f"{found.path}: {target}, {found.artefact.dtype}, model {found.artefact.model_id}:"
        f" every byte is what dsgec makes of the model inside"
    ]
    run = RUN.get(target)
    if table is not None and run is not None and found.artefact.dtype == "double":
        rows = np.ascontiguousarray(model_rows(found.artefact.model, table))
        _compare(found, run(found.artefact, found.rebuilt(target), rows), rows)
        lines.append(f"{found.path}: {len(rows)} rows of {table.source} give the same bits")
    elif table is not None:
        lines.append(f"{found.path}: not run on {table.source}")
    return lines


def _difference(found: Found, target: str) -> str:
    """Where the files beside differ from what the target makes; empty if nowhere."""
    for file in found.rebuilt(target):
        path = found.folder / file.name
        wanted = file.text.encode() if isinstance(file.text, str) else file.text
        try:
            given = path.read_bytes()
        except OSError as error:
            return f"cannot read {path}: {reason(error)}"
        if given != wanted:
            pairs = enumerate(zip_longest(given.split(b"\n"), wanted.split(b"\n")), 1)
            line = next(number for number, (a, b) in pairs if a != b)
            return f"{path}:{line}: this is not what dsgec makes of the model inside"
    return ""


def _nearest(differences: dict[str, str]) -> str:
    """Of several targets that could have made a file, the one that agrees with it longest."""

    def line(message: str) -> int:
        place = message.split(": ")[0].rpartition(":")[2]
        return int(place) if place.isdecimal() else 0

    return max(differences.values(), key=line)


def _compare(found: Found, given: Array, rows: Array) -> None:
    outputs = evaluate(found.artefact.network, rows)
    if found.artefact.model.is_classifier and outputs.shape[1] == 1:
        outputs = np.hstack([1.0 - outputs, outputs])
    same = given.view(np.int64) == outputs.view(np.int64)
    same |= np.isnan(given) & np.isnan(outputs)
    if not same.all():
        row = int(np.argmin(same.all(axis=1)))
        raise DsgecError(f"{found.path} gives other bits here for row {row + 1}")


def _run_module(artefact: Artefact, files: tuple[SourceFile, ...], rows: Array) -> Array:
    """The results of the module that dsgec makes, which was found to be the same text."""
    module = load_module(str(files[0].text), artefact.name)
    predict = module.predict_proba if artefact.model.is_classifier else module.predict
    return np.array(predict(rows, nan="propagate"), dtype=np.float64).reshape(len(rows), -1)


def _run_package(artefact: Artefact, files: tuple[SourceFile, ...], rows: Array) -> Array:
    """The same of a package, imported by a Python of its own."""
    out = len(artefact.model.classes) or len(artefact.network.outputs)
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            write_whole(Path(folder, file.name), file.text)
        rows.tofile(Path(folder, "rows"))
        command = [sys.executable, "-c", _PREDICT, artefact.name, str(len(artefact.model.columns))]
        # An argument list without a shell: our own text, and a name that was checked.
        subprocess.run(command, cwd=folder, check=True, timeout=_SECONDS)  # noqa: S603
        return np.fromfile(Path(folder, "results")).reshape(len(rows), out)


def _run_c(artefact: Artefact, files: tuple[SourceFile, ...], rows: Array) -> Array:
    """The same of the C, compiled here."""
    toolchain = find_toolchain()
    if toolchain is None:
        raise DsgecError("there is no C compiler here to run it", "Leave --data out.")
    name = artefact.name
    row = "predict_proba" if artefact.model.is_classifier else "regress"
    function = f"{name}_{row}_batch"
    header, source = (str(file.text) for file in files[:2])
    text = source.replace(f'#include "{name}.h"', header, 1)
    out = np.empty((len(rows), len(artefact.model.classes) or len(artefact.network.outputs)))
    with tempfile.TemporaryDirectory() as folder:
        path = compile_library(toolchain, text, Path(folder), ("-O2",))
        library = Library(path, f"size_t {function}(const double *, size_t, double *);")
        given, made = (library.ffi.cast("double *", array.ctypes.data) for array in (rows, out))
        getattr(library.functions, function)(given, len(rows), made)
    return out


RUN: dict[str, Callable[[Artefact, tuple[SourceFile, ...], Array], Array]] = {
    "python": _run_module,
    "numpy": _run_module,
    "cffi": _run_package,
    "c": _run_c,
}
"""How rows are given to what a target makes."""
