"""A procedure that is specialised to a constant computes what it does with that argument."""

import numpy as np
import pytest

from dsgec.arithmetic.procedures import read_function
from dsgec.program.interpret import interpret
from dsgec.program.ir import Branch, Loop, Program, instructions
from dsgec.program.print_columns import ColumnsPrinter
from dsgec.program.specialise import specialise
from dsgec.program.text import program_text

SOURCE = '''
def f(x: Row, count: int) -> float:
    """It."""
    total = x[0] if count > 2 else 1.0
    if count == 3:
        total = total * 2.0
    else:
        total = -total
    for k in range(count - 1):
        part = x[k] * x[k + 1]
        total += part
    return total
'''


def f(x, count):
    total = x[0] if count > 2 else 1.0
    total = total * 2.0 if count == 3 else -total
    for k in range(count - 1):
        total += x[k] * x[k + 1]
    return total


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_it_computes_what_the_source_does(count):
    procedure = specialise(read_function(SOURCE, "f"), count=count)
    rows = np.random.default_rng(count).normal(size=(20, 4))
    _, found = interpret(Program((), (procedure,)), procedure, {}, x=rows)

    assert not [i for i in instructions(procedure.body) if isinstance(i, Loop | Branch)]
    assert np.broadcast_to(found, 20).tolist() == [f(row, count) for row in rows.tolist()]


def test_what_is_known_is_gone():
    procedure = specialise(read_function(SOURCE, "f"), count=3)
    assert program_text(Program((), (procedure,))) == (
        "\n"
        "procedure f(x: double[0])\n"
        "    total: double = x[0]\n"
        "    total = (total * 2.0)\n"
        "    part: double = (x[0] * x[1])\n"
        "    total = (total + part)\n"
        "    part = (x[1] * x[2])\n"
        "    total = (total + part)\n"
        "    return total\n"
    )


def test_columns_are_computed_by_numpy():
    procedure = read_function(SOURCE, "f")
    assert [*ColumnsPrinter((procedure,)).procedure(procedure)][2:] == [
        "    total = np.where(count > 2, x[0], 1.0)",
        "    if count == 3:",
        "        total = total * 2.0",
        "    else:",
        "        total = -total",
        "    for k in range(count - 1):",
        "        part = x[k] * x[k + 1]",
        "        total = total + part",
        "    return total",
    ]
