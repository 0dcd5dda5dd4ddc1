"""Groups of rows that belong together, such as recordings, to parts that no group is split by."""

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.data.arrays import table_of
from dsgec.data.columns import text_rows
from dsgec.data.ir import Table
from dsgec.errors import DsgecError, counted, mention, wrong
from dsgec.random import Stream

Codes = NDArray[np.intp]
Counts = NDArray[np.int64]

_UNIT = 1 << 24
"""Shares are whole numbers of this fraction, so that sums are exact and equal on every machine."""
_MOST_SWAPPED = 300
_MOST_PASSES = 20


def read_groups(table: Table, column: int) -> Codes:
    """Return the number of each row's group, -1 where the cell is missing."""
    numbers, texts = table.numbers[:, column], table.texts.get(column)
    found = np.full(len(table), -1, dtype=np.intp)
    is_number = ~np.isnan(numbers)
    values, found[is_number] = np.unique(numbers[is_number], return_inverse=True)
    if texts is None:
        return found
    if texts.overflowed:
        raise DsgecError(
            f"the column `{table.columns[column]}` has more than {len(texts.texts):,} groups",
            "Name a column of which a value comes again.",
        )
    is_text = text_rows(texts)
    order = sorted(range(len(texts.texts)), key=texts.texts.__getitem__)
    places = np.empty(len(order), dtype=np.intp)
    places[order] = len(values) + np.arange(len(order))
    found[is_text] = places[texts.codes[is_text]]
    known = found >= 0
    found[known] = np.unique(found[known], return_inverse=True)[1]
    return found


def refuse_missing_groups(codes: Codes, name: str, source: str) -> None:
    """Raise a DsgecError if a row has no group."""
    missing = int((codes < 0).sum())
    if missing:
        raise DsgecError(
            f"the group `{name}` of {source} is missing in {counted(missing, 'row')}",
            f"Every row belongs to a group: fill it, or {mention('missing', 'drop')} leaves those"
            " rows out.",
        )


def given_groups(given: Any, rows: int) -> Codes:
    """Return the number of each row's group, of a list or an array of labels."""
    try:
        flat = given if hasattr(given, "dtype") else np.array(list(given), dtype=object)
        shape = np.shape(flat)
    except TypeError as error:
        raise wrong(
            "groups", f"is a {type(given).__name__}", "It must have a label for each row."
        ) from error
    if shape != (rows,):
        raise wrong(
            "groups",
            f"has the shape {shape}, but there are {rows} rows",
            "It must have a label for each row.",
        )
    table = table_of({"groups": flat}, shown="groups")
    codes = read_groups(table, 0)
    refuse_missing_groups(codes, "groups", "the table")
    return codes


def digest_groups(codes: Codes) -> str:
    """Return the digest of which rows belong together."""
    return hashlib.sha256(codes.astype("<i8", copy=False).data).hexdigest()


def with_groups(table: Table, given: Any) -> Table:
    """The table with a group for each of its rows."""
    codes = given_groups(given, len(table))
    return replace(table, groups=codes, groups_digest=digest_groups(codes))


def count_groups(codes: Codes, y: NDArray[np.float64], classes: int) -> Counts:
    """Return a matrix of how many rows of each class each group has; one column of all rows where
    there are no classes."""
    groups = int(codes.max()) + 1
    numbers = y.astype(np.intp) if classes else np.zeros(len(y), dtype=np.intp)
    width = max(classes, 1)
    counts = np.bincount(codes * width + numbers, minlength=groups * width)
    return counts.reshape(groups, width).astype(np.int64)


