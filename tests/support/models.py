"""Models that the tests of several rooms share."""

import random

import numpy as np

from dsgec.network.model import Column, Model, plain_columns, unnamed_model
from dsgec.network.parse import parse, parse_phenotype
from dsgec.network.simplify import simplify

IRIS = Model(
    simplify(
        parse_phenotype(
            "sig(0.52*x_1+-1.30*x_3+0.10)-tanh(x_2^2/x_4)--sig(1.5*h_1_1+x_2)"
            "--softmax(2.0*h_2_1+0.3,h_1_2,min(h_1_1,-h_2_1))",
            layered=True,
            inputs=4,
        )
    ),
    plain_columns(("sepal length", "sepal width", "petal length", "petal width")),
    ("setosa", "versicolor", "virginica"),
)

SMALL = unnamed_model(parse("sig(2.5 * x_1 - 1.25 * x_2)"))

SUM = unnamed_model(parse("x_1 + x_2"))

# A text that is a number, and a column that may be missing.
GRADED = Model(
    parse("sig(x_1 + 2 * x_2 - x_3)"),
    (Column("size", fill=2.5, center=1.0), Column("grade", "category", ("2", "1"))),
    ("no", "yes"),
)

MIXED_COLUMNS = (
    Column("size", fill=2.5),
    Column("wet", "boolean", ("no", "yes")),
    Column("colour", "category", ("red", "green"), 1.0),
    Column("grade", "category", ("1", "2"), 0.0),
)

# 1 × size, 10 where wet, 100 where red, 200 where green, 1000 where grade 1, 2000 where grade 2
MIXED = Model(
    parse("x_1 + 10 * x_2 + 100 * x_3 + 200 * x_4 + 1000 * x_5 + 2000 * x_6"), MIXED_COLUMNS
)

# A number with a center, one that may be missing, a boolean and a category.
EVERY_KIND = Model(
    parse("sig(x_1 + 0.5 * x_2 - x_3 + x_4 - 2 * x_5 + x_6 + 0.1 * x_7)", inputs=7),
    (
        Column("far", center=1000.0, scale=2.0),
        Column("filled", fill=3.0, marked=True, center=1.0, scale=4.0),
        Column("flag", "boolean", ("no", "yes"), 0.0),
        Column("kind", "category", ("red", "green", "blue")),
    ),
    ("no", "yes"),
)

FIXED_DTYPES = ("q15", "q7")

# A constant that the ranges of the columns imply: max(x_1, 3) for x_1 below 3.
IMPLIED_CONSTANT = """
inputs = 3
h_1_1 = sig(max(x_1, 3.0))
h_1_2 = tanh(x_2 - x_3)
h_2_1 = relu(3.0 * h_1_1 - 1.602)
y_1 = sig(0.5 * x_1 - 0.4 * x_2 + 0.3 * x_3 + 0.2 * h_1_2 - 1.748 * h_2_1 + 1.0)
"""


def dense(seed):
    """Return a model like an evolved one: weights of two digits, sums of products in sigmoids."""
    rng = random.Random(seed)

    def term(source):
        return f"({rng.uniform(-9, 9):.2f}) * {source}"

    def neuron():
        return "sig(" + " + ".join(term(f"x_{rng.randint(1, 30)}") for _ in range(5)) + " + 0.37)"

    text = " + ".join(term(neuron()) for _ in range(6))
    return Model(
        simplify(parse(f"sig({text})", inputs=30)),
        plain_columns(tuple(f"c{i}" for i in range(30))),
        ("no", "yes"),
    )


def seven_neurons():
    """Return a model like those of the grammar one_layer: 7 neurons with 8 connections each."""
    rng = np.random.default_rng(4)
    neurons = []
    for _ in range(7):
        columns = rng.choice(30, 8, replace=False) + 1
        terms = [f"({w:.2f}) * x_{c}" for w, c in zip(rng.uniform(-9, 9, 8), columns, strict=True)]
        neurons.append(f"({rng.uniform(-9, 9):.2f}) * sig({' + '.join(terms)} + 0.5)")
    return Model(
        parse(f"sig({' + '.join(neurons)})", inputs=30),
        plain_columns(tuple(f"c{i}" for i in range(30))),
        ("benign", "malignant"),
    )


def layered(rng, inputs, layers, classes):
    """Return a network like those of the shipped grammars: few weighted features per neuron."""
    sources = [f"x_{i}" for i in range(1, inputs + 1)]
    lines = [f"inputs = {inputs}"]

    def total(sources):
        chosen = [f"({rng.uniform(-3, 3):.3f}) * {rng.choice(sources)}" for _ in range(5)]
        return " + ".join([*chosen, f"({rng.uniform(-2, 2):.3f})"])

    for layer in range(1, layers + 1):
        names = [f"h_{layer}_{i}" for i in range(1, 6)]
        function = rng.choice(["sig", "tanh"])
        lines += [f"{name} = {function}({total(sources)})" for name in names]
        sources = sources[-6:] + names
    if classes == 2:
        lines.append(f"y_1 = sig({total(sources)})")
    else:
        names = ", ".join(f"y_{i}" for i in range(1, classes + 1))
        lines.append(f"{names} = softmax({', '.join(total(sources) for _ in range(classes))})")
    return simplify(parse("\n".join(lines)))
