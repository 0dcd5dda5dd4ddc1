"""Printed programs with every kind of node compile, and compute what the interpreter computes.

A language is a line of `LANGUAGES` and a function in tests/support/program_drivers.py that returns
its files and its commands.
"""

from dataclasses import replace

import numpy as np
import pytest

from dsgec.arithmetic.procedures import procedures
from dsgec.export.fixed.packed import CURVE, pack
from dsgec.export.fixed.weight_formats import Way, possible_groups
from dsgec.export.fixed.weight_rows import WeightRows
from dsgec.program.check import check, check_types
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
    Negative,
    Number,
    Perform,
    Procedure,
    Program,
    Select,
    Store,
    Update,
    Variable,
    instructions,
)
from tests.support.fixed_models import fixed_artefact
from tests.support.low_bit_models import TERNARY, low_bit_model
from tests.support.models import FIXED_DTYPES, seven_neurons
from tests.support.program_drivers import LANGUAGES, run_program

ROWS = 60
KINDS = {Binary, Branch, Declare, Element, Invoke, LocalArray, Loop, Negative, Number, Perform}
KINDS |= {Select, Store, Update, Variable}


@pytest.fixture(params=LANGUAGES)
def language(request):
    missing = LANGUAGES[request.param].missing
    if missing:
        pytest.skip(f"{missing} is not installed")
    return request.param


def compare(folder, language, program, library, **given):
    """Run the last procedure of a program in a language and by the interpreter."""
    entry = program.procedures[-1]
    for procedure in program.procedures:
        check_types(procedure)
    written, _ = interpret(program, entry, library, **given)
    found = run_program(folder, LANGUAGES[language], program, library, given)
    for parameter in entry.arrays:
        if parameter.is_written:
            columns = [np.broadcast_to(v, ROWS) for v in written[parameter.name]]
            wanted = np.stack(columns, axis=1)
            same = wanted == found[parameter.name]
            if parameter.type in ("double", "float"):
                is_nan = np.isnan(wanted) & np.isnan(found[parameter.name])
                same &= np.signbit(wanted) == np.signbit(found[parameter.name])
                same |= is_nan
            assert same.all(), (parameter.name, [*map(int, np.nonzero(~same)[1])])


