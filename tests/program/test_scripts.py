"""Python, numpy and JavaScript of programs give what the interpreter does, with every node."""

import random

import numpy as np
import pytest

from dsgec.arithmetic.procedures import procedures
from dsgec.export.artefact import Artefact
from dsgec.export.fixed.evaluate import quantise
from dsgec.network.model import Column, Model
from dsgec.network.parse import parse
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
)
from dsgec.program.print_js import JavaScriptPrinter
from dsgec.program.print_numpy import NumpyPrinter
from dsgec.program.print_python import PythonPrinter
from tests.support.javascript import NODE
from tests.support.models import EVERY_KIND, IRIS
from tests.support.random_networks import same_bits
from tests.support.script_programs import run_script

LANGUAGES = [
    "python",
    "numpy",
    pytest.param("js", marks=pytest.mark.skipif(not NODE, reason="node is not installed")),
]
every_language = pytest.mark.parametrize("language", LANGUAGES)

AT, J, TOTAL = Variable("i", "uint8"), Variable("j", "uint8"), Variable("total")


def agree(language, folder, program, arithmetic, rows):
    """Compare the results of all rows with those of the interpreter, and return them."""
    written, _ = interpret(program, program.entry, procedures(arithmetic), x=rows)
    columns = [np.broadcast_to(column, len(rows)) for column in written["y"]]
    wanted = np.stack(columns, axis=1).astype(np.float64)
    found = run_script(language, folder, program, arithmetic, rows)
    assert same_bits(found, wanted)
    return found


def x(place):
    return Element("x", Number(place), "int16")


def every_node_of_integers():
    """Return a program in which each kind of expression and instruction has integers."""
    tables = (
        ConstantTable("counts", "uint8", (2, 0, 3), "How often."),
        ConstantTable("weights", "int8", (5, -128, 127, -1, 0, 64)),
        ConstantTable("curve", "int16", (0, 900, 1200, 1300, 1350)),
    )
    parameter = ArrayParameter("x", "int16", 4, ((-300, 300),) * 4)
    t = ArrayParameter("t", "int32", 3, is_written=True)
    weighted = Binary("*", Element("weights", Binary("+", AT, J, "uint8"), "int8"), x(1))
    products = Procedure(
        "products",
        "Write sums of products.",
        (parameter, t),
        (
            Loop(
                AT,
                Number(3),
                (
                    Declare(TOTAL, Number(-7)),
                    Loop(
                        J,
                        Element("counts", AT, "uint8"),
                        (Update(TOTAL, Binary("+", TOTAL, weighted)),),
                    ),
                    Store("t", AT, TOTAL),
                ),
            ),
        ),
    )
    twice = Procedure(
        "twice",
        "",
        (ArrayParameter("values", "int32", 0), Variable("a"), Variable("at")),
        (Declare(Variable("b"), Binary("+", Variable("a"), Variable("a"))),),
        Binary("-", Variable("b"), Element("values", Variable("at"), "int32")),
    )
    nothing = Procedure("nothing", "", (parameter,), ())
    below = Binary("<", x(0), x(1), "bool")
    nested = Select(below, Select(Binary("==", x(2), Number(0), "bool"), x(3), x(1)), x(0))
    turns, case = Variable("turns", "uint8"), Variable("chosen")
    cases = Branch(
        Binary("==", AT, Number(0), "bool"),
        (Update(case, Binary("+", case, x(2))),),
        (
            Branch(
                Binary("==", AT, Number(1), "bool"),
                (),
                (Update(case, Binary("-", case, Binary("*", Number(-3), x(3)))),),
            ),
        ),
    )
    values = [
        Binary("*", x(0), x(1)),
        Binary("-", Binary("*", x(0), x(1)), x(2)),
        Binary("+", Binary("*", x(0), x(1)), Binary("*", x(2), x(3))),
        Binary("-", Number(0), x(0)),
        Binary(">>", Binary("+", Number(-5), x(0)), Number(2)),
        Binary("<<", Number(1), Number(4)),
        Binary("&", Element("weights", Number(1), "int8"), Number(255)),
        below,
        Select(Binary(">=", x(0), x(1), "bool"), Number(1), Number(0)),
        Binary("==", below, Binary(">", x(2), x(3), "bool"), "bool"),
        Select(Binary("<=", x(0), Number(3), "bool"), Number(-1), Binary("*", x(0), Number(-2))),
        nested,
        Binary("-", x(0), Binary("-", x(1), x(2))),
        Binary("-", x(0), Number(-5)),
        Binary("*", Binary("+", x(0), Number(1)), Select(below, Number(2), Number(-3))),
        Invoke("product", (x(0), x(1), Number(3))),
        Invoke("look_odd", (x(0), Number(255), Number(6), Number(40)), "curve"),
        Invoke("twice", (x(1), Number(2)), "t"),
        Invoke("clamp", (Binary("*", x(0), x(1)), Number(-100), Number(100))),
        *(Element("t", Number(at), "int32") for at in range(3)),
        TOTAL,
        case,
    ]
    body = (
        LocalArray("t", "int32", 3),
        Perform("products", ("x", "t")),
        Perform("nothing", ("x",)),
        Declare(TOTAL, x(0)),
        Declare(turns, Element("counts", Number(2), "uint8")),
        # The loop runs as often as it was to at its beginning.
        Loop(AT, turns, (Update(turns, Number(1)), Update(TOTAL, Binary("+", TOTAL, x(3))))),
        Loop(J, Number(2), ()),
        Declare(case, Number(0)),
        Loop(AT, Number(3), (cases,)),
        *(Store("y", Number(at), value) for at, value in enumerate(values)),
    )
    y = ArrayParameter("y", "int32", len(values), is_written=True)
    entry = Procedure("main", "Try everything.", (parameter, y), body)
    return Program(tables, (products, twice, nothing, entry))


