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

    Of a target that `is_built`, the emitted C is yet to be compiled.
    """

    emit: Emit
    needs: str
    dtypes: tuple[str, ...] = ("double",)
    suffixes: tuple[str, ...] = (".py",)  # of the file that carries the metadata
    is_built: bool = False


TARGETS: dict[str, Target] = {
    "c": Target(emit_c, "a C99 compiler, no library", DTYPES, (".c",)),
    "python": Target(emit_python, "nothing"),
    "numpy": Target(emit_numpy, "numpy"),
    "cffi": Target(emit_cffi, "cffi", DTYPES, ("__init__.py",), is_built=True),
    "js": Target(emit_js, "nothing", suffixes=(".mjs",)),
    "onnx": Target(emit_onnx, "a runtime for ONNX", DTYPES, (".onnx",)),
}
