"""The work of the C of integer programs, counted by hand, and its cost on chips."""

import re

import pytest

from dsgec.errors import DsgecError
from dsgec.export.fixed.cost import integer_work
from dsgec.export.fixed.ir import (
    ColumnValue,
    Format,
    FunctionTable,
    IntegerCall,
    IntegerProgram,
    Look,
    Slot,
    Sum,
    WholeNumber,
)
from dsgec.network.cost.chips import CHIPS, chip_prices, priced_dtypes
from dsgec.network.cost.kinds import DATA, RUNNING_KINDS, STORED_KINDS
from dsgec.network.model import Column, Model, compose, unnamed_model
from dsgec.network.parse import parse
from tests.support.fixed_models import POSITIVE, RANGE, fixed_artefact, random_artefact

TWO = unnamed_model(parse("y_1 = x_1 + x_2"))
AROUND = {"column": 2, "refusing": 1, "required_2": 1, "output": 1}
X, T = ColumnValue, Slot


def counted(steps, tables=(), results=None, model=TWO):
    """Return the work of a program of these steps, without the work around every program."""
    columns = (Format(8, 0, -32767, 32767),) * len(model.columns)
    last = results or (Slot(len(steps) - 1),)
    program = IntegerProgram(16, columns, tuple(steps), tuple(tables), last, 8)
    return dict(integer_work(model, compose(model), program))


def table(look="look", shift=8, entries=9):
    return FunctionTable((0,) * entries, look, 0, (entries - 1) << shift, shift)


def test_sums_that_are_written_out_and_calls_are_counted_by_hand():
    steps = [
        Sum(((X(0), 5), (X(1), -300)), bias=70_000, shift=3),
        Sum(((T(0), 1), (X(1), 4)), bias=0, shift=8),
        IntegerCall("clamp", (T(1), WholeNumber(-100), WholeNumber(1000))),
        IntegerCall("product", (T(2), X(0), WholeNumber(15))),
    ]

    assert counted(steps) == {
        **AROUND,
        **{"times": 2, "negative": 1, "plain": 1, "doubled": 1, "bias": 1},
        **{"byte": 2, "word": 3},  # 5 and -100; -300, 70,000 and 1,000
        **{"read": 4, "clamp": 2, "product": 1},  # a clamp has two limits
        **{"shift": 3, "shift_bits": 3 + 15},  # a shift by 8 moves bytes
        **{"live": 1, "saved": 1},
    }


def test_a_flag_is_not_multiplied():
    steps = [
        IntegerCall("equals", (X(0), WholeNumber(2))),
        Sum(((T(0), 1 << 14),), 0, 0),
        Sum(((T(1), 1234), (X(1), 1234)), 0, 15),
    ]
    counts = counted(steps)

    assert (counts["equals"], counts["flag"], counts["flag_times"], counts["times"]) == (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("terms", "kinds"),
    [
        ((3,), {"unrolled_sum": 1, "unrolled_term": 3, "unrolled_read": 3}),
        ((4, 4), {"unrolled_sum": 2, "unrolled_term": 8, "unrolled_read": 8}),
        ((5,), {"inlined_sum": 1, "term": 5, "data": 5 * 3}),
        (
            (3, 6),
            {
                **{"unrolled_sum": 1, "unrolled_term": 3, "unrolled_read": 3},
                **{"inlined_sum": 1, "term": 6, "data": 9 * 3},
            },
        ),
        ((3, 3, 3), {"called_sum": 3, "term": 9, "data": 9 * 3, "sum_function": 1}),
    ],
)
def test_loops_over_products_are_unrolled_inlined_or_called(terms, kinds):
    """The counts are those of multiplications in the code of gcc 12 for Arm and RISC-V."""
    steps = [Sum(((X(0), 7),) * count, 0, 0) for count in terms]
    results = tuple(map(Slot, range(len(steps))))
    counts = counted(steps, results=results)

    own = {name for name in counts if re.search("sum|term|unrolled|data", name)}
    assert {name: counts[name] for name in own} == kinds


def test_what_loops_over_products_read_of_steps_is_kept_in_an_array_of_its_own():
    short = (T(0), 3), (X(0), 5), (X(1), 7)
    long = (*((T(0), weight) for weight in (3, 5, 7, 9, 11)), (X(1), 7))
    first = IntegerCall("absolute", (X(0),))
    unrolled, kept = counted([first, Sum(short, 0, 0)]), counted([first, Sum(long, 0, 0)])

    assert (unrolled["unrolled_sum"], unrolled["unrolled_term"]) == (2, 3)
    assert unrolled["unrolled_read"] == 2
    assert "kept" not in unrolled
    assert (kept["inlined_sum"], kept["unrolled_sum"], kept["kept"]) == (1, 1, 1)