@every_language
def test_every_node_of_integers(language, tmp_path):
    program = every_node_of_integers()
    check(program, program.entry)
    rng = np.random.default_rng(1)
    rows = np.vstack([rng.integers(-300, 301, (200, 4)), rng.integers(-3, 4, (200, 4))])

    found = agree(language, tmp_path, program, "whole", rows)
    assert len(np.unique(found, axis=0)) > 300
    assert not np.signbit(found[found == 0.0]).any()


def r(place):
    return Element("x", Number(place), "double")


def every_node_of_floats():
    """Return a program in which each kind of expression and instruction has floats."""
    tables = (ConstantTable("weights", "double", (0.1, -1e-300, 3e20, 1e16)),)
    total, product = Variable("total", "double"), Variable("product", "double")
    given = ArrayParameter("x", "double", 4)
    state = ArrayParameter("state", "double", 2, is_written=True)

    def both(operator, left, right):
        return Binary(operator, left, right, "double")

    write_state = Procedure(
        "write_state",
        "",
        (given, state),
        (Store("state", Number(0), r(3)), Store("state", Number(1), Number(1e22, "double"))),
    )
    values = [
        total,
        Negative(r(0), "double"),
        Negative(Number(-2.5, "double"), "double"),
        Negative(Negative(r(1), "double"), "double"),
        Negative(both("-", r(0), r(1)), "double"),
        Negative(both("*", r(0), r(1)), "double"),
        both("-", both("+", r(0), r(1)), both("-", r(2), Number(-1.5, "double"))),
        both("+", r(0), both("+", r(1), r(2))),
        both("*", r(0), both("/", r(1), Number(3.0, "double"))),
        both("/", both("*", r(0), r(1)), Number(-7.0, "double")),
        both("*", both("+", Number(-1.0, "double"), r(0)), Number(1e-5, "double")),
        Select(Binary("<", r(0), r(1), "bool"), Number(-0.0, "double"), r(2), "double"),
        both("-", Select(Binary("!=", r(0), r(0), "bool"), r(1), r(2), "double"), r(3)),
        Invoke("math.fabs", (r(0),), type="double"),
        Invoke("math.sqrt", (Invoke("math.fabs", (r(1),), type="double"),), type="double"),
        Invoke("math.copysign", (Number(2.0, "double"), r(0)), type="double"),
        Invoke("sig", (both("-", r(0), r(1)),), type="double"),
        Invoke("power", (r(0), r(1)), type="double"),
        Invoke("cos", (r(2),), type="double"),
        Element("state", Number(0), "double"),
        Element("state", Number(1), "double"),
        product,
    ]
    body = (
        LocalArray("state", "double", 2),
        Perform("write_state", ("x", "state")),
        Declare(total, r(0)),
        Declare(product, total),
        Loop(
            AT,
            Number(4),
            (
                Update(total, both("+", total, both("*", Element("weights", AT, "double"), r(1)))),
                Update(product, both("*", product, Element("x", AT, "double"))),
            ),
        ),
        # The order of stores is another one than that of the elements.
        *reversed([Store("y", Number(at), value) for at, value in enumerate(values)]),
    )
    y = ArrayParameter("y", "double", len(values), is_written=True)
    return Program(tables, (write_state, Procedure("main", "Try all.", (given, y), body)))


