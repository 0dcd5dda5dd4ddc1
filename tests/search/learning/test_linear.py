"""`%output linear`: the line is that of least squares, and gradients are those of its loss."""

import random

import mpmath as mp
import numpy as np
import pytest

from dsgec.engine.engine import NATIVE
from dsgec.errors import DsgecError
from dsgec.grammar.load import parse
from dsgec.search.backends import ReferenceBackend
from dsgec.search.individual import NOT_FINITE
from dsgec.search.objectives import objectives_of
from dsgec.search.problem import make_problem
from dsgec.search.rows import fit_line
from dsgec.search.scoring import Scorer
from dsgec.search.settings import Settings
from tests.support.engine_runs import assert_same_run, make, make_data
from tests.support.gradients import SETTINGS, Pair, spans_of

SQUARED = ("rmse", "mse", "r2")
GRAMMAR = """
%output linear
<e> ::= ( <e> <op> <e> ) | <f>( <e> ) | <w> * <x> | <w>
<op> ::= + | - | * | /
<f> ::= sin | exp | tanh | sqrt | log
<x> ::= x_1 | ... | x_n
<w> ::= <d>.<d><d> | -<d>.<d><d>
<d> ::= 0 | ... | 9
"""
LAYERS = """
%output linear
<network> ::= <layer> -- <output-layer>
<layer> ::= sig(<w> * <features> + <w>) | sig(<w> * <features>) - tanh(<w> * <features>)
<output-layer> ::= <w> * <features> + <w> * <features>
<features> ::= x_1 | ... | x_n
<w> ::= <d>.<d> | -<d>.<d>
<d> ::= 0 | ... | 9
"""
# With the trees that mpmath computes, by weights and a row.
FORMULAS = (
    ("sin(0.50*x_1)+0.30*x_2", lambda w, x: mp.sin(w[0] * x[0]) + w[1] * x[1]),
    ("exp(0.20*x_1)*tanh(-0.70*x_3)", lambda w, x: mp.exp(w[0] * x[0]) * mp.tanh(w[1] * x[2])),
    ("1.30*x_1*x_2+cos(x_3-0.40)", lambda w, x: w[0] * x[0] * x[1] + mp.cos(x[2] - w[1])),
    ("x_1/(3.00+0.25*x_2*x_2)", lambda w, x: x[0] / (w[0] + w[1] * x[1] ** 2)),
)


def scorer_of(problem):
    return Scorer(problem, ReferenceBackend())


def exact_loss(objective, function, weights, rows, wanted):
    """Return the loss on the line of the normal equations, in many digits."""
    outputs = [function(weights, row) for row in rows]
    n = len(rows)
    line = mp.lu_solve(
        mp.matrix([[n, sum(outputs)], [sum(outputs), sum(f * f for f in outputs)]]),
        mp.matrix([sum(wanted), sum(f * y for f, y in zip(outputs, wanted, strict=True))]),
    )
    errors = sum((line[0] + line[1] * f - y) ** 2 for f, y in zip(outputs, wanted, strict=True))
    mean = sum(wanted) / n
    return {
        "rmse": mp.sqrt(errors / n),
        "mse": errors / n,
        "r2": errors / sum((y - mean) ** 2 for y in wanted),
    }[objective]


@pytest.mark.needs_cc
@pytest.mark.parametrize("objective", SQUARED)
def test_gradients_are_those_of_the_exact_loss(objective):
    problem = make(GRAMMAR, SETTINGS, make_data(4, 23, 3, 0), objective)
    pair = Pair(problem)
    with mp.workdps(60):
        rows = [[mp.mpf(v) for v in row] for row in problem.rows.tolist()]
        wanted = [mp.mpf(v) for v in problem.dataset.y.tolist()]
        for text, function in FORMULAS:
            spans = spans_of(text)
            outcome, loss, slopes = pair.reference(text, spans)
            assert outcome == "SCORED"
            weights = [mp.mpf(float(text[at : at + length])) for at, length in spans]
            exact = exact_loss(objective, function, weights, rows, wanted)
            assert loss == pytest.approx(float(exact), rel=1e-12)
            for number, slope in enumerate(slopes):
                step = mp.mpf(10) ** -20
                sides = []
                for sign in (1, -1):
                    moved = [*weights]
                    moved[number] += sign * step
                    sides.append(exact_loss(objective, function, moved, rows, wanted))
                expected = float((sides[0] - sides[1]) / (2 * step))
                assert slope == pytest.approx(expected, rel=1e-9, abs=1e-12)
            pair.assert_same(text, spans, 0.01)


