"""Propose the length of a window for a log: about a second and a half, within one label."""

import numpy as np

from dsgec.data.samples import Log
from dsgec.data.windows import Array, stretches

_SECONDS = 1.5
_DEFAULT = 64
_LEAST, _MOST = 8, 512
_LEAST_RECORDINGS = 30
_PARTS = 2
"""The typical stretch of one label has as many windows or more."""


def propose_window(log: Log, y: Array | None = None) -> int:
    """Return a power of two that fits the rate, and the typical stretch of a class in `y`.

    Many recordings of one length that is at most `_MOST` are windows themselves.
    """
    usable = np.logical_not(np.isnan(log.samples).any(axis=1))
    lengths = stretches(log.starts, usable)[1]
    if not len(lengths):
        return _DEFAULT
    changed = log.starts.copy()
    if y is not None:
        changed[1:] |= (y[1:] != y[:-1]) & ~(np.isnan(y[1:]) & np.isnan(y[:-1]))
    parts = stretches(changed, usable)[1]
    is_same = len({*lengths.tolist()}) == 1 and lengths[0] <= _MOST
    if is_same and len(lengths) >= _LEAST_RECORDINGS:
        return int(lengths[0])
    wanted = _SECONDS * log.rate if log.rate else _DEFAULT
    wanted = min(wanted, float(np.median(parts)) / _PARTS, _MOST)
    return max(1 << round(float(np.log2(max(wanted, 1.0)))), _LEAST)
