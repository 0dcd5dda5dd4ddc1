"""L-BFGS stays within bounds, is as good as scipy's, and has the same bits in the engine."""

import math
import random

import numpy as np
import pytest

from dsgec.engine.engine import NATIVE
from dsgec.search.lbfgs import minimise
from tests.support.example_grammars import FLAT, LAYERED
from tests.support.gradients import make_pair, spans_of
from tests.support.random_phenotypes import first_phenotypes, layered_text

INF = math.inf


def quadratic(seed, size):
    """Return the loss and the gradient of a convex problem."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(size + 3, size))
    matrix, centre = factor.T @ factor, rng.normal(size=size) * 3

    def evaluate(x):
        offset = np.array(x) - centre
        return float(offset @ matrix @ offset), (2 * (matrix @ offset)).tolist()

    return evaluate


def rosenbrock(x):
    a, b = np.array(x[:-1]), np.array(x[1:])
    slopes = np.zeros(len(x))
    slopes[:-1] += -400 * a * (b - a * a) - 2 * (1 - a)
    slopes[1:] += 200 * (b - a * a)
    return float(np.sum(100 * (b - a * a) ** 2 + (1 - a) ** 2)), slopes.tolist()


@pytest.mark.parametrize("bound", [INF, 1.0, 0.3], ids=str)
@pytest.mark.parametrize("size", [1, 2, 5, 20])
def test_it_gets_as_low_as_scipy(size, bound):
    optimize = pytest.importorskip("scipy.optimize")
    for seed in range(4):
        # From four values on, the second has more than one minimum.
        for evaluate in (quadratic(seed, size), *([rosenbrock] if 1 < size < 4 else [])):
            start = np.random.default_rng(seed).uniform(-1, 1, size).tolist()
            found = minimise(start, [-bound] * size, [bound] * size, evaluate, 2000)
            theirs = optimize.minimize(
                lambda x, evaluate=evaluate: evaluate(x),
                np.clip(start, -bound, bound),
                jac=True,
                method="L-BFGS-B",
                bounds=[(-bound, bound)] * size,
                options={"maxiter": 5000, "maxfun": 5000, "ftol": 1e-14, "gtol": 1e-9},
            )
            assert found.loss <= theirs.fun + 1e-6 * max(1, abs(theirs.fun))
            assert all(abs(v) <= bound for v in found.values)


@pytest.mark.parametrize("evaluations", [0, 1, 2, 3, 7, 40])
def test_it_keeps_to_its_evaluations_and_never_gets_worse(evaluations):
    for seed in range(30):
        calls = []
        problem = quadratic(seed, 6) if seed % 2 else rosenbrock

        def evaluate(x, calls=calls, problem=problem):
            calls.append(x)
            return problem(x)

        start = np.random.default_rng(seed).normal(size=6).tolist()
        found = minimise(start, [-1.0] * 6, [1.0] * 6, evaluate, evaluations)
        assert found.evaluations == len(calls) <= max(evaluations, 1)
        assert found.loss <= problem(calls[0])[0]
        assert found.loss == problem(found.values)[0]
        assert all(-1 <= v <= 1 for x in calls for v in x)


def test_a_start_without_a_loss_has_no_minimum():
    assert minimise([1.0], [-INF], [INF], lambda x: None, 10) is None


def test_values_without_a_loss_are_gone_around():
    def evaluate(x):
        return None if x[0] > 0.5 else ((x[0] - 1) ** 2, [2 * (x[0] - 1)])

    found = minimise([0.0], [-INF], [INF], evaluate, 200)
    assert 0.45 < found.values[0] <= 0.5


def test_a_derivative_of_0_and_a_bound_of_no_width_leave_a_value_alone():
    def evaluate(x):
        return x[0] ** 2 + x[2] ** 2, [2 * x[0], 0.0, 2 * x[2]]

    found = minimise([3.0, 7.0, 2.0], [-9.0, -9.0, 2.0], [9.0, 9.0, 2.0], evaluate, 50)
    assert abs(found.values[0]) < 1e-6
    assert found.values[1:] == (7.0, 2.0)


def test_no_weights_are_done_at_once():
    assert minimise([], [], [], lambda x: (1.5, []), 9).evaluations == 1


def tune(pair, rng, text, evaluations):
    """Return the losses before and after tuning, if the phenotype has one."""
    spans = spans_of(text, rng)
    graph = pair.graph(text, spans)
    if graph is None or not spans:
        return None
    bound = rng.choice([9.99, 2.0, INF])
    bounds = [(-bound, bound)] * len(spans)
    penalty = rng.choice([0.0, 0.001])
    found = pair.assert_same_tuning(text, spans, bounds, graph.values, evaluations, penalty)
    if found is None:
        return None
    start = [min(max(v, -bound), bound) for v in graph.values]
    before = pair.reference(text, spans, penalty, start)[1]
    assert found.loss <= before
    assert all(abs(v) <= bound for v in found.values)
    return before, found.loss


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("grammar", "classes", "objective"),
    [
        ("one_layer", 2, "log-loss"),
        ("formula", 0, "rmse"),
        *(
            pytest.param(*case, marks=pytest.mark.campaign)
            for case in (("one_layer", 2, "exp-rmse"), ("multi_layer_softmax", 2, "accuracy"))
        ),
    ],
)
def test_the_engine_tunes_shipped_grammars_as_the_reference_does(grammar, classes, objective):
    pair = make_pair(grammar, classes, objective)
    rng = random.Random(1)
    losses = [tune(pair, rng, text, 60) for text in first_phenotypes(pair.problem, 8)]
    lower = [after < before for before, after in filter(None, losses)]
    assert sum(lower) > len(lower) / 2


@pytest.mark.needs_cc
def test_the_engine_tunes_random_texts_as_the_reference_does():
    for grammar, classes, objective in ((LAYERED, 2, "mae"), (FLAT, 0, "r2")):
        rng = random.Random(classes)
        pair = make_pair(grammar, classes, objective)
        tuned = [tune(pair, rng, layered_text(rng), rng.randint(0, 40)) for _ in range(25)]
        assert len([*filter(None, tuned)]) >= 5


@pytest.mark.campaign
@pytest.mark.needs_cc
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("objective", ["exp-rmse", "log-loss", "rmse", "mae"])
def test_the_engine_tunes_hundreds_of_texts_as_the_reference_does(objective):
    for classes in (2, 3):
        rng = random.Random(classes)
        pair = make_pair(LAYERED, classes, objective, rows=200, flags=NATIVE)
        for _ in range(300):
            tune(pair, rng, layered_text(rng, rng.choice([1, classes])), rng.randint(1, 100))