def deal(counts: Counts, shares: list[float], stream: Stream, pinned: Codes) -> Codes:
    """Deal groups to parts so that each part has its share of the rows and of every class.

    `counts` has a row for each group, and none of them is empty. A group that is `pinned` stays in
    its part; -1 leaves it free. Groups are dealt in a random order, each to the part that needs it
    most; then groups are moved and exchanged as long as that brings the parts nearer to their
    shares.
    """
    sizes = counts.sum(axis=1, keepdims=True)
    both = np.hstack([counts, sizes])
    totals = np.maximum(both.sum(axis=0), 1)
    weights = (both * _UNIT + totals // 2) // totals
    wanted = np.array([round(share * _UNIT) for share in shares], dtype=np.int64)
    parts = _Parts(weights, wanted, pinned)
    order = np.array(shuffle(list(range(len(counts))), stream), dtype=np.intp)
    if len(order) > _MOST_SWAPPED:  # too many to exchange: the large ones first, as they fit worst
        order = order[np.argsort(-sizes[order, 0], kind="stable")]
    for group in order.tolist():
        parts.put(group, parts.neediest(group) if pinned[group] < 0 else int(pinned[group]))
    parts.fill_empty(sizes[:, 0])
    for _ in range(_MOST_PASSES):
        if not parts.improve(order.tolist(), swaps=len(order) <= _MOST_SWAPPED):
            break
    return parts.of


class _Parts:
    """Parts that are filled with groups; `excess` is what each has beyond its share."""

    def __init__(self, weights: Counts, wanted: Counts, pinned: Codes) -> None:
        self.weights, self.free = weights, pinned < 0
        self.of = np.full(len(weights), -1, dtype=np.intp)
        self.excess = np.repeat(-wanted[:, None], weights.shape[1], axis=1)

    def put(self, group: int, part: int) -> None:
        """Move a group to a part."""
        if self.of[group] >= 0:
            self.excess[self.of[group]] -= self.weights[group]
        self.excess[part] += self.weights[group]
        self.of[group] = part

    def neediest(self, group: int) -> int:
        """Return the part whose excess grows least by the group."""
        return int(self._growth(self.weights[group]).argmin())

    def _growth(self, weights: Counts) -> Counts:
        """Return how much the squared excess of each part grows by what is added to it."""
        grown: Counts = ((2 * self.excess + weights) * weights).sum(axis=-1)
        return grown

    def fill_empty(self, sizes: Counts) -> None:
        """Give each part without a group the smallest free one of a part that has others."""
        for part in range(len(self.excess)):
            held = np.bincount(self.of, minlength=len(self.excess))
            if held[part]:
                continue
            spare = np.flatnonzero(self.free & (held[self.of] > 1))
            if len(spare):
                self.put(int(spare[sizes[spare].argmin()]), part)

    def improve(self, order: list[int], *, swaps: bool) -> bool:
        """Move and exchange groups where that lessens the squared excess; tells if any was."""
        changed = False
        for group in order:
            if self.free[group]:
                changed |= self._move(group) or (swaps and self._swap(group))
        return changed

    def _move(self, group: int) -> bool:
        own, weights = int(self.of[group]), self.weights[group]
        if (self.of == own).sum() < 2:
            return False
        gain = self._growth(weights) + self._growth(-weights)[own]
        gain[own] = 0
        best = int(gain.argmin())
        if gain[best] >= 0:
            return False
        self.put(group, best)
        return True

    def _swap(self, group: int) -> bool:
        own = int(self.of[group])
        others = np.flatnonzero(self.free & (self.of != own))
        if not len(others):
            return False
        more = self.weights[group] - self.weights[others]  # what their parts get
        theirs = ((2 * self.excess[self.of[others]] + more) * more).sum(axis=1)
        ours = ((more - 2 * self.excess[own]) * more).sum(axis=1)
        best = int((theirs + ours).argmin())
        if theirs[best] + ours[best] >= 0:
            return False
        other, part = int(others[best]), int(self.of[others[best]])
        self.put(group, part)
        self.put(other, own)
        return True


def shuffle(items: Any, stream: Stream) -> Any:
    """Shuffle a list or an array in place, and return it."""
    for last in range(len(items) - 1, 0, -1):
        other = stream.below(last + 1)
        items[last], items[other] = items[other], items[last]
    return items
