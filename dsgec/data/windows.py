"""Windows of samples: where they begin, and what belongs to them.

A window is a function of its own samples: it lies within one recording, and has no gap in its time
and no missing sample. After a missing sample, windows begin again, as those of a stream do.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from dsgec.signal.description import Call, Signal

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]

GAP = 5.0
"""A step in time that is longer than so many median steps ends a stretch of samples."""


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """The windows of a log, of which each is a row of a data set.

    `samples` has a row for each sample and a column for each channel. Window i has `window` samples
    and begins with sample `starts[i]`, in the recording `recording[i]`; `recordings` has the names
    of recordings, and `begins` their first samples. `calls` are the features that a grammar names,
    and `signal` is their description when channels are fitted to training rows. The class of a
    window is that of most of the last `smooth` windows.
    """

    channels: tuple[str, ...]
    samples: Array
    starts: Rows
    window: int
    step: int
    rate: float | None = None
    recordings: tuple[str, ...] = ()
    recording: Rows | None = None
    begins: Rows = field(default_factory=lambda: np.zeros(1, dtype=np.intp))
    calls: tuple[Call, ...] = ()
    signal: Signal | None = None
    smooth: int = 1

    @property
    def first_of_stretch(self) -> Mask:
        """Return which windows do not begin a step after the one before, in one recording."""
        found: Mask = np.ones(len(self), dtype=bool)
        found[1:] = np.diff(self.starts) != self.step
        if self.recording is not None:
            found[1:] |= np.diff(self.recording) != 0
        return found

    def __len__(self) -> int:
        return len(self.starts)

    def covered(self, rows: Rows) -> Mask:
        """Return which samples belong to these windows."""
        change = np.zeros(len(self.samples) + 1, dtype=np.intp)
        np.add.at(change, self.starts[rows], 1)
        np.add.at(change, self.starts[rows] + self.window, -1)
        return np.cumsum(change[:-1]) > 0

    def take(self, rows: Rows) -> "Windows":
        """Return these windows of the same samples."""
        recording = None if self.recording is None else self.recording[rows]
        return replace(self, starts=self.starts[rows], recording=recording)


def find_gaps(time: Array, starts: Mask) -> Mask:
    """Return which samples come after a gap in the time, or after a step back."""
    steps = np.diff(time)
    inner = steps[(steps > 0.0) & ~starts[1:]]
    median = float(np.median(inner)) if len(inner) else np.inf
    found = np.zeros(len(time), dtype=bool)
    found[1:] = (steps > GAP * median) | (steps < 0.0)
    return found


def stretches(starts: Mask, usable: Mask) -> tuple[Rows, Rows]:
    """Return the first samples of the stretches of usable samples, and their lengths."""
    change = starts.copy()
    change[:1] = True
    change[1:] |= usable[1:] != usable[:-1]
    first = np.flatnonzero(change)
    length = np.diff(np.r_[first, len(starts)])
    return first[usable[first]], length[usable[first]]


def cut(starts: Mask, usable: Mask, window: int, step: int) -> Rows:
    """Return the first samples of all windows; each lies in one stretch of usable samples."""
    first, length = stretches(starts, usable)
    counts = np.maximum((length - window) // step + 1, 0)
    before = np.cumsum(counts) - counts
    number = np.arange(int(counts.sum())) - np.repeat(before, counts)
    found: Rows = np.repeat(first, counts) + step * number
    return found


def window_targets(
    y: Array, starts: Rows, window: int, classes: int, *, by_majority: bool
) -> Array:
    """Return the target of each window: that of its last sample, or the most frequent one.

    The mean takes the place of the most frequent value of a numeric target. Of classes that are
    equally frequent, the one of the last sample goes first, and then the first class. A window
    without a known target has NaN.
    """
    last = y[starts + window - 1]
    if not by_majority:
        return last
    if not classes:
        known = ~np.isnan(y)
        counts = _count(known.astype(np.float64), starts, window)
        with np.errstate(invalid="ignore", divide="ignore"):
            return _count(np.where(known, y, 0.0), starts, window) / counts
    best, most = np.full(len(starts), np.nan), np.zeros(len(starts))
    for number in range(classes):
        counts = _count((y == number).astype(np.float64), starts, window)
        counts += np.where(last == number, 0.5, 0.0)
        better = counts > most
        best[better], most[better] = number, counts[better]
    return best


def _count(values: Array, starts: Rows, window: int) -> Array:
    """Return the sum of the values of each window."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    found: Array = sums[starts + window] - sums[starts]
    return found
