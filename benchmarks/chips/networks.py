"""Random models as evolution makes them, from a seed; and rows as their tables have them."""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.network.model import Column, Model
from dsgec.network.parse import parse
from dsgec.network.ranges import Range
from dsgec.network.simplify import simplify
from dsgec.network.structure import measure_size

UNARY = ("sig", "tanh", "relu", "clip", "exp", "log", "sqrt", "sin", "cos", "abs")
BINARY = ("min", "max", "power", "/")
ACTIVATIONS = ("sig", "sig", "tanh", "relu", "clip")


def random_model(seed: int, most: int = 60) -> Model:
    """A network of layers, or formulas, with 2 to so many connections over 2 to 30 columns."""
    rng = random.Random(seed)  # noqa: S311
    budget = rng.randint(2, most)
    while True:
        model = _attempt(rng, budget)
        if 0.7 * budget - 1 <= measure_size(model.network).connections <= min(1.3 * budget + 1, 60):
            return model


def _attempt(rng: random.Random, budget: int) -> Model:
    columns = random_columns(rng)
    features = [f"x_{i}" for i in range(1, sum(len(c.features) for c in columns) + 1)]
    task = rng.choice(("two classes", "many classes", "values"))
    outputs = rng.randint(3, 6) if task == "many classes" else 1
    if task == "values" and rng.random() < 0.2:
        outputs = 2
    lines = [f"inputs = {len(features)}"]
    make = random_formulas if rng.random() < 0.3 else random_layers
    hidden, bodies = make(rng, features, outputs, budget)
    lines += hidden
    if task == "many classes" and rng.random() < 0.8:
        names = ", ".join(f"y_{i}" for i in range(1, outputs + 1))
        lines.append(f"{names} = softmax({', '.join(bodies)})")
    else:
        ends = "sig({})" if task == "two classes" and rng.random() < 0.9 else "{}"
        lines += [f"y_{i} = {ends.format(body)}" for i, body in enumerate(bodies, 1)]
    classes = {"two classes": 2, "many classes": outputs}.get(task, 0)
    network = simplify(parse("\n".join(lines)))
    return Model(network, tuple(columns), tuple(f"class {i}" for i in range(classes)), "target")


def random_columns(rng: random.Random) -> list[Column]:
    """Numbers with a scale, of which some may be missing; sometimes texts among them."""
    count = rng.randint(2, 30)
    scaled = rng.random() < 0.85
    missing = rng.random() < 0.25
    texts = rng.random() < 0.25
    found = []
    for number in range(count):
        fill = round(rng.gauss(0, 3), 3) if missing and rng.random() < 0.5 else None
        if texts and rng.random() < 0.3:
            kind = rng.choice(("boolean", "category"))
            names = tuple(f"text {i}" for i in range(2 if kind == "boolean" else rng.randint(2, 5)))
            found.append(Column(f"column {number}", kind, names, None if fill is None else 0.0))
            continue
        center, scale = rng.gauss(0, 9), rng.uniform(0.1, 9)
        around = (center, scale) if scaled else (0.0, 1.0)
        found.append(Column(f"column {number}", "number", (), fill, *around))
    return found


