"""A Dataset to its training rows and its test rows."""

import math
from array import array

import numpy as np
from numpy.typing import NDArray

from dsgec.data.ir import Dataset, Split
from dsgec.errors import DsgecError, mention
from dsgec.random import Stream


def split(dataset: Dataset, test: float, seed: int) -> Split:
    """Training and test rows: the same share of every class, drawn from `seed`."""
    if dataset.own_test is not None:
        return dataset.own_test
    chosen = np.ones(len(dataset.y), dtype=bool)
    for order in _shuffled(dataset, np.arange(len(dataset.y)), seed) if test else ():
        kept = math.floor(len(order) * (1.0 - test) + 0.5)
        chosen[order[max(kept, 1) :]] = False
    return Split(np.flatnonzero(chosen), np.flatnonzero(~chosen))


def folds(
    dataset: Dataset, count: int, seed: int, rows: NDArray[np.intp] | None = None
) -> list[Split]:
    """Folds of all rows, or of some of them: every row is a test row once.

    Of each class there are as many rows in each fold as can be.
    """
    rows = np.arange(len(dataset.y)) if rows is None else np.sort(rows)
    if not 2 <= count <= len(rows):
        raise DsgecError(
            f"{count} folds of {len(rows)} rows cannot be made",
            f"{mention('folds')} takes 2 folds or more, and at most one for each row.",
        )
    fold = np.empty(len(dataset.y), dtype=np.intp)
    dealt = 0  # on from where the last class ended, so that folds are equally large
    for order in _shuffled(dataset, rows, seed):
        fold[order] = (dealt + np.arange(len(order))) % count
        dealt += len(order)
    parts = [Split(rows[fold[rows] != k], rows[fold[rows] == k]) for k in range(count)]
    present = len(np.unique(dataset.y[rows])) if dataset.classes else 1
    for part in parts:
        if len(np.unique(dataset.y[part.train])) < present:
            raise DsgecError(
                f"with {count} folds, a class has no training row",
                "Each class needs two rows or more.",
            )
    return parts


def shuffled(rows: NDArray[np.intp], seed: int) -> NDArray[np.intp]:
    """The rows in an order drawn from `seed`, which is not that of the split."""
    return _shuffle(rows, Stream(seed, 1, 0))


def _shuffled(dataset: Dataset, rows: NDArray[np.intp], seed: int) -> list[NDArray[np.intp]]:
    """The rows of each class, or all rows, in an order drawn from `seed`."""
    stream = Stream(seed, 0, 0)
    y = dataset.y[rows]
    by_class = [rows[y == c] for c in range(len(dataset.classes))] if dataset.classes else [rows]
    return [_shuffle(one, stream) for one in by_class]


def _shuffle(rows: NDArray[np.intp], stream: Stream) -> NDArray[np.intp]:
    order = array("q", rows.tobytes())  # a list of a million numbers takes four times as much
    for last in range(len(order) - 1, 0, -1):
        other = stream.below(last + 1)
        order[last], order[other] = order[other], order[last]
    return np.array(order, dtype=np.intp)
