"""Grow decision trees greedily, best split first, and prune them by their weakest links.

A split is the one that lowers the sum of squares of the targets most. For classes, whose targets
are 0 or 1, that is Gini's impurity. Rows are added up by the bins of their columns, in their order,
so the trees are the same on every machine.
"""

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dsgec.network.trees import Tree

Array = NDArray[np.float64]

MOST_LEAVES = 256
MOST_BINS = 256
_TRIFLE = 1e-6  # of the shares of classes, by which none is equal to another
_LEAST_GAIN = 1e-12  # as a share of the squares of all rows


@dataclass(frozen=True, slots=True, eq=False)
class GrownTree:
    """A tree whose nodes know their rows: a split's children follow it somewhere.

    `columns` is -1 for leaves. `gains` has what a split takes from the sum of squares, and `totals`
    the weight and the weighted targets of each node.
    """

    columns: tuple[int, ...]
    thresholds: tuple[float, ...]
    lefts: tuple[int, ...]
    rights: tuple[int, ...]
    gains: tuple[float, ...]
    weights: Array
    totals: Array

    @property
    def leaves(self) -> int:
        return self.columns.count(-1)

    def tree(self, values: Array, outputs: tuple[int, ...]) -> Tree:
        """Return the tree with these values of its nodes, of which leaves have theirs."""
        order: list[int] = []
        leaves: list[int] = []
        place: dict[int, int] = {}
        todo = [0]
        while todo:
            node = todo.pop()
            if self.columns[node] < 0:
                place[node] = ~len(leaves)
                leaves.append(node)
            else:
                place[node] = len(order)
                order.append(node)
                todo += [self.rights[node], self.lefts[node]]
        return Tree(
            tuple(self.columns[node] for node in order),
            tuple(self.thresholds[node] for node in order),
            tuple(place[self.lefts[node]] for node in order),
            tuple(place[self.rights[node]] for node in order),
            tuple(tuple(values[node].tolist()) for node in leaves),
            outputs,
        )

    def without(self, splits: frozenset[int]) -> "GrownTree":
        """Return the tree in which some splits are leaves."""
        columns = tuple(-1 if node in splits else c for node, c in enumerate(self.columns))
        return replace(self, columns=columns)._reachable()

    def _reachable(self) -> "GrownTree":
        """Return the tree without the nodes that cannot be reached from its root."""
        order = [0]
        for node in order:
            if self.columns[node] >= 0:
                order += [self.lefts[node], self.rights[node]]
        place = {node: at for at, node in enumerate(order)}
        return GrownTree(
            tuple(self.columns[node] for node in order),
            tuple(self.thresholds[node] for node in order),
            tuple(place.get(self.lefts[node], 0) for node in order),
            tuple(place.get(self.rights[node], 0) for node in order),
            tuple(self.gains[node] for node in order),
            self.weights[order],
            self.totals[order],
        )


@dataclass(frozen=True, slots=True, eq=False)
class BinnedRows:
    """Rows with the bin of each value: equal to its rank among the values of the column, if few.

    `codes` counts the bins of all columns, one column after the other.
    """

    rows: Array
    codes: NDArray[np.intp]
    bins: int


def bin_rows(rows: Array) -> BinnedRows:
    """Return rows with bins of about as many different values, in which trees are grown."""
    codes = np.empty(rows.shape, np.intp)
    bins = 1
    for column in range(rows.shape[1]):
        known, ranks = np.unique(rows[:, column], return_inverse=True)
        own = min(len(known), MOST_BINS)
        codes[:, column] = ranks * own // max(len(known), 1)
        bins = max(bins, own)
    codes += np.arange(rows.shape[1], dtype=np.intp) * bins
    return BinnedRows(rows, codes, bins)


@dataclass(frozen=True, slots=True)
class _Split:
    """The best split of some rows."""

    gain: float
    column: int
    threshold: float


ChooseColumns = Callable[[], NDArray[np.intp]]
"""Returns the columns that may split a node."""


def grow(
    binned: BinnedRows,
    targets: Array,
    weights: Array,
    *,
    most_leaves: int = MOST_LEAVES,
    least: float = 1.0,
    columns_of_node: ChooseColumns | None = None,
) -> GrownTree:
    """Return a tree grown on rows with targets; a leaf has a weight of at least `least`.

    Rows without weight are left out. `columns_of_node` is called for each node (default: all
    columns may split it).
    """
    columns, thresholds, lefts, rights, gains = [-1], [0.0], [0], [0], [0.0]
    parts = [np.flatnonzero(weights > 0.0)]
    weighted = targets * weights[:, None]
    scale = _total(np.cumsum(weighted * targets, axis=1)[:, -1:])[0]
    waiting: list[tuple[float, int, _Split]] = []

    def offer(node: int) -> None:
        chosen = columns_of_node() if columns_of_node else None
        split = _best_split(binned, weighted, weights, parts[node], least, chosen)
        if split is not None and split.gain > _LEAST_GAIN * max(scale, 1.0):
            heapq.heappush(waiting, (-split.gain, node, split))

    offer(0)
    leaves = 1
    while waiting and leaves < most_leaves:
        _, node, split = heapq.heappop(waiting)
        columns[node], thresholds[node], gains[node] = split.column, split.threshold, split.gain
        goes_left = binned.rows[parts[node], split.column] <= split.threshold
        leaves += 1
        for side, part in ((lefts, goes_left), (rights, ~goes_left)):
            side[node] = len(parts)
            parts.append(parts[node][part])
            columns.append(-1)
            thresholds.append(0.0)
            lefts.append(0)
            rights.append(0)
            gains.append(0.0)
            if leaves < most_leaves:
                offer(len(parts) - 1)
    return GrownTree(
        tuple(columns),
        tuple(thresholds),
        tuple(lefts),
        tuple(rights),
        tuple(gains),
        np.array([_total(weights[part][:, None])[0] for part in parts]),
        np.array([_total(weighted[part]) for part in parts]),
    )


