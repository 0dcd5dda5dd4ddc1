"""Compile C text, cache it, and load it as functions and structs that Python can use."""

import contextlib
import re
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any

import cffi
import numpy as np
from numpy.typing import NDArray

from dsgec.engine import cache
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


_DTYPES = {
    "double": np.float64,
    "int32_t": np.int32,
    "int64_t": np.int64,
    "uint64_t": np.uint64,
}


class HeaderMismatch(Exception):
    """A header and the Python code that uses it differ: one of the two was changed."""


class Library:
    """A loaded library: its functions, and its structs and constants by their names.

    `close` unmaps it, after which its functions must not be called.
    """

    def __init__(self, path: Path, declarations: str) -> None:
        self.ffi = _interface(declarations)
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

    def struct(self, kind: str, **values: Any) -> Any:
        """Create a struct. Every field must be given; an array is passed by address."""
        fields = dict(self.ffi.typeof(kind).fields)
        if fields.keys() != values.keys():
            names = ", ".join(sorted(fields.keys() ^ values.keys()))
            raise HeaderMismatch(f"not both in {kind} and in what is given for it: {names}")
        made = {
            name: self._address(fields[name].type, value)
            if isinstance(value, np.ndarray)
            else value
            for name, value in values.items()
        }
        return self.ffi.new(f"{kind} *", made)

    def _address(self, pointer: Any, array: NDArray[Any]) -> Any:
        """Return the address of an array as a pointer of this C type, whose items it must have."""
        if self._dtype(pointer.item) != array.dtype or not array.flags.c_contiguous:
            raise HeaderMismatch(f"an array of {array.dtype} where {pointer.cname} is declared")
        return self.ffi.cast(pointer, array.ctypes.data)

    def values(self, struct: Any) -> dict[str, Any]:
        """Return the fields of a struct by name."""
        return {name: getattr(struct, name) for name, _ in self.ffi.typeof(struct).fields}

    def names(self, kind: str) -> dict[int, str]:
        """Return the names of an enumeration by value."""
        elements: dict[int, str] = self.ffi.typeof(kind).elements
        return elements

    def dtype(self, kind: str) -> np.dtype[Any]:
        """Return the numpy type of a struct or a number."""
        return self._dtype(self.ffi.typeof(kind))

    def _dtype(self, kind: Any) -> np.dtype[Any]:
        if kind.kind == "primitive":
            return np.dtype(_DTYPES[kind.cname])
        return np.dtype(
            {
                "names": [name for name, _ in kind.fields],
                "formats": [self._dtype(field.type) for _, field in kind.fields],
                "offsets": [field.offset for _, field in kind.fields],
                "itemsize": self.ffi.sizeof(kind),
            }
        )


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


_INCLUDE = re.compile(r'^#include "([^"]+)"\n', re.MULTILINE)
_DIRECTIVE = re.compile(r"^#.*\n", re.MULTILINE)


def resolve_includes(name: str, read: Callable[[str], str], done: set[str]) -> str:
    """Return a file with the local files that it includes in place, each of them once.

    Those in `done` are left out, and those that are included are added to it.
    """

    def included(match: re.Match[str]) -> str:
        if match[1] in done:
            return ""
        done.add(match[1])
        return resolve_includes(match[1], read, done)

    return _INCLUDE.sub(included, read(name))


def without_directives(text: str) -> str:
    """Return a header as cffi can read it."""
    return _DIRECTIVE.sub("", text)