def reals(type_, columns):
    """Return rows of floats of every size and sign."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(ROWS, columns)) * 10.0 ** rng.integers(-3, 4, size=(ROWS, columns))
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, -1e-300, 709.8, -745.2, 1.0, 5e5]
    places = rng.random((ROWS, columns)) < 0.2
    values[places] = rng.choice(special, size=int(places.sum()))
    with np.errstate(over="ignore"):
        return values.astype(np.float32 if type_ == "float" else np.float64)


def at(array, place, type_):
    return Element(array, Number(place, "uint16"), type_)


def all_functions(type_):
    """Return a program that calls all functions of the arithmetic, and the rows it is run on."""
    library = procedures(type_)
    names = [name for name in library if "derivative" not in name]
    x, calls = ArrayParameter("x", type_, 3), []
    for name in names:
        scalars = library[name].scalars
        arguments = []
        for place, parameter in enumerate(scalars):
            value = at("x", place, type_)
            is_real = parameter.type == type_
            arguments.append(value if is_real else Invoke("bits", (value,), type=parameter.type))
        calls.append(Invoke(name, tuple(arguments), type=library[name].result.type))
    y = ArrayParameter("y", type_, len(calls), is_written=True)
    body = tuple(Store("y", Number(n, "uint16"), call) for n, call in enumerate(calls))
    return Program((), (Procedure("outputs", "Call all.", (x, y), body),)), library


@pytest.mark.parametrize("type_", ["double", "float"])
def test_all_functions_of_floats_have_the_interpreters_bits(language, type_, tmp_path):
    program, library = all_functions(type_)
    compare(tmp_path, language, program, library, x=reals(type_, 3))


def integer_functions():
    """Return a program that calls all functions of fixed point on arguments that they take."""
    library = procedures("whole")
    table = ConstantTable("curve", "int16", tuple(n * n - 50 for n in range(18)))
    x = ArrayParameter("x", "int16", 3, ((-30000, 30000),) * 3)
    a, b, c = (at("x", n, "int16") for n in range(3))
    positive = Invoke("maximum", (Invoke("absolute", (c,)), Number(1)))
    calls = [
        Invoke("clamp", (a, Number(-100), Number(2000))),
        Invoke("absolute", (a,)),
        Invoke("minimum", (a, b)),
        Invoke("maximum", (a, b)),
        Invoke("fill", (a, Number(-30000), b)),
        Invoke("equals", (a, b)),
        Invoke("greater", (a, b)),
        Invoke("selected", (a, b, c)),
        Invoke("shifted", (a, Number(3))),
        Invoke("rounded", (a, Number(4))),
        Invoke("product", (a, b, Number(17))),
        Invoke("look", (a, Number(-256), Number(15), Number(4)), "curve"),
        Invoke("look_odd", (a, Number(255), Number(4), Number(77)), "curve"),
        Invoke("look_even", (b, Number(255), Number(4)), "curve"),
        Invoke("between", (a, b, Binary("&", positive, Number(255)))),
        Invoke("room", (positive,)),
        Invoke("excess", (Binary("+", positive, Number(16384)),)),
        Invoke("reciprocal", (Binary("+", Number(16384), Binary(">>", positive, Number(1))),)),
        Invoke("quotient", (a, positive, Number(29))),
    ]
    y = ArrayParameter("y", "int32", len(calls), is_written=True)
    body = tuple(Store("y", Number(n, "uint16"), call) for n, call in enumerate(calls))
    entry = Procedure("integers", "Call all.", (x, y), body)
    assert {*entry.calls} == {*library}
    return Program((table,), (entry,)), library


def test_all_functions_of_fixed_point_give_the_interpreters_integers(language, tmp_path):
    program, library = integer_functions()
    rows = np.random.default_rng(2).integers(-30000, 30001, size=(ROWS, 3))
    rows[:20] //= 100
    rows[::7, 1] = rows[::7, 0]
    rows[5] = -30000
    compare(tmp_path, language, program, library, x=rows)


def every_node_of_floats(type_):
    """Return a program with parts, loops, branches, choices and constants of floats."""
    word, word_type = Variable("n", "uint64"), "uint64"
    if type_ == "float":
        word, word_type = Variable("n", "uint32"), "uint32"
    x = ArrayParameter("x", type_, 4)
    t = ArrayParameter("t", type_, 2, is_written=True)
    y = ArrayParameter("y", type_, 19, is_written=True)
    a, b, c, d = (at("x", n, type_) for n in range(4))
    i, sum_, least = Variable("i", "uint8"), Variable("sum_all", type_), Variable("least", type_)

    def real(value):
        return Number(float(np.float32(value)) if type_ == "float" else value, type_)

    def op(operator, left, right):
        return Binary(operator, left, right, type_)

    def less(left, right):
        return Binary("<", left, right, "bool")

    def call(function, *arguments, kind=type_):
        return Invoke(function, arguments, type=kind)

    def w(operator, left, right):
        return Binary(operator, left, right, word_type)

    def n(value):
        return Number(value, word_type)

    weights = ConstantTable("weights", type_, tuple(real(v).value for v in (0.1, -2.5, 3e-20, 7.0)))
    part = Procedure(
        "part0", "", (x, t), (Store("t", Number(0), op("*", a, b)), Store("t", Number(1), real(2)))
    )
    mean = Procedure(
        "mean_of",
        "Return a mean.",
        (Variable("p", type_), Variable("q_one", type_)),
        (),
        op("*", real(0.5), op("+", Variable("p", type_), Variable("q_one", type_))),
    )
    larger = Procedure(
        "larger",
        "Return the larger.",
        (Variable("p", type_), Variable("q", type_)),
        (),
        Select(
            less(Variable("p", type_), Variable("q", type_)),
            Variable("q", type_),
            Variable("p", type_),
            type_,
        ),
    )
    product = op("*", Element("weights", i, type_), Element("x", i, type_))
    values = [
        op("-", op("*", a, b), op("*", c, d)),
        op("-", a, op("-", b, op("+", c, d))),
        op("/", op("/", a, b), op("*", c, op("*", c, d))),
        op("+", op("*", real(0.1), real(0.2)), real(0.3)),
        Negative(real(0.0), type_),
        real(-0.0),
        Negative(Negative(op("-", a, real(-1.5)), type_), type_),
        op("*", op("+", a, real(-0.25)), real(-3.0)),
        Select(Binary("!=", a, a, "bool"), b, op("+", a, real(1)), type_),
        op(
            "+",
            Select(less(a, b), c, real(1), type_),
            Select(less(c, real(0)), real(2), Select(less(a, d), a, d, type_), type_),
        ),
        call("mean_of", op("*", a, b), op("+", op("*", c, d), real(1))),
        call("larger", a, op("-", Negative(b, type_), c)),
        call(
            "from_bits",
            w("|", w("&", word, n((1 << 20) - 1)), call("bits", real(1), kind=word_type)),
        ),
        call("from_bits", w(">>", w("-", w("*", word, n(0x9E3779B1)), n(1)), n(2))),
        call("math.copysign", call("math.fabs", a), b),
        call("math.fabs", op("-", a, b)),
        Select(Binary("<=", word, call("bits", b, kind=word_type), "bool"), a, b, type_),
    ]
    body = (
        LocalArray("t", type_, 2),
        Perform("part0", ("x", "t")),
        Declare(word, call("bits", a, kind=word_type)),
        Declare(sum_, real(0.5)),
        Declare(least, at("t", 1, type_)),
        Loop(
            i,
            Number(4, "uint8"),
            (
                Update(sum_, op("+", sum_, product)),
                Branch(
                    less(i, Number(2, "uint8")),
                    (
                        Update(
                            least,
                            Select(
                                less(Element("x", i, type_), least),
                                Element("x", i, type_),
                                least,
                                type_,
                            ),
                        ),
                    ),
                    (
                        Branch(
                            Binary("==", i, Number(2, "uint8"), "bool"),
                            (Update(least, op("-", least, sum_)),),
                            (Update(least, Select(less(least, d), least, d, type_)),),
                        ),
                    ),
                ),
                Store("t", Number(0), op("+", at("t", 0, type_), sum_)),
            ),
        ),
        Loop(Variable("turn", "uint8"), Number(2, "uint8"), (Update(word, w("+", word, n(3))),)),
        *(Store("y", Number(place, "uint16"), value) for place, value in enumerate(values)),
        Store("y", Binary("+", Number(16, "uint8"), Number(1, "uint8"), "uint8"), least),
        Store("y", Number(18), at("t", 0, type_)),
    )
    entry = Procedure("outputs", "Compute all.", (x, y), body)
    return Program((weights,), (part, mean, larger, entry))


@pytest.mark.parametrize("type_", ["double", "float"])
def test_every_node_of_floats(language, type_, tmp_path):
    program = every_node_of_floats(type_)
    check(program, program.procedures[-1])
    compare(tmp_path, language, program, {}, x=reals(type_, 4))


@pytest.mark.parametrize("type_", ["double", "float"])
def test_tables_keep_the_signs_of_zeros(language, type_, tmp_path):
    zeros = ConstantTable("zeros", type_, (0.0, -0.0, 1.5))
    i = Variable("i", "uint8")
    product = Binary("*", Element("zeros", i, type_), Element("x", Number(0), type_), type_)
    body = (Loop(i, Number(3), (Store("y", i, product),)),)
    arrays = ArrayParameter("x", type_, 1), ArrayParameter("y", type_, 3, is_written=True)
    program = Program((zeros,), (Procedure("outputs", "Compute all.", arrays, body),))

    compare(tmp_path, language, program, {}, x=reals(type_, 1))


def every_node_of_integers():
    """Return a program with all types of integers, in tables, arrays, variables and loops."""
    x = ArrayParameter("x", "int8", 3, ((-128, 127),) * 3)
    state = ArrayParameter("state", "int16", 2, ((-1000, 1000),) * 2, is_written=True)
    y = ArrayParameter("y", "int32", 12, is_written=True)
    bytes_ = ConstantTable("packed", "int8", (3, -2, 100, -128), "Bytes.")
    wide = ConstantTable("wide_table", "int32", (1 << 30, -(1 << 31)))
    unsigned = ConstantTable("unsigned", "uint16", (65535, 7, 0))
    i, k, total = Variable("i", "uint8"), Variable("k", "uint16"), Variable("total")
    place, flag = Variable("at", "uint16"), Variable("flag", "bool")
    a, b, c = (at("x", n, "int8") for n in range(3))

    def op(operator, left, right, type_="int32"):
        return Binary(operator, left, right, type_)

    look = Procedure(
        "look0",
        "",
        (Variable("a", "int32"),),
        (),
        op("*", Variable("a"), Element("unsigned", Number(1), "uint16")),
    )
    body = (
        Declare(total, Number(-5)),
        Declare(place, Number(0)),
        LocalArray("v", "uint8", 4),
        Loop(
            k,
            Number(2, "uint8"),
            (
                Declare(Variable("count", "uint8"), op("+", k, Number(2, "uint8"), "uint8")),
                Loop(
                    i,
                    op("-", Variable("count", "uint8"), Number(1, "uint8"), "uint8"),
                    (
                        Update(
                            total,
                            op(
                                "+",
                                total,
                                op(
                                    "*",
                                    Element("packed", place, "int8"),
                                    Element("x", op("+", i, k, "uint8"), "int8"),
                                    "int16",
                                ),
                            ),
                        ),
                        Update(place, op("+", place, Number(1, "uint16"), "uint16")),
                    ),
                ),
                Store(
                    "v",
                    op("*", Number(2, "uint8"), k, "uint8"),
                    op("&", Element("packed", place, "int8"), Number(255), "uint8"),
                ),
                Store(
                    "v",
                    op("+", op("*", Number(2, "uint8"), k, "uint8"), Number(1), "uint8"),
                    Number(200),
                ),
            ),
        ),
        Declare(flag, op("<", a, b, "bool")),
        Update(total, Select(flag, op("-", total, a), total)),
        *(
            Store("y", Number(n, "uint16"), value)
            for n, value in enumerate(
                (
                    op(">>", op("+", total, op("*", Number(-3), c)), Number(2)),
                    op("+", op("<<", Number(1), Number(12)), op("*", op("-", a, b), op("+", a, c))),
                    op("-", a, op("-", b, op("-", c, Number(-7)))),
                    Element("wide_table", Number(1), "int32"),
                    op("+", op(">>", Element("wide_table", Number(0), "int32"), Number(1)), a),
                    Element("unsigned", Number(0), "uint16"),
                    at("v", 2, "uint8"),
                    at("v", 3, "uint8"),
                    Select(
                        op(">=", a, c, "bool"),
                        Number(-1),
                        Select(op("==", b, c, "bool"), Number(3), b),
                    ),
                    Invoke("look0", (op("+", a, op("*", Number(2), b)),)),
                    op(
                        "*",
                        Select(flag, Number(4), a),
                        Select(op("!=", a, b, "bool"), Number(9), c),
                    ),
                    op("+", at("state", 0, "int16"), at("state", 1, "int16")),
                )
            )
        ),
        Store("state", Number(0), at("state", 1, "int16")),
        Store("state", Number(1), op("+", a, op("*", b, Number(2)))),
    )
    entry = Procedure("integers", "Compute all.", (x, state, y), body)
    return Program((bytes_, wide, unsigned), (look, entry))


def test_every_node_of_integers(language, tmp_path):
    program = every_node_of_integers()
    check(program, program.procedures[-1])
    rng = np.random.default_rng(3)
    x, state = rng.integers(-128, 128, size=(ROWS, 3)), rng.integers(-1000, 1001, size=(ROWS, 2))
    x[::9, 1] = x[::9, 2]
    compare(tmp_path, language, program, {}, x=x, state=state)


@pytest.mark.parametrize("dtype", FIXED_DTYPES)
def test_the_packed_layout(language, dtype, tmp_path):
    source = fixed_artefact(seven_neurons(), dtype).number_format.fixed.program
    program = pack(source, (), finds_class=False).program
    columns = len(source.columns)
    rng = np.random.default_rng(4)
    x = rng.integers(source.missing + 1, -source.missing, size=(ROWS, columns))
    # Only C has functions that read tables of bytes.
    wide = [replace(t, type="int16") if t.name.startswith(CURVE) else t for t in program.tables]
    for procedure in program.procedures:
        tables = tuple(table for table in wide if table.name in procedure.names)
        given = {"x": x} if procedure.name == "load" else {"v": x[:, : loaded(procedure)] // 2}
        own = Program(tables, (procedure,))
        compare(tmp_path, language, own, procedures("whole"), **given)


@pytest.mark.parametrize(("way", "bits"), [(Way.BITMAP, 4), (Way.WINDOW, 2), (Way.GAP, 4)])
def test_weights_with_codes(language, way, bits, tmp_path, monkeypatch):
    source = fixed_artefact(low_bit_model(TERNARY, 21, 3, 3, 7), "q7").number_format.fixed.program
    packed = pack(source, ())
    rows = [[*terms] for terms in packed.terms]
    hidden = possible_groups(rows[: packed.hidden])
    one = next(group for group in hidden if (group.format.way, group.format.bits) == (way, bits))
    weights = WeightRows((one, possible_groups(rows[packed.hidden :])[0]), packed.hidden)
    monkeypatch.setattr(WeightRows, "choose", lambda *_: weights)
    program = pack(source, (), finds_class=False).program
    x = np.random.default_rng(4).integers(-100, 100, size=(ROWS, loaded(program.procedures[1])))
    neurons = program.procedures[1]
    tables = tuple(table for table in program.tables if table.name in neurons.names)
    own = Program(tables, (neurons,))
    compare(tmp_path, language, own, procedures("whole"), v=x)


def loaded(neurons):
    """Return the number of sources that are given."""
    return len(neurons.arrays[0].ranges)


def test_the_programs_have_every_kind_of_node():
    programs = every_node_of_floats("double"), every_node_of_integers()
    found = set()
    for procedure in (p for program in programs for p in program.procedures):
        found |= {type(part) for part in procedure.expressions}
        found |= {type(instruction) for instruction in instructions(procedure.body)}
    assert found == KINDS