def test_a_limit_that_is_that_of_the_type_is_not_compared_with():
    arguments = (X(0), WholeNumber(-32767), WholeNumber(99))

    assert counted([IntegerCall("clamp", arguments)])["clamp"] == 1


@pytest.mark.parametrize(
    ("tables", "kinds"),
    [
        ((table(),), {"inlined_look": 1, "inlined_table": 1}),
        ((table(shift=7),), {"inlined_look": 1, "inlined_bits": 7, "inlined_table": 1}),
        ((table(shift=0),), {"flat_look": 1, "flat_table": 1}),
        (
            (table("look_odd", 7), table("look", 6)),
            {"inlined_look": 2, "inlined_bits": 13, "inlined_table": 2},
        ),
        (
            (table("look_odd", 7), table("look", 7)),
            {"twin_look": 2, "twin_bits": 14, "twin_table": 2},
        ),
        (
            (table("look_odd", 7), table("look_odd", 8)),
            {"twin_look": 2, "twin_bits": 15, "twin_table": 2},
        ),
        (
            (table("look", 5), table("look", 6), table("look", 8)),
            {
                **{"shared_look": 3, "shared_bits": 19},
                **{"shared_table": 3, "shared_tables": 1},
            },
        ),
    ],
)
def test_tables_are_looked_into_by_code_of_their_own_or_by_one_function(tables, kinds):
    """The counts follow the symbols that gcc 12 leaves in images for Arm and RISC-V."""
    steps = [Look(number, X(0)) for number, _ in enumerate(tables)]
    counts = counted(steps, tables, tuple(map(Slot, range(len(steps)))))

    own = {name for name in counts if name.startswith(("flat", "inlined", "twin", "shared"))}
    assert {name: counts[name] for name in own} == kinds
    assert counts["data"] == 2 * 9 * len(tables)


def test_a_table_that_is_read_twice_has_a_function():
    counts = counted([Look(0, X(0)), Look(0, X(1))], [table("look_odd")], (T(0), T(1)))

    assert (counts["called_table"], counts["called_look"]) == (1, 2)
    assert (counts["look_odd"], counts["look_odd_call"]) == (1, 2)


@pytest.mark.parametrize(
    ("count", "kinds"),
    [
        (3, {"required_3": 1, "classes_3": 1}),
        (4, {"required": 4, "required_loop": 1, "classes_4": 1}),
        (5, {"required": 5, "required_loop": 1, "class": 5}),
    ],
)
def test_loops_around_a_network_are_unrolled_where_they_are_short(count, kinds):
    text = "\n".join(f"y_{i} = x_{i}" for i in range(1, count + 1))
    names = tuple(map(str, range(count)))
    model = Model(parse(text), tuple(map(Column, names)), names)
    counts = counted([], model=model, results=tuple(map(X, range(count))))

    own = {name for name in counts if "required" in name or "class" in name}
    assert {name: counts[name] for name in own} == kinds | {"classes": 1}


@pytest.mark.parametrize("count", [4, pytest.param(40, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("dtype", ["q15", "q7"])
def test_everything_that_is_counted_has_a_price_on_every_chip(dtype, count):
    for chip in CHIPS:
        assert {DATA, *RUNNING_KINDS, *STORED_KINDS} <= chip_prices(chip, dtype).needs.keys()
    for seed in range(count):
        for range_ in (RANGE, POSITIVE):
            artefact = random_artefact(seed, dtype, range_)
            for chip in CHIPS if artefact else ():
                taken = artefact.cost(chip)
                assert min(taken.flash, taken.cycles) > 0
                assert taken.stack >= 0


def test_integers_cost_less_than_floats_and_narrow_ones_less_flash():
    model = unnamed_model(parse("y_1 = sig(1.25 * x_1 - 2.5 * x_2 + 0.75 * x_3 + 0.5)"))
    for chip in CHIPS:
        assert {"float", "q15", "q7"} <= {*priced_dtypes(chip)}
        real, wide, narrow = (
            fixed_artefact(model, dtype, RANGE).cost(chip) for dtype in ("float", "q15", "q7")
        )
        assert narrow.flash < wide.flash < real.flash
        assert wide.cycles < real.cycles
    with pytest.raises(DsgecError, match="unknown chip `z80`"):
        fixed_artefact(model, "q15", RANGE).cost("z80")
