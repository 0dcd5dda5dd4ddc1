"""Exported C on rows: compiled here, and loaded."""

import tempfile
from pathlib import Path

import numpy as np

from dsgec.codegen.artefact import Artefact
from dsgec.native.library import Library
from dsgec.native.toolchain import CompileError, compile_library, find_toolchain
from dsgec.targets.running import CannotRun
from dsgec.targets.target import Array, Files


def run_c(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Probabilities or values, a row each."""
    toolchain = find_toolchain()
    if toolchain is None:
        raise CannotRun("there is no C compiler here")
    name, real, model = artefact.name, artefact.dtype, artefact.model
    row = "predict_proba" if model.is_classifier else "regress"
    function = f"{name}_{row}_batch"
    texts = {file.name: str(file.text) for file in files}
    text = texts[f"{name}.c"].replace(f'#include "{name}.h"', texts[f"{name}.h"], 1)
    declaration = f"size_t {function}(const {real} *, size_t, {real} *);"
    out = np.empty((len(rows), len(model.classes) or len(artefact.network.outputs)), rows.dtype)
    with tempfile.TemporaryDirectory() as folder:
        try:
            path = compile_library(toolchain, f"{text}\n{declaration}\n", Path(folder), ("-O2",))
        except CompileError as error:
            raise CannotRun(str(error)) from error
        library = Library(path, declaration)
        given, made = (library.ffi.cast(f"{real} *", array.ctypes.data) for array in (rows, out))
        getattr(library.functions, function)(given, len(rows), made)
    return out
