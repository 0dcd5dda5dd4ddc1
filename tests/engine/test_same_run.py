"""The engine makes the generations of the reference, bit for bit."""

from itertools import product

import pytest

from dsgec.engine.engine import NATIVE
from dsgec.search.objectives import OBJECTIVES, objectives_of
from dsgec.search.settings import Settings
from tests.support.engine_runs import assert_same_run, make, make_data
from tests.support.example_grammars import (
    EMPTY_AND_LONG,
    LAYER_IS_FEATURES,
    NESTED_LAYERS,
    NO_FEATURES,
    SHIPPED,
)

pytestmark = pytest.mark.needs_cc

SMALL = {"population": 10, "generations": 4}
LONG = (("multi_layer", "all"), ("multi_layer_softmax", "previous"))  # another of each is enough


@pytest.mark.parametrize(
    ("grammar", "connect"),
    [
        pytest.param(*case, marks=[pytest.mark.campaign] * (case in LONG))
        for case in product(SHIPPED, ("all", "previous"))
    ],
)
def test_every_shipped_grammar_runs_as_in_the_reference(grammar, connect):
    settings = Settings(**SMALL, seed=1 if connect == "all" else 2**64 - 1, connect=connect)
    data = make_data(classes=0 if grammar == "formula" else 2)
    assert_same_run(make(grammar, settings, data), settings)


@pytest.mark.campaign  # test_learning_run.py has a run that learns
@pytest.mark.parametrize("grammar", ["multi_layer_softmax"])
def test_vector_code_runs_as_in_the_reference(grammar):
    settings = Settings(population=20, generations=3, seed=5)
    data = make_data(3, rows=1203, features=7)
    assert_same_run(make(grammar, settings, data), settings, flags=NATIVE)


@pytest.mark.parametrize("elites", [0, 1, 3, 8])
def test_any_elite_and_an_odd_population_run_as_in_the_reference(elites):
    settings = Settings(population=9, generations=8, elites=elites, tournament=2, seed=3)
    assert_same_run(make("one_layer", settings), settings)


@pytest.mark.parametrize(
    "rates",
    [
        (0.0, 0.0),
        (1.0, 0.0),
        (0.0, 1.0),
        *(pytest.param(rates, marks=pytest.mark.campaign) for rates in [(1.0, 1.0), (0.5, 0.5)]),
    ],
    ids=str,
)
def test_any_rates_of_the_operators_run_as_in_the_reference(rates):
    crossover, mutation = rates
    settings = Settings(**SMALL, crossover=crossover, mutation=mutation)
    assert_same_run(make("multi_layer", settings), settings)


@pytest.mark.parametrize("depth", [0, 1, 7])
def test_other_depths_run_as_in_the_reference(depth):
    limits = (("hidden-layers", min(depth, 2)), ("nodes", depth), ("sum", depth))
    settings = Settings(**SMALL, max_depth=limits)
    assert_same_run(make("multi_layer", settings), settings)


@pytest.mark.parametrize(
    "max_size", [1, 60, 300, *(pytest.param(n, marks=pytest.mark.campaign) for n in (20, 150))]
)
def test_texts_that_are_too_large_are_faults_as_in_the_reference(max_size):
    settings = Settings(**SMALL, max_size=max_size)
    assert_same_run(make("one_layer", settings), settings)
    assert_same_run(make("multi_layer", settings), settings)


@pytest.mark.parametrize("classes", [0, 2, pytest.param(5, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_objective_and_number_of_classes_runs_as_in_the_reference(classes, objective):
    task = "classification" if classes else "regression"
    if objective != "exp-rmse" and objective not in objectives_of(task):
        pytest.skip("it does not measure that")
    settings = Settings(**SMALL)
    data = make_data(classes, rows=50, classes=classes)
    grammar = "one_layer_softmax" if classes else "formula"
    assert_same_run(make(grammar, settings, data, objective), settings)


@pytest.mark.parametrize(
    "rows",
    [2, 8, 9, 513, *(pytest.param(n, marks=pytest.mark.campaign) for n in (7, 511, 512, 1100))],
)
def test_any_number_of_rows_runs_as_in_the_reference(rows):
    settings = Settings(population=6, generations=3)
    assert_same_run(make("one_layer", settings, make_data(rows, rows)), settings)
    assert_same_run(make("formula", settings, make_data(rows, rows, classes=0)), settings)


def test_a_longer_run_is_that_of_the_reference():
    settings = Settings(population=20, generations=30, seed=11)
    state = assert_same_run(make("one_layer", settings), settings)
    assert state.reused > 0


@pytest.mark.parametrize("text", [LAYER_IS_FEATURES, NO_FEATURES, NESTED_LAYERS, EMPTY_AND_LONG])
@pytest.mark.parametrize("connect", ["all", "previous"])
def test_odd_grammars_run_as_in_the_reference(text, connect):
    for seed in range(3):
        settings = Settings(population=20, generations=5, connect=connect, seed=seed)
        assert_same_run(make(text, settings), settings)
