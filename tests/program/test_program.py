"""The checker refuses programs that break a rule; the interpreter and the text form show them."""

from dataclasses import replace

import numpy as np
import pytest

from dsgec.arithmetic.procedures import procedures
from dsgec.program.check import Extent, check
from dsgec.program.interpret import interpret
from dsgec.program.ir import (
    ArrayParameter,
    Binary,
    Branch,
    ConstantTable,
    Declare,
    Element,
    Invoke,
    LocalArray,
    Loop,
    Number,
    Procedure,
    Program,
    Select,
    Store,
    Update,
    Variable,
    narrowest,
)
from dsgec.program.narrow import narrow
from dsgec.program.print_c import CPrinter
from dsgec.program.text import program_text
from dsgec.program.walk import InvalidProgram

INTEGERS = procedures("whole")

AT, TOTAL = Variable("i", "uint8"), Variable("total")
WEIGHTS = ConstantTable("weights", "int8", (3, -2, 100))
X = ArrayParameter("x", "int8", 3, ((-127, 127),) * 3)
Y = ArrayParameter("y", "int16", 1, is_written=True)
X0 = Element("x", Number(0), "int8")
Q = Variable("q")


def a_sum(start=0, count=3, type_="int32"):
    """Return a program whose procedure adds up weighted elements of x, and shifts the sum."""
    product = Binary("*", Element("weights", AT, "int8"), Element("x", AT, "int8"), "int16")
    body = (
        Declare(TOTAL, Number(start)),
        Loop(AT, Number(count), (Update(TOTAL, Binary("+", TOTAL, product, type_)),)),
        Store("y", Number(0), Invoke("shifted", (TOTAL, Number(2)))),
    )
    procedure = Procedure("add", "Add.", (X, Y), body)
    return Program((WEIGHTS,), (procedure,)), procedure


def with_body(*body, result=None, parameters=(X, Y)):
    procedure = Procedure("test", "Test.", parameters, tuple(body), result)
    return Program((WEIGHTS,), (procedure,)), procedure


def test_the_interpreter_adds_up_every_row():
    rows = np.array([[1, 2, 3], [-127, 127, 127], [0, 0, -1]])

    written, result = interpret(*a_sum(), INTEGERS, x=rows)

    assert result is None
    assert written["y"][0].tolist() == ((rows @ [3, -2, 100]) >> 2).tolist()


def test_the_checker_finds_the_exact_range():
    assert check(*a_sum())["y"] == [Extent(-127 * 105 >> 2, 127 * 105 >> 2)]


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (a_sum(count=4), "index 3 is outside weights"),
        (a_sum(start=1 << 20), "y goes from"),
        (a_sum(start=(1 << 31) - 1), "goes from .* not int32"),
        (a_sum(start=32000, type_="int16"), "not int16"),
        (with_body(Store("y", Number(0), TOTAL)), "uses total where it is not declared"),
        (with_body(Update(TOTAL, Number(1))), "uses total where it is not declared"),
        (with_body(), "leaves elements of y unwritten"),
        (
            with_body(Store("y", Number(0), Element("y", Number(0), "int16"))),
            "before it is written",
        ),
        (with_body(Store("z", Number(0), Number(1))), "uses z where it is not declared"),
        (with_body(Declare(TOTAL, Number(1)), Declare(TOTAL, Number(2))), "declares total twice"),
        (with_body(Loop(AT, Number(2), (Loop(AT, Number(2), ()),))), "declares i twice"),
        (with_body(LocalArray("weights", "int8", 3)), "declares weights twice"),
        (
            with_body(
                Loop(AT, Number(1), (Declare(TOTAL, Number(1)),)), Store("y", Number(0), TOTAL)
            ),
            "uses total where it is not declared",
        ),
        (
            with_body(Store("y", Number(0), Element("x", Number(0), "int16"))),
            "uses x as int16: it is int8",
        ),
        (with_body(Store("y", Number(0), Number(1.0, "double"))), "uses y as double"),
        (with_body(Store("y", Element("x", Number(0), "int8"), Number(1))), "depends on the row"),
        (with_body(Loop(AT, Element("x", Number(0), "int8"), ())), "count of a loop depends"),
        (with_body(Loop(AT, Number(1), (), 2)), "runs 1 times, not at least 2"),
        (with_body(Store("y", Number(0), Element("weights", X0, "int8"))), "outside weights"),
        (with_body(Store("y", Number(0), Binary("&", X0, Number(5)))), "can be negative"),
        (with_body(Branch(Element("x", Number(0), "int8"), ())), "test of a branch depends"),
    ],
)
def test_a_program_that_breaks_a_rule_is_refused(program, message):
    with pytest.raises(InvalidProgram, match=message):
        check(*program)


def test_a_table_has_only_values_of_its_type():
    _, procedure = a_sum()
    for values in ((), (128, 0, 0)):
        table = ConstantTable("weights", "int8", values)
        with pytest.raises(InvalidProgram, match="weights"):
            check(Program((table,), (procedure,)), procedure)


def test_the_row_decides_in_a_select_only():
    least = Select(
        Binary("<", Element("x", Number(0), "int8"), Number(0), "bool"),
        Number(-5),
        Element("x", Number(0), "int8"),
    )
    program = with_body(Store("y", Number(0), least))

    written, _ = interpret(*program, INTEGERS, x=np.array([[-3, 0, 0], [7, 0, 0]]))

    assert written["y"][0].tolist() == [-5, 7]
    assert check(*program)["y"] == [Extent(-127, 127)]


