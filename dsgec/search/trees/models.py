"""Grown and boosted trees as models, which are exported like every network."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dsgec.network.model import Label, Model
from dsgec.network.readers.ensembles import Ensemble, Link, add_ensemble
from dsgec.network.readers.foreign import make_model
from dsgec.network.readers.layers import Layers
from dsgec.search.trees.boost import BoostedTrees
from dsgec.search.trees.grow import Array, GrownTree, class_shares, grow, prune


def tree_front(
    rows: Array, classes: NDArray[np.intp], count: int, most_leaves: int
) -> list[GrownTree]:
    """Return ever smaller trees for classes, which are numbered from 0; the largest is first."""
    targets = np.eye(count)[classes]
    return prune(grow(rows, targets, np.ones(len(rows)), most_leaves=most_leaves))


def tree_ensemble(tree: GrownTree) -> Ensemble:
    """Return a tree whose leaves have the shares of classes, of two classes the second's."""
    shares = class_shares(tree)
    shares = shares[:, 1:] if shares.shape[1] == 2 else shares
    outputs = tuple(range(shares.shape[1]))
    return Ensemble((tree.tree(shares, outputs),), (None,) * len(outputs), "mean")


def boosted_ensemble(boosted: BoostedTrees) -> Ensemble:
    """Return boosted trees with a sigmoid, or a softmax for more than two classes."""
    link: Link = "sigmoid" if len(boosted.starts) == 1 else "softmax"
    return Ensemble(boosted.trees, boosted.starts, link)


def ensemble_model(ensemble: Ensemble, names: Sequence[str], classes: Sequence[Label]) -> Model:
    """Return the model of trees over columns that are features as they are."""
    layers = Layers()
    outputs = add_ensemble(layers, layers.inputs(len(names)), ensemble)
    return make_model(layers, outputs, names, classes, None, None)
