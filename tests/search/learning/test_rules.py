"""Tests of the weights that can be learned, and of gradients at kinks and bad values."""

import math

import pytest

from dsgec.errors import DsgecError
from dsgec.search.gradient import weighted_network
from tests.support.compilers import fast_engine
from tests.support.example_grammars import FLAT, LAYERED
from tests.support.gradients import SETTINGS, make_pair, spans_of

pytestmark = pytest.mark.needs_cc


@pytest.fixture(scope="module")
def flat():
    return make_pair(FLAT, 0, "mse")


@pytest.fixture(scope="module")
def layered():
    return make_pair(LAYERED, 2, "log-loss")


FROZEN = [
    ("0.5*x_1 + 1.5", "__"),
    ("x_1^2 + 0.5*x_2", "._"),
    ("x_1^-2 + 0.5*x_2", "._"),
    ("x_1^2.5 + 0.5", "._"),
    ("2.5^x_1 + 0.5", "._"),
    ("x_1**0.5", "."),
    ("power(x_1, 0.5) + power(0.5, x_1)", ".."),
    ("pow(x_1, 3) + 0.5", "._"),
    ("-2.5^2*x_1", ".."),
    ("(0.5*x_1)^2", "_."),
    ("0.5*1.5*x_1", ".."),
    ("x_1*0.5*1.5", "__"),
    ("sig(0.5)*x_1 + 0.25", "._"),
    ("-(0.5) + x_1", "."),
    ("(0.5) + x_1", "_"),
    ("min(x_1, 0.1) + max(0.1, x_1)", "__"),
    ("x_1/0.5 + 0.5/x_1", "__"),
    ("0.5", "_"),
    ("sig(0.5)", "."),
    ("0.5-x_1-0.25-0.5*x_2", "___"),
    ("x_1^0 * 0.5", ".."),
    ("(0.5*x_1)^0 + 0.5", "..."),
]


@pytest.mark.parametrize(("text", "expected"), FROZEN)
def test_weights_are_frozen_where_a_change_would_change_the_meaning(flat, text, expected):
    _, slopes = flat.assert_same(text, spans_of(text), 0.01)
    assert "".join("_" if slope else "." for slope in slopes) == expected


def test_a_weight_is_frozen_that_is_a_neuron_or_that_no_output_depends_on(layered):
    text = "0.50 - sig(0.25*x_1 + 0.75) -- sig(1.50*h_1_1*x_1 + 0.3*x_2)"
    _, slopes = layered.assert_same(text, spans_of(text), 0.01)
    assert [bool(slope) for slope in slopes] == [False, False, False, False, True]


@pytest.mark.parametrize(
    ("text", "span", "sign"),
    [
        ("-0.50*x_1", (0, 5), 1.0),
        ("-0.50*x_1", (1, 4), -1.0),
        ("- 0.50*x_1", (2, 4), -1.0),
        ("x_2-0.50*x_1", (4, 4), 1.0),
        ("x_2-0.50*x_1", (3, 5), 0.0),
        ("x_2+-0.50*x_1", (4, 5), 1.0),
        ("x_2--0.50*x_1", (4, 5), 1.0),
        ("x_2--0.50*x_1", (5, 4), -1.0),
        ("x_2*-0.50", (4, 5), 1.0),
        ("-0.50*x_1", (1, 3), 0.0),
        ("-0.50*x_1", (3, 2), 0.0),
        ("1e-5*x_1", (3, 1), 0.0),
        ("x_1*x_2", (2, 1), 0.0),
        ("x[1]", (2, 1), 0.0),
    ],
)
def test_a_number_is_a_weight_if_it_is_the_whole_of_its_place(flat, text, span, sign):
    graph = weighted_network(text, [span], inputs=3, layered=False)
    assert graph.signs == (sign,)
    flat.assert_same(text, [span], 0.1)
    flat.assert_same(text, [span], 0.1, [0.375])


def test_values_take_the_place_of_those_of_the_text(flat):
    other = "1.75*x_1 + min(x_2, -2.50) - 0.125"
    text = "0.50*x_1 + min(x_2, -1.00) - 0.3"
    values = [1.75, -2.5, 0.125]
    spans = [(0, 4), (20, 5), (29, 3)]
    expected = flat.assert_same(other, [(0, 4), (20, 5), (29, 5)], 0.5)
    assert flat.assert_same(text, spans, 0.5, values) == expected


