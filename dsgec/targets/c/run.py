"""Exported C on rows: compiled here, and loaded."""

import tempfile
from pathlib import Path

import numpy as np

from dsgec.codegen.artefact import Artefact
from dsgec.fixed.evaluate import quantise
from dsgec.fixed.ir import RESULT_BITS
from dsgec.native.library import Library
from dsgec.native.toolchain import CompileError, compile_library, find_toolchain
from dsgec.targets.running import CannotRun
from dsgec.targets.target import Array, Files


def run_c(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Probabilities or values, a row each."""
    toolchain = find_toolchain()
    if toolchain is None:
        raise CannotRun("there is no C compiler here")
    fixed, model, name = artefact.numbers.fixed, artefact.model, artefact.name
    given_type = f"int{fixed.program.bits}_t" if fixed else artefact.dtype
    made_type = f"int{RESULT_BITS}_t" if fixed else artefact.dtype
    row = "predict_proba" if model.is_classifier else "regress"
    function = f"{name}_{row}_batch"
    texts = {file.name: str(file.text) for file in files}
    text = texts[f"{name}.c"].replace(f'#include "{name}.h"', texts[f"{name}.h"], 1)
    declaration = f"size_t {function}(const {given_type} *, size_t, {made_type} *);"
    width = len(model.classes) or len(artefact.network.outputs)
    x = quantise(fixed.program, rows).astype(given_type.removesuffix("_t")) if fixed else rows
    out = np.empty((len(rows), width), made_type.removesuffix("_t") if fixed else rows.dtype)
    with tempfile.TemporaryDirectory() as folder:
        try:
            path = compile_library(toolchain, f"{text}\n{declaration}\n", Path(folder), ("-O2",))
        except CompileError as error:
            raise CannotRun(str(error)) from error
        library = Library(path, declaration)
        given = library.ffi.cast(f"{given_type} *", x.ctypes.data)
        made = library.ffi.cast(f"{made_type} *", out.ctypes.data)
        getattr(library.functions, function)(given, len(rows), made)
    if not fixed:
        return out
    least = np.iinfo(out.dtype).min  # of a row that lacks a value
    return np.where(out == least, np.nan, out * 2.0**-fixed.program.fraction)
