"""Sums of small trees: each is grown on the gradient of the loss that the ones before leave."""

from dataclasses import dataclass

import numpy as np

from dsgec.arithmetic.printed import vector
from dsgec.network.trees import Tree, reached_leaves
from dsgec.search.trees.grow import Array, grow

RATE = 0.3
_PENALTY = 1.0  # rows that draw the value of a leaf to 0
_LEAST_CURVATURE = 1e-6


@dataclass(frozen=True, slots=True)
class BoostedTrees:
    """Trees in the order in which they were grown, and what the sums begin with."""

    trees: tuple[Tree, ...]
    starts: tuple[float, ...]


def boost(rows: Array, classes: Array, weights: Array, *, rounds: int, leaves: int) -> BoostedTrees:
    """Return boosted trees for classes, whose shares in each row are 0 or 1.

    For two classes, it is one sum that goes into a sigmoid; for more, a sum for each class.
    """
    count = 1 if classes.shape[1] == 2 else classes.shape[1]
    targets = classes[:, 1:] if count == 1 else classes
    shares = np.cumsum(targets * weights[:, None], axis=0)[-1] / np.cumsum(weights)[-1]
    shares = np.clip(shares, 1e-3, 1 - 1e-3)
    starts = np.log(shares / (1 - shares)) if count == 1 else np.log(shares)
    starts = np.round(starts, 3)
    sums = np.tile(starts, (len(rows), 1))
    trees: list[Tree] = []
    for _ in range(rounds):
        chances = probabilities(sums)
        for output in range(count):
            slope = targets[:, output] - chances[:, output]
            curve = np.maximum(chances[:, output] * (1 - chances[:, output]), _LEAST_CURVATURE)
            curve = curve * weights
            wanted = (slope * weights / curve)[:, None]
            grown = grow(rows, wanted, curve, most_leaves=leaves, least=_LEAST_CURVATURE)
            values = RATE * grown.totals / (grown.weights + _PENALTY * 0.25)[:, None]
            tree = grown.tree(values, (output,))
            trees.append(tree)
            sums[:, output] += np.array(tree.leaves)[reached_leaves(tree, rows), 0]
    return BoostedTrees(tuple(trees), tuple(starts.tolist()))


def probabilities(sums: Array) -> Array:
    """Return the probabilities of sums: a sigmoid of one, a softmax of several."""
    if sums.shape[1] == 1:
        found: Array = vector.sig(sums)
        return found
    powers = vector.exp(sums - sums.max(axis=1, keepdims=True))
    total = np.cumsum(powers, axis=1)[:, -1:]
    shares: Array = powers / total
    return shares
