"""Divide rows that follow each other in time into groups that a split keeps together."""

from dataclasses import dataclass

import numpy as np

from dsgec.data.windows import Array, Mask, Rows
from dsgec.errors import mention

_MOST_BLOCKS = 20
_WINDOWS_OF_A_BLOCK = 6
_LEAST_STRETCHES = 2


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """The group of each row, how groups were chosen, and where windows begin again.

    At a `start` no window goes on; the rows `before` one belong to no window.
    """

    groups: Rows
    by: str
    starts: Mask
    before: Mask

    @property
    def note(self) -> str:
        """Return a note on the split."""
        return f"training and test windows, and folds, are {self.by}"


def divide(
    y: Array, classes: int, recording: Rows, groups: Rows | None, window: int, name: str = ""
) -> Division:
    """Return how rows in the order of time are divided; `name` is the column of the groups.

    Groups that are known are kept if some have each class. Otherwise, each stretch of rows with one
    class is a group, if there are some of each class that have a window or more; or each recording
    is divided into blocks.
    """
    nothing: Mask = np.zeros(len(y), dtype=bool)
    is_lonely = groups is not None and bool(classes) and _has_lonely_class(y, groups, classes)
    if groups is not None and not is_lonely and len(np.unique(groups)) > 1:
        by = f"split by `{name}`" if name else "split by recordings"
        return Division(groups, by, nothing, nothing)
    ends: Mask = np.r_[True, recording[1:] != recording[:-1]]
    why = "some classes are in one recording only" if is_lonely else "there are too few recordings"
    advice = "" if is_lonely else f"; {mention('group')} names the column of recordings"
    changes = ends.copy()
    changes[1:] |= (y[1:] != y[:-1]) & ~(np.isnan(y[1:]) & np.isnan(y[:-1]))
    if classes and _have_stretches(y, changes, classes, window):
        by = f"split by stretches of one class, as {why}{advice}"
        return Division((np.cumsum(changes) - 1).astype(np.intp), by, changes, nothing)
    blocks = block_starts(np.diff(np.r_[np.flatnonzero(ends), len(y)]).tolist(), window)
    before = nothing.copy()
    for first in blocks[1:].tolist():
        if recording[first] == recording[first - 1]:
            before[max(first - window, 0) : first] = True
    starts = nothing.copy()
    starts[blocks] = True
    by = (
        f"blocks of time{' with a gap of one window' if window > 1 else ''}, as {why}, so figures"
        f" for other recordings may be worse{advice}"
    )
    return Division((np.cumsum(starts) - 1).astype(np.intp), by, starts, before)


def _has_lonely_class(y: Array, groups: Rows, classes: int) -> bool:
    """Return whether a class is in one group only."""
    known = ~np.isnan(y)
    numbers = y[known].astype(np.intp)
    least = int(groups.min())
    pairs = np.unique(numbers + classes * (groups[known] - least))
    counts = np.bincount(pairs % classes, minlength=classes)
    return bool((counts == 1).any())


def _have_stretches(y: Array, changes: Mask, classes: int, window: int) -> bool:
    """Return whether each class has stretches of rows that are long enough for a window."""
    first = np.flatnonzero(changes)
    lengths = np.diff(np.r_[first, len(y)])
    whole = y[first[(lengths >= window) & ~np.isnan(y[first])]].astype(np.intp)
    counts = np.bincount(whole, minlength=classes)
    present = np.unique(y[~np.isnan(y)]).astype(np.intp)
    return bool((counts[present] >= _LEAST_STRETCHES).all()) and len(whole) > len(first) // 2


def block_starts(lengths: list[int], window: int) -> Rows:
    """Return the first samples of the blocks of time into which recordings are divided.

    Between two blocks of a recording, the samples of one window are left out: no sample of a block
    belongs to a window of another one.
    """
    found, begin = [], 0
    for length in lengths:
        wanted = min(_MOST_BLOCKS, length // (_WINDOWS_OF_A_BLOCK * window))
        count = max(wanted, min(4, length // (2 * window)), 1)
        found += [begin + length * block // count for block in range(count)]
        begin += length
    return np.array(found, dtype=np.intp)