def random_layers(
    rng: random.Random, features: Sequence[str], outputs: int, budget: int
) -> tuple[list[str], list[str]]:
    """Neurons that sum what is weighted, and the formulas of the outputs."""
    layers = rng.choice((1, 1, 1, 2, 3)) if budget > 6 else rng.randint(0, 1)
    most = max(1, budget // (3 * max(layers, 1)))
    neurons = [rng.randint(1, min(10, most)) for _ in range(layers)]
    each = max(1, budget * 3 // 4 // max(sum(neurons), 1))
    activation = rng.choice(ACTIVATIONS)
    sources, lines = list(features), []
    for layer, count in enumerate(neurons, 1):
        names = []
        for neuron in range(1, count + 1):
            function = activation if rng.random() < 0.8 else rng.choice(ACTIVATIONS)
            inner = weighted(rng, sources, rng.randint(1, 2 * each))
            lines.append(f"h_{layer}_{neuron} = {function}({inner})")
            names.append(f"h_{layer}_{neuron}")
        sources = names + rng.sample(list(features), min(2, len(features)))
    last = max(1, budget // (2 * outputs))
    return lines, [weighted(rng, sources, rng.randint(1, last)) for _ in range(outputs)]


def weighted(rng: random.Random, sources: Sequence[str], size: int) -> str:
    """A sum of so many sources with weights, and mostly a bias."""
    chosen = rng.sample(list(sources), min(size, len(sources)))
    digits = rng.choice((2, 2, 3, 6, 17))
    terms = [f"({round(rng.gauss(0, 2), digits)!r}) * {source}" for source in chosen]
    if rng.random() < 0.8:
        terms.append(f"({round(rng.gauss(0, 2), digits)!r})")
    return " + ".join(terms)


def random_formulas(
    rng: random.Random, features: Sequence[str], outputs: int, budget: int
) -> tuple[list[str], list[str]]:
    """Formulas of a few functions of all kinds, each formula a sum."""
    functions = rng.sample(UNARY, rng.randint(1, 4))
    terms = max(1, budget // (6 * outputs))
    return [], [
        " + ".join(formula(rng, rng.randint(1, 4), features, functions) for _ in range(terms))
        for _ in range(outputs)
    ]


def formula(
    rng: random.Random, depth: int, features: Sequence[str], functions: Sequence[str]
) -> str:
    """A random expression; it depends on a feature."""
    kind = rng.random()
    if depth == 0 or kind < 0.1:
        name = rng.choice(features)
        return name if rng.random() < 0.6 else f"({round(rng.gauss(0, 2), 3)!r}) * {name}"
    one, other = (formula(rng, depth - 1, features, functions) for _ in range(2))
    if kind < 0.5:
        return f"({one} {rng.choice('++-*')} {other})"
    if kind < 0.6:
        return weighted(rng, features, rng.randint(1, 6))
    if kind < 0.85:
        return f"{rng.choice(functions)}({one})"
    if kind < 0.95:
        function = rng.choice(BINARY)
        return f"({one} / {other})" if function == "/" else f"{function}({one}, {other})"
    return f"({one}) ^ {rng.randint(2, 4)}"


def random_rows(model: Model, seed: int, count: int) -> NDArray[Any]:
    """Numbers around the middle of each column, every text, what may be missing sometimes so."""
    rng = np.random.default_rng(seed)
    table = np.empty((count, len(model.columns)))
    for number, column in enumerate(model.columns):
        if column.kind == "number":
            table[:, number] = column.center + column.scale * rng.normal(size=count)
        else:
            table[:, number] = rng.integers(0, len(column.categories), size=count)
        if column.fill is not None:
            table[rng.random(count) < 0.1, number] = np.nan
    return table


def random_ranges(model: Model, seed: int) -> tuple[Range | None, ...]:
    """Of numbers some scales around the middle; of columns without a scale, sometimes above 0."""
    rng = random.Random(seed)  # noqa: S311
    is_positive = rng.random() < 0.5
    found: list[Range | None] = []
    for column in model.columns:
        below, above = rng.uniform(1.5, 4.5), rng.uniform(1.5, 4.5)
        low, high = column.center - below * column.scale, column.center + above * column.scale
        if is_positive and (column.center, column.scale) == (0.0, 1.0):
            low = below / 9
        found.append(None if column.categories else (round(low, 3), round(high, 3)))
    return tuple(found)


def layered_model(seed: int) -> Model:
    """A network of one or two layers with 20 to some 1600 connections, for the packed layout.

    Neurons read columns at random or next to each other.
    """
    rng = random.Random(seed)  # noqa: S311
    wanted = round(20 * 80 ** rng.random())
    inputs = rng.choice((4, 8, 13, 20, 30, 64, 300))
    classes = rng.choice((0, 2, 2, 3, 5, 10))
    terms = rng.randint(2, min(inputs, 40))
    hidden = max(2, min(60, wanted // (terms + max(classes, 1))))
    activations = rng.choice(
        (("relu",), ("relu",), ("sig",), ("tanh",), ("clip",), ("sig", "relu"))
    )
    is_window = rng.random() < 0.3
    filled, scaled = rng.random() < 0.2, rng.random() < 0.5

    def total(names: Sequence[str]) -> str:
        parts = [f"({rng.gauss(0, 1):.3f}) * {name}" for name in names]
        return " + ".join([*parts, f"({rng.gauss(0, 1):.3f})"])

    names = [f"x_{number}" for number in range(1, inputs + 1)]
    lines = [f"inputs = {inputs}"]
    for layer in range(1, rng.choice((1, 1, 2)) + 1):
        made = []
        for number in range(1, hidden + 1):
            size = min(terms, len(names))
            first = rng.randint(0, len(names) - size)
            chosen = names[first : first + size] if is_window else rng.sample(names, size)
            made.append(f"h_{layer}_{number}")
            lines.append(f"{made[-1]} = {rng.choice(activations)}({total(chosen)})")
        names = made
    if classes > 2:
        outputs = ", ".join(f"y_{number}" for number in range(1, classes + 1))
        lines.append(f"{outputs} = softmax({', '.join(total(names) for _ in range(classes))})")
    else:
        lines.append(f"y_1 = {'sig' if classes else ''}({total(names)})")
    columns = []
    for number in range(inputs):
        fill = round(rng.gauss(0, 1), 3) if filled and rng.random() < 0.5 else None
        around = (rng.gauss(0, 2), rng.uniform(0.5, 2.0)) if scaled else (0.0, 1.0)
        columns.append(Column(f"column {number}", "number", (), fill, *around))
    labels = tuple(f"class {number}" for number in range(classes))
    return Model(simplify(parse("\n".join(lines))), tuple(columns), labels, "target")
