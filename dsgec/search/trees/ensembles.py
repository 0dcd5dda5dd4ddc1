"""Grown and boosted trees as ensembles, which become networks like those of other libraries."""

from collections.abc import Sequence

import numpy as np

from dsgec.network.readers.ensembles import Ensemble, Link
from dsgec.search.trees.boost import BoostedTrees
from dsgec.search.trees.grow import GrownTree, class_shares


def tree_ensemble(tree: GrownTree) -> Ensemble:
    """Return a tree whose leaves have the shares of classes, of two classes the second's."""
    shares = class_shares(tree)
    shares = shares[:, 1:] if shares.shape[1] == 2 else shares
    outputs = tuple(range(shares.shape[1]))
    return Ensemble((tree.tree(shares, outputs),), (None,) * len(outputs), "mean")


def forest_ensemble(forest: Sequence[GrownTree], *, votes: bool) -> Ensemble:
    """Return a forest whose trees add up their shares of classes, or vote for a class each."""
    count = len(forest)
    trees = []
    for grown in forest:
        values = class_shares(grown)
        if votes:
            values = np.eye(values.shape[1])[values.argmax(axis=1)]
        elif values.shape[1] == 2:
            values = values[:, 1:]
        trees.append(grown.tree(values / count, tuple(range(values.shape[1]))))
    return Ensemble(tuple(trees), (None,) * len(trees[0].outputs), "identity")


def boosted_ensemble(boosted: BoostedTrees) -> Ensemble:
    """Return boosted trees with a sigmoid, or a softmax for more than two classes."""
    link: Link = "sigmoid" if len(boosted.starts) == 1 else "softmax"
    return Ensemble(boosted.trees, boosted.starts, link)
