"""A circuit that a program becomes gives the interpreter's integers in a simulator."""

import subprocess

import numpy as np
import pytest

from dsgec.arithmetic.procedures import procedures
from dsgec.export.targets.verilog import verilog_view
from dsgec.export.targets.verilog.circuit_view import circuit_view
from dsgec.export.targets.verilog.lower import CircuitWalker, LoweredProgram
from dsgec.export.targets.verilog.view import VerilogView
from dsgec.network.model import Model, plain_columns
from dsgec.network.parse import parse
from dsgec.program.check import check
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
    Perform,
    Procedure,
    Program,
    Select,
    Store,
    Update,
    Variable,
)
from dsgec.program.walk import InvalidProgram
from dsgec.rendering import render
from tests.support.fixed_models import fixed_artefact
from tests.support.verilog import IVERILOG

AT, TOTAL, J = Variable("i", "uint8"), Variable("total"), Variable("j")
X = ArrayParameter("x", "int8", 2, ((-127, 127),) * 2)
Y = ArrayParameter("y", "int16", 5, is_written=True)
WEIGHTS = ConstantTable("weights", "int8", (3, -2))
CURVE = ConstantTable("curve", "int16", (-400, -100, 0, 90, 450, 450))


def program():
    """Return a program of integers with loops, branches, arrays, tables and calls."""
    t = ArrayParameter("t", "int16", 2, is_written=True)
    x = Element("x", AT, "int8")
    fill = Procedure(
        "double_all",
        "",
        (X, t),
        (Loop(AT, Number(2), (Store("t", AT, Binary("*", Number(2), x)),)),),
    )
    half = Procedure(
        "half", "", (Variable("a", "int32"),), (), Binary(">>", Variable("a", "int32"), Number(1))
    )
    product = Binary("*", Element("weights", AT, "int8"), Element("t", AT, "int16"))
    last = Binary("==", AT, Number(1), "bool")
    first, second = (Element("x", Number(place), "int8") for place in (0, 1))
    body = (
        LocalArray("t", "int16", 2),
        Perform("double_all", ("x", "t")),
        Declare(TOTAL, Number(7)),
        Declare(J, Number(0)),
        Loop(
            AT,
            Number(2),
            (
                Update(TOTAL, Binary("+", TOTAL, product)),
                Branch(
                    last,
                    (Update(TOTAL, Binary("-", TOTAL, Number(1))),),
                    (Update(J, Binary("+", J, Number(4))),),
                ),
            ),
        ),
        Store("y", Number(0), TOTAL),
        Store("y", Number(1), Select(Binary("<", first, second, "bool"), J, second)),
        Store("y", Number(2), Invoke("half", (TOTAL,))),
        Store("y", Number(3), Invoke("look", (first, Number(-64), Number(64), Number(5)), "curve")),
        Store(
            "y",
            Number(4),
            Binary("-", Binary("+", Number(5), first), Binary("*", Number(3), second)),
        ),
    )
    entry = Procedure("integers", "", (X, Y), body)
    return Program((WEIGHTS, CURVE), (fill, half, entry)), entry


@pytest.mark.skipif(not IVERILOG, reason="iverilog is not installed")
def test_a_program_becomes_a_pipeline(tmp_path):
    source, entry = program()
    check(source, entry)
    walker = CircuitWalker(source)
    walker.run(entry, {"x": [walker.circuit.column(at, 8) for at in range(2)]})
    outputs = tuple(walker.arrays["y"])
    lowered = LoweredProgram(walker.circuit, outputs, None, {})
    # The view of a network of the same shape, with this circuit in place of its own.
    text = "".join(f"y_{place} = x_{place % 2 + 1}\n" for place in range(1, 6))
    own = verilog_view(fixed_artefact(Model(parse(text), plain_columns(("a", "b"))), "q7"))
    v = VerilogView(own.m, own.fixed, circuit_view(lowered))
    rng = np.random.default_rng(2)
    rows = np.vstack([rng.integers(-127, 128, (300, 2)), [[-127, 127], [127, -127], [0, 0]]])

    for name in ("module", "run"):
        (tmp_path / f"{name}.v").write_text(render(f"verilog/{name}.v.j2", m=v.m, v=v))
    (tmp_path / "rows").write_text("".join(f"{a} {b}\n" for a, b in rows.tolist()))
    command = [IVERILOG, "-g2001", "-o", "run", "module.v", "run.v"]
    subprocess.run(command, cwd=tmp_path, check=True)
    subprocess.run(["vvp", "-N", "run"], cwd=tmp_path, check=True, capture_output=True)

    found = np.loadtxt(tmp_path / "results", dtype=int).reshape(len(rows), 5)
    written, _ = interpret(source, entry, procedures("whole"), x=rows)
    wanted = np.stack([np.broadcast_to(each, len(rows)) for each in written["y"]], axis=1)
    assert np.array_equal(found, wanted)
    assert found[-1].tolist() == [6, 0, 3, 0, 5]  # by hand: x = 0, 0


def test_what_depends_on_the_row_decides_no_branch():
    branch = Branch(Binary("<", Element("x", Number(0), "int8"), Number(0), "bool"), ())
    entry = Procedure("integers", "", (X, Y), (branch,))
    walker = CircuitWalker(Program((), (entry,)))
    with pytest.raises(InvalidProgram, match="depends on the row"):
        walker.run(entry, {"x": [walker.circuit.column(at, 8) for at in range(2)]})
