"""Decision trees that dsgec grows, prunes and boosts, in fixed point."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.kilobyte.candidate import Candidate
from benchmarks.kilobyte.case import Array, Case, Predict
from benchmarks.kilobyte.compiled import both_layouts, fixed_candidates
from dsgec.network.decide import classify
from dsgec.network.model import Model, compose
from dsgec.network.readers.ensembles import Ensemble, add_ensemble
from dsgec.network.readers.foreign import make_model
from dsgec.network.readers.layers import Layers
from dsgec.search.trees.boost import boost
from dsgec.search.trees.ensembles import boosted_ensemble, tree_ensemble
from dsgec.search.trees.grow import GrownTree, grow, prune

LEAVES = (2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 90, 128)
BOOSTED = ((2, 4), (3, 6), (5, 4), (5, 8), (10, 4), (10, 8), (20, 4), (20, 8), (40, 6))
"""Rounds of boosting, and the leaves of each tree."""
_MOST_SPLITS = 1500  # of all boosted trees together
DTYPES = ("q7", "q15")


def grown_trees(case: Case) -> Iterator[Candidate]:
    """Yield single trees along the front, and sums of boosted trees."""
    fronts = {
        number: _front(case.x[rows], case.y[rows], case.classes) for number, rows in case.parts
    }
    for leaves in LEAVES:
        chosen = {
            number: next(tree for tree in front if tree.leaves <= leaves)
            for number, front in fronts.items()
        }
        models = {number: _model(case, tree_ensemble(tree)) for number, tree in chosen.items()}
        yield from _candidates(case, f"tree of {leaves} leaves", models)
    outputs = 1 if case.classes == 2 else case.classes
    for rounds, leaves in BOOSTED:
        if rounds * leaves * outputs > _MOST_SPLITS:
            continue
        models = {}
        for number, rows in case.parts:
            targets, weights = np.eye(case.classes)[case.y[rows]], np.ones(len(rows))
            found = boost(case.x[rows], targets, weights, rounds=rounds, leaves=leaves)
            models[number] = _model(case, boosted_ensemble(found))
        yield from _candidates(case, f"{rounds} rounds of {leaves} leaves", models)


def _front(rows: Array, classes: Array, count: int) -> list[GrownTree]:
    """Return ever smaller trees for classes, which are numbered from 0; the largest is first."""
    targets = np.eye(count)[classes]
    return prune(grow(rows, targets, np.ones(len(rows)), most_leaves=LEAVES[-1]))


def _model(case: Case, ensemble: Ensemble) -> Model:
    """Return the model of trees over columns that are features as they are."""
    names = [f"x_{number}" for number in range(1, case.x.shape[1] + 1)]
    classes, layers = [str(number) for number in range(case.classes)], Layers()
    outputs = add_ensemble(layers, layers.inputs(len(names)), ensemble)
    return make_model(layers, outputs, names, classes, None, None)


def _predict(model: Model, rows: Array) -> Array:
    return np.asarray(classify(compose(model), rows, model.threshold)[0])


def _candidates(case: Case, setting: str, models: dict[int, Model]) -> Iterator[Candidate]:
    def fit(number: int, _: Array) -> Predict:
        return partial(_predict, models[number])

    validated = case.validated(fit, case.x)
    ranges = tuple(zip(case.x.min(axis=0).tolist(), case.x.max(axis=0).tolist(), strict=True))
    for dtype in DTYPES:
        layouts = both_layouts(models[-1], ranges, dtype)
        predict = partial(_predict, models[-1])
        yield from fixed_candidates(f"{setting}, {dtype}", validated, layouts, predict)
