"""The structs and numbers of a C header, by the names that it gives them."""

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
    """A header declares something else than the Python that uses it: one of the two was changed."""


class Layout:
    """What cffi has read of a header."""

    def __init__(self, ffi: Any) -> None:
        self.ffi = ffi

    def struct(self, kind: str, **values: Any) -> Any:
        """A new struct. Every field must be given; an array is given as its address."""
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
        """The fields of a struct by name."""
        return {name: getattr(struct, name) for name, _ in self.ffi.typeof(struct).fields}

    def names(self, kind: str) -> dict[int, str]:
        """The names of an enumeration."""
        elements: dict[int, str] = self.ffi.typeof(kind).elements
        return elements

    def dtype(self, kind: str) -> np.dtype[Any]:
        """A struct, or a number, as an element of an array."""
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