def limited(least, most):
    """Return instructions that keep the first column between two limits, in q."""
    return (
        Declare(Q, X0),
        Update(Q, Select(Binary("<", Q, Number(least), "bool"), Number(least), Q)),
        Update(Q, Select(Binary(">", Q, Number(most), "bool"), Number(most), Q)),
    )


def test_the_row_can_decide_which_element_is_read():
    program = with_body(*limited(0, 2), Store("y", Number(0), Element("weights", Q, "int8")))

    written, _ = interpret(*program, INTEGERS, x=np.array([[-3, 0, 0], [1, 0, 0], [7, 0, 0]]))

    assert written["y"][0].tolist() == [3, -2, 100]
    assert check(*program)["y"] == [Extent(-2, 100)]


def test_an_array_is_read_where_the_row_says():
    best = with_body(*limited(1, 2), Store("y", Number(0), Element("x", Q, "int8")))

    written, _ = interpret(*best, INTEGERS, x=np.array([[2, 5, 6], [-9, 5, 6]]))

    assert written["y"][0].tolist() == [6, 5]


@pytest.mark.parametrize("operator", ["<", ">", "=="])
@pytest.mark.parametrize("limit", [-2, 0, 3, 4])
def test_a_test_narrows_what_a_selection_sees(operator, limit):
    """The ranges of both parts are those of the values for which the test holds, or fails."""
    parameters = (replace(X, ranges=((-2, 3),) * 3), Y)
    parts = {True: (Q, Number(99)), False: (Number(99), Q)}
    holds = {"<": lambda q: q < limit, ">": lambda q: q > limit, "==": lambda q: q == limit}
    for wanted, (yes, no) in parts.items():
        chosen = Select(Binary(operator, Q, Number(limit), "bool"), yes, no)
        program = with_body(Declare(Q, X0), Store("y", Number(0), chosen), parameters=parameters)
        values = [q if holds[operator](q) == wanted else 99 for q in range(-2, 4)]

        assert check(*program)["y"] == [Extent(min(values), max(values))]


def test_types_become_as_narrow_as_the_values():
    program, procedure = a_sum()

    found = narrow(program, procedure, {"y": "int8"})

    declared, loop, stored = found.body
    assert declared.variable.type == "int16"  # 127 * 105
    assert loop.body[0].value.type == "int16"
    assert stored.value.type == "int16"
    assert found.parameters[1].type == "int16"
    check(program, found)
    program, procedure = a_sum(start=1 << 20)
    procedure = replace(procedure, parameters=(X, replace(Y, type="int32")))
    wide = narrow(program, procedure, {"y": "int16"})
    assert wide.body[0].variable.type == "int24"
    assert wide.parameters[1].type == "int32"


def test_a_loop_that_surely_runs_counts_down_in_c():
    _, procedure = a_sum()
    loop = replace(procedure.body[1], body=(Update(TOTAL, Number(5)),))
    for least, line in ((0, "for (uint_fast8_t i = 0; i < 3; i++) {"), (1, "do {")):
        body = (procedure.body[0], replace(loop, least=least), procedure.body[2])
        text = CPrinter(Program((WEIGHTS,), (replace(procedure, body=body),)), "net").print()
        assert line in text
        assert ("} while (--i != 0);" in text) == (least > 0)


def test_a_branch_is_taken_by_what_is_known():
    last = Binary("==", AT, Number(2), "bool")
    program = with_body(
        Loop(AT, Number(3), (Branch(last, (Store("y", Number(0), Element("x", AT, "int8")),)),))
    )

    written, _ = interpret(*program, INTEGERS, x=np.array([[1, 2, 3]]))

    assert written["y"][0].tolist() == [3]


def test_the_text_form_has_a_line_for_each_instruction():
    assert program_text(a_sum()[0]) == (
        "table weights: int8[3] = 3 -2 100\n"
        "\n"
        "procedure add(x: int8[3], out y: int16[1])\n"
        "    total: int32 = 0\n"
        "    for i below 3\n"
        "        total = (total + (weights[i] * x[i]))\n"
        "    y[0] = shifted(total, 2)\n"
    )


def test_c_steps_through_a_table_with_a_pointer():
    at = Variable("at", "uint16")
    step = Update(at, Binary("+", at, Number(1), "uint16"))
    value = Element("weights", at, "int8")
    body = (
        Declare(at, Number(0)),
        Loop(AT, Number(3), (Store("y", Number(0), value), step)),
    )
    program = with_body(*body)
    check(*program)

    text = CPrinter(program[0], "net").print()

    assert "const int8_t *at = net_weights;" in text
    assert "y[0] = (int16_t)(int8_t)NET_READ_8(at);" in text
    assert "at++;" in text


@pytest.mark.parametrize(
    ("ends", "signed", "wanted"),
    [
        ((0, 255), False, "uint8"),
        ((0, 256), False, "uint16"),
        ((-1, 127), False, "int8"),
        ((0, 200), True, "int16"),
        ((-40000, 0), True, "int32"),
    ],
)
def test_the_narrowest_type_has_all_values(ends, signed, wanted):
    assert narrowest(*ends, signed=signed) == wanted
