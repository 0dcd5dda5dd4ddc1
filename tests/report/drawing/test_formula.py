"""The formula that people read computes what the network computes, in raw units."""

import math
import random
import re

import numpy as np
import pytest
import sympy

from dsgec.api.symbolic import sympy_expressions
from dsgec.network.evaluate import evaluate
from dsgec.network.formula import make_formula
from dsgec.network.model import Column, Model, compose, plain_columns
from dsgec.network.notation import (
    LATEX,
    TEXT,
    formula_text,
    is_formula,
    missing_text,
    readable_formula,
)
from dsgec.network.parse import parse, parse_phenotype
from dsgec.network.rounding import probe_rows, round_number, scale_rows
from dsgec.network.simplify import simplify

COLUMNS = (
    Column("a", fill=101.0, center=100.0, scale=3.0),
    Column("b", center=-0.002, scale=0.0005),
    Column("c", "category", ("r", "g"), fill=1.0),
    Column("same", "constant"),
    Column("d", center=5e6, scale=1e6),
)
RANGES = ((91.0, 109.0), (-0.0035, -0.0005), None, None, (2e6, 8e6))
FUNCTIONS = {
    "sig": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
    "max": np.maximum,
    "min": np.minimum,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "log": np.log,
}


def model_of(text, columns=COLUMNS, target="y", **options):
    inputs = sum(len(column.features) for column in columns)
    return Model(simplify(parse(text, inputs=inputs)), columns, target=target, **options)


def random_text(rng, depth=3):
    kind = rng.random()
    if depth == 0 or kind < 0.15:
        return rng.choice([f"x_{rng.randint(1, 5)}", f"{rng.gauss(0, 1):.6f}"])
    if kind < 0.4:
        return f"{rng.choice(['sin', 'cos', 'tanh', 'sig'])}({random_text(rng, depth - 1)})"
    return f"({random_text(rng, depth - 1)} {rng.choice('+-**')} {random_text(rng, depth - 1)})"


def raw_rows(count=300, seed=5):
    """Rows within the ranges: numbers, and a number of a category."""
    draw = np.random.default_rng(seed)
    found = np.zeros((count, len(COLUMNS)))
    for place, ends in enumerate(RANGES):
        found[:, place] = draw.uniform(*ends, count) if ends else draw.integers(2, size=count)
    return found


def values_of(raw):
    return {
        "a": raw[:, 0],
        "b": raw[:, 1],
        "r": (raw[:, 2] == 0).astype(float),
        "g": (raw[:, 2] == 1).astype(float),
        "d": raw[:, 4],
    }


def computed(formula, raw):
    """The oracle: the text of a formula by Python's own parser and numpy's functions."""
    names = {**FUNCTIONS, **values_of(raw)}
    for line in formula.splitlines():
        left, _, right = line.partition(" = ")
        right = re.sub(r"\[c = (r|g)\]", r"\1", right).replace("^", "**")
        names[left] = eval(right, {"__builtins__": {}}, names)  # what the test itself has made
    return names["y"] + np.zeros(len(raw))


def is_close(shown, exact):
    allowed = 1e-4 * np.maximum(np.abs(exact), np.ptp(exact) / 2)
    return bool((np.abs(shown - exact) <= allowed).all())


@pytest.mark.parametrize("seed", range(60))
def test_the_text_computes_what_the_network_computes(seed):
    model = model_of(random_text(random.Random(seed)))
    raw = raw_rows()
    exact = evaluate(compose(model), raw)[:, 0]
    formula = formula_text(model, RANGES)

    assert is_close(computed(formula, raw), exact), formula
    assert "- -" not in formula
    assert "+ -" not in formula


@pytest.mark.parametrize("seed", range(20))
def test_sympy_computes_what_the_network_computes(seed):
    model = model_of(random_text(random.Random(seed)))
    raw = raw_rows()
    known = {"c=r": "r", "c=g": "g"}
    for exact in (False, True):
        (expression,) = sympy_expressions(model, RANGES, exact=exact)
        symbols = sorted(expression.free_symbols, key=str)
        found = sympy.lambdify(symbols, expression, "numpy")(
            *(values_of(raw)[known.get(str(one), str(one))] for one in symbols)
        )
        assert is_close(found, evaluate(compose(model), raw)[:, 0])


