"""A data set, and its division into training and test rows; rows of one group stay together."""

import math
from array import array
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dsgec.data.options import Preprocessing
from dsgec.data.windows import Windows
from dsgec.errors import DsgecError, counted, mention
from dsgec.network.model import Column, Label, TargetScale, plain_columns
from dsgec.random import Stream

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
Counts = NDArray[np.int64]

_SHARE_UNIT = 1 << 24
"""Shares are whole numbers of this fraction, so that sums are exact and equal on every machine."""
_MOST_SWAPPED = 300
_MOST_PASSES = 20


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The training rows and the test rows, in the table's order.

    Training rows that are used in batches are shuffled.
    """

    train: Rows
    test: Rows


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """The features (`x`) and targets (`y`) of rows: class numbers or, without classes, values.

    `columns` describe how features are computed from `raw`, the row of the table; without columns,
    both are the same. `target_scale` is set if a numeric target is scaled, and `fixed_split` if the
    test rows come from a table of their own. `row_weights` are those that a user gave. `groups` has
    the number of each row's group, if rows belong together; -1 for the rows of a test table. With
    `windows`, a row is a window of a log.
    """

    name: str
    features: tuple[str, ...]
    target: str
    classes: tuple[Label, ...]
    x: Array
    y: Array
    digest: str
    columns: tuple[Column, ...] = ()
    raw: Array | None = None
    preprocessing: Preprocessing = field(default_factory=Preprocessing)
    notes: tuple[str, ...] = ()
    fixed_split: Split | None = None
    test_digest: str = ""
    reading: tuple[tuple[str, str | bool], ...] = ()
    target_scale: TargetScale | None = None
    row_weights: Array | None = None
    weights_digest: str = ""
    groups: Rows | None = None
    groups_digest: str = ""
    windows: Windows | None = None

    @property
    def task(self) -> str:
        """Return `classification` or `regression`."""
        return "classification" if self.classes else "regression"

    @property
    def class_numbers(self) -> Rows:
        """Return the class of each row as an integer."""
        return self.y.astype(np.intp)

    @property
    def scaled_y(self) -> Array:
        """Return what networks are trained to output: `y`, scaled if the target is scaled."""
        if self.target_scale is None:
            return self.y
        mean, deviation = self.target_scale
        with np.errstate(over="ignore"):  # of a test row
            scaled: Array = (self.y - mean) / deviation
        return scaled

    @property
    def inputs(self) -> tuple[Column, ...]:
        """Return the columns of the raw row."""
        return self.columns or plain_columns(self.features)


def split(dataset: Dataset, test: float, seed: int) -> Split:
    """Draw test rows from `seed`: the share `test` of every class; the others are training rows."""
    if dataset.fixed_split is not None:
        return dataset.fixed_split
    if test and dataset.groups is not None:
        return _split_groups(dataset, test, seed)
    is_train = np.ones(len(dataset.y), dtype=bool)
    for order in _shuffled_classes(dataset, np.arange(len(dataset.y)), seed) if test else ():
        kept = math.floor(len(order) * (1.0 - test) + 0.5)
        is_train[order[max(kept, 1) :]] = False
    return Split(np.flatnonzero(is_train), np.flatnonzero(~is_train))


def folds(dataset: Dataset, count: int, seed: int, rows: Rows | None = None) -> list[Split]:
    """Return the splits of a cross-validation of all rows, or of the given ones.

    Every row is a test row once. The folds are as equal as possible in each class. If the data set
    has groups, all rows of a group are in the same fold.
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


def shuffle_rows(rows: Rows, seed: int) -> Rows:
    """Return the rows in an order drawn from `seed`, independently of the split."""
    return _shuffle(rows, Stream(seed, 1, 0))


def _shuffle(rows: Rows, stream: Stream) -> Rows:
    order = array("q", rows.tobytes())  # a list of a million numbers takes four times as much
    for last in range(len(order) - 1, 0, -1):
        other = stream.below(last + 1)
        order[last], order[other] = order[other], order[last]
    return np.array(order, dtype=np.intp)


def _shuffled_classes(dataset: Dataset, rows: Rows, seed: int) -> list[Rows]:
    """Return the rows of each class, or all rows of a regression, in an order drawn from `seed`."""
    stream = Stream(seed, 0, 0)
    y = dataset.y[rows]
    by_class = [rows[y == c] for c in range(len(dataset.classes))] if dataset.classes else [rows]
    return [_shuffle(one, stream) for one in by_class]


def _row_folds(dataset: Dataset, count: int, seed: int, rows: Rows) -> Rows:
    """Return the fold of each row."""
    if not 2 <= count <= len(rows):
        raise DsgecError(
            f"{count} folds of {len(rows)} rows cannot be made",
            f"{mention('folds')} takes 2 folds or more, and at most one for each row.",
        )
    fold = np.empty(len(dataset.y), dtype=np.intp)
    dealt = 0  # continue where the last class ended, so that folds are equally large
    for order in _shuffled_classes(dataset, rows, seed):
        fold[order] = (dealt + np.arange(len(order))) % count
        dealt += len(order)
    return fold[rows]


def _group_folds(dataset: Dataset, count: int, seed: int, rows: Rows) -> Rows:
    """Return the fold of each row, the same for all rows of a group."""
    assert dataset.groups is not None
    codes = np.unique(dataset.groups[rows], return_inverse=True)[1]
    counts = _count_classes(codes, dataset.y[rows], len(dataset.classes))
    if not 2 <= count <= len(counts):
        raise DsgecError(
            f"{count} folds of {counted(len(counts), 'group')} cannot be made",
            f"{mention('folds')} takes 2 folds or more, and at most one for each group of"
            f" {_group_name(dataset)}.",
        )
    free = np.full(len(counts), -1, dtype=np.intp)
    return _assign_groups(counts, [1.0 / count] * count, Stream(seed, 0, 0), free)[codes]


