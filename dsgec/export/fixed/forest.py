"""Decision trees in integers: thresholds in the formats of the columns, and rounded leaves.

An integer is compared with the greatest one that is not above the threshold, so a comparison is
that of the number which the integer stands for. Leaves share one scale, and are added up exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dsgec.export.fixed.exact import above, below, floor_log2, nearest, power_of_two
from dsgec.export.fixed.forms import Form, Quantity
from dsgec.export.fixed.ir import RESULT_BITS, Format, TreeSum, largest
from dsgec.network.trees import Forest, Tree, reached_leaves

_MOST_BYTE = 255
_SUM = largest(RESULT_BITS)


@dataclass(frozen=True, slots=True)
class IntegerForest:
    """A forest of integers, and the form of each of its sums."""

    forest: Forest
    forms: tuple[Form, ...]


def integer_forest(
    forest: Forest, formats: Sequence[Format], bits: int, *, shares: bool
) -> IntegerForest:
    """Return a forest in integers; `shares` are probabilities that are only averaged.

    The scale of shares is one that suits them; other leaves have a power of two.
    """
    trees = [_with_thresholds(tree, formats) for tree in forest.trees]
    biases = [Fraction(a) + Fraction(b) for a, b in zip(forest.firsts, forest.lasts, strict=True)]
    scale = _share_scale(trees) if shares and not any(biases) else _scale(trees, biases, bits)
    rounded = [_with_leaves(tree, scale) for tree in trees]
    starts = [round(bias * scale) for bias in biases]
    firsts = tuple(map(float, starts))
    whole = Forest(tuple(rounded), firsts, (0.0,) * len(firsts))
    reaches = [
        _reach(number, bias, scale, trees, rounded, formats) for number, bias in enumerate(biases)
    ]
    if shares:  # all of them have the limits of all, so that they are rounded alike
        reaches = [_hull(reaches)] * len(reaches)
    forms = [_form(number, reach, scale, len(trees)) for number, reach in enumerate(reaches)]
    return IntegerForest(whole, tuple(forms))


@dataclass(frozen=True, slots=True)
class _Reach:
    """The limits of a sum in the double network and in integers, and how far these are apart."""

    low: Fraction
    high: Fraction
    error: Fraction
    least: int
    most: int


def _reach(
    number: int,
    bias: Fraction,
    scale: Fraction,
    trees: Sequence[Tree],
    rounded: Sequence[Tree],
    formats: Sequence[Format],
) -> _Reach:
    """Return the reach of a sum; a tree may take another branch near a threshold."""
    start = round(bias * scale)
    low = high = bias
    least = most = start
    error = abs(bias - Fraction(start) / scale)
    for given, tree in zip(trees, rounded, strict=True):
        if number not in tree.outputs:
            continue
        place = tree.outputs.index(number)
        values = [Fraction(leaf[place]) for leaf in given.leaves]
        wholes = [int(leaf[place]) for leaf in tree.leaves]
        error += max(abs(value - nearest(value * scale, 0) / scale) for value in values)
        if given.columns and not _is_exact(given, formats):
            error += max(values) - min(values)
        low, high = low + min(values), high + max(values)
        least, most = least + min(wholes), most + max(wholes)
    return _Reach(low, high, error, least, most)


def _hull(reaches: Sequence[_Reach]) -> _Reach:
    return _Reach(
        min(reach.low for reach in reaches),
        max(reach.high for reach in reaches),
        max(reach.error for reach in reaches),
        min(reach.least for reach in reaches),
        max(reach.most for reach in reaches),
    )


def _form(number: int, reach: _Reach, scale: Fraction, trees: int) -> Form:
    """Return the form of a sum; its weight is 1 if the scale is a power of two."""
    size = max(abs(reach.low), abs(reach.high))
    rounding = above(2 * size * trees * Fraction(2.0**-52))
    power = floor_log2(scale)
    fraction = power if power_of_two(power) == scale else 0
    weight = power_of_two(fraction) / scale
    quantity = Quantity(
        TreeSum(number),
        fraction,
        below(reach.low / weight),
        above(reach.high / weight),
        above(reach.error / weight),
        reach.least,
        reach.most,
    )
    return Form({quantity: weight}, Fraction(0), above(size + reach.error), rounding)


def _with_thresholds(tree: Tree, formats: Sequence[Format]) -> Tree:
    """Return a tree of integer thresholds, without tests that hold for all or no integers."""
    limits = []
    for column, threshold in zip(tree.columns, tree.thresholds, strict=True):
        format_ = formats[column]
        whole = Fraction(threshold) * power_of_two(format_.fraction)
        limits.append(whole.__floor__() - format_.zero)
    known = [
        tree.lefts[split]
        if limit >= formats[column].most
        else tree.rights[split]
        if limit < formats[column].least
        else None
        for split, (column, limit) in enumerate(zip(tree.columns, limits, strict=True))
    ]
    return pruned(replace(tree, thresholds=tuple(map(float, limits))), known)


def pruned(tree: Tree, known: Sequence[int | None]) -> Tree:
    """Return a tree without the splits whose child is known, and without leaves out of reach."""
    order: list[int] = []
    leaves: list[int] = []
    target: dict[int, int] = {}

    def follow(child: int) -> int:
        while child >= 0 and known[child] is not None:
            child = known[child] or 0 if known[child] != 0 else 0
        return child

    todo = [tree.root]
    while todo:
        child = follow(todo.pop())
        if child in target:
            continue
        if child < 0:
            target[child] = ~len(leaves)
            leaves.append(~child)
        else:
            target[child] = len(order)
            order.append(child)
            todo += [tree.rights[child], tree.lefts[child]]
    return Tree(
        tuple(tree.columns[split] for split in order),
        tuple(tree.thresholds[split] for split in order),
        tuple(target[follow(tree.lefts[split])] for split in order),
        tuple(target[follow(tree.rights[split])] for split in order),
        tuple(tree.leaves[leaf] for leaf in leaves),
        tree.outputs,
    )


def _is_exact(tree: Tree, formats: Sequence[Format]) -> bool:
    """Return whether no column that is compared loses digits: those of categories do not."""
    return all(formats[column] == Format(0, 0, -1, formats[column].most) for column in tree.columns)


def _leaf_values(trees: Sequence[Tree]) -> list[NDArray[np.float64]]:
    return [np.array(tree.leaves, np.float64) for tree in trees]


def _share_scale(trees: Sequence[Tree]) -> Fraction:
    """Return the least whole scale with which shares in bytes have the least errors."""
    values = _leaf_values(trees)
    total = sum(float(value.max()) for value in values)
    most = max(min(_MOST_BYTE, int(_SUM / max(total, 1.0))), 1)
    scales = np.arange(1, most + 1)
    errors = np.zeros(most)
    for value in values:
        scaled = value.reshape(-1, 1) * scales
        errors += (np.abs(scaled - np.rint(scaled)) / scales).max(axis=0)
    best = errors.min()
    return Fraction(int(scales[np.flatnonzero(errors <= best + 1e-9)[0]]))


def _scale(trees: Sequence[Tree], biases: Sequence[Fraction], bits: int) -> Fraction:
    """Return the greatest power of two with which leaves fit their bits, and sums 16 bits."""
    values = _leaf_values(trees)
    biggest = max(float(np.abs(value).max()) for value in values)
    total = sum(float(np.abs(value).max()) for value in values)
    total += max((abs(float(bias)) for bias in biases), default=0.0)
    limit = min(largest(bits) / biggest, _SUM / (total * 1.01)) if biggest else 1.0
    return power_of_two(floor_log2(Fraction(limit)))


def _with_leaves(tree: Tree, scale: Fraction) -> Tree:
    """Return a tree with rounded leaves; leaves that become equal are one, and so are splits."""
    whole = [
        tuple(float(nearest(Fraction(value) * scale, 0)) for value in leaf) for leaf in tree.leaves
    ]
    return with_few_leaves(replace(tree, leaves=tuple(whole)))


def with_few_leaves(tree: Tree) -> Tree:
    """Return a tree whose leaves differ, without splits between equal leaves."""
    distinct = {leaf: number for number, leaf in enumerate(dict.fromkeys(tree.leaves))}
    numbers = [distinct[leaf] for leaf in tree.leaves]
    lefts, rights = [*tree.lefts], [*tree.rights]
    known: list[int | None] = [None] * len(lefts)
    for split in reversed(range(len(lefts))):
        for side in (lefts, rights):
            child = side[split]
            if child >= 0 and known[child] is not None:
                side[split] = known[child] or 0
            elif child < 0:
                side[split] = ~numbers[~child]
        if lefts[split] == rights[split] and lefts[split] < 0:
            known[split] = lefts[split]
    merged = replace(tree, lefts=tuple(lefts), rights=tuple(rights), leaves=tuple(distinct))
    return pruned(merged, known)


def tree_sums(forest: Forest, rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the sums of a forest for rows of integers."""
    found = np.tile(np.array(forest.firsts, np.int32), (len(rows), 1))
    for tree in forest.trees:
        leaves = np.array(tree.leaves, np.int32)
        found[:, list(tree.outputs)] += leaves[reached_leaves(tree, rows)]
    return found