@every_language
def test_every_node_of_floats(language, tmp_path):
    program = every_node_of_floats()
    check(program, program.entry)
    rng = np.random.default_rng(2)
    special = [0.0, -0.0, 1.0, -1.0, 1e300, -1e-310, np.inf, -np.inf, np.nan]
    rows = np.vstack([rng.normal(0, 3, (200, 4)), rng.choice(special, (300, 4))])

    agree(language, tmp_path, program, "double", rows)


def random_word(rng, names, depth):
    """Return an expression of words."""
    if depth == 0 or rng.random() < 0.15:
        numbers = [0, 1, 3, 52, 1 << 31, (1 << 32) - 1, rng.getrandbits(64)]
        number = Number(rng.choice(numbers), "uint64")
        bits = Invoke("bits", (r(rng.randrange(4)),), type="uint64")
        return rng.choice([number, bits, *(Variable(name, "uint64") for name in names)])
    operator = rng.choice(["+", "-", "&", "|", "<<", "<<", ">>", ">>", "select"])
    left, right = (random_word(rng, names, depth - 1) for _ in range(2))
    if operator in ("<<", ">>"):
        count = Number(rng.choice([1, 7, 20, 31, 32, 33, 52, 63]), "uint64")
        return Binary(operator, left, count, "uint64")
    if operator == "select":
        comparison = rng.choice(["==", "!=", "<", "<=", ">", ">="])
        other = rng.choice([left, random_word(rng, names, depth - 1)])
        return Select(Binary(comparison, left, other, "bool"), right, left, "uint64")
    return Binary(operator, left, right, "uint64")


def shown(word):
    """Return two floats that have all bits of a word, and are numbers."""
    one = Number(0x3FF0000000000000, "uint64")
    low = Binary("&", word, Number((1 << 52) - 1, "uint64"), "uint64")
    high = Binary(">>", word, Number(12, "uint64"), "uint64")
    return [
        Invoke("from_bits", (Binary("|", part, one, "uint64"),), type="double")
        for part in (low, high)
    ]


def random_words(seed):
    """Return a program that computes with words, of which it reads all bits, or few of them."""
    rng = random.Random(seed)
    body, names, values = [], [], []
    for number in range(6):
        variable = Variable(f"w{number}", "uint64")
        body.append(Declare(variable, random_word(rng, names, 2)))
        names.append(variable.name)
        if rng.random() < 0.3:
            body.append(Update(variable, random_word(rng, names, 2)))
    for name in rng.sample(names, 3):
        word = Variable(name, "uint64")
        values += shown(word) if rng.random() < 0.7 else []
        shifted = Binary(">>", word, Number(5, "uint64"), "uint64")
        few = Binary("&", shifted, Number(7, "uint64"), "uint64")
        odd = Binary("==", few, Number(3, "uint64"), "bool")
        values.append(Select(odd, Number(1.0, "double"), Number(0.0, "double"), "double"))
    stores = [Store("y", Number(at), value) for at, value in enumerate(values)]
    y = ArrayParameter("y", "double", len(values), is_written=True)
    parameters = (ArrayParameter("x", "double", 4), y)
    return Program((), (Procedure("main", "", parameters, (*body, *stores)),))


@every_language
def test_words_of_64_bits(language, tmp_path):
    rng = np.random.default_rng(3)
    rows = np.vstack([rng.normal(0, 1e3, (20, 4)), -(10.0 ** rng.uniform(-300, 300, (20, 4)))])
    # In JavaScript, each of the last ones needs one more pair of parentheses, or sign removed.
    for seed in (*range(60 if language == "js" else 200), 1159, 1373, 1376, 1474):
        program = random_words(seed)
        check_types(program.entry)
        agree(language, tmp_path, program, "double", rows)


