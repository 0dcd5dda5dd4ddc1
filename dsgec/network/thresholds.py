"""Thresholds of scaled columns as thresholds of the columns themselves."""

import math
import struct
from functools import lru_cache

_LARGEST = 0x7FEF_FFFF_FFFF_FFFF
"""The rank of the largest finite double, that of 0 being 0."""


@lru_cache(maxsize=1 << 14)  # the trees of a run have many thresholds in common
def unscaled_threshold(threshold: float, center: float, scale: float) -> float:
    """Return the largest double x with (x - center) / scale <= threshold, as doubles compute it.

    Both operations round upwards or downwards, but never change the order of two numbers. So
    exactly the numbers up to this one pass the test, if any finite one does.
    """
    low, high = -_LARGEST, _LARGEST
    while low < high:
        middle = (low + high + 1) // 2
        if (_from_rank(middle) - center) / scale <= threshold:
            low = middle
        else:
            high = middle - 1
    return _from_rank(low)


def _from_rank(rank: int) -> float:
    """Return the double of a rank; the ranks of neighbouring doubles differ by 1."""
    bits = abs(rank)
    value: float = struct.unpack("<d", struct.pack("<q", bits))[0]
    return math.copysign(value, rank) if rank else 0.0