def _split_groups(dataset: Dataset, test: float, seed: int) -> Split:
    """Split whole groups so that the training rows have every class."""
    assert dataset.groups is not None
    counts = _count_classes(dataset.groups, dataset.y, len(dataset.classes))
    if len(counts) < 2:
        raise DsgecError(
            f"{_group_name(dataset)} has one group only, so there is no other to test with",
            f"Name a column with two groups or more, or test with a table: {mention('test')}.",
        )
    pinned = np.full(len(counts), -1, dtype=np.intp)
    if dataset.classes:
        is_alone = (counts > 0).sum(axis=0) == 1
        pinned[(counts[:, is_alone] > 0).any(axis=1)] = 0
    part = _assign_groups(counts, [1.0 - test, test], Stream(seed, 0, 0), pinned)
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
    return f"`{dataset.preprocessing.group}`" if dataset.preprocessing.group else "the groups"


def _count_classes(codes: Rows, y: Array, classes: int) -> Counts:
    """Return a matrix of the rows of each class in each group; of a regression, of all rows."""
    groups = int(codes.max()) + 1
    numbers = y.astype(np.intp) if classes else np.zeros(len(y), dtype=np.intp)
    width = max(classes, 1)
    counts = np.bincount(codes * width + numbers, minlength=groups * width)
    return counts.reshape(groups, width).astype(np.int64)


def _assign_groups(counts: Counts, shares: list[float], stream: Stream, pinned: Rows) -> Rows:
    """Assign groups to parts so that each part gets its share of the rows and of every class.

    `counts` has a row for each group, none of them empty. A group that is `pinned` stays in its
    part; -1 leaves it free. Groups are assigned in a random order, each to the part that needs it
    most; then they are moved and swapped as long as that brings the parts nearer to their shares.
    """
    sizes = counts.sum(axis=1, keepdims=True)
    both = np.hstack([counts, sizes])
    totals = np.maximum(both.sum(axis=0), 1)
    weights = (both * _SHARE_UNIT + totals // 2) // totals
    wanted = np.array([round(share * _SHARE_UNIT) for share in shares], dtype=np.int64)
    parts = _GroupParts(weights, wanted, pinned)
    order = _shuffle(np.arange(len(counts)), stream)
    if len(order) > _MOST_SWAPPED:  # too many to swap: the large ones first, as they fit worst
        order = order[np.argsort(-sizes[order, 0], kind="stable")]
    for group in order.tolist():
        parts.put(group, parts.neediest(group) if pinned[group] < 0 else int(pinned[group]))
    parts.fill_empty(sizes[:, 0])
    for _ in range(_MOST_PASSES):
        if not parts.improve(order.tolist(), swaps=len(order) <= _MOST_SWAPPED):
            break
    return parts.part_of


class _GroupParts:
    """The part of each group, and the `excess` of each part beyond its share."""

    def __init__(self, weights: Counts, wanted: Counts, pinned: Rows) -> None:
        self.weights, self.free = weights, pinned < 0
        self.part_of = np.full(len(weights), -1, dtype=np.intp)
        self.excess = np.repeat(-wanted[:, None], weights.shape[1], axis=1)

    def put(self, group: int, part: int) -> None:
        """Move a group to a part."""
        if self.part_of[group] >= 0:
            self.excess[self.part_of[group]] -= self.weights[group]
        self.excess[part] += self.weights[group]
        self.part_of[group] = part

    def neediest(self, group: int) -> int:
        """Return the part whose squared excess grows least by the group."""
        return int(self._growth(self.weights[group]).argmin())

    def _growth(self, weights: Counts) -> Counts:
        """Return how much the squared excess of each part grows if these weights are added."""
        growth: Counts = ((2 * self.excess + weights) * weights).sum(axis=-1)
        return growth

    def fill_empty(self, sizes: Counts) -> None:
        """Give each part without a group the smallest free group of a part that has others."""
        for part in range(len(self.excess)):
            held = np.bincount(self.part_of, minlength=len(self.excess))
            if held[part]:
                continue
            spare = np.flatnonzero(self.free & (held[self.part_of] > 1))
            if len(spare):
                self.put(int(spare[sizes[spare].argmin()]), part)

    def improve(self, order: list[int], *, swaps: bool) -> bool:
        """Move and swap groups if that reduces the squared excess; return whether it did."""
        changed = False
        for group in order:
            if self.free[group]:
                changed |= self._move(group) or (swaps and self._swap(group))
        return changed

    def _move(self, group: int) -> bool:
        own, weights = int(self.part_of[group]), self.weights[group]
        if (self.part_of == own).sum() < 2:
            return False
        growth = self._growth(weights) + self._growth(-weights)[own]
        growth[own] = 0
        best = int(growth.argmin())
        if growth[best] >= 0:
            return False
        self.put(group, best)
        return True

    def _swap(self, group: int) -> bool:
        own = int(self.part_of[group])
        others = np.flatnonzero(self.free & (self.part_of != own))
        if not len(others):
            return False
        gained = self.weights[group] - self.weights[others]  # by the parts of the others
        theirs = ((2 * self.excess[self.part_of[others]] + gained) * gained).sum(axis=1)
        ours = ((gained - 2 * self.excess[own]) * gained).sum(axis=1)
        best = int((theirs + ours).argmin())
        if theirs[best] + ours[best] >= 0:
            return False
        other, part = int(others[best]), int(self.part_of[others[best]])
        self.put(group, part)
        self.put(other, own)
        return True
