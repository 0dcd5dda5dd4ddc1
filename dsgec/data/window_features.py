"""The columns of a data set of windows: features that a grammar names, computed from samples."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dsgec.data.dataset import Dataset
from dsgec.data.windows import Array, Rows, Windows
from dsgec.engine.window_features import compile_features
from dsgec.network.model import Column, plain_columns
from dsgec.signal.description import Call, Signal
from dsgec.signal.quantise import fit_channels, to_integers


def with_window_features(dataset: Dataset, calls: Sequence[Call]) -> Dataset:
    """Return a data set of windows with these features, whose values are not yet computed."""
    assert dataset.windows is not None
    names = tuple(map(str, calls))
    return replace(
        dataset,
        features=names,
        columns=plain_columns(names),
        windows=replace(dataset.windows, calls=tuple(calls), signal=None),
    )


def fit_window_features(dataset: Dataset, rows: Rows) -> Dataset:
    """Return the data set with the features of all windows.

    The integers of channels are fitted to the samples of the windows `rows`. A feature that has the
    same values as an earlier one in these windows is a constant column, which nothing reads.
    """
    windows = dataset.windows
    assert windows is not None
    channels, bits = fit_channels(
        windows.channels, windows.samples, windows.covered(rows), windows.window
    )
    signal = Signal(
        channels,
        windows.window,
        windows.step,
        windows.calls,
        bits,
        rate=windows.rate,
        smooth=windows.smooth,
    )
    is_known = windows.signal == signal and dataset.raw is not None
    raw = dataset.raw if is_known else window_features(signal, windows)
    assert raw is not None
    columns = _distinct_columns(plain_columns(tuple(map(str, windows.calls))), raw[rows])
    return replace(dataset, raw=raw, columns=columns, windows=replace(windows, signal=signal))


def window_features(signal: Signal, windows: Windows) -> Array:
    """Return the features of windows, one row for each."""
    integers = to_integers(signal.channels, signal.bits, windows.samples)
    return compile_features(signal, integers, windows.starts).astype(np.float64)


def _distinct_columns(columns: tuple[Column, ...], values: Array) -> tuple[Column, ...]:
    seen: set[bytes] = set()
    found = []
    for number, column in enumerate(columns):
        key = values[:, number].tobytes()
        found.append(replace(column, kind="constant") if key in seen else column)
        seen.add(key)
    return tuple(found)
