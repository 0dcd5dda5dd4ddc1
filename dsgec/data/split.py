"""A Dataset to its training rows and its test rows; rows of one group stay together."""

import math
from array import array

import numpy as np
from numpy.typing import NDArray

from dsgec.data.groups import count_groups, deal, shuffle
from dsgec.data.ir import Dataset, Split
from dsgec.errors import DsgecError, counted, mention
from dsgec.random import Stream

Rows = NDArray[np.intp]


def split(dataset: Dataset, test: float, seed: int) -> Split:
    """Training and test rows: the same share of every class, drawn from `seed`."""
    if dataset.own_test is not None:
        return dataset.own_test
    if test and dataset.groups is not None:
        return _split_groups(dataset, test, seed)
    chosen = np.ones(len(dataset.y), dtype=bool)
    for order in _shuffled(dataset, np.arange(len(dataset.y)), seed) if test else ():
        kept = math.floor(len(order) * (1.0 - test) + 0.5)
        chosen[order[max(kept, 1) :]] = False
    return Split(np.flatnonzero(chosen), np.flatnonzero(~chosen))


def folds(dataset: Dataset, count: int, seed: int, rows: Rows | None = None) -> list[Split]:
    """Folds of all rows, or of some of them: every row is a test row once.

    Of each class there are as many rows in each fold as can be. Where the data set has groups, all
    rows of one are in the same fold.
    """
    rows = np.arange(len(dataset.y)) if rows is None else np.sort(rows)
    if dataset.groups is not None:
        numbers = _group_folds(dataset, count, seed, rows)
    else:
        numbers = _row_folds(dataset, count, seed, rows)
    parts = [Split(rows[numbers != k], rows[numbers == k]) for k in range(count)]
    present = len(np.unique(dataset.y[rows])) if dataset.classes else 1
    for part in parts:
        if len(np.unique(dataset.y[part.train])) < present:
            raise DsgecError(
                f"with {count} folds, a class has no training row",
                "Each class needs two rows or more."
                if dataset.groups is None
                else f"Each class needs rows in two groups of {_group_name(dataset)} or more; fewer"
                " folds may do.",
            )
    return parts


def shuffled(rows: Rows, seed: int) -> Rows:
    """The rows in an order drawn from `seed`, which is not that of the split."""
    return _shuffle(rows, Stream(seed, 1, 0))


def _row_folds(dataset: Dataset, count: int, seed: int, rows: Rows) -> Rows:
    """Return the fold of each row."""
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
    return fold[rows]


def _group_folds(dataset: Dataset, count: int, seed: int, rows: Rows) -> Rows:
    """Return the fold of each row, the same for all of a group."""
    assert dataset.groups is not None
    codes = np.unique(dataset.groups[rows], return_inverse=True)[1]
    counts = count_groups(codes, dataset.y[rows], len(dataset.classes))
    if not 2 <= count <= len(counts):
        raise DsgecError(
            f"{count} folds of {counted(len(counts), 'group')} cannot be made",
            f"{mention('folds')} takes 2 folds or more, and at most one for each group of"
            f" {_group_name(dataset)}.",
        )
    free = np.full(len(counts), -1, dtype=np.intp)
    return deal(counts, [1.0 / count] * count, Stream(seed, 0, 0), free)[codes]


def _split_groups(dataset: Dataset, test: float, seed: int) -> Split:
    """Whole groups to train and to test with; training rows have every class."""
    assert dataset.groups is not None
    counts = count_groups(dataset.groups, dataset.y, len(dataset.classes))
    if len(counts) < 2:
        raise DsgecError(
            f"{_group_name(dataset)} has one group only, so there is no other to test with",
            f"Name a column with two groups or more, or test with a table: {mention('test')}.",
        )
    pinned = np.full(len(counts), -1, dtype=np.intp)
    if dataset.classes:
        alone = (counts > 0).sum(axis=0) == 1
        pinned[(counts[:, alone] > 0).any(axis=1)] = 0
    part = deal(counts, [1.0 - test, test], Stream(seed, 0, 0), pinned)
    for lost in np.flatnonzero(counts[part == 0].sum(axis=0) == 0) if dataset.classes else ():
        if not counts[part == 0][:, lost].any():
            holding = np.flatnonzero((part == 1) & (counts[:, lost] > 0))
            part[holding[counts[holding].sum(axis=1).argmin()]] = 0
    if part.all() or not part.any():
        raise DsgecError(
            f"the groups of {_group_name(dataset)} cannot be split: without any one of them, a"
            " class has no training row",
            "Each class needs rows in two groups or more; or test with a table:"
            f" {mention('test')}.",
        )
    is_test = part[dataset.groups] == 1
    return Split(np.flatnonzero(~is_test), np.flatnonzero(is_test))


def _group_name(dataset: Dataset) -> str:
    return f"`{dataset.plan.group}`" if dataset.plan.group else "the groups"


def _shuffled(dataset: Dataset, rows: Rows, seed: int) -> list[Rows]:
    """The rows of each class, or all rows, in an order drawn from `seed`."""
    stream = Stream(seed, 0, 0)
    y = dataset.y[rows]
    by_class = [rows[y == c] for c in range(len(dataset.classes))] if dataset.classes else [rows]
    return [_shuffle(one, stream) for one in by_class]


def _shuffle(rows: Rows, stream: Stream) -> Rows:
    order = array("q", rows.tobytes())  # a list of a million numbers takes four times as much
    return np.array(shuffle(order, stream), dtype=np.intp)
