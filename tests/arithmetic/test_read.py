"""Functions in the subset of Python become procedures; what no printer can print is refused."""

import numpy as np
import pytest

from dsgec.arithmetic.read import Reader
from dsgec.arithmetic.subset import Annotations, NotInSubset, Source, signatures
from dsgec.program.interpret import interpret
from dsgec.program.ir import Program
from dsgec.program.text import program_text

ARRAYS = Annotations("double", "int32", {"Vector": "double", "Out": "double"}, frozenset(["Out"]))


def read(body, head="f(x: float, n: int, a: Vector, b: Out) -> float", types=ARRAYS):
    source = Source.read(f'LEAST = 0.5\n\n\ndef {head}:\n    """It."""\n{body}\n', types)
    return Reader(source, source.functions["f"], signatures(source)).procedure("f")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("    y = x * 2.0", "ends in a return"),
        ("    return x * n", "a double beside a int32"),
        ("    return n + 1", "expected a double, found a int32"),
        ("    y = x\n    y = n\n    return x", "one type"),
        ("    x = x * 2.0\n    return x", "a parameter keeps its value"),
        ("    return x % 2.0", "not in the subset"),
        ("    return x & x", "no & of a double"),
        ("    return y", "not in the subset"),
        ("    return math.exp(x)", "no such function"),
        ("    return f(x, n)", "no such function of so many arguments"),
        ("    return x if x < 0.0 < x else x", "not in the subset"),
        ("    return x if x else 1.0", "expected a bool, found a double"),
        ("    while x > 0.0:\n        y = 1.0\n    return x", "neither an assignment"),
        ("    for k in range(x):\n        y = 1.0\n    return x", "expected a int32"),
        ("    for k in range(n):\n        y = 1.0\n    return y", "not in the subset"),
        ("    if n > 0:\n        y = 1.0\n    return y", "not in the subset"),
        ("    if x:\n        y = 1.0\n    return x", "expected a bool"),
        ("    a[0] = x\n    return x", "only read"),
        ("    return a[x]", "expected a int32, found a double"),
        ("    return a", "not in the subset"),
    ],
)
def test_what_no_printer_can_print_is_refused(body, message):
    with pytest.raises(NotInSubset, match=message):
        read(body)


def test_loops_branches_and_arrays_are_read():
    procedure = read(
        "    total = 0.0\n"
        "    for k in range(n):\n"
        "        part = a[k] * x\n"
        "        total += part if part > LEAST else 0.0\n"
        "        b[k] = total\n"
        "    if n == 1:\n"
        "        total = total + 1.0\n"
        "    else:\n"
        "        total = -total\n"
        "    return total"
    )
    assert program_text(Program((), (procedure,))) == (
        "\n"
        "procedure f(x: double, n: int32, a: double[0], out b: double[0])\n"
        "    total: double = 0.0\n"
        "    for k below n\n"
        "        part: double = (a[k] * x)\n"
        "        total = (total + (part if (part > 0.5) else 0.0))\n"
        "        b[k] = total\n"
        "    if (n == 1)\n"
        "        total = (total + 1.0)\n"
        "    else\n"
        "        total = (-total)\n"
        "    return total\n"
    )


def test_what_is_read_computes_what_the_source_does():
    body = (
        "    total = 0.0\n"
        "    for k in range(3):\n"
        "        total = total + (a[k] if a[k] > 0.0 else a[k] * a[k])\n"
        "    return total"
    )
    procedure = read(body, "f(a: Vector) -> float")
    rows = np.random.default_rng(1).normal(size=(5, 3))
    _, found = interpret(Program((), (procedure,)), procedure, {}, a=rows)

    def expected(row):
        total = 0.0
        for value in row:
            total = total + (value if value > 0.0 else value * value)
        return total

    assert found.tolist() == [expected(row) for row in rows.tolist()]
