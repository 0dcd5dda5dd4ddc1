"""Decision trees as nodes of a network, and the sums of trees that a network has.

A tree is written with `if` and `<=`: `if(x_3 <= 0.5, 1.25, if(x_1 <= 2.0, -1.0, 0.0))`. So every
target and every tool that has networks has trees. `dsgec.export.forest` finds them again, for code
that walks a tree instead of computing all of its tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.network.ir import Builder


@dataclass(frozen=True, slots=True)
class Tree:
    """A binary decision tree over columns, whose splits are in preorder.

    A split goes to `lefts` where the column is at most the threshold, otherwise to `rights`: to
    the split of that number or, if it is negative, to the leaf of its complement. A leaf has a
    value for each of `outputs`. A tree without splits has one leaf.
    """

    columns: tuple[int, ...]
    thresholds: tuple[float, ...]
    lefts: tuple[int, ...]
    rights: tuple[int, ...]
    leaves: tuple[tuple[float, ...], ...]
    outputs: tuple[int, ...] = (0,)

    @property
    def root(self) -> int:
        """Return the first child to go to: the split 0, or the only leaf."""
        return 0 if self.columns else ~0


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees whose leaves are added up, in their order, to sums with these first and last terms."""

    trees: tuple[Tree, ...]
    firsts: tuple[float, ...]
    lasts: tuple[float, ...]

    @property
    def columns(self) -> tuple[int, ...]:
        """Return the columns that are compared, in ascending order."""
        return tuple(sorted({column for tree in self.trees for column in tree.columns}))


def add_tree(builder: Builder, tree: Tree, features: Sequence[int]) -> list[int]:
    """Add a tree whose columns are the nodes `features`; return the node of each of its outputs."""
    found: list[int] = []
    tests = [
        builder.apply("le", (features[column], builder.constant(threshold)))
        for column, threshold in zip(tree.columns, tree.thresholds, strict=True)
    ]
    for output in range(len(tree.outputs)):
        values: dict[int, int] = {}
        for number, leaf in enumerate(tree.leaves):
            values[~number] = builder.constant(leaf[output])
        for split in reversed(range(len(tests))):
            left, right = values[tree.lefts[split]], values[tree.rights[split]]
            values[split] = (
                left if left == right else builder.apply("if", (tests[split], left, right))
            )
        found.append(values[tree.root])
    return found


def reached_leaves(tree: Tree, rows: NDArray[np.generic]) -> NDArray[np.intp]:
    """Return the leaf that each row reaches."""
    columns, thresholds = np.array(tree.columns, np.intp), np.array(tree.thresholds)
    lefts, rights = np.array(tree.lefts, np.intp), np.array(tree.rights, np.intp)
    child = np.full(len(rows), tree.root, np.intp)
    going = np.flatnonzero(child >= 0)
    while len(going):
        split = child[going]
        goes_left = rows[going, columns[split]] <= thresholds[split]
        child[going] = np.where(goes_left, lefts[split], rights[split])
        going = going[child[going] >= 0]
    return ~child