def test_a_frozen_weight_keeps_the_number_of_the_text(flat):
    text = "x_1^2 + 0.50"
    found = [flat.engine.native.gradient(text, [(4, 1), (8, 4)], 0.0, [v, 0.5]) for v in (2, 3)]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "text",
    [
        "max(0.50*x_1, 0.50*x_1)",
        "relu(0.00*x_1)",
        "abs(0.00*x_1) + 0.5*x_2",
        "min(0.25*x_1, 0.25*x_1 + 0.0)",
        "sqrt(0.00*x_1)",
        "log(0.00*x_1)",
        "x_2/(0.00*x_1)",
        "sin(1e7*x_1)",
    ],
)
def test_a_kink_or_a_jump_has_the_derivative_of_the_table(flat, text):
    outcome, slopes = flat.assert_same(text, spans_of(text))
    assert outcome == "SCORED"
    assert all(map(math.isfinite, slopes))


@pytest.mark.parametrize("value", ["40.0", "-40.0", "800.0", "-800.0"])
def test_a_saturated_sigmoid_still_learns_by_log_loss(layered, value):
    single = f"sig(0.01*x_1 + {value})"
    double = f"softmax(0.01*x_1, 0.01*x_2 + {value})"
    for text in (single, double):
        _, slopes = layered.assert_same(text, spans_of(text))
        assert abs(slopes[-1]) > 0.1


def test_a_clipped_probability_has_no_derivative(layered):
    _, slopes = layered.assert_same("5.0 + 0.01*x_1", [(0, 3), (6, 4)])
    assert slopes == [0.0, 0.0]


def test_what_is_not_finite_has_no_gradients(flat, layered):
    for text in ("exp(0.5*x_1*1e6) * 0.5 + 0.5*x_1", "1e308*x_1*10.0", "x_1 + 1e300*1e300"):
        assert flat.assert_same(text, spans_of(text))[0] == "NOT_FINITE"
        assert flat.assert_same(text, spans_of(text), 1.0)[0] == "NOT_FINITE"
    assert flat.assert_same("0.5*x_1", [(0, 3)], 1e300, [1e200])[0] == "NOT_FINITE"
    assert flat.assert_same("0.5*x_1", [(0, 3)], 0.0, [math.nan])[0] == "NOT_FINITE"
    assert layered.assert_same("0.5*x_1", [(0, 3)], 0.0, [math.inf])[0] == "NOT_FINITE"


def test_a_derivative_that_is_not_finite_is_0(flat):
    # The slope of exp is infinite where the sigmoid is flat.
    text = "sig(0.50*exp(1000.0*abs(x_1) + 800.0)) + 0.25*x_2"
    outcome, slopes = flat.assert_same(text, spans_of(text))
    assert outcome == "SCORED"
    assert slopes[:3] == [0.0, 0.0, 0.0]
    assert slopes[3] != 0.0


@pytest.mark.parametrize(
    "spans",
    [[(-1, 3)], [(0, 0)], [(0, -1)], [(0, 99)], [(2**31 - 1, 9)], [(4, 3)], [(0, 3), (0, 3)]],
    ids=str,
)
def test_a_place_without_a_numeral_is_refused(flat, spans):
    with pytest.raises(ValueError, match="no weight at"):
        weighted_network("0.5*x_1", spans, inputs=3, layered=False)
    assert flat.engine.native.gradient("0.5*x_1", spans)[0] == "REFUSED"
    bounds = [(-1.0, 1.0)] * len(spans)
    tuned = flat.engine.native.tune("0.5*x_1", spans, bounds, [0.5] * len(spans), 9)
    assert tuned[0] == "REFUSED"


def test_as_many_values_and_bounds_as_weights_are_needed(flat):
    with pytest.raises(DsgecError):
        flat.engine.native.gradient("0.5*x_1", [(0, 3)], 0.0, [])
    with pytest.raises(DsgecError):
        flat.engine.native.tune("0.5*x_1", [(0, 3)], [], [0.5], 9)


def test_an_engine_without_learning_refuses(flat):
    plain = fast_engine(flat.problem, SETTINGS).native
    assert plain.gradient("0.5*x_1", [(0, 3)])[0] == "REFUSED"
    assert plain.tune("0.5*x_1", [(0, 3)], [(-1.0, 1.0)], [0.5], 9)[0] == "REFUSED"


def test_scores_are_those_of_an_engine_without_learning(flat, layered):
    for pair in (flat, layered):
        plain = fast_engine(pair.problem, SETTINGS).native
        for text in ("0.5*x_1", "0.5*x_1-sig(x_2)--h_1_1+h_1_1*0.25+h_1_1^-3", "0.5^x_1"):
            pair.engine.native.gradient(text, [(0, 3)])
            assert pair.engine.native.score(text) == plain.score(text)
