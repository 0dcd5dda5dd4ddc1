"""The network that a run recommends: by cross-validation on the training rows."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from dsgec.data.dataset import Split
from dsgec.search.backends import ReferenceBackend
from dsgec.search.evolver import LoopEvolver
from dsgec.search.individual import Champion
from dsgec.search.recommend import HeldOut, inner_folds
from dsgec.search.refine import MOST_CANDIDATES, spaced_by_cost
from dsgec.search.settings import Settings
from tests.support.compilers import fast_engine
from tests.support.engine_runs import make, make_data
from tests.support.learning_runs import ENDING_SETTINGS, LEARNING_SETTINGS, evolve_generations

SETTINGS = Settings(
    population=8,
    generations=4,
    weights="real",
    choose="cv",
    seed=3,
    **LEARNING_SETTINGS,
    **ENDING_SETTINGS,
)


def smallest_good(*losses):
    each = [np.array(one) for one in losses]
    held = HeldOut(each, each[0], each, each[0], None, 0.0)
    return held.smallest_good([held.mean(one) for one in each])


def test_the_smallest_that_is_not_clearly_worse_than_the_best_is_chosen():
    best = [1.0, 5.0, 2.0, 8.0, 1.0, 3.0]
    by_chance = [2.0, 4.0, 3.0, 7.2, 1.0, 3.1]
    always = [one + 0.1 for one in best]

    assert smallest_good(by_chance, best) == 0
    assert smallest_good(always, best) == 1, "a little worse, but on every row"
    assert smallest_good([math.inf] * 6, always, by_chance, best) == 2
    assert smallest_good(best, best) == 0
    ratio = stats.ttest_rel(by_chance, best).statistic  # of the difference to its standard error
    assert 0.0 < ratio < 1.0 < stats.ttest_rel(always, best).statistic


def test_candidates_are_few_and_spread_evenly_from_the_smallest_to_the_largest():
    sizes = [*range(2, 300, 3)]
    places = spaced_by_cost([Champion(size, 1.0, "x_1") for size in sizes])
    assert MOST_CANDIDATES - 2 <= len(places) <= MOST_CANDIDATES
    assert (places[0], places[-1]) == (0, len(sizes) - 1)
    ratios = [sizes[b] / sizes[a] for a, b in pairwise(places[5:])]
    assert max(ratios) < 1.2 * min(ratios)
    assert spaced_by_cost([Champion(size, 1.0, "x_1") for size in (3, 9)]) == [0, 1]


def with_rows(problem, train):
    return replace(problem, split=Split(train, problem.split.test))


def test_folds_hold_out_training_rows_only_each_once_and_some_of_each_class():
    problem = make("one_layer", SETTINGS, make_data(rows=80, classes=2))
    train = np.random.default_rng(1).permutation(80)[:60]
    parts = inner_folds(with_rows(problem, train), 3)
    held = np.concatenate([part.test for part in parts])
    assert sorted(held) == sorted(train)
    for part in parts:
        assert not {*part.train} & {*part.test}
        shares = [problem.dataset.y[rows].mean() for rows in (part.train, part.test)]
        assert abs(shares[0] - shares[1]) < 0.1
    again = inner_folds(with_rows(problem, train), 3)
    assert all((a.test == b.test).all() for a, b in zip(parts, again, strict=True))
    others = inner_folds(with_rows(problem, train), 4)
    assert {*parts[0].test} != {*others[0].test}


def test_of_many_rows_fewer_folds_are_held_out_and_of_few_there_are_fewer_folds():
    problem = make("one_layer", SETTINGS, make_data(rows=4000))
    assert len(inner_folds(problem, 1)) == 2
    assert len(inner_folds(with_rows(problem, np.arange(700)), 1)) == 5
    assert len(inner_folds(with_rows(problem, np.arange(3)), 1)) in (0, 2, 3)
    assert inner_folds(with_rows(problem, np.arange(1)), 1) == []


def test_no_fold_has_a_numeric_target_without_spread():
    data = make_data(rows=20, classes=0)
    nearly_constant = replace(data, y=(np.arange(20) == 7).astype(float))
    problem = make("regression", SETTINGS, nearly_constant, "r2")
    assert inner_folds(problem, 1) == []  # the one row has to be held out in some fold


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("grammar", "objective", "threads", "change"),
    [
        ("one_layer", "log-loss", 2, {}),
        ("formula", "rmse", 1, {}),
        pytest.param("one_layer_softmax", "accuracy", 1, {}, marks=pytest.mark.campaign),
        pytest.param("multi_layer", "exp-rmse", 1, {}, marks=pytest.mark.campaign),
        pytest.param("regression", "mae", 1, {}, marks=pytest.mark.campaign),
        pytest.param(
            "one_layer", "log-loss", 1, {"weights": "grammar"}, marks=pytest.mark.campaign
        ),
        pytest.param(
            *("one_layer", "log-loss", 1, {"minimise": "connections", "elites": 0}),
            marks=pytest.mark.campaign,
        ),
    ],
)
def test_the_engine_recommends_the_network_of_the_reference(grammar, objective, threads, change):
    settings = replace(SETTINGS, **change)
    numeric = objective in ("rmse", "mae")
    problem = make(grammar, settings, make_data(classes=0) if numeric else None, objective)
    engine = evolve_generations(fast_engine(problem, settings, threads), 4)
    reference = evolve_generations(LoopEvolver(problem, settings, ReferenceBackend()), 4)
    found = engine.recommend(engine.refine())
    assert found is not None
    assert found == reference.recommend(reference.refine())
    assert found.champion in found.champions


def test_the_score_is_that_of_predictions_for_rows_that_weights_were_learned_without():
    """Compute it by the definition, with another minimiser, for a neuron with one minimum."""
    optimise = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(5)
    data = make_data(rows=60, classes=0)
    y = np.tanh(0.5 * data.x[:, 0] - 0.3) + 0.3 * rng.normal(size=60)
    data = replace(data, y=y)
    settings = replace(SETTINGS, l2=0.5, tuning=60)
    problem = make("regression", settings, data)
    evolver = LoopEvolver(problem, settings, ReferenceBackend())
    evolve_generations(evolver, 1)
    champion = evolver.tune(evolver.champions)[0]
    assert champion.size == 2  # v * sig(w * x + b) + c
    found = evolver.recommend([champion])
    column = int(champion.phenotype.split("x_")[1].split("+")[0]) - 1
    x = data.x[:, column]

    def outputs(weights, rows):
        v, w, b, c = weights
        return v / (1.0 + np.exp(-(w * x[rows] + b))) + c

    errors = np.empty(60)
    means = np.empty(60)
    for part in inner_folds(problem, settings.seed):
        train = part.train

        def loss(weights, train=train):
            rmse = np.sqrt(np.mean((outputs(weights, train) - y[train]) ** 2))
            return rmse + settings.l2 / len(train) * np.sum(np.square(weights))

        starts = [champion.weights.values, *rng.normal(size=(5, 4))]
        best = min((optimise.minimize(loss, start) for start in starts), key=lambda one: one.fun)
        errors[part.test] = (outputs(best.x, part.test) - y[part.test]) ** 2
        means[part.test] = (y[train].mean() - y[part.test]) ** 2
    validated = found.unsupported or found.champion.validated
    assert validated.score == pytest.approx(1.0 - errors.mean() / means.mean(), abs=0.01)
    error = errors.std(ddof=1) / math.sqrt(60) / means.mean()
    assert validated.error == pytest.approx(error, rel=0.05)


def test_a_run_by_fitness_and_the_paper_have_no_cross_validation():
    settings = replace(SETTINGS, choose="fitness")
    evolver = LoopEvolver(make("one_layer", settings), settings, ReferenceBackend())
    assert evolve_generations(evolver, 1).recommend(evolver.refine()) is None
    paper = Settings(population=6, generations=1, choose="cv")
    evolver = LoopEvolver(make("one_layer", paper), paper, ReferenceBackend())
    assert evolve_generations(evolver, 1).recommend(evolver.refine()) is None
    assert "choose" not in Settings().as_json()