def perceptron(columns, hidden, classes):
    """Return a model whose network has layers, which a packed layout has loops for."""
    rng = random.Random(columns)

    def total(names):
        return " + ".join(f"{rng.uniform(-2, 2):.3f} * {name}" for name in names)

    inputs = [f"x_{number}" for number in range(1, columns + 1)]
    inner = [f"tanh({total(inputs)} + 0.25)" for _ in range(hidden)]
    outputs = [total(inner) for _ in range(classes)]
    network = parse(f"softmax({', '.join(outputs)})")
    names = tuple(Column(f"column {number}") for number in range(columns))
    return Model(network, names, tuple(f"class {number}" for number in range(classes)))


MODELS = {"iris": IRIS, "every kind": EVERY_KIND, "perceptron": perceptron(6, 5, 3)}


@every_language
@pytest.mark.parametrize("layout", ["flat", "packed"])
@pytest.mark.parametrize("dtype", ["double", "q15", "q7"])
@pytest.mark.parametrize("name", MODELS)
def test_networks_in_both_layouts(language, layout, dtype, name, tmp_path):
    model = MODELS[name]
    count = len(model.columns)
    ranges = ((0.5, 2.5),) * count
    artefact = Artefact(model, "net", dtype, selftest="quick", ranges=ranges, layout=layout)
    program = artefact.program
    rows = np.random.default_rng(4).uniform(0.3, 2.7, (50, count))
    fixed = artefact.number_format.fixed
    if fixed:
        rows = np.asarray(quantise(fixed.program, rows))

    agree(language, tmp_path, program, "whole" if fixed else "double", rows)
    if name == "perceptron" and layout == "packed":
        assert any("for " in line for line in PythonPrinter(program).print().splitlines())


def entry(*body, result=None, parameters):
    return Program((), (Procedure("main", "", parameters, body, result),))


def test_a_column_is_never_changed_in_place():
    x_, total = ArrayParameter("x", "double", 1), Variable("total", "double")
    y = ArrayParameter("y", "double", 1, is_written=True)
    more = Update(total, Binary("+", total, Number(1.0, "double"), "double"))
    program = entry(Declare(total, r(0)), more, Store("y", Number(0), total), parameters=(x_, y))

    assert "total += 1.0" in PythonPrinter(program).print()
    assert "total = total + 1.0" in NumpyPrinter(program).print()


def test_only_the_words_that_are_read_are_printed():
    x_, n = ArrayParameter("x", "double", 1), Variable("n", "uint64")
    bits = Declare(n, Invoke("bits", (r(0),), type="uint64"))
    shift = Binary("<<", n, Number(52, "uint64"), "uint64")
    scale = Invoke("from_bits", (shift,), type="double")
    assert JavaScriptPrinter(entry(bits, result=scale, parameters=(x_,))).print() == (
        "function main(x) {\n  const n = low_bits(x[0]);\n  return from_bits(n << 20, 0);\n}\n"
    )
    half = Binary(">>", n, Number(1, "uint64"), "uint64")
    halved = Invoke("from_bits", (half,), type="double")
    assert JavaScriptPrinter(entry(bits, result=halved, parameters=(x_,))).print() == (
        "function main(x) {\n"
        "  const n_high = high_bits(x[0]);\n"
        "  const n_low = low_bits(x[0]);\n"
        "  return from_bits(n_high >>> 1, (n_low >>> 1) | (n_high << 31));\n"
        "}\n"
    )


def test_python_cuts_words_where_more_bits_would_matter():
    x_, n = ArrayParameter("x", "double", 1), Variable("n", "uint64")
    bits = Declare(n, Invoke("bits", (r(0),), type="uint64"))
    more = Binary("+", n, Number(5, "uint64"), "uint64")
    whole = Invoke("from_bits", (more,), type="double")
    assert (
        "return from_bits(n + 5)"
        in PythonPrinter(entry(bits, result=whole, parameters=(x_,))).print()
    )
    half = Binary(">>", more, Number(1, "uint64"), "uint64")
    halved = Invoke("from_bits", (half,), type="double")
    assert (
        "return from_bits(((n + 5) & 0xFFFFFFFFFFFFFFFF) >> 1)"
        in PythonPrinter(entry(bits, result=halved, parameters=(x_,))).print()
    )


@pytest.mark.parametrize("printer", [PythonPrinter, JavaScriptPrinter])
def test_single_precision_is_refused(printer):
    x_ = ArrayParameter("x", "float", 1)
    program = entry(result=Element("x", Number(0), "float"), parameters=(x_,))
    with pytest.raises(ValueError, match="cannot be a float"):
        printer(program).print()
