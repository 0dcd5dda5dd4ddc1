"""WebAssembly of programs gives the bits of the interpreter, for every kind of node and type."""

import itertools
from typing import get_args

import numpy as np
import pytest

from dsgec.arithmetic.procedures import procedures
from dsgec.export.artefact import Artefact
from dsgec.export.candidates import integer_candidates
from dsgec.export.entries import entry_program
from dsgec.export.fixed.lower import integer_program
from dsgec.export.lower import network_program
from dsgec.export.view import TemplateView
from dsgec.network.decide import choose_classes
from dsgec.network.model import Model, compose, plain_columns
from dsgec.network.parse import parse
from dsgec.program.check import check
from dsgec.program.interpret import interpret
from dsgec.program.ir import (
    LIMITS,
    ArrayParameter,
    Binary,
    Branch,
    ConstantTable,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    LocalArray,
    Loop,
    Negative,
    Number,
    Perform,
    Procedure,
    Program,
    Select,
    Store,
    Update,
    Variable,
    While,
    instructions,
)
from tests.support.exact_functions import EDGES
from tests.support.fixed_models import POSITIVE, fixed_artefact
from tests.support.javascript import NODE
from tests.support.models import EVERY_KIND, IRIS
from tests.support.random_networks import rows
from tests.support.wasm_programs import run_wasm

pytestmark = pytest.mark.skipif(not NODE, reason="node is not installed")

REAL = {"double": np.float64, "float": np.float32}
AT, J = Variable("i", "uint8"), Variable("j", "int32")


def same_bits(a, b):
    equal = (a == b) & (np.signbit(a) == np.signbit(b))
    return a.dtype == b.dtype and bool(np.all(equal | (np.isnan(a) & np.isnan(b))))


def agree(folder, program, procedure, arithmetic, **given):
    """Compare all written elements and the result of every row; return the written arrays."""
    wanted, result = interpret(program, procedure, procedures(arithmetic), **given)
    found, results = run_wasm(folder, program, procedure, arithmetic, **given)
    count = len(next(iter(given.values())))
    for name, columns in wanted.items():
        for place, column in enumerate(columns):
            full = np.broadcast_to(column, count).astype(found[name].dtype)
            assert same_bits(found[name][:, place], full), f"{name}[{place}]"
    if result is not None:
        assert same_bits(results, np.broadcast_to(result, count).astype(np.float64))
    return found


def program_of(*body, parameters, tables=(), more=(), result=None):
    procedure = Procedure("main", "Test.", parameters, tuple(body), result)
    return Program(tables, (*more, procedure)), procedure


@pytest.mark.parametrize("real", ["double", "float"])
def test_every_function_of_floats_has_the_interpreters_bits(real, tmp_path):
    """Every primitive on floats and words is somewhere in them."""
    x = [Element("x", Number(i, "uint8"), real) for i in range(4)]
    functions = [
        function
        for function in procedures(real).values()
        if {p.type for p in (*function.parameters, function.result)} == {real}
    ]
    calls = [Invoke(f.name, tuple(x[: len(f.parameters)]), type=real) for f in functions]
    body = [Store("y", Number(at, "uint16"), call) for at, call in enumerate(calls)]
    parameters = (
        ArrayParameter("x", real, 4),
        ArrayParameter("y", real, len(body), is_written=True),
    )
    rng = np.random.default_rng(3)
    with np.errstate(over="ignore"):
        table = rng.choice(np.array(EDGES), (400, 4)).astype(REAL[real])
        table = np.vstack([table, rng.normal(0, 5, (400, 4)).astype(REAL[real])])

    program = program_of(*body, parameters=parameters)
    agree(tmp_path, *program, real, x=table)
    assert {"sig", "tanh", "exp", "log", "sin", "power", "div"} <= {f.name for f in functions}


