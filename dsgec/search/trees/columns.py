"""Choose the features of a signal that trees read: a few of hundreds, each of which costs code.

A forest grows on all of them. They are sorted by what their splits gain, and of those that say
nearly the same only the first is kept.
"""

import numpy as np
from numpy.typing import NDArray

from dsgec.search.problem import Problem
from dsgec.search.trees.boost import grow_forest
from dsgec.search.trees.grow import Array, bin_rows

Columns = NDArray[np.intp]

_TREES, _LEAVES = 40, 32
_ALIKE = 0.9
_MOST_ROWS = 4_096


def columns_for_trees(problem: Problem, seed: int, most: int) -> Columns:
    """Return at most so many columns, in ascending order, that trees of the training rows need."""
    rows = problem.rows[:_MOST_ROWS]
    classes = problem.dataset.class_numbers[problem.split.train[: len(rows)]]
    targets = np.eye(len(problem.dataset.classes))[classes]
    weights = np.ones(len(rows))
    grown = grow_forest(bin_rows(rows), targets, weights, count=_TREES, leaves=_LEAVES, seed=seed)
    gains = np.zeros(rows.shape[1])
    for tree in grown:
        for column, gain in zip(tree.columns, tree.gains, strict=True):
            if column >= 0:
                gains[column] += gain
    order = np.argsort(-gains, kind="stable")
    return np.array(sorted(_unlike(rows, order[gains[order] > 0.0], most)), np.intp)


def _unlike(rows: Array, order: Columns, most: int) -> list[int]:
    """Return the first columns that are not correlated with one before."""
    centred = rows - _sums(rows) / len(rows)
    scaled = centred / np.sqrt(np.maximum(_sums(centred * centred) / len(rows), 1e-300))
    found: list[int] = []
    for column in order.tolist():
        if len(found) == most:
            break
        products = _sums(scaled[:, found] * scaled[:, [column]]) / len(rows)
        if not np.any(np.abs(products) > _ALIKE):
            found.append(column)
    return found


def _sums(values: Array) -> Array:
    """Return the sums of columns, added up in the order of the rows."""
    total: Array = np.cumsum(values, axis=0)[-1]
    return total