def test_units_are_raw_and_small_numbers_are_gone():
    model = model_of("45.36 + 9.45 * (8.4e-08 + (x_1 - -0.098 * x_1 + 2.2e-14))")

    assert formula_text(model, RANGES) == "y = 3.4587 * a - 300.51"


def test_products_are_multiplied_out_where_that_is_shorter():
    columns = (Column("width", center=2.0, scale=0.5), Column("height", center=10.0, scale=2.0))
    model = model_of("20 + x_1 * x_2 + 4 * x_2 + 5 * x_1", columns, target="area")

    assert formula_text(model, ((1.0, 3.0), (6.0, 14.0))) == "area = width * height"


def test_repeated_terms_are_added_up():
    assert (
        formula_text(model_of("2 * x_1 + 3 * x_1 - 5 * x_1 + x_2", plain_columns(("p", "q"))))
        == "y = q"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-3 * x_1", "y = -3 * p"),
        ("1 / x_1", "y = 1 / p"),
        ("2 * x_1 / (x_2 * x_1 * x_1)", "y = 2 / (p * q)"),
        ("(x_1 + x_2) ^ 3", "y = (p + q)^3"),
        ("cos(-2 * x_1) + sin(-2 * x_1)", "y = cos(2 * p) - sin(2 * p)"),
        ("sqrt(x_1) + log(x_1 * x_1 + 2)", "y = sqrt(|p|) + log(p^2 + 2)"),
        ("abs(x_1 - 1)", "y = |p - 1|"),
        ("power(x_1, 1.5)", "y = power(p, 1.5)"),
        ("max(x_1, 0.5)", "y = max(p, 0.5)"),
        ("3", "y = 3"),
        ("0 * x_1", "y = 0"),
        ("x_1 / 0", "y = 1"),
    ],
)
def test_how_a_formula_is_written(text, expected):
    assert formula_text(model_of(text, plain_columns(("p", "q")))) == expected


def test_long_networks_have_an_equation_a_neuron():
    neurons = "-".join(f"sig({i}.5*x_1-{i}.25*x_2+0.125)" for i in range(1, 9))
    outputs = "+".join(f"h_1_{i}" for i in range(1, 9))
    net = simplify(parse_phenotype(f"{neurons}--sig({outputs})", layered=True))
    model = Model(net, plain_columns(("p", "q")), ("no", "yes"))
    lines = formula_text(model).splitlines()

    assert lines[0] == "h_1_1 = sig(1.5 * p - 1.25 * q + 0.125)"
    assert lines[-1].startswith("p(yes) = sig(h_1_1 + h_1_2")
    assert len(lines) == 9


def test_many_classes_go_through_softmax():
    net = parse("softmax(x_1, 2 * x_2, 3)")
    model = Model(net, plain_columns(("p", "q")), ("low", 'the "best"', "7"))

    assert formula_text(model).splitlines() == [
        "z_1 = p",
        "z_2 = 2 * q",
        "z_3 = 3",
        'p(low), p("the \\"best\\""), p("7") = softmax(z_1, z_2, z_3)',
    ]


def test_texts_and_missing_values_are_conditions():
    columns = (
        Column("port", "category", ("C", "Q #2"), fill=1.0, marked=True),
        Column("wet", "boolean", ("no", "yes")),
        Column("size", fill=3.14159265),
    )
    model = model_of("x_1 + 2 * x_2 + 3 * x_3 + 4 * x_4 + 5 * x_5", columns)

    assert formula_text(model) == (
        'y = [port = C] + 2 * [port = "Q #2"] + 3 * [port is missing] + 4 * [wet = yes] + 5 * size'
    )
    assert missing_text(model) == "port = Q #2, size = 3.1416"


