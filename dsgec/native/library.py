"""C text to functions that Python can call."""

import contextlib
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import cffi

from dsgec.native import cache
from dsgec.native.layout import HeaderMismatch, Layout
from dsgec.native.toolchain import FLAGS, CompileError, Toolchain, compile_library


@lru_cache(maxsize=8)
def _interface(declarations: str) -> Any:
    """Parsed once: that takes longer than to load a library."""
    ffi = cffi.FFI()
    ffi.cdef(declarations)
    return ffi


class Library(Layout):
    """A loaded library; `close` unmaps it, after which its functions must not be called."""

    def __init__(self, path: Path, declarations: str) -> None:
        super().__init__(_interface(declarations))
        self.functions: Any = self.ffi.dlopen(str(path))
        for name in dir(self.functions):
            getattr(self.functions, name)  # an AttributeError here, not during a run

    def expect(self, **constants: int) -> None:
        """Compare numbers of the header with those that Python has by the same names."""
        for name, value in constants.items():
            if getattr(self.functions, name) != value:
                raise HeaderMismatch(f"{name} is {value} in Python, and not in the header")

    def close(self) -> None:
        self.ffi.dlclose(self.functions)


def load(
    source: str, declarations: str, toolchain: Toolchain, flags: Sequence[str] = ("-O2",)
) -> Library:
    """Compile `source`, or find it compiled, and load it; `flags` come after the common ones.

    The source must have the declarations in it, so that the compiler refuses what differs.
    """
    name = cache.key(source, toolchain.command, toolchain.identity, *FLAGS, *flags)
    found = cache.find(name)
    if found is not None:
        try:
            return Library(found, declarations)
        except (OSError, AttributeError):
            pass  # evicted by another process between the look and the load
    try:
        with tempfile.TemporaryDirectory(dir=cache.folder(), prefix=".build-") as folder:
            library = compile_library(toolchain, source, Path(folder), flags)
            # A library stays mapped when its file goes, so it is loaded from where it was made.
            loaded = _loaded(library, declarations)
            with contextlib.suppress(OSError):  # no room: then it is compiled again next time
                cache.store(name, library)
            return loaded
    except OSError as error:
        raise CompileError(f"cannot write to {cache.folder()}: {error}") from error


def _loaded(library: Path, declarations: str) -> Library:
    try:
        return Library(library, declarations)
    except (OSError, AttributeError) as error:
        raise CompileError(f"what the compiler made cannot be loaded: {error}") from error
