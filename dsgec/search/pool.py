"""The models that a run with a budget chooses from: networks of integers, and decision trees.

Each setting of each family is learned from all training rows, and without each fold, from the
integers that fixed point reads. Its error in cross-validation is the share of the held-out rows
whose class is wrong, so that all families are compared on the same rows by the same measure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.printed import vector
from dsgec.search.individual import Champion, CrossScore
from dsgec.search.objectives import LEAST_PROBABILITY
from dsgec.search.rows import Array, ordered_mean
from dsgec.search.trees.boost import probabilities
from dsgec.search.trees.family import grow_trees, tree_champion, tree_outputs
from dsgec.search.walk.integer_front import IntegerWalk
from dsgec.search.walk.integers import from_integers, integer_sums
from dsgec.search.walk.stage import Fold, WalkStage


@dataclass(frozen=True, slots=True)
class Option:
    """A model, and for each held-out row its errors when learned without the row.

    `wrong` is whether the class is wrong, and `losses` are log-losses.
    """

    champion: Champion
    wrong: Array
    losses: Array


def make_options(stage: WalkStage) -> list[Option]:
    """Return the models of a stage whose walks are over, with their errors in cross-validation."""
    found: dict[object, list[tuple[Array, Array]]] = {}
    for fold in stage.folds:
        wanted = stage.problem.dataset.class_numbers[fold.held_out]
        for setting, outputs in _fold_outputs(fold, stage.settings.trees):
            found.setdefault(setting, []).append(_row_errors(outputs, wanted))
    weights = _held_out_weights(stage)
    options = []
    for setting, champion in _champions(stage):
        folds = found.get(setting, [])
        if len(folds) == len(stage.folds):
            wrong, losses = (np.concatenate(each) for each in zip(*folds, strict=True))
            champion = replace(champion, validated=_mean(wrong, weights))
            options.append(Option(champion, wrong, losses))
    return options


def best_validated(scores: Sequence[CrossScore | None]) -> int:
    """Return the place of the model to choose, given the errors of models by rising cost."""
    known = [(one.score, place) for place, one in enumerate(scores) if one is not None]
    return min(known)[1]


def _row_errors(outputs: Array, wanted: NDArray[np.intp]) -> tuple[Array, Array]:
    """Return for each row whether its class is wrong, and its log-loss."""
    if outputs.shape[1] == 1:
        outputs = np.hstack([1.0 - outputs, outputs])
        classes = (outputs[:, 1] >= 0.5).astype(np.intp)
    else:
        classes = outputs.argmax(axis=1)
    own = np.maximum(outputs[np.arange(len(wanted)), wanted], LEAST_PROBABILITY)
    return (classes != wanted).astype(np.float64), -vector.log(own)


def _fold_outputs(fold: Fold, has_trees: bool) -> Iterator[tuple[object, Array]]:
    """Yield the outputs of each setting for the held-out rows of a fold."""
    scaled = fold.walk.columns.scaled(fold.held_out)
    for setting, net in fold.walk.learned().items():
        yield setting, probabilities(integer_sums(net, scaled))
    if not has_trees:
        return
    wholes = fold.walk.columns.wholes(fold.held_out)
    rows = fold.walk.columns.wholes(fold.problem.split.train)
    for tree, ensemble in grow_trees(fold.problem, rows):
        yield tree, tree_outputs(ensemble, wholes)


def _champions(stage: WalkStage) -> Iterator[tuple[object, Champion]]:
    """Yield the models that were learned from all training rows."""
    walk = stage.walk
    assert isinstance(walk, IntegerWalk)
    for setting, net in walk.learned().items():
        champion = stage.champion(from_integers(net, walk.columns))
        if champion is not None:
            yield setting, champion
    problem = stage.problem
    if not stage.settings.trees:
        return
    for tree, ensemble in grow_trees(problem, walk.columns.wholes(problem.split.train)):
        yield tree, tree_champion(problem, ensemble, walk.columns.threshold)


def _held_out_weights(stage: WalkStage) -> Array | None:
    """Return the weights of all held-out rows, one fold after the other, if rows have any."""
    by = stage.problem.row_weights
    if by is None:
        return None
    places = np.empty(len(stage.problem.dataset.y), np.intp)
    train = stage.problem.split.train
    places[train] = np.arange(len(train))
    found: Array = by[places[np.concatenate([fold.held_out for fold in stage.folds])]]
    return found


def _mean(wrong: Array, weights: Array | None) -> CrossScore:
    """Return the mean of errors and its standard error."""
    mean = ordered_mean(wrong, weights)
    return CrossScore(mean, float(np.sqrt(mean * (1.0 - mean) / len(wrong))))