HOSTILE = ["a\ny = 3", "\x1b[31mred", "sin", "h_1_1", "\u202eleft", "50 %", "a_b{c}\\d", ""]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_cannot_be_taken_for_something_else(name):
    model = Model(parse("2 * x_1"), plain_columns((name,)), target=name or "y")
    text, latex = formula_text(model), formula_text(model, notation=LATEX)

    assert len(text.splitlines()) == len(latex.splitlines()) == 1
    assert text.isprintable()
    assert latex.isprintable()
    assert text.count('"') % 2 == 0
    # Braces are balanced, and what LaTeX would read is escaped.
    bare = re.sub(r"\\[\\{}_%#&$]", "", latex.replace(r"\textbackslash{}", ""))
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"[_%#&$]", bare)


def test_latex():
    model = model_of(
        "2 * x_1 / (x_2 + 10) - sqrt(x_1) * 1e-7 * x_2 ^ 2", plain_columns(("p", "mean q"))
    )

    assert formula_text(model, ((-2e-7, 2e-7), (0.0, 1.0)), LATEX) == (
        r"\mathit{y} = \frac{2 \, \mathit{p}}{\left(\text{mean q} + 10\right)}"
        r" - 1 \cdot 10^{-7} \, {\text{mean q}}^{2} \, \sqrt{\left|\mathit{p}\right|}"
    )


def test_latex_of_several_equations_is_aligned():
    model = Model(parse("softmax(x_1, x_2)"), plain_columns(("p", "q")), ("a", "b"))

    assert formula_text(model, notation=LATEX).splitlines() == [
        r"\begin{aligned}",
        r"z_{1} &= \mathit{p} \\",
        r"z_{2} &= \mathit{q} \\",
        r"p\left(\mathit{a}\right), p\left(\mathit{b}\right) &="
        r" \operatorname{softmax}\left(z_{1}, z_{2}\right)",
        r"\end{aligned}",
    ]


def test_what_is_too_large_to_be_read_is_written_exactly():
    terms = " + ".join(f"sin({i} * x_1)" for i in range(2100))
    model = model_of(terms, plain_columns(("p", "q")))

    assert make_formula(model, inline=False, expand=False) is None
    assert readable_formula(model) is None
    assert formula_text(model).startswith('x_1 = number("p")')


def test_a_deep_formula_is_no_trouble():
    model = model_of("sin(" * 5000 + "x_1" + ")" * 5000, plain_columns(("p",)))

    assert formula_text(model)


def test_a_sum_of_many_features_takes_a_moment():
    count = 500
    terms = " + ".join(f"{i}.5 * x_{i}" for i in range(1, count + 1))
    model = model_of(f"sig({terms})", plain_columns(tuple(f"n{i}" for i in range(count))))

    assert formula_text(model).count(" * ") >= count - 1


def test_rounding_is_to_places_that_matter():
    assert round_number(3.14159, 0.001) == 3.142
    assert round_number(1234567.0, 60.0) == 1234600.0
    assert round_number(1e-14, 0.001) == 0.0
    assert round_number(1.23, 0.0) == 1.23
    assert round_number(1.23, math.inf) == 0.0


def test_rows_that_are_tried_are_within_the_ranges():
    rows = probe_rows(COLUMNS, RANGES)

    assert rows.shape[1] == 5
    assert rows[:, 0].min() >= 91.0
    assert rows[:, 0].max() <= 109.0
    assert (rows[:, 2] + rows[:, 3] == 1.0).all()
    scaled = scale_rows(COLUMNS, rows)
    assert np.abs(scaled[:, 0]).max() <= 3.0
    assert (scaled[:, 2] == rows[:, 2]).all()


def test_a_formula_is_what_has_no_layers():
    assert is_formula(model_of("x_1 * x_2"))
    assert not is_formula(model_of("tanh(x_1) + 1"))
    assert is_formula(model_of("tanh(x_1) + 1"), linear=True)
    assert not is_formula(Model(parse("softmax(x_1, x_2)"), plain_columns(("p", "q")), ("a", "b")))


def test_numbers_are_written_without_a_point_where_they_are_whole():
    assert [TEXT.number(value) for value in (2.0, 0.5, 1e-7, 1e22)] == [
        "2",
        "0.5",
        "1e-07",
        "1e+22",
    ]
