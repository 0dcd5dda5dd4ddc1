"""The models that a run with a budget chooses from: networks of integers, and decision trees.

Each setting of each family is learned from all training rows, and without each fold, from the
integers that fixed point reads. Its error in cross-validation is mostly the share of the held-out
rows whose class is wrong, and a little of the probability that it gives to other classes: the share
alone is a count of few rows, and the lowest of many such counts is low by chance.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dsgec.search.individual import Champion, CrossScore
from dsgec.search.rows import Array, ordered_mean
from dsgec.search.trees.boost import probabilities
from dsgec.search.trees.family import (
    count_bytes,
    grow_trees,
    tree_champion,
    tree_outputs,
)
from dsgec.search.walk.integer_front import IntegerWalk
from dsgec.search.walk.integers import from_integers, integer_sums
from dsgec.search.walk.stage import Fold, WalkStage

SHARE_OF_CHANCES = 0.3
"""The part of a row's error that is the probability of the other classes."""


def make_options(stage: WalkStage) -> list[Champion]:
    """Return the models of a stage whose walks are over, with their errors in cross-validation."""
    found: dict[object, list[Array]] = {}
    for fold in stage.folds:
        wanted = stage.problem.dataset.class_numbers[fold.held_out]
        for setting, outputs in _fold_outputs(fold, stage.settings.trees):
            found.setdefault(setting, []).append(_row_errors(outputs, wanted))
    weights = _held_out_weights(stage)
    scores = {
        setting: _mean(np.concatenate(errors), weights)
        for setting, errors in found.items()
        if len(errors) == len(stage.folds)
    }
    return [
        replace(champion, validated=scores[setting])
        for setting, champion in _champions(stage, scores)
        if setting in scores
    ]


def best_validated(scores: Sequence[CrossScore | None]) -> int:
    """Return the place of the model to choose, given the errors of models by rising cost."""
    known = [(one.score, place) for place, one in enumerate(scores) if one is not None]
    return min(known)[1]


def _row_errors(outputs: Array, wanted: NDArray[np.intp]) -> Array:
    """Return the error of each row, between 0 and 1."""
    if outputs.shape[1] == 1:
        outputs = np.hstack([1.0 - outputs, outputs])
        classes = (outputs[:, 1] >= 0.5).astype(np.intp)
    else:
        classes = outputs.argmax(axis=1)
    own = outputs[np.arange(len(wanted)), wanted]
    errors: Array = smoothed_error((classes != wanted).astype(np.float64), 1.0 - own)
    return errors


Value = TypeVar("Value", float, Array)


def smoothed_error(wrong: Value, chance: Value) -> Value:
    """Return the error of rows that are wrong or not, given the probability of other classes."""
    return (1.0 - SHARE_OF_CHANCES) * wrong + SHARE_OF_CHANCES * chance


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


def _champions(
    stage: WalkStage, scores: Mapping[object, CrossScore]
) -> Iterator[tuple[object, Champion]]:
    """Yield the models that were learned from all training rows.

    Of the trees, those are left out whose error no byte less makes up for.
    """
    walk = stage.walk
    assert isinstance(walk, IntegerWalk)
    for setting, net in walk.learned().items():
        champion = stage.champion(from_integers(net, walk.columns))
        if champion is not None:
            yield setting, champion
    problem = stage.problem
    if not stage.settings.trees:
        return
    known = {}
    for tree, ensemble in grow_trees(problem, walk.columns.wholes(problem.split.train)):
        if tree in scores:
            known[tree] = ensemble
    best = 1.0
    for tree, ensemble in sorted(known.items(), key=lambda item: count_bytes(item[1])):
        if scores[tree].score < best:
            best = scores[tree].score
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


def _mean(errors: Array, weights: Array | None) -> CrossScore:
    """Return the mean of errors and its standard error."""
    mean = ordered_mean(errors, weights)
    spread = ordered_mean((errors - mean) ** 2, weights)
    return CrossScore(mean, float(np.sqrt(spread / len(errors))))
