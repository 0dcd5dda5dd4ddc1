"""The settings of this thread's floating-point unit: the standard's, or what a library left.

A library linked with -ffast-math makes a process that loads it flush subnormal numbers to 0;
some round in another direction. Python and numpy compute as they find it.
"""

import ctypes
import functools
import operator
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LIBRARIES = (None, "libm.so.6")
_TENTHS = {"0x1.999999999999ap-4", "-0x1.999999999999ap-4"}
_ROOM = 256  # bytes; a fenv_t is 8 to 32
_BY_ADDRESS, _BY_NUMBER = "_FE_DFL_ENV", -1  # FE_DFL_ENV of macOS, and of glibc and musl


@contextmanager
def standard_arithmetic() -> Iterator[None]:
    """Rounding to nearest, and no subnormal number lost; afterwards as it was.

    Where the C library has no such functions, nothing happens.
    """
    functions = _functions()
    if functions is None:
        yield
        return
    get, put, default = functions
    found = ctypes.create_string_buffer(_ROOM)
    get(found)
    put(default)
    try:
        yield
    finally:
        put(found)


def deviations() -> list[str]:
    """What is not as IEEE 754 has it by default, as this thread finds it."""
    # By functions, so that nobody computes the result beforehand.
    smallest = operator.truediv(sys.float_info.min, 4.0)
    tenths = {operator.truediv(1.0, 10.0).hex(), operator.truediv(1.0, -10.0).hex()}
    found = []
    if smallest == 0.0:  # it is, or it counts as such
        found.append("subnormal numbers, those below 2.2e-308, count as 0")
    if tenths != _TENTHS:
        found.append("results are not rounded to the nearest number")
    return found


@functools.cache
def _functions() -> tuple[Any, Any, Any] | None:
    """`fegetenv`, `fesetenv` and the default environment."""
    for name in _LIBRARIES:
        try:
            library = ctypes.CDLL(name)
            get, put = library.fegetenv, library.fesetenv
        except (OSError, AttributeError, TypeError):
            continue
        try:
            default: Any = ctypes.byref(ctypes.c_byte.in_dll(library, _BY_ADDRESS))
        except ValueError:
            default = ctypes.c_void_p(_BY_NUMBER)
        return get, put, default
    return None