WHOLES = {
    "clamp": ((-1000, 1000), (-300, -200), (100, 200)),
    "absolute": ((-(1 << 31) + 1, (1 << 31) - 1),),
    "minimum": ((-9, 9), (-9, 9)),
    "maximum": ((-9, 9), (-9, 9)),
    "fill": ((-3, 3), (-3, 3), (50, 60)),
    "equals": ((-3, 3), (-3, 3)),
    "shifted": ((-(1 << 30), 1 << 30), (0, 30)),
    "rounded": ((-(1 << 30), 1 << 30), (0, 29)),
    "between": ((-128, 127), (-128, 127), (0, 255)),
    "product": ((-32000, 32000), (-32000, 32000), (0, 29)),
    "reciprocal": ((1 << 14, (1 << 15) - 1),),
    "room": ((1, (1 << 15) - 1),),
    "excess": ((1 << 14, (1 << 31) - 1),),
    "greater": ((-32000, 32000), (-32000, 32000)),
    "selected": ((-9, 9), (-32000, 32000), (-32000, 32000)),
    "quotient": ((-32000, 32000), (1, 32000), (20, 29)),
}


def test_every_function_of_integers_has_the_interpreters_values(tmp_path):
    limits = [ends for ranges in WHOLES.values() for ends in ranges]
    x = ArrayParameter("x", "int32", len(limits), tuple(limits))
    y = ArrayParameter("y", "int32", len(WHOLES), is_written=True)
    body, at = [], 0
    for place, (name, ranges) in enumerate(WHOLES.items()):
        own = tuple(Element("x", Number(at + i), "int32") for i in range(len(ranges)))
        body.append(Store("y", Number(place), Invoke(name, own)))
        at += len(ranges)
    rng = np.random.default_rng(4)
    low, high = np.array(limits).T
    table = rng.integers(low, high + 1, (500, len(limits)))

    agree(tmp_path, *program_of(*body, parameters=(x, y)), "whole", x=table)
    assert {*WHOLES, "look", "look_odd", "look_even"} == {*procedures("whole")}


def every_type(values):
    """Return tables of all types, and a program that copies them through local arrays."""
    tables = [ConstantTable(f"{type_}s", type_, own) for type_, own in values.items()]
    parameters = [
        ArrayParameter(f"out_{type_}", type_, len(own), is_written=True)
        for type_, own in values.items()
    ]
    body = []
    for table in tables:
        local = f"local_{table.type}"
        read = Element(table.name, AT, table.type)
        body += [
            LocalArray(local, table.type, len(table.values)),
            Loop(AT, Number(len(table.values)), (Store(local, AT, read),)),
            Loop(
                AT,
                Number(len(table.values)),
                (Store(f"out_{table.type}", AT, Element(local, AT, table.type)),),
            ),
        ]
    x = ArrayParameter("x", "int8", 1, ((0, 0),))
    return program_of(*body, parameters=(x, *parameters), tables=tuple(tables))


def test_tables_and_arrays_of_every_type_keep_their_values(tmp_path):
    values = {type_: (*limits, 0, 1) for type_, limits in LIMITS.items()}
    values |= {"uint32": (0, 1, (1 << 32) - 1, 1 << 31), "uint64": (0, 1, (1 << 64) - 1)}
    values |= {"double": (0.1, -0.0, np.inf, 5e-324), "float": (0.5, -0.0, -np.inf, 1e-45)}
    values["float"] = tuple(float(np.float32(v)) for v in values["float"])
    program, procedure = every_type(values)

    found, _ = run_wasm(tmp_path, program, procedure, "double", x=np.zeros((1, 1)))
    for type_, own in values.items():
        assert same_bits(found[f"out_{type_}"][0], np.array(own, found[f"out_{type_}"].dtype))
    agree(tmp_path, program, procedure, "double", x=np.zeros((1, 1)))


@pytest.mark.parametrize(("word", "bits"), [("uint32", 32), ("uint64", 64)])
def test_words_wrap_and_are_unsigned(word, bits, tmp_path):
    a, b = (Element("x", Number(i), word) for i in range(2))
    count = Number(3, word)
    operations = [Binary(o, a, b, word) for o in ("+", "-", "*", "&", "|")]
    operations += [Binary(o, a, count, word) for o in ("<<", ">>")]
    tests = [Binary(o, a, b, "bool") for o in ("==", "!=", "<", "<=", ">", ">=")]
    one, zero = Number(1, word), Number(0, word)
    operations += [Select(test, one, zero, word) for test in tests]
    if word == "uint64":
        narrow = Number(5, "uint32")
        operations += [Binary(">>", a, narrow, word), Binary("&", a, narrow, word)]
        operations += [Binary("+", a, Invoke("wide", (narrow,), type=word), word)]
    body = [Store("y", Number(at), operation) for at, operation in enumerate(operations)]
    parameters = (
        ArrayParameter("x", word, 2),
        ArrayParameter("y", word, len(body), is_written=True),
    )
    edges = [0, 1, 5, (1 << bits - 1) - 1, 1 << bits - 1, (1 << bits) - 1]
    table = np.array([*itertools.product(edges, edges)], f"u{bits // 8}")

    agree(tmp_path, *program_of(*body, parameters=parameters), "double", x=table)


