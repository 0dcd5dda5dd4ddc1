"""Read the decision trees, forests and gradient boosting of scikit-learn."""

from typing import Any

import numpy as np

from dsgec.errors import DsgecError
from dsgec.network.readers.ensembles import (
    Ensemble,
    Link,
    add_ensemble,
    ordered_tree,
    single_limits,
)
from dsgec.network.readers.layers import Layers, Nodes
from dsgec.network.trees import Tree

_LEAF = -1


def add_tree_model(layers: Layers, x: Nodes, step: Any) -> Nodes:
    """Add the nodes of a tree, a forest or a boosted model, and return those of its outputs."""
    name = type(step).__name__
    if name.startswith("HistGradientBoosting"):
        return add_ensemble(layers, x, _histogram_boosting(step))
    if name.startswith("GradientBoosting"):
        return add_ensemble(layers, x, _boosting(step))
    members = step.estimators_ if hasattr(step, "estimators_") else [step]
    if getattr(step, "n_outputs_", 1) != 1:
        raise DsgecError(f"this {name} has several targets", "Compile one for each target.")
    trees = [_member(tree.tree_, len(getattr(step, "classes_", ()))) for tree in members]
    starts = (None,) * len(trees[0].outputs)
    return add_ensemble(layers, x, Ensemble(tuple(trees), starts, "mean"))


def _member(tree: Any, classes: int) -> Tree:
    """Return a tree whose leaves have the shares of classes, the second's of two, or a value."""
    values = tree.value[:, 0, :]
    if classes:
        values = values / values.sum(axis=1, keepdims=True)
        values = values[:, 1:] if classes == 2 else values
    return _plain_tree(tree, values, tuple(range(values.shape[1])))


def _plain_tree(tree: Any, values: Any, outputs: tuple[int, ...]) -> Tree:
    """Return a tree of scikit-learn, whose thresholds are in single precision, with leaves."""
    is_leaf = tree.children_left == _LEAF
    leaves = np.flatnonzero(is_leaf)
    number = {int(node): ~place for place, node in enumerate(leaves)}
    lefts, rights = (
        [number.get(child, child) for child in side.tolist()]
        for side in (tree.children_left, tree.children_right)
    )
    return ordered_tree(
        tree.feature.tolist(),
        single_limits(tree.threshold).tolist(),
        lefts,
        rights,
        [tuple(values[node].tolist()) for node in leaves],
        outputs,
        number.get(0, 0),
    )


def _boosting(step: Any) -> Ensemble:
    """Return a gradient boosting model: trees times a learning rate, on top of a prior."""
    if type(step.init_).__module__.partition(".")[0] != "sklearn" and step.init_ != "zero":
        raise DsgecError(f"this {type(step).__name__} begins with a model of its own")
    classes = len(getattr(step, "classes_", ()))
    zero = np.zeros((1, step.n_features_in_), np.float32)
    starts = np.asarray(step._raw_predict_init(zero), np.float64).ravel()
    if step.init is not None and step.init != "zero":
        raise DsgecError(
            f"this {type(step).__name__} begins with an estimator", "Fit it with init=None."
        )
    trees = [
        _plain_tree(member.tree_, step.learning_rate * member.tree_.value[:, 0, :], (output,))
        for stage in step.estimators_
        for output, member in enumerate(stage)
    ]
    link: Link = "identity" if not classes else "sigmoid" if classes == 2 else "softmax"
    slope = 2.0 if classes and step.loss == "exponential" else 1.0
    return Ensemble(tuple(trees), tuple(starts.tolist()), link, slope)


def _histogram_boosting(step: Any) -> Ensemble:
    """Return a boosting model of histograms, which compares numbers of double precision."""
    starts = np.asarray(step._baseline_prediction, np.float64).ravel()
    trees = [
        _histogram_tree(member, output, type(step).__name__)
        for stage in step._predictors
        for output, member in enumerate(stage)
    ]
    classes = len(getattr(step, "classes_", ()))
    link: Link = "sigmoid" if classes == 2 else "softmax" if classes else "identity"
    if not classes and step.loss in ("poisson", "gamma"):
        link = "exp"
    return Ensemble(tuple(trees), tuple(starts.tolist()), link)


def _histogram_tree(member: Any, output: int, name: str) -> Tree:
    nodes = member.nodes
    if nodes["is_categorical"].any():
        raise DsgecError(
            f"this {name} splits by categories", "Encode them as numbers, and fit it again."
        )
    leaves = np.flatnonzero(nodes["is_leaf"])
    number = {int(node): ~place for place, node in enumerate(leaves)}
    lefts, rights = (
        [number.get(child, child) for child in nodes[side].tolist()] for side in ("left", "right")
    )
    return ordered_tree(
        nodes["feature_idx"].tolist(),
        nodes["num_threshold"].tolist(),
        lefts,
        rights,
        [(float(nodes["value"][node]),) for node in leaves],
        (output,),
        number.get(0, 0),
    )
