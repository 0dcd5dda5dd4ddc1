"""No row differs from the double network by more than the stated bound."""

import numpy as np
import pytest

from dsgec.export.fixed.ir import ColumnValue, Slot, WholeNumber, operands
from dsgec.network.model import Column, Model, plain_columns, unnamed_model
from dsgec.network.parse import parse
from tests.support.fixed_checks import check_bound
from tests.support.fixed_models import (
    POSITIVE,
    RANGE,
    fixed_artefact,
    random_artefact,
    trying_rows,
)
from tests.support.models import EVERY_KIND, FIXED_DTYPES


def try_random(seeds, count):
    """Check random networks, and return how many of them fixed point can compute."""
    tried = 0
    for seed in seeds:
        range_ = POSITIVE if seed % 2 else RANGE
        for dtype in FIXED_DTYPES:
            artefact = random_artefact(seed, dtype, range_)
            if artefact is not None:
                check_bound(artefact, trying_rows(artefact, seed, count, range_))
                tried += 1
    return tried


@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_a_result_that_is_always_the_same_is_not_computed(dtype):
    """Results share one fraction, in which the first result, at most 0.0025, rounds to 0."""
    artefact = fixed_artefact(
        unnamed_model(parse("y_1 = 0.001 * x_1\ny_2 = 1000 * x_2 - 3000")), dtype
    )
    check_bound(artefact, np.random.default_rng(1).uniform(*RANGE, (200, 2)))
    program = artefact.number_format.fixed.program

    assert program.results[0] == WholeNumber(0)
    assert ColumnValue(0) not in [o for step in program.steps for o in operands(step)]


@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_a_first_result_of_a_neuron_that_is_always_0_leaves_the_others_their_digits(dtype):
    h = ["clip(-0.72 - 2.31 * x_1)", "clip(0.2622 * x_1)", "clip(1.0351 * x_1 - 0.1684)"]
    text = "\n".join(
        [
            *(f"h_1_{number} = {value}" for number, value in enumerate(h, 1)),
            "h_2_1 = clip(0.0931 * h_1_2 - 0.992 * h_1_1 + 1.63 * h_1_3 - 1.0407)",
            "h_3_1 = clip(1.806 * h_2_1)",
            "y_1 = -0.0987 * h_3_1",
            "y_2 = 2.0924 * h_3_1 + 1.0535",
        ]
    )
    artefact = fixed_artefact(unnamed_model(parse(text)), dtype, (-0.001, 0.001))
    check_bound(artefact, np.random.default_rng(1).uniform(-0.001, 0.001, (200, 1)))


def test_a_category_beside_numbers_costs_them_no_digits():
    columns = (Column("a", center=20.0, scale=10.0), Column("b", "category", ("no", "yes")))
    network = parse("sig(3.1 * x_1 + 2.9 * x_3 + -1.3 * x_2)", inputs=3)
    artefact = fixed_artefact(Model(network, columns, ("x", "y")), "q15", (-10.0, 50.0))
    rows = np.column_stack([np.linspace(-10, 50, 901), np.arange(901) % 2])
    check_bound(artefact, rows)
    assert max(artefact.number_format.fixed.bounds) < 0.002


def test_steps_that_no_result_depends_on_are_left_out():
    columns = (Column("a"), Column("b", "category", ("no", "yes")))
    network = parse("sig(3.1 * x_1 + 0.0001 * x_3)", inputs=3)
    program = fixed_artefact(Model(network, columns), "q7", (-4.0, 4.0)).number_format.fixed.program
    read = {slot for step in program.steps for slot in operands(step) if isinstance(slot, Slot)}
    read |= set(program.results)
    assert {Slot(number) for number in range(len(program.steps))} <= read


def test_the_bound_holds_on_random_networks():
    assert try_random(range(40, 50), 400) >= 5


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("start", range(3000, 3600, 100))
def test_the_bound_holds_on_hundreds_of_random_networks(start):
    tried = try_random(range(start, start + 100), 100_000)
    print(f"{tried} programs of 100 networks, 100,000 rows each")
    assert tried > 40


