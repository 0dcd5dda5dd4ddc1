"""Access the structs and constants of a C header by their names."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_DTYPES = {
    "double": np.float64,
    "int32_t": np.int32,
    "int64_t": np.int64,
    "uint64_t": np.uint64,
}


class HeaderMismatch(Exception):
    """A header and the Python code that uses it differ: one of the two was changed."""


class Layout:
    """The declarations that cffi parsed from a header."""

    def __init__(self, ffi: Any) -> None:
        self.ffi = ffi

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