def every_node():
    """Return a program with each kind of expression and instruction."""
    counts = ConstantTable("counts", "uint8", (2, 0, 200))
    weights = ConstantTable("weights", "int16", (300, -7))
    real = ArrayParameter("r", "double", 1)
    x = ArrayParameter("x", "int8", 2, ((-128, 127),) * 2)
    t = ArrayParameter("t", "int32", 2, is_written=True)
    y = ArrayParameter("y", "int32", 6, is_written=True)
    z = ArrayParameter("z", "double", 2, is_written=True)
    first = Element("t", Number(0), "int32")
    double = Procedure(
        "double_all",
        "",
        (x, t),
        (Loop(AT, Number(2), (Store("t", AT, Binary("<<", Number(1), AT)),)),),
    )
    picked = Procedure(
        "pick",
        "",
        (ArrayParameter("from_", "int16", 0), Variable("at", "int32")),
        (),
        Element("from_", Variable("at", "int32"), "int16"),
    )
    total, value = Variable("total"), Variable("total", "double")
    product = Binary("*", Element("x", Number(1), "int8"), Element("weights", AT, "int16"))
    inner = (
        Branch(
            Binary("==", AT, Number(1), "bool"),
            (Update(total, Binary("-", total, product)),),
            (
                Update(total, Binary("+", total, product)),
                Branch(Number(0, "bool"), (), (Update(total, Binary("+", total, Number(1))),)),
            ),
        ),
        Branch(Element("counts", AT, "uint8"), (Update(total, Binary("+", total, Number(5))),)),
    )
    below = Binary("<", Element("x", Number(0), "int8"), Number(-5), "bool")
    body = (
        LocalArray("t", "int32", 2),
        Perform("double_all", ("x", "t")),
        Declare(total, Number(-3)),
        # A count that the body changes is the one before the loop.
        Declare(J, Element("counts", Number(0), "uint8")),
        Loop(AT, J, (Update(J, Number(1)), *inner)),
        Store("y", Number(0), total),
        Store("y", Number(1), Select(below, first, Element("t", Number(1), "int32"))),
        Store("y", Number(2), Binary(">>", Element("x", Number(0), "int8"), Number(2))),
        Store("y", Number(3), Invoke("pick", (Number(1),), "weights")),
        Loop(AT, Element("counts", Number(1), "uint8"), (Store("y", Number(4), Number(99)),)),
        Store("y", Number(4), Binary("&", Element("counts", Number(2), "uint8"), Number(255))),
        Loop(
            AT,
            Number(2),
            (
                Loop(
                    Variable("k", "uint8"),
                    Binary("+", AT, Number(1)),
                    (Update(J, Binary("+", J, Number(1))),),
                ),
            ),
        ),
        While(Binary("<", J, Number(9), "bool"), (Update(J, Binary("+", J, Number(1))),)),
        Store("y", Number(5), J),
        # The same name again, with another type.
        Declare(value, Negative(Element("r", Number(0), "double"), "double")),
        Store("z", Number(0), Binary("/", Number(1.0, "double"), value, "double")),
        Store("z", Number(1), Invoke("math.fabs", (value,), type="double")),
    )
    result = Select(below, Number(-1), Number(1))
    parameters = (real, x, y, z)
    return program_of(
        *body, parameters=parameters, tables=(counts, weights), more=(double, picked), result=result
    )


def test_every_kind_of_node(tmp_path):
    program, procedure = every_node()
    kinds = {type(e) for p in program.procedures for e in p.expressions}
    kinds |= {type(i) for p in program.procedures for i in instructions(p.body)}
    assert kinds == {*get_args(Expression), *get_args(Instruction)}

    x = np.array([*itertools.product((-128, -6, -5, 0, 127), repeat=2)])
    r = np.linspace(-2, 2, len(x))[:, None]
    found = agree(tmp_path, program, procedure, "double", x=x, r=r)
    # By hand, for the row with x = -128, -128 and r = -2.
    assert found["y"][0].tolist() == [-3 - 128 * 300 + 1 + 5 + -128 * 7, 1, -32, -7, 200, 9]
    assert found["z"][0].tolist() == [0.5, 2.0]


