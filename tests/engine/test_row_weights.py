"""Rows with weights: engine and reference give the same run, bit for bit."""

import random
from dataclasses import replace

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.grammar.load import load_grammar
from dsgec.run.search import Search
from dsgec.search.backends import NumpyBackend, ReferenceBackend
from dsgec.search.choose import choose_evolver
from dsgec.search.evolver import LoopEvolver
from dsgec.search.native import EngineEvolver
from dsgec.search.problem import make_problem
from dsgec.search.rows import make_row_weights
from dsgec.search.settings import Settings
from dsgec.search.state import identify
from tests.support.engine_program import (
    SANITIZERS,
    WARNINGS,
    assert_same_end,
    build_program,
    run_program,
)
from tests.support.engine_runs import FAST_FLAGS, assert_same_run, make, make_data
from tests.support.fuzzing.harness import QUIET, fast_sanitizer
from tests.support.gradients import SETTINGS, Pair, compare_gradients, spans_of
from tests.support.random_phenotypes import first_phenotypes

pytestmark = pytest.mark.usefixtures("fast_compiler")

LEARNING = {"population": 9, "generations": 6, "variation": "trees", "steps": 2}


def weighted(grammar, settings, classes, objective, rows=53):
    problem = make(grammar, settings, make_data(3, rows, 3, classes), objective)
    given = np.random.default_rng(7).exponential(size=rows)
    numbers = problem.dataset.class_numbers
    weights = make_row_weights(given, numbers, classes, balance=bool(classes))
    return replace(problem, row_weights=weights)


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("grammar", "classes", "objective", "more"),
    [
        ("network", 2, "log-loss", {}),
        ("network_softmax", 3, "accuracy", {"batch": 16, "generations": 5}),
        pytest.param("multi_layer", 2, "mae", {}, marks=pytest.mark.campaign),
        ("regression", 0, "rmse", {"batch": 16, "generations": 8}),
        ("formula", 0, "r2", {"batch": 16, "generations": 8}),
        pytest.param("formula", 0, "mse", {}, marks=pytest.mark.campaign),
        ("one_layer", 2, "mse", {"variation": "lists", "steps": 0}),
        ("one_layer", 2, "accuracy", {"variation": "lists", "steps": 0}),
    ],
)
def test_the_engine_runs_as_the_reference(grammar, classes, objective, more):
    settings = Settings(**{**LEARNING, **more}, crossover=0.2, seed=4)
    problem = weighted(grammar, settings, classes, objective)
    state = assert_same_run(problem, settings, threads=3 if objective == "log-loss" else 1)
    unweighted = EngineEvolver(replace(problem, row_weights=None), settings, flags=FAST_FLAGS)
    unweighted.step(settings.generations + 1)
    assert unweighted.best.fitness != state.best.fitness


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("grammar", "classes", "objective"),
    [
        ("network", 2, "log-loss"),
        ("multi_layer_softmax", 3, "mse"),
        ("network", 2, "accuracy"),
        ("formula", 0, "r2"),
        ("regression", 0, "mae"),
    ],
)
def test_the_engine_has_the_slopes_of_the_reference(grammar, classes, objective):
    pair = Pair(weighted(grammar, SETTINGS, classes, objective))
    rng = random.Random(1)
    texts = first_phenotypes(pair.problem, 12)
    assert [compare_gradients(pair, rng, text) for text in texts].count("SCORED") >= 10
    tuned = 0
    for text in texts[:4]:
        spans = spans_of(text)
        graph = pair.graph(text, spans)
        bounds = [(-5.0, 5.0)] * len(spans)
        if graph and spans:
            tuned += pair.assert_same_tuning(text, spans, bounds, graph.values, 20) is not None
    assert tuned


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    "more",
    [
        {},
        *(
            pytest.param(more, marks=pytest.mark.campaign)
            for more in ({"ensemble": 2}, {"batch": 16, "generations": 13}, {"islands": 2})
        ),
    ],
)
def test_the_end_of_a_run_is_the_same_on_every_backend(more):
    settings = Settings(**{**LEARNING, **more}, pruning=2, tuning=10, weights="real", migrants=1)
    problem = weighted("network", settings, 2, "log-loss")
    found, *others = (
        Search(choose_evolver(problem, settings, backend, 2)).run()
        for backend in ("engine", "c", "numpy", "reference")
    )
    for other in others:
        assert found.champions == other.champions
        assert found.last == other.last