def _total(values: Array) -> Array:
    """Return the sum of each column, added up from the first row to the last."""
    total: Array = np.cumsum(values, axis=0)[-1] if len(values) else np.zeros(values.shape[1])
    return total


def _best_split(
    binned: BinnedRows,
    weighted: Array,
    weights: Array,
    part: NDArray[np.intp],
    least: float,
    columns: NDArray[np.intp] | None,
) -> _Split | None:
    """Return the split that lowers the sum of squares most, the first of those that are equal."""
    if len(part) < 2:
        return None
    codes, count = binned.codes[part], binned.rows.shape[1]
    if columns is not None:
        count = len(columns)
        codes = codes[:, columns] + (np.arange(count) - columns) * binned.bins
    flat, shape = codes.ravel(), (count, binned.bins)

    def add_up(values: Array) -> Array:
        """Return the sum of the rows up to each bin of each column."""
        found = np.bincount(flat, np.repeat(values, count), count * binned.bins)
        return np.cumsum(found.reshape(shape), axis=1)

    left_weight = add_up(weights[part])
    right_weight = left_weight[:, -1:] - left_weight
    left_squares, right_squares, whole = np.zeros(shape), np.zeros(shape), 0.0
    for target in range(weighted.shape[1]):
        left = add_up(weighted[part, target])
        right = left[:, -1:] - left
        left_squares += left * left
        right_squares += right * right
        whole += float(left[0, -1] ** 2)
    rows = np.cumsum(np.bincount(flat, minlength=count * binned.bins).reshape(shape), axis=1)
    splits = (rows > 0) & (rows < len(part)) & (left_weight >= least) & (right_weight >= least)
    if not splits.any():
        return None
    squares = left_squares / np.where(splits, left_weight, 1.0)
    squares += right_squares / np.where(splits, right_weight, 1.0)
    squares[~splits] = -1.0
    place, bin_ = divmod(int(squares.argmax()), binned.bins)
    column = place if columns is None else int(columns[place])
    values = binned.rows[part, column]
    is_left = binned.codes[part, column] <= column * binned.bins + bin_
    threshold = shortest_between(float(values[is_left].max()), float(values[~is_left].min()))
    gain = float(squares[place, bin_]) - whole / float(left_weight[0, -1])
    return _Split(gain, column, threshold)


def shortest_between(low: float, high: float) -> float:
    """Return a number with few digits in the middle half of the range from low to below high."""
    middle, near = low + (high - low) / 2, (high - low) / 4
    if not math.isfinite(middle):
        return low
    for digits in range(1, 18):
        found = float(f"{middle:.{digits - 1}e}")
        if abs(found - middle) <= near and low <= found < high:
            return found
    return low


def prune(grown: GrownTree) -> list[GrownTree]:
    """Return ever smaller trees, from the whole one to a leaf.

    Each lacks the splits below the weakest one of the tree before: the one whose branch takes the
    least from the sum of squares for each of its leaves.
    """
    found = [grown]
    while found[-1].leaves > 1:
        found.append(_without_weakest(found[-1]))
    return found


def _without_weakest(tree: GrownTree) -> GrownTree:
    count = len(tree.columns)
    gains, leaves = [*tree.gains], [1] * count
    weakest, where = math.inf, 0
    for node in reversed(range(count)):  # children have greater numbers
        if tree.columns[node] < 0:
            gains[node] = 0.0
            continue
        left, right = tree.lefts[node], tree.rights[node]
        gains[node] = tree.gains[node] + gains[left] + gains[right]
        leaves[node] = leaves[left] + leaves[right]
        each = gains[node] / (leaves[node] - 1)
        if each <= weakest:
            weakest, where = each, node
    return tree.without(frozenset([where]))


def class_shares(tree: GrownTree, prior: float = 1.0) -> Array:
    """Return the shares of classes in each node, drawn to those of all rows by some rows.

    An earlier class is ahead by a trifle, so that classes with equally many rows have sums of
    their own.
    """
    start = tree.totals[0] / tree.weights[0]
    start = start * (1.0 - _TRIFLE * np.arange(len(start)))
    start = start / _total(start[:, None])
    shares: Array = (tree.totals + prior * start) / (tree.weights + prior)[:, None]
    return shares