OPERATIONS = (
    "exp(x_1) * x_2",
    "x_1 * x_2 / (x_3 + 5)",
    "sqrt(x_3)",
    "min(x_1, x_2) ^ 3",
    "1 / (x_2 + 4) ^ 2",
    "log(x_3 + 4)",
    "sin(3 * x_1) + cos(x_2)",
    "power(x_1, 2.5)",
    "power(2.5, x_1)",
    "power(x_1 + 3, x_2)",
    "tanh(x_1) - sig(4 * x_2)",
    "relu(x_3 - x_1)",
    "abs(x_2) + max(x_1, 0.25)",
    "if(5 > x_1, x_2, x_3)",
    "x_1 - x_1",
    "0.5",
)


@pytest.mark.parametrize("dtype", FIXED_DTYPES)
@pytest.mark.parametrize("text", OPERATIONS)
def test_the_bound_of_an_operation_holds_and_is_not_idle(text, dtype):
    artefact = fixed_artefact(unnamed_model(parse(text, inputs=3)), dtype)
    rows = np.random.default_rng(1).uniform(-2.5, 3.0, (3000, 3))
    worst = check_bound(artefact, rows)
    if "x" in text and text != "x_1 - x_1":
        assert (worst > np.array(artefact.number_format.fixed.bounds) / 6).all()


@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_the_bound_of_softmax_holds(dtype):
    model = Model(
        parse("softmax(2 * x_1, x_2 - x_1, 0.4)", inputs=2),
        plain_columns(("a", "b")),
        ("p", "q", "r"),
    )
    artefact = fixed_artefact(model, dtype)
    rows = np.random.default_rng(1).uniform(-2.5, 3.0, (3000, 2))
    check_bound(artefact, rows)
    assert max(artefact.number_format.fixed.bounds) < {"q15": 0.003, "q7": 0.05}[dtype]


def test_one_class_has_all_the_probability():
    model = Model(parse("softmax(x_1)", inputs=1), plain_columns(("a",)), ("p", "q"))
    check_bound(fixed_artefact(model), np.linspace(-3, 3, 50)[:, None])


@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_columns_of_every_kind_are_within_the_bound(dtype):
    ranges = ((990.0, 1010.0), (-2.0, 2.0), None, None)
    artefact = fixed_artefact(EVERY_KIND, dtype).__class__(EVERY_KIND, "net", dtype, ranges=ranges)
    rng = np.random.default_rng(3)
    rows = np.column_stack(
        [
            rng.uniform(985, 1015, 2000),
            np.where(rng.random(2000) < 0.2, np.nan, rng.uniform(-3, 4, 2000)),
            np.where(rng.random(2000) < 0.2, np.nan, rng.integers(0, 2, 2000)),
            rng.integers(-1, 3, 2000),
        ]
    )
    check_bound(artefact, rows)
    far = artefact.number_format.fixed.program.columns[0]
    assert far.fraction == {"q15": 11, "q7": 3}[dtype]  # 20 wide, though it is about 1000
    assert far.zero == 1000 << far.fraction


def test_a_linear_layer_of_standardised_columns_rounds_once():
    columns = tuple(Column(f"c{i}", center=5.0 * i, scale=0.3 + i) for i in range(4))
    artefact = fixed_artefact(Model(parse("x_1 - 2 * x_2 + 0.25 * x_3 + x_4 + 1"), columns))
    rows = np.random.default_rng(2).uniform(-2, 2.5, (500, 4))
    check_bound(artefact, rows)
    sums = [step for step in artefact.number_format.fixed.program.steps if hasattr(step, "terms")]
    assert len(sums) == 1


@pytest.mark.parametrize(
    "text",
    [
        "softmax(1.0, x_1, 7.7e19)",  # all but one are nothing beside the greatest
        "softmax(1e-55, 2e-55, x_1 * 1e-56)",  # all are the same
        "log(x_1 * 1e70 + 2e70)",  # hardly changes, beside its size
    ],
)
@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_numbers_of_very_different_sizes_are_within_the_bound(text, dtype):
    artefact = fixed_artefact(unnamed_model(parse(text, inputs=1)), dtype, POSITIVE)
    check_bound(artefact, np.linspace(0.0, 3.0, 200)[:, None], interpreted=20)
