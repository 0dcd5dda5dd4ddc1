"""Sums of decision trees that were trained elsewhere, as a network.

Every reader of trees makes an `Ensemble`. Libraries that compare numbers of single precision get
thresholds in double precision with which every double takes the same branch.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dsgec.network.readers.layers import Array, Layers, Nodes
from dsgec.network.trees import Tree

Link = Literal["identity", "mean", "sigmoid", "softmax", "exp"]


@dataclass(frozen=True, slots=True)
class Ensemble:
    """Trees, what their sums begin with, and what the sums go through.

    A `mean` divides by the number of trees. A sum begins with the leaf of its first tree if its
    start is None. A sigmoid is that of `slope` times the sum.
    """

    trees: tuple[Tree, ...]
    starts: tuple[float | None, ...]
    link: Link = "identity"
    slope: float = 1.0


def add_ensemble(layers: Layers, x: Nodes, ensemble: Ensemble) -> Nodes:
    """Add the nodes of an ensemble and return those of its outputs."""
    totals: list[int | None] = [
        None if start is None else layers.numbers(start).item() for start in ensemble.starts
    ]
    for tree in ensemble.trees:
        values = layers.tree(x, tree)
        for output, value in zip(tree.outputs, values.tolist(), strict=True):
            total = totals[output]
            totals[output] = value if total is None else layers.plus(total, value)
    found = np.array([layers.numbers(0.0).item() if t is None else t for t in totals], np.int64)
    match ensemble.link:
        case "mean" if len(ensemble.trees) > 1:
            return layers.scale(found, "div", float(len(ensemble.trees)))
        case "sigmoid":
            scaled = found if ensemble.slope == 1.0 else layers.scale(found, "mul", ensemble.slope)
            return layers.activate(scaled, "sig")
        case "softmax":
            return layers.softmax(found)
        case "exp":
            return layers.activate(found, "exp")
        case _:
            return found


def single_limits(thresholds: Array, *, strict: bool = False) -> NDArray[np.float64]:
    """Return the greatest doubles that, in single precision, do not exceed thresholds.

    If the comparison is `strict`, they are below the thresholds. Infinities and NaN stay.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        below = np.asarray(thresholds, np.float64).astype(np.float32)
        exceeds = below.astype(np.float64) > thresholds
        if strict:
            exceeds |= below.astype(np.float64) == thresholds
        below = np.where(exceeds, np.nextafter(below, np.float32(-np.inf)), below)
        following = np.nextafter(below, np.float32(np.inf)).astype(np.float64)
        largest = float(np.finfo(np.float32).max)
        following = np.where(np.isinf(following), 2.0 * largest - below, following)
        middle = below.astype(np.float64) + (following - below) / 2
        stays = middle.astype(np.float32) == below
        limits = np.where(stays, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isfinite(thresholds), limits, thresholds)


def ordered_tree(
    columns: Sequence[int],
    thresholds: Sequence[float],
    lefts: Sequence[int],
    rights: Sequence[int],
    leaves: Sequence[tuple[float, ...]],
    outputs: tuple[int, ...] = (0,),
    root: int = 0,
) -> Tree:
    """Return a tree whose splits are in preorder; a negative child is a leaf's complement.

    A split between missing values and all others has an infinite threshold or NaN. It is left out,
    because compiled trees have no missing values.
    """

    def followed(child: int) -> int:
        while child >= 0 and not math.isfinite(thresholds[child]):
            child = lefts[child] if thresholds[child] > 0 else rights[child]
        return child

    order: list[int] = []
    todo = [root]
    while todo:
        child = followed(todo.pop())
        if child >= 0:
            order.append(child)
            todo += [rights[child], lefts[child]]
    if not order:
        return Tree((), (), (), (), (tuple(leaves[~followed(root)]),), outputs)
    place = {split: number for number, split in enumerate(order)}

    def moved(child: int) -> int:
        child = followed(child)
        return place[child] if child >= 0 else child

    return Tree(
        tuple(columns[split] for split in order),
        tuple(float(thresholds[split]) for split in order),
        tuple(moved(lefts[split]) for split in order),
        tuple(moved(rights[split]) for split in order),
        tuple(leaves),
        outputs,
    )
