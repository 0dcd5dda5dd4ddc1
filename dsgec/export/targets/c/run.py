"""Compile exported C, and run it on rows or run its self-test, in a separate process."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from dsgec.engine import cache
from dsgec.engine.toolchain import (
    CompileError,
    Toolchain,
    compile_files,
    compile_library,
    find_toolchain,
    quickest_toolchain,
)
from dsgec.export.artefact import QUICK, Artefact
from dsgec.export.fixed.evaluate import quantise
from dsgec.export.fixed.ir import RESULT_BITS
from dsgec.export.targets.running import CannotRun, SelfTestFailed, ToolMissing, refuse_differences
from dsgec.export.targets.target import Array, Files

_SECONDS = 600
_LEAST_PROGRAM = "#include <stddef.h>\n#include <stdint.h>\nint32_t least;\n"
# Wrong C can crash or never end: neither may happen to this process.
_UNLOADABLE = 77
_LOAD = f"""
import ctypes, sys
try:
    library = ctypes.CDLL(sys.argv[1])
except OSError as error:
    print(error, file=sys.stderr)
    sys.exit({_UNLOADABLE})
"""
_SELFTEST = f"""{_LOAD}
print(getattr(library, sys.argv[2])())
"""
_BATCH = f"""{_LOAD}
out = ctypes.create_string_buffer(int(sys.argv[4]))
given = ctypes.create_string_buffer(sys.stdin.buffer.read())
getattr(library, sys.argv[2])(given, ctypes.c_size_t(int(sys.argv[3])), out)
sys.stdout.buffer.write(out.raw)
"""


def run_c(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Compile the module and return its probabilities or values."""
    with _compile_library(artefact, files, _required(find_toolchain()), "-O2") as library:
        return _results(artefact, library, rows)


def can_compile() -> bool:
    """Return whether this machine has a C compiler."""
    return find_toolchain() is not None


def check_c(artefact: Artefact, files: Files) -> str:
    """Run the self-test of the compiled C; if the type loses digits, also compare random rows.

    These are the rows for which the header states a measured difference.
    """
    is_quick = artefact.selftest == QUICK
    toolchain = _required(quickest_toolchain() if is_quick else find_toolchain())
    with _compile_library(artefact, files, toolchain, "-O0") as library:
        answer = int(_call(library, _SELFTEST, f"{artefact.name}_selftest"))
        if answer:
            count = len(artefact.golden.rows)
            which = f"row {answer} of {count} differs" if answer <= count else "a gap gets through"
            raise SelfTestFailed(which)
        rows = artefact.number_format.measured_rows
        if rows is not None:
            given = _results(artefact, library, rows)
            refuse_differences(given, artefact.number_format.results(rows), "random rows")
    return f"compiled by {toolchain.identity}"


def _required(toolchain: Toolchain | None) -> Toolchain:
    if toolchain is None:
        raise ToolMissing("there is no C compiler here")
    return toolchain


@contextmanager
def _compile_library(
    artefact: Artefact, files: Files, toolchain: Toolchain, level: str
) -> Iterator[Path]:
    """Compile the module and its self-test, as a user does, and yield the library."""
    sources = [f"{artefact.name}.c", f"{artefact.name}_selftest.c"]
    # Not in the folder for temporary files: some machines forbid loading from there.
    with tempfile.TemporaryDirectory(
        dir=cache.folder(), prefix=".build-", ignore_cleanup_errors=True
    ) as folder:
        for file in files:
            Path(folder, file.name).write_text(str(file.text), encoding="utf-8", newline="\n")
        try:
            library = compile_files(toolchain, sources, Path(folder), (level,))
        except CompileError as error:
            _refuse_broken(toolchain, Path(folder))
            raise CannotRun(str(error)) from error
        yield library


def _refuse_broken(toolchain: Toolchain, folder: Path) -> None:
    """Raise ToolMissing if the compiler cannot compile anything, for lack of headers, say."""
    try:
        compile_library(toolchain, _LEAST_PROGRAM, folder, ())
    except CompileError as error:
        raise ToolMissing(f"the C compiler here does not work: {error}") from error


def _results(artefact: Artefact, library: Path, rows: Array) -> Array:
    fixed, model = artefact.number_format.fixed, artefact.model
    function = "predict_proba" if model.is_classifier else "regress"
    width = len(model.classes) or len(artefact.network.outputs)
    x, made = np.ascontiguousarray(rows), rows.dtype
    if fixed:
        x = quantise(fixed.program, rows).astype(f"int{fixed.program.bits}")
        made = np.dtype(f"int{RESULT_BITS}")
    size = len(rows) * width * made.itemsize
    arguments = f"{artefact.name}_{function}_batch", str(len(rows)), str(size)
    out = np.frombuffer(_call(library, _BATCH, *arguments, given=x.tobytes()), made)
    out = out[: len(rows) * width].reshape(len(rows), width)
    if not fixed:
        return out
    least = np.iinfo(out.dtype).min  # the result of a row that lacks a value
    return np.where(out == least, np.nan, out * 2.0**-fixed.program.fraction)


def _call(library: Path, script: str, *arguments: str, given: bytes = b"") -> bytes:
    """Run a script that calls a function of the library, and return its output."""
    command = (sys.executable, "-I", "-S", "-c", script, str(library), *arguments)
    # A list of arguments, no shell: our own text and a validated name.
    answer = subprocess.run(  # noqa: S603
        command, input=given, capture_output=True, timeout=_SECONDS, check=False
    )
    if answer.returncode < 0:
        raise SelfTestFailed(f"it crashed (signal {-answer.returncode})")
    message = answer.stderr.decode("utf-8", "replace")[-2000:].strip()
    if answer.returncode == _UNLOADABLE:
        raise ToolMissing(f"what the C compiler here makes cannot be loaded: {message}")
    if answer.returncode:
        raise CannotRun(message)
    return answer.stdout
