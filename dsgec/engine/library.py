"""Compile C text, cache it, and load it as functions that Python can call."""

import contextlib
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any

import cffi

from dsgec.engine import cache
from dsgec.engine.layout import HeaderMismatch, Layout
from dsgec.engine.toolchain import (
    FLAGS,
    CompileError,
    Toolchain,
    compile_library,
    compile_object,
    link_library,
)

Waiting = Callable[[], AbstractContextManager[None]]
"""A context that is entered while the user has to wait."""


@lru_cache(maxsize=8)
def _interface(declarations: str) -> Any:
    """Return parsed declarations, from a cache: parsing takes longer than loading a library."""
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
        """Raise a HeaderMismatch if constants of the header differ from those of Python."""
        for name, value in constants.items():
            if getattr(self.functions, name) != value:
                raise HeaderMismatch(f"{name} is {value} in Python, and not in the header")

    def close(self) -> None:
        self.ffi.dlclose(self.functions)


MakeLibrary = Callable[[Path], Path]
"""Builds a library in a folder and returns its path."""


def load(
    source: str, declarations: str, toolchain: Toolchain, flags: Sequence[str] = ("-O2",)
) -> Library:
    """Compile `source`, or find it in the cache, and load it; `flags` follow the common ones.

    The source must have the declarations in it, so that the compiler refuses what differs.
    """

    def compiled(folder: Path) -> Path:
        return compile_library(toolchain, source, folder, flags)

    return _load_or_compile(_key(toolchain, flags, source), declarations, compiled)


def load_linked(
    shared: str,
    own: str,
    declarations: str,
    toolchain: Toolchain,
    flags: Sequence[str],
    waiting: Waiting = nullcontext,
) -> Library:
    """Load a library of two sources, the first of which is compiled once for many of the second.

    `waiting` is entered while that is compiled, which may take long.
    """

    def linked(folder: Path) -> Path:
        name = _key(toolchain, flags, shared)
        made = cache.read_object(name)
        if made is None:
            with waiting():
                made = compile_object(toolchain, shared, folder, flags)
            with contextlib.suppress(OSError):
                cache.store_object(name, made)
        return link_library(toolchain, made, own, folder, flags)

    return _load_or_compile(_key(toolchain, flags, shared, own), declarations, linked)


def is_compiled(shared: str, own: str, toolchain: Toolchain, flags: Sequence[str]) -> bool:
    """Return whether the cache has the library, or the object file that takes long to compile."""
    library = cache.folder() / f"{_key(toolchain, flags, shared, own)}.so"
    return cache.has_object(_key(toolchain, flags, shared)) or library.exists()


def _key(toolchain: Toolchain, flags: Sequence[str], *sources: str) -> str:
    return cache.key(*sources, toolchain.command, toolchain.identity, *FLAGS, *flags)


def _load_or_compile(name: str, declarations: str, make: MakeLibrary) -> Library:
    found = cache.find(name)
    if found is not None:
        try:
            return Library(found, declarations)
        except (OSError, AttributeError):
            pass  # evicted by another process between the look and the load
    try:
        # The command may end, and remove the folder, while a compiler beside it still writes there.
        with tempfile.TemporaryDirectory(
            dir=cache.folder(), prefix=".build-", ignore_cleanup_errors=True
        ) as folder:
            library = make(Path(folder))
            # A library stays mapped when its file goes, so it is loaded from where it was made.
            loaded = _load(library, declarations)
            with contextlib.suppress(OSError):  # no room: then it is compiled again next time
                cache.store(name, library)
            return loaded
    except OSError as error:
        raise CompileError(f"cannot write to {cache.folder()}: {error}") from error


def _load(library: Path, declarations: str) -> Library:
    try:
        return Library(library, declarations)
    except (OSError, AttributeError) as error:
        raise CompileError(f"what the compiler made cannot be loaded: {error}") from error
