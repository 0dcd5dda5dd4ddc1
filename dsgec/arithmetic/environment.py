"""Detect and restore the default floating-point environment of this thread.

A library linked with -ffast-math makes a process that loads it flush subnormal numbers to 0; others
change the rounding direction. Python and numpy compute with whatever is set.
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
_ROOM = 256  # bytes; a fenv_t has 8 to 32
_BY_ADDRESS, _BY_NUMBER = "_FE_DFL_ENV", -1  # FE_DFL_ENV of macOS, and of glibc and musl


@contextmanager
def standard_arithmetic() -> Iterator[None]:
    """Round to nearest and keep subnormal numbers inside the context; restore the settings after.

    Does so where the C library has functions for it. numpy neither raises nor warns inside,
    whatever `numpy.seterr` was called with: emlearn makes it raise on an underflow.
    """
    import numpy as np

    with np.errstate(all="ignore"):
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
    """Return how this thread deviates from the defaults of IEEE 754; empty if it does not."""
    # Calls, so that no compiler folds the constants.
    smallest = operator.truediv(sys.float_info.min, 4.0)
    tenths = {operator.truediv(1.0, 10.0).hex(), operator.truediv(1.0, -10.0).hex()}
    found = []
    if smallest == 0.0:  # flushed when computed, or when compared
        found.append("subnormal numbers, those below 2.2e-308, count as 0")
    if tenths != _TENTHS:
        found.append("results are not rounded to the nearest number")
    return found


@functools.cache
def _functions() -> tuple[Any, Any, Any] | None:
    """Return `fegetenv`, `fesetenv` and the default environment, or None without them."""
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
