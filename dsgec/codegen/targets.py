"""The targets: a name, what prints it, which numbers it can compute with.

A target is a file `emit_NAME.py` with a function from an Artefact to its files, and a line here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from dsgec.codegen.artefact import DTYPES, Artefact, SourceFile
from dsgec.codegen.emit_c import emit_c
from dsgec.codegen.emit_cffi import emit_cffi
from dsgec.codegen.emit_js import emit_js
from dsgec.codegen.emit_numpy import emit_numpy
from dsgec.codegen.emit_onnx import emit_onnx
from dsgec.codegen.emit_python import emit_python

Emit = Callable[[Artefact], tuple[SourceFile, ...]]


@dataclass(frozen=True, slots=True)
class Target:
    """`needs` is what the artefact depends on where it is used, `dtypes` are its numbers.

    `files` are what is written, `{}` being the name; the first carries the metadata. Of a target
    that `is_built`, the emitted C is yet to be compiled.
    """

    emit: Emit
    needs: str
    files: tuple[str, ...]
    dtypes: tuple[str, ...] = ("double",)
    is_built: bool = False


TARGETS: dict[str, Target] = {
    "c": Target(
        emit_c,
        "a C99 compiler, no library",
        ("{}.c", "{}.h", "{}_selftest.c", "{}_README.md"),
        DTYPES,
    ),
    "python": Target(emit_python, "nothing", ("{}.py",)),
    "numpy": Target(emit_numpy, "numpy", ("{}.py",)),
    "cffi": Target(
        emit_cffi, "cffi", ("{0}/__init__.py", "{0}/_{0}.abi3.so"), DTYPES, is_built=True
    ),
    "js": Target(emit_js, "nothing", ("{}.mjs", "{}.d.mts", "{}.d.ts")),
    "onnx": Target(emit_onnx, "a runtime for ONNX", ("{}.onnx",), DTYPES),
}
