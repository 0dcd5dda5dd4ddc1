"""The recording of the self-test of a stream: samples, and what the batch makes of their windows.

A few samples are stored and read again and again, so that a long window takes no more flash than a
short one. One sample in the middle is missing: all windows begin again after it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.export.artefact import Artefact
from dsgec.export.golden import classes_of, classes_of_results
from dsgec.signal.compute import compute_features
from dsgec.signal.description import Signal
from dsgec.signal.stream import MISSING, largest_sample

_STORED = 61  # samples at the most: a prime, so that windows differ
_MOST_WINDOWS = 8  # before the gap

Samples = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Recording:
    """The samples of a self-test, `count` of them: the stored ones, again from the first.

    The sample with the number `gap` is missing. `ends` are the numbers of the last samples of the
    windows, with their features, their results and the numbers of their classes.
    """

    stored: tuple[tuple[int, ...], ...]
    count: int
    gap: int
    ends: tuple[int, ...]
    features: tuple[tuple[int, ...], ...]
    results: tuple[tuple[float, ...], ...]
    classes: tuple[int, ...]


def recording(artefact: Artefact, signal: Signal) -> Recording:
    """Return the recording of the self-test of a stream."""
    # The first state of a window begins again, unless there are many of them.
    gap = signal.window + min(signal.overlap, _MOST_WINDOWS) * signal.step
    count = gap + 1 + signal.window
    stored = _samples(signal, min(_STORED, count))
    samples = np.resize(stored, (count, len(signal.channels)))
    limit = largest_sample(signal)
    starts = np.array(window_starts(signal, count, (gap,)))
    features = compute_features(signal, np.clip(samples, -limit, limit).astype(np.int32), starts)
    format_ = artefact.number_format
    results = format_.results(features.astype(format_.row_type))
    classes = (
        classes_of_results(artefact.model, results)
        if format_.fixed
        else classes_of(artefact.model, artefact.network, features.astype(format_.row_type))
    )
    return Recording(
        tuple(map(tuple, stored.tolist())),
        count,
        gap,
        tuple(int(start) + signal.window - 1 for start in starts),
        tuple(map(tuple, features.tolist())),
        tuple(map(tuple, results.tolist())),
        tuple(classes),
    )


def window_starts(signal: Signal, count: int, gaps: tuple[int, ...] = ()) -> list[int]:
    """Return the first samples of all windows of `count` samples, of which some are missing."""
    starts: list[int] = []
    begin = 0
    for end in (*sorted(gaps), count):
        starts += range(begin, end - signal.window + 1, signal.step)
        begin = end + 1
    return starts


def _samples(signal: Signal, count: int) -> Samples:
    """Return samples: waves and noise of several sizes, with some that are too large."""
    random = np.random.RandomState(61)
    limit = largest_sample(signal)
    time = np.arange(count)[:, None]
    channels = np.arange(len(signal.channels))[None, :]
    wave = np.sin(time * (0.4 + 0.17 * channels) + channels)
    size = limit * 2.0 ** -random.randint(1, 5, (count, len(signal.channels)))
    found = np.rint(0.4 * limit * wave + size * random.uniform(-1, 1, size.shape))
    most = -MISSING - 1
    for at in range(7, count, 23):  # too large, with either sign; never a missing one
        found[at] = most if at % 2 else -most
    return np.clip(found, -most, most).astype(np.int32)
