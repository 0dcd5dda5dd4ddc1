"""Grow decision trees greedily, best split first, and prune them by their weakest links.

A split is the one that lowers the sum of squares of the targets most. For classes, whose targets
are 0 or 1, that is Gini's impurity. All sums run in the order of the sorted rows, so the trees are
the same on every machine.
"""

import heapq
import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dsgec.network.trees import Tree

Array = NDArray[np.float64]

MOST_LEAVES = 256
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


@dataclass(frozen=True, slots=True)
class _Split:
    """The best split of some rows."""

    gain: float
    column: int
    threshold: float


def grow(
    rows: Array,
    targets: Array,
    weights: Array,
    *,
    most_leaves: int = MOST_LEAVES,
    least: float = 1.0,
) -> GrownTree:
    """Return a tree grown on rows with targets; a leaf has a weight of at least `least`."""
    columns, thresholds, lefts, rights, gains = [-1], [0.0], [0], [0], [0.0]
    whole = np.arange(len(rows))
    parts = [whole]
    weighted = targets * weights[:, None]
    scale = _total(np.cumsum(weighted * targets, axis=1)[:, -1:])[0]
    waiting: list[tuple[float, int, _Split]] = []

    def offer(node: int) -> None:
        split = _best_split(rows, weighted, weights, parts[node], least)
        if split is not None and split.gain > _LEAST_GAIN * max(scale, 1.0):
            heapq.heappush(waiting, (-split.gain, node, split))

    offer(0)
    leaves = 1
    while waiting and leaves < most_leaves:
        _, node, split = heapq.heappop(waiting)
        columns[node], thresholds[node], gains[node] = split.column, split.threshold, split.gain
        goes_left = rows[parts[node], split.column] <= split.threshold
        for side, part in ((lefts, goes_left), (rights, ~goes_left)):
            side[node] = len(parts)
            parts.append(parts[node][part])
            columns.append(-1)
            thresholds.append(0.0)
            lefts.append(0)
            rights.append(0)
            gains.append(0.0)
            offer(len(parts) - 1)
        leaves += 1
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
    rows: Array, weighted: Array, weights: Array, part: NDArray[np.intp], least: float
) -> _Split | None:
    """Return the split that lowers the sum of squares most, the first of those that are equal."""
    if len(part) < 2:
        return None
    best: _Split | None = None
    own = weighted[part]
    total, weight = _total(own), _total(weights[part][:, None])[0]
    whole = float(np.cumsum(total * total)[-1]) / weight
    for column in range(rows.shape[1]):
        values = rows[part, column]
        order = np.argsort(values, kind="stable")
        values = values[order]
        places = np.flatnonzero(values[:-1] < values[1:])
        if not len(places):
            continue
        left = np.cumsum(own[order], axis=0)[places]
        left_weight = np.cumsum(weights[part][order])[places]
        right, right_weight = total - left, weight - left_weight
        squares = np.cumsum(left * left, axis=1)[:, -1] / left_weight
        squares += np.cumsum(right * right, axis=1)[:, -1] / np.maximum(right_weight, 1e-300)
        squares[(left_weight < least) | (right_weight < least)] = -1.0
        at = int(squares.argmax())
        gain = float(squares[at]) - whole
        if squares[at] >= 0.0 and (best is None or gain > best.gain):
            place = places[at]
            threshold = shortest_between(float(values[place]), float(values[place + 1]))
            best = _Split(gain, column, threshold)
    return best


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


def means(tree: GrownTree) -> Array:
    """Return the mean targets of each node."""
    found: Array = tree.totals / np.maximum(tree.weights, 1e-300)[:, None]
    return found