@pytest.mark.needs_cc
def test_the_scores_of_the_hall_of_fame_are_the_weighted_objective():
    settings = Settings(**LEARNING)
    problem = weighted("network", settings, 2, "log-loss")
    texts = first_phenotypes(problem, 3)
    engine = EngineEvolver(problem, settings, flags=FAST_FLAGS)
    plain = LoopEvolver(problem, settings, ReferenceBackend())
    for text in texts:
        measured = engine.measurer().measure(text)
        assert measured == plain.measurer().measure(text)
        assert measured.score == problem.as_score(engine.score(text))


@pytest.mark.needs_cc
def test_a_state_of_other_weights_is_refused():
    settings = Settings(**LEARNING)
    problem = weighted("network", settings, 2, "log-loss")
    begun = LoopEvolver(problem, settings, NumpyBackend())
    begun.advance(2, 1.0)
    EngineEvolver(problem, settings, flags=FAST_FLAGS).restore(begun.save())
    swapped = problem.row_weights[[1, 0, *range(2, 53)]]
    for other in (swapped, None):
        different = replace(problem, row_weights=other)
        assert identify(different, settings) != identify(problem, settings)
        with pytest.raises(DsgecError, match="another run"):
            EngineEvolver(different, settings, flags=FAST_FLAGS).restore(begun.save())


def test_weights_stay_with_their_rows_where_training_rows_are_shuffled():
    data = make_data(3, 80, 3, 2)
    data = replace(data, row_weights=np.arange(1.0, 81.0))
    grammar = load_grammar("network").grammar
    given = Settings(**LEARNING, batch=16, objective="log-loss")
    problem = make_problem(grammar, data, given)
    ratio = problem.row_weights / data.row_weights[problem.split.train]
    assert ratio == pytest.approx(ratio[0])
    assert problem.row_weights.mean() == pytest.approx(1.0)
    part = problem.part(slice(16, 32))
    assert part.targets(1).row_weights.tolist() == problem.row_weights[16:32].tolist()


def test_balance_is_by_the_training_rows():
    data = make_data(3, 60, 3, 2)
    y = np.array([1.0] * 10 + [0.0] * 50)
    grammar = load_grammar("network").grammar
    settings = Settings(**LEARNING, balance=True, test=0.5)
    problem = make_problem(grammar, replace(data, y=y), settings)
    of_class = y[problem.split.train] == 1.0
    assert problem.row_weights[of_class] == pytest.approx(30 / (2 * 5))
    assert problem.row_weights[~of_class] == pytest.approx(30 / (2 * 25))


@pytest.mark.parametrize(
    ("given", "classes", "message"),
    [
        ({"objective": "exp-rmse", "balance": True}, 2, "measures each class on its own"),
        ({"balance": True}, 2, "measures each class on its own"),
        ({"balance": True, "objective": "rmse"}, 0, "balance.*numeric target"),
    ],
)
def test_weights_are_refused_where_they_have_no_meaning(given, classes, message):
    grammar = load_grammar("network" if classes else "regression").grammar
    with pytest.raises(DsgecError, match=message):
        make_problem(grammar, make_data(3, 53, 3, classes), Settings(**given))


@pytest.mark.campaign
@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("grammar", "classes", "objective"),
    [("network_softmax", 3, "log-loss"), ("formula", 0, "r2")],
)
def test_an_engine_with_weights_has_no_warnings_and_reads_only_what_is_its_own(
    grammar, classes, objective, tmp_path
):
    settings = Settings(**LEARNING, batch=16)
    problem = weighted(grammar, settings, classes, objective)
    compiler = fast_sanitizer()
    flags = ("-O1", *SANITIZERS[2:], *WARNINGS, *QUIET.get(compiler, ()))
    program = build_program(problem, tmp_path, *flags, compiler=compiler)
    assert_same_end(run_program(program, problem, settings, 2, tmp_path), problem, settings)
