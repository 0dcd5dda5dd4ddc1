"""Make a data set of windows from an array of series: series × channels × samples."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dsgec.data.dataset import Dataset, Split
from dsgec.data.options import LONGEST_WINDOW, Preprocessing
from dsgec.data.row_metadata import digest_groups
from dsgec.data.windows import Array, Rows, Windows, cut
from dsgec.errors import DsgecError, counted, mention
from dsgec.network.model import Label
from dsgec.signal.description import Signal

_SHAPE = "An array of series has the shape (series, channels, samples)."


def is_series(values: Any) -> bool:
    """Return whether these are series: an array of three dimensions."""
    return getattr(values, "ndim", 0) == 3


def cut_series(
    values: Any, window: int, step: int, channels: Sequence[str] = (), shown: str = "X"
) -> tuple[Windows, Rows]:
    """Return the windows of an array of series, and the series of each window."""
    try:
        series = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DsgecError(f"{shown} has values that are not numbers", _SHAPE) from error
    count, width, length = series.shape
    names = tuple(channels) or tuple(f"c_{number}" for number in range(1, width + 1))
    if not series.size:
        raise DsgecError(f"{shown} has no samples", _SHAPE)
    if len(names) != width:
        raise DsgecError(f"{shown} has {counted(width, 'channel')} instead of {len(names)}", _SHAPE)
    if np.isinf(series).any():
        raise DsgecError(f"{shown} has an infinite sample", "Replace it, or leave the series out.")
    samples = np.ascontiguousarray(series.transpose(0, 2, 1)).reshape(count * length, width)
    begins = np.arange(len(samples)) % length == 0
    usable = np.logical_not(np.isnan(samples).any(axis=1))
    first = cut(begins, usable, window, step)
    whole = tuple(str(number + 1) for number in range(count))
    own = first // length
    places = np.arange(count) * length
    return Windows(names, samples, first, window, step, None, whole, own, places), own


def make_series_dataset(
    values: Any,
    y: Array,
    classes: tuple[Label, ...],
    options: Preprocessing,
    groups: Rows | None = None,
    *,
    name: str = "data",
    target: str = "y",
) -> Dataset:
    """Return the data set of the windows of series, which have no features yet.

    Without a `window`, a series is one. The windows of a series, or of a group of series, stay
    together in splits.
    """
    count, _, length = np.shape(values)
    if len(y) != count:
        raise DsgecError(f"X has {count} series, but y has {len(y)}", _SHAPE)
    window = options.window or length
    if not 2 <= window <= min(length, LONGEST_WINDOW):
        raise DsgecError(
            f"a window of {counted(window, 'sample')} is too {'short' if window < 2 else 'long'}",
            f"A series has {counted(length, 'sample')}, a window at most {LONGEST_WINDOW}: choose"
            f" one with {mention('window')}.",
        )
    step = options.step or (window if options.window is None else options.stride)
    options = replace(options, window=window, step=step)
    windows, series = cut_series(values, window, step)
    lost = count - len(np.unique(series))
    if lost:
        raise DsgecError(
            f"{counted(lost, 'series', 'series')} of X have no window of {window} samples without"
            " a missing one",
            f"Fill in missing samples, or choose a shorter {mention('window')}.",
        )
    digest = hashlib.sha256(repr((np.shape(values), classes)).encode())
    for array in (windows.samples, y):
        digest.update(np.ascontiguousarray(array).astype("<f8", copy=False).data)
    own = series if groups is None else groups[series]
    together = len(np.unique(own)) < len(series)
    return Dataset(
        name=name,
        features=(),
        target=target,
        classes=classes,
        x=np.empty((len(series), 0)),
        y=np.asarray(y, np.float64)[series],
        digest=digest.hexdigest(),
        preprocessing=options,
        groups=own if together else None,
        groups_digest="" if groups is None else digest_groups(groups),
        windows=windows,
    )


def add_test_series(dataset: Dataset, values: Any, y: Array) -> Dataset:
    """Return a data set of windows with the windows of further series as its test rows."""
    own = dataset.windows
    assert own is not None
    windows, series = cut_series(values, own.window, own.step, own.channels, "the test series")
    if len(y) != len(values):
        raise DsgecError(f"there are {len(values)} test series, but {len(y)} targets", _SHAPE)
    if not len(series):
        raise DsgecError(f"the test series have no window of {own.window} samples", _SHAPE)
    assert own.recording is not None and windows.recording is not None
    both = replace(
        own,
        samples=np.concatenate([own.samples, windows.samples]),
        starts=np.concatenate([own.starts, windows.starts + len(own.samples)]),
        recordings=(*own.recordings, *(f"test {name}" for name in windows.recordings)),
        recording=np.concatenate([own.recording, windows.recording + len(own.recordings)]),
        begins=np.concatenate([own.begins, windows.begins + len(own.samples)]),
    )
    count = len(dataset.y)
    groups = dataset.groups
    digest = hashlib.sha256(np.ascontiguousarray(windows.samples).astype("<f8", copy=False).data)
    digest.update(np.asarray(y, "<f8").data)
    return replace(
        dataset,
        x=np.empty((count + len(series), 0)),
        y=np.concatenate([dataset.y, np.asarray(y, np.float64)[series]]),
        groups=None if groups is None else np.concatenate([groups, np.full(len(series), -1)]),
        fixed_split=Split(np.arange(count), count + np.arange(len(series))),
        test_digest=digest.hexdigest(),
        windows=both,
    )


def series_windows(signal: Signal, values: Any) -> Windows:
    """Return the windows that a model of a signal predicts in an array of series."""
    channels = tuple(channel.name for channel in signal.channels)
    windows, _ = cut_series(values, signal.window, signal.step, channels)
    return replace(windows, calls=signal.features, signal=signal)