@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("longest", [2000, 7])
def test_networks_of_floats(real, longest, tmp_path):
    network = compose(EVERY_KIND)
    program = network_program(network, real, longest=longest)
    assert len(program.procedures) > 3 or longest > 7
    with np.errstate(over="ignore"):
        table = rows(5, 200, network.inputs).astype(REAL[real])

    agree(tmp_path, program, program.procedures[-1], real, x=table)


@pytest.mark.parametrize("dtype", ["q15", "q7"])
@pytest.mark.parametrize("longest", [2000, 7])
def test_fixed_point_in_the_flat_layout(dtype, longest, tmp_path):
    artefact = fixed_artefact(IRIS, dtype, POSITIVE)
    source = artefact.number_format.fixed.program
    program = integer_program(source, longest=longest)
    table = integer_candidates(source, artefact.model.columns, 300, 3)

    agree(tmp_path, program, program.procedures[-1], "whole", x=table)


@pytest.mark.parametrize("dtype", ["q15", "q7"])
def test_fixed_point_in_the_packed_layout(dtype, tmp_path):
    artefact = Artefact(EVERY_KIND, "net", dtype, ranges=RANGES, layout="packed")
    source, packed = artefact.number_format.fixed.program, artefact.packed
    table = integer_candidates(source, artefact.model.columns, 300, 3)

    v = agree(tmp_path, packed.program, packed.load, "whole", x=table)["v"]
    agree(tmp_path, packed.program, packed.neurons, "whole", v=v)


RANGES = tuple(None if column.categories else (-1.0, 1.0) for column in EVERY_KIND.columns)
LABELS = ("a", "b", "c")


@pytest.mark.parametrize("text", ["{}", "softmax({})"])
@pytest.mark.parametrize("dtype", ["double", "float"])
def test_the_class_is_chosen_by_the_rule_also_of_what_is_no_number(text, dtype, tmp_path):
    outputs = ", ".join(f"x_{i}" for i in (1, 2, 3))
    if text == "{}":
        network = parse("".join(f"y_{i} = x_{i}\n" for i in (1, 2, 3)))
    else:
        network = parse(f"y_1, y_2, y_3 = {text.format(outputs)}")
    model = Model(network, plain_columns(LABELS), LABELS)
    program = entry_program(TemplateView(Artefact(model, "net", dtype)))
    choose = next(p for p in program.procedures if p.name == "choose")
    values = (np.nan, -np.inf, -1.0, -0.0, 0.0, 0.5, np.inf)
    table = np.array([*itertools.product(values, repeat=3)], REAL[dtype])

    _, found = run_wasm(tmp_path, program, choose, dtype, p=table)
    chosen, nothing = choose_classes(table)
    if model.network.softmax:
        with np.errstate(invalid="ignore"):
            nothing = np.isnan(table).any(axis=1) | np.isinf(table.max(axis=1))
    assert found.tolist() == np.where(nothing, -1, chosen).tolist()


@pytest.mark.parametrize("dtype", ["double", "float", "q7"])
def test_the_selftest_finds_the_first_wrong_row(dtype, tmp_path):
    artefact = fixed_artefact(IRIS, dtype, POSITIVE)
    program = entry_program(TemplateView(artefact))
    arithmetic = dtype if dtype in REAL else "whole"
    selftest = program.procedures[-1]
    check(program, selftest, proves_limits=dtype in REAL)
    assert interpret(program, selftest, procedures(arithmetic))[1] == 0

    for name, place, row in (("wanted", 4, 2), ("classes", 2, 3), ("rows", 5, 2)):
        tables = {table.name: table for table in program.tables}
        values = [*tables[name].values]
        values[place] = values[place] + 1 if name != "rows" else values[place] * 2 + 1
        tables[name] = ConstantTable(name, tables[name].type, tuple(values))
        damaged = Program(tuple(tables.values()), program.procedures)
        assert interpret(damaged, selftest, procedures(arithmetic))[1] == row, name
