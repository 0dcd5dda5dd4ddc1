"""The cost of a network is linear in counts of work, which are checked by hand."""

import pytest

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.errors import DsgecError
from dsgec.export.number_format import REALS
from dsgec.network.cost.chips import CHIPS, Cost, Prices, chip_prices, priced_dtypes
from dsgec.network.cost.kinds import REAL_KINDS
from dsgec.network.cost.work import count_work, model_cost
from dsgec.network.model import Column, Model, unnamed_model
from dsgec.network.parse import parse

PRICES = Prices(
    flash={"": 100, "add": 2, "mul": 3, "sig": 5, "distinct": 4},
    cycles={"": 10, "add": 7, "mul": 8, "sig": 1000},
    stack={"": 8, "live": 4},
    deepest={"": 0, "add": 20, "sig": 30},
    once={"dsgec_sig": 200, "addsf3": 1000, "mulsf3": 500},
    needs={"": (), "add": ("addsf3",), "mul": ("mulsf3",), "sig": ("dsgec_sig", "addsf3")},
)


def test_work_is_paid_for_each_time_and_linked_parts_once():
    counts = {"add": 10, "mul": 2, "sig": 3, "distinct": 6, "live": 5}

    assert PRICES.cost(counts) == Cost(
        flash=100 + 10 * 2 + 2 * 3 + 3 * 5 + 6 * 4 + 200 + 1000 + 500,
        stack=8 + 5 * 4 + 30,
        cycles=10 + 10 * 7 + 2 * 8 + 3 * 1000,
    )
    assert PRICES.cost({"mul": 1}) == Cost(flash=100 + 3 + 500, stack=8, cycles=18)


def test_the_work_of_a_row_is_what_a_person_counts():
    columns = (
        Column("a", center=2.0, scale=3.0),
        Column("b", fill=0.5),
        Column("c", "category", ("x", "y", "z")),
        Column("d"),
    )
    network = parse("y_1 = sig(2.5 * x_1 + 1.5 * x_2 + 2.5 * x_4 + 0.25)", inputs=6)
    counts = count_work(Model(network, columns, ("no", "yes")))

    assert counts == {
        **{"sub": 1, "div_number": 1, "fill": 1, "is": 1},  # of the columns
        # x_4 is the flag of a category, and the class needs no sigmoid.
        **{"mul": 2, "add": 2, "flag_mul": 1, "flag_add": 1},
        "number": 8,  # 2.0, 3.0, 0.5, 1.0, which is y, and those of the formula
        "distinct": 7,
        **{"read": 3, "column": 3, "required": 2, "refusing": 1, "listed": 2},
        "kept": 2,  # both sums have one term that was computed before the other
        "live": 2,
        **{"output": 1, "two_classes": 1, "lone_output": 1},
    }


@pytest.mark.parametrize(
    ("formula", "kinds"),
    [
        ("x_1 + (-2.5)", {"sub": 1}),
        ("x_1 - x_2", {"sub": 1}),
        ("x_1 / 4", {"mul": 1}),
        ("x_1 / 3", {"div_number": 1}),
        ("x_1 / x_2", {"div": 1}),
        ("x_1 * 2", {"add": 1}),
        ("x_1 ^ 5", {"mul": 3}),
        ("x_1 ^ -2", {"mul": 1, "div": 1}),
        ("max(x_1, x_2)", {"max": 1}),
    ],
)
def test_operations_have_the_kind_that_compilers_choose(formula, kinds):
    counts = count_work(unnamed_model(parse(f"y_1 = {formula}", inputs=2)))

    operations = counts.keys() & {"add", "sub", "mul", "div_number", *ALL_FUNCTIONS}
    assert {kind: counts[kind] for kind in operations} == kinds


def test_a_classifier_needs_no_softmax():
    text = "y_1, y_2, y_3 = softmax(x_1, x_2, x_1 + x_2)"
    counts = count_work(Model(parse(text), tuple(map(Column, "ab")), ("p", "q", "r")))

    assert (counts["classes"], counts["class"]) == (1, 3)
    assert not counts.keys() & {"softmax", "softmax_output", "two_classes"}
    values = count_work(unnamed_model(parse(text)))
    assert (values["softmax"], values["softmax_output"]) == (1, 3)


def test_only_the_last_sigmoid_is_not_counted():
    text = "y_1 = sig(2.5 * sig(x_1) + sig(x_2))"
    assert count_work(Model(parse(text), tuple(map(Column, "ab")), ("no", "yes")))["sig"] == 2
    assert count_work(unnamed_model(parse(text)))["sig"] == 3


def test_values_that_are_used_late_are_live_until_then():
    # x_1 + 1, x_2 * 3 and x_1 * x_2 are there when the last is made; then sums use them up.
    network = parse("y_1 = (x_1 + 1.5) + ((x_2 * 3.5) + (x_1 * x_2))")

    assert count_work(unnamed_model(network))["live"] == 3


@pytest.mark.campaign  # a contributor who adds a function need not have the compilers
def test_every_function_has_an_estimate_on_every_chip():
    for chip in CHIPS:
        for dtype in {*priced_dtypes(chip)} & {*REALS}:
            own = chip_prices(chip, dtype)
            assert {*REAL_KINDS} <= own.needs.keys()
            assert {part for parts in own.needs.values() for part in parts} <= own.once.keys()


def test_a_larger_network_costs_more_and_a_float_unit_less():
    small, large = (
        unnamed_model(parse("y_1 = " + " + ".join(f"{i}.25 * x_{i}" for i in range(1, n))))
        for n in (3, 30)
    )
    for chip in CHIPS:
        few, many = (model_cost(model, chip, "float") for model in (small, large))
        assert few.flash < many.flash
        assert few.cycles < many.cycles
        assert few.stack <= many.stack
    assert (
        model_cost(large, "cortex-m4f", "float").cycles * 10
        < model_cost(large, "cortex-m0plus").cycles
    )


def test_a_chip_or_type_without_an_estimate_is_refused():
    model = unnamed_model(parse("y_1 = x_1"))
    with pytest.raises(DsgecError, match="unknown chip `z80`"):
        model_cost(model, "z80")
    with pytest.raises(DsgecError, match="no estimate for double on avr"):
        model_cost(model, "avr", "double")


def test_a_function_that_was_never_measured_is_refused(monkeypatch):
    monkeypatch.setattr("dsgec.network.cost.work.chip_prices", lambda chip, dtype: PRICES)
    with pytest.raises(DsgecError, match=r"no estimate of column, .*tanh on cortex-m0plus"):
        model_cost(unnamed_model(parse("y_1 = tanh(x_1)")))
