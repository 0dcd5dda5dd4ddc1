"""An artefact that was proved to be ours, run on rows and compared with the interpreter.

Code is run in a folder and, where it is not Python text, in a process of its own.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.codegen.artefact import Artefact, SourceFile
from dsgec.errors import DsgecError
from dsgec.folder import write_whole
from dsgec.native.library import Library
from dsgec.native.module import load_module
from dsgec.native.toolchain import CompileError, compile_library, find_toolchain
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Column

Array = NDArray[Any]
Files = Sequence[SourceFile]

TOLERANCE = 1e-6
"""Of the one target that computes with others' arithmetic; of values above 1, a share of them."""

_SECONDS = 600
_TYPES = {"double": np.float64, "float": np.float32}
_LEAVE_OUT = "Leave --data out: then nothing is run."
_IN_PYTHON = """
import array, importlib, json, sys
sys.path.insert(0, ".")
net = importlib.import_module(sys.argv[1])
with open("rows.json") as file:
    found = getattr(net, "predict_proba", net.predict)(json.load(file), nan="propagate")
values = (value for row in found for value in (row if isinstance(row, list) else [row]))
with open("results", "wb") as file:
    array.array("d", values).tofile(file)
"""
_IN_NODE = """
import { readFileSync, writeFileSync } from "node:fs";
const net = await import(`./${process.argv[2]}.mjs`);
const rows = JSON.parse(readFileSync("rows.json", "utf8"));
const found = (net.predictProbaBatch ?? net.predictBatch)(rows);
writeFileSync("results", new Uint8Array(Float64Array.from(found.flat()).buffer));
"""


def try_out(artefact: Artefact, target: str, files: Files, rows: Array) -> str:
    """How what the target made agrees with the interpreter on rows; a DsgecError if it does not."""
    kind = np.float32 if target == "onnx" else _TYPES[artefact.dtype]
    with np.errstate(over="ignore"):
        rows = np.ascontiguousarray(rows.astype(kind))
    try:
        given = _RUN[target](artefact, files, rows)
    except CompileError as error:
        raise DsgecError(str(error), _LEAVE_OUT) from error
    except (OSError, subprocess.SubprocessError) as error:
        raise DsgecError(f"`{artefact.name}` could not be run: {error}", _LEAVE_OUT) from error
    # Those of ONNX are told by the double network, whatever computes in between.
    outputs = evaluate(artefact.network, rows.astype(np.float64) if target == "onnx" else rows)
    if artefact.model.is_classifier and outputs.shape[1] == 1:
        outputs = np.hstack([1 - outputs, outputs])
    given = given.reshape(outputs.shape)
    with np.errstate(all="ignore"):
        if target == "onnx":
            outputs = outputs.astype(np.float32).astype(np.float64)
            same = np.abs(given - outputs) <= TOLERANCE * np.maximum(1.0, np.abs(outputs))
            same |= given == outputs
        else:
            given = given.astype(outputs.dtype)
            same = (given == outputs) & (np.signbit(given) == np.signbit(outputs))
    same |= np.isnan(given) & np.isnan(outputs)
    if not same.all():
        row = int(np.argmin(same.all(axis=1)))
        raise DsgecError(f"`{artefact.name}` gives other results here for row {row + 1}")
    return f"agree within {TOLERANCE}" if target == "onnx" else "give the same bits"


def _width(artefact: Artefact) -> int:
    return len(artefact.model.classes) or len(artefact.network.outputs)


def _given(columns: Sequence[Column], rows: Array) -> list[list[Any]]:
    """The rows as people give them: texts as texts, None where a value is missing."""
    table: list[list[Any]] = [[None if v != v else v for v in row] for row in rows.tolist()]
    for number, column in enumerate(columns):
        unseen = "?" * (1 + max(map(len, column.categories), default=0))
        for row in table if column.categories else ():
            if row[number] is not None:
                row[number] = (*column.categories, unseen)[int(row[number])]
    return table


def _module(artefact: Artefact, files: Files, rows: Array) -> Array:
    module = load_module(str(files[0].text), artefact.name)
    predict = module.predict_proba if artefact.model.is_classifier else module.predict
    return np.array(predict(_given(artefact.model.columns, rows), nan="propagate"), np.float64)


def _process(
    artefact: Artefact, files: Files, rows: Array, command: list[str], script: str
) -> Array:
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            write_whole(Path(folder, file.name), file.text)
        text = json.dumps(_given(artefact.model.columns, rows))
        # What JSON has no word for, and every reader makes of a number too large.
        Path(folder, "rows.json").write_text(text.replace("Infinity", "1e999"))
        Path(folder, "run.mjs").write_text(script)
        # An argument list without a shell: our own text, and a name that was checked.
        answer = subprocess.run(  # noqa: S603
            [*command, "run.mjs", artefact.name],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
        if answer.returncode != 0:
            raise DsgecError(f"`{artefact.name}` could not be run: {answer.stderr[-2000:]}")
        return np.fromfile(Path(folder, "results"))


def _package(artefact: Artefact, files: Files, rows: Array) -> Array:
    return _process(artefact, files, rows, [sys.executable], _IN_PYTHON)


def _node(artefact: Artefact, files: Files, rows: Array) -> Array:
    node = shutil.which("node")
    if node is None:
        raise DsgecError("there is no node here to run JavaScript", _LEAVE_OUT)
    return _process(artefact, files, rows, [node], _IN_NODE)


def _c(artefact: Artefact, files: Files, rows: Array) -> Array:
    toolchain = find_toolchain()
    if toolchain is None:
        raise DsgecError("there is no C compiler here to run it", _LEAVE_OUT)
    name, real = artefact.name, artefact.dtype
    row = "predict_proba" if artefact.model.is_classifier else "regress"
    function = f"{name}_{row}_batch"
    texts = {file.name: str(file.text) for file in files}
    text = texts[f"{name}.c"].replace(f'#include "{name}.h"', texts[f"{name}.h"], 1)
    declaration = f"size_t {function}(const {real} *, size_t, {real} *);"
    out = np.empty((len(rows), _width(artefact)), rows.dtype)
    with tempfile.TemporaryDirectory() as folder:
        path = compile_library(toolchain, f"{text}\n{declaration}\n", Path(folder), ("-O2",))
        library = Library(path, declaration)
        given, made = (library.ffi.cast(f"{real} *", array.ctypes.data) for array in (rows, out))
        getattr(library.functions, function)(given, len(rows), made)
    return out


def _onnx(artefact: Artefact, files: Files, rows: Array) -> Array:
    try:
        import onnxruntime
    except ImportError as error:
        raise DsgecError("there is no onnxruntime here to run it", _LEAVE_OUT) from error
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    providers = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(files[0].text, options, providers=providers)
    result: Array = session.run(None, {"rows": rows})[0].astype(np.float64)
    return result


_RUN: dict[str, Callable[[Artefact, Files, Array], Array]] = {
    "python": _module,
    "numpy": _module,
    "cffi": _package,
    "c": _c,
    "js": _node,
    "onnx": _onnx,
}