def test_the_line_is_that_of_least_squares():
    rng = np.random.default_rng(3)
    for count in (2, 7, 8, 9, 100):
        f = rng.normal(size=count) * 10.0 ** rng.integers(-6, 6) + rng.normal()
        y = rng.normal(size=count) + 1e3
        line = fit_line(f, y)
        expected = np.linalg.lstsq(np.column_stack([np.ones(count), f]), y, rcond=None)[0]
        np.testing.assert_allclose(line(f), expected[0] + expected[1] * f, rtol=1e-9)


@pytest.mark.parametrize("value", [0.0, 0.1, -3.7e200, 1e-300])
def test_outputs_without_spread_get_the_mean(value):
    y = np.arange(11.0)
    line = fit_line(np.full(11, value), y)
    if abs(value) > 1e150:  # whose square is too large
        assert line is None
    else:
        assert (line.slope, line.intercept) == (0.0, 5.0)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e200])
def test_there_is_no_line_through_what_is_not_finite(value):
    f = np.arange(11.0)
    f[4] = value
    assert fit_line(f, np.arange(11.0)) is None


@pytest.mark.needs_cc
def test_engine_and_reference_agree_on_odd_outputs():
    for rows in (2, 9, 43, 513, 1100):
        pair = Pair(make(GRAMMAR, SETTINGS, make_data(rows, rows, 3, 0)))
        for text in (
            "2.50",
            "0.10*x_1-0.10*x_1",
            "exp(exp(9.99*x_1))",
            "exp(9.99*x_1)*exp(9.99*exp(x_1))*1e300",
            "log(x_1)/1e-300",
            "1e-300*x_1",
            "softmax(x_1)",
            "1e16+x_2",
            "sqrt(0.30*x_1)+0.40*x_2",
        ):
            pair.assert_same(text, spans_of(text), 0.01)
            score = scorer_of(pair.problem)([text])[0]
            outcome, fitness = pair.engine.native.score(text)[:2]
            assert outcome == ("NOT_FINITE" if score.outcome == NOT_FINITE else "SCORED"), text
            assert fitness == score.fitness, text


@pytest.mark.needs_cc
@pytest.mark.parametrize("objective", SQUARED)
@pytest.mark.parametrize(
    ("grammar", "variation"),
    [
        pytest.param(GRAMMAR, "trees", id="expression-trees"),
        pytest.param(LAYERS, "lists", id="layers-lists"),
        pytest.param(GRAMMAR, "lists", id="expression-lists", marks=pytest.mark.campaign),
        pytest.param(LAYERS, "trees", id="layers-trees", marks=pytest.mark.campaign),
    ],
)
def test_runs_are_those_of_the_reference(grammar, objective, variation):
    learns = {"variation": variation, "steps": 2, "l2": 0.3, "parsimony": 1e-3}
    for seed, more in enumerate([{}, learns]):
        settings = Settings(population=10, generations=4, seed=seed, **more)
        data = make_data(seed, 30 + seed, 3, 0)
        assert_same_run(make(grammar, settings, data, objective), settings)


@pytest.mark.campaign  # tests/engine/test_learning_run.py has another grammar
@pytest.mark.needs_cc
def test_vector_code_and_threads_run_as_in_the_reference():
    settings = Settings(population=12, generations=4, variation="trees", steps=2)
    problem = make(GRAMMAR, settings, make_data(1, 1203, 5, 0))
    assert_same_run(problem, settings, threads=2, flags=NATIVE)


@pytest.mark.needs_cc
def test_numbers_are_tuned_as_in_the_reference():
    rng = random.Random(5)
    pair = Pair(make(GRAMMAR, SETTINGS, make_data(2, 31, 3, 0)))
    for text, _ in FORMULAS:
        spans = spans_of(text)
        values = [rng.uniform(-1, 1) for _ in spans]
        pair.assert_same_tuning(text, spans, [(-9.0, 9.0)] * len(spans), values, 40, 0.001)


def test_classes_have_no_line():
    with pytest.raises(DsgecError, match="`%output linear`, which is for a numeric target") as told:
        make_problem(parse(GRAMMAR, "g"), make_data(classes=2), Settings())
    assert told.value.faults[0].advice


@pytest.mark.parametrize("objective", sorted({*objectives_of("regression")} - {*SQUARED}))
def test_an_objective_without_squares_is_refused(objective):
    with pytest.raises(DsgecError, match="a line of least squares") as told:
        make_problem(parse(GRAMMAR, "g"), make_data(classes=0), Settings(objective=objective))
    assert "rmse, mse, r2" in told.value.faults[0].advice


def test_a_bounded_output_is_no_matter_for_a_remark():
    bounded = parse("%output linear\n<e> ::= sig(<x>)\n<x> ::= x_1 | ... | x_n\n", "g")
    assert not make_problem(bounded, make_data(classes=0), Settings()).remark
