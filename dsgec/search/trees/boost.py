"""Several small trees as one model: boosted ones, and forests.

A boosted tree is grown on the gradient of the loss that the trees before it leave. Those of a
forest are grown on rows drawn with replacement, and each of their splits from a few columns.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.printed import vector
from dsgec.network.trees import Tree, reached_leaves
from dsgec.random import Stream
from dsgec.search.trees.grow import Array, BinnedRows, GrownTree, grow

RATE = 0.3
_PENALTY = 1.0  # rows that draw the value of a leaf to 0
_LEAST_CURVATURE = 1e-6
_FOREST = (1 << 64) - 5  # a generation that no run reaches, for the random stream


@dataclass(frozen=True, slots=True)
class BoostedTrees:
    """Trees in the order in which they were grown, and what the sums begin with."""

    trees: tuple[Tree, ...]
    starts: tuple[float, ...]

    def first(self, rounds: int) -> "BoostedTrees":
        """Return the trees of the first rounds."""
        return BoostedTrees(self.trees[: rounds * len(self.starts)], self.starts)


def boost(
    binned: BinnedRows, classes: Array, weights: Array, *, rounds: int, leaves: int
) -> BoostedTrees:
    """Return boosted trees for classes, whose shares in each row are 0 or 1.

    For two classes, it is one sum that goes into a sigmoid; for more, a sum for each class. Fewer
    rounds give the first of these trees.
    """
    count = 1 if classes.shape[1] == 2 else classes.shape[1]
    targets = classes[:, 1:] if count == 1 else classes
    shares = np.cumsum(targets * weights[:, None], axis=0)[-1] / np.cumsum(weights)[-1]
    shares = np.clip(shares, 1e-3, 1 - 1e-3)
    starts = np.log(shares / (1 - shares)) if count == 1 else np.log(shares)
    starts = np.round(starts, 3)
    sums = np.tile(starts, (len(classes), 1))
    trees: list[Tree] = []
    for _ in range(rounds):
        chances = probabilities(sums)
        for output in range(count):
            slope = targets[:, output] - chances[:, output]
            curve = np.maximum(chances[:, output] * (1 - chances[:, output]), _LEAST_CURVATURE)
            curve = curve * weights
            wanted = (slope * weights / curve)[:, None]
            grown = grow(binned, wanted, curve, most_leaves=leaves, least=_LEAST_CURVATURE)
            values = RATE * grown.totals / (grown.weights + _PENALTY * 0.25)[:, None]
            tree = grown.tree(values, (output,))
            trees.append(tree)
            sums[:, output] += np.array(tree.leaves)[reached_leaves(tree, binned.rows), 0]
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


def grow_forest(
    binned: BinnedRows, classes: Array, weights: Array, *, count: int, leaves: int, seed: int
) -> list[GrownTree]:
    """Return so many trees for classes, each grown on rows that are drawn with replacement."""
    rows, columns = binned.rows.shape
    few = min(columns, 1 + int(columns**0.5))
    found = []
    for number in range(count):
        stream = Stream(seed, _FOREST, number)
        drawn = np.bincount([stream.below(rows) for _ in range(rows)], minlength=rows)

        def choose(stream: Stream = stream) -> NDArray[np.intp]:
            order = [*range(columns)]
            for place in range(few):
                other = place + stream.below(columns - place)
                order[place], order[other] = order[other], order[place]
            return np.array(sorted(order[:few]))

        found.append(
            grow(binned, classes, weights * drawn, most_leaves=leaves, columns_of_node=choose)
        )
    return found
