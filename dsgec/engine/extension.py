"""Build an extension module that serves every Python of a platform (abi3) from C text."""

import contextlib
import io
import sys
import sysconfig
import tempfile
from pathlib import Path

import cffi

from dsgec.engine.toolchain import CompileError, Toolchain, compile_library

ABI_TAG = "cp39-abi3"
"""The oldest Python that a built module supports, as wheels name it."""

FLAGS = ("-O3", "-g0", "-s", "-fvisibility=hidden", "-DNDEBUG", "-DPy_LIMITED_API=0x03090000")
"""Stripped, and without paths of the machine where it is built."""

_LINUX = ("-Wl,--build-id=none",)


def build_extension(module: str, source: str, declarations: str, toolchain: Toolchain) -> bytes:
    """Build the extension `module` from C `source` and `declarations`, and return its bytes."""
    include = Path(sysconfig.get_path("include"))
    if not (include / "Python.h").is_file():
        raise CompileError("Python's header files are missing (Debian: install python3-dev)")
    ffi = cffi.FFI()
    ffi.cdef(declarations)
    ffi.set_source(module, f"{declarations}\n{source}")  # what differs does not compile
    with tempfile.TemporaryDirectory() as folder:
        glue = Path(folder) / "glue.c"
        with contextlib.redirect_stdout(io.StringIO()):  # it prints what it writes
            ffi.emit_c_code(str(glue))
        text = glue.read_text(encoding="utf-8")
        flags = (*FLAGS, *(_LINUX if sys.platform == "linux" else ()), f"-I{include}")
        library = compile_library(toolchain, text, Path(folder), flags)
        return library.read_bytes()
