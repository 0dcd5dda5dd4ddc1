"""Random networks, and rows to evaluate them on, from a seed."""

import random

import numpy as np

from dsgec.network.parse import parse

UNARY = ("sig", "tanh", "relu", "exp", "log", "sqrt", "sin", "cos", "abs")
BINARY = ("min", "max", "power", "div")
LOGICAL = ("and", "or", "xor", "nand", "nor")
COMPARISONS = ("<", "<=", ">", ">=", "=", "!=")


def expression(rng, depth, sources):
    """Return the text of a random expression over `sources`."""
    kind = rng.random()
    if depth == 0 or kind < 0.15:
        return rng.choice(sources) if rng.random() < 0.7 else number(rng)
    inner = [expression(rng, depth - 1, sources) for _ in range(2)]
    if kind < 0.3:
        return condition(rng, inner, expression(rng, depth - 1, sources))
    if kind < 0.45:
        return f"({inner[0]} {rng.choice('+-*/')} {inner[1]})"
    if kind < 0.55:
        return " + ".join(
            f"{number(rng)} * {rng.choice(sources)}" for _ in range(rng.randint(1, 8))
        )
    if kind < 0.8:
        return f"{rng.choice(UNARY)}({inner[0]})"
    if kind < 0.9:
        return f"{rng.choice(BINARY)}({inner[0]}, {inner[1]})"
    return f"(-{inner[0]})" if rng.random() < 0.5 else f"({inner[0]}) ^ {rng.randint(-5, 7)}"


def condition(rng, inner, third):
    """Return a comparison, a logical operation or a choice of expressions."""
    kind = rng.random()
    if kind < 0.4:
        return f"({inner[0]} {rng.choice(COMPARISONS)} {inner[1]})"
    if kind < 0.7:
        return f"if({inner[0]}, {inner[1]}, {third})"
    if kind < 0.75:
        return f"not({inner[0]})"
    if kind < 0.9:
        return f"{rng.choice(LOGICAL)}({inner[0]}, {inner[1]})"
    return f"(not {inner[0]} {rng.choice(LOGICAL)} {inner[1]})"


def number(rng):
    value = rng.choice(
        [rng.uniform(-10, 10), rng.randint(-9, 9), 10 ** rng.uniform(-300, 300), -0.0, 1.0, 0.0]
    )
    return f"({value!r})" if repr(value)[0] == "-" else repr(value)


def network_text(rng, inputs):
    """Return random equations with layers, skip connections, dead and equal neurons."""
    sources = [f"x_{i}" for i in range(1, inputs + 1)]
    lines = [f"inputs = {inputs}"]
    for layer in range(1, rng.randint(0, 8) + 1):
        names = []
        for neuron in range(1, rng.randint(1, 5) + 1):
            body = expression(rng, rng.randint(0, 4), sources)
            function = rng.choice(["sig", "tanh", "relu", ""])
            lines.append(f"h_{layer}_{neuron} = {function}({body})")
            names.append(f"h_{layer}_{neuron}")
        sources += names
    outputs = [expression(rng, 3, sources[-6:]) for _ in range(rng.choice([1, 1, 2, 3, 5]))]
    if rng.random() < 0.3:
        names = ", ".join(f"y_{i}" for i in range(1, len(outputs) + 1))
        lines.append(f"{names} = softmax({', '.join(outputs)})")
    else:
        lines += [f"y_{i} = {body}" for i, body in enumerate(outputs, 1)]
    return "\n".join(lines) + "\n"


def random_network(seed):
    rng = random.Random(seed)
    return parse(network_text(rng, rng.randint(1, 9)))


def rows(seed, count, inputs):
    """Return rows of ordinary, huge, tiny, zero and negative numbers."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(count, inputs)) * 10.0 ** rng.integers(-3, 4, size=(count, inputs))
    special = np.array(
        [0.0, -0.0, 1e300, -1e300, 5e-324, -5e-324, 1e-300, 1.0, -1.0, 709.8, -745.2]
    )
    mask = rng.random(table.shape) < 0.2
    table[mask] = rng.choice(special, size=int(mask.sum()))
    return table


def same_bits(a, b):
    """Return whether arrays are equal to the last bit; any NaN equals any other."""
    a, b = np.asarray(a), np.asarray(b)
    equal = a.view(np.int64) == b.view(np.int64)
    return a.shape == b.shape and bool(np.all(equal | (np.isnan(a) & np.isnan(b))))


def condition_text(rng, inputs):
    """Return random equations of moderate numbers, most of whose neurons are conditions."""
    sources = [f"x_{i}" for i in range(1, inputs + 1)]
    lines = [f"inputs = {inputs}"]
    for layer in range(1, rng.randint(1, 3)):
        names = [f"h_{layer}_{neuron}" for neuron in range(1, rng.randint(2, 5))]
        lines += [f"{name} = {condition_body(rng, sources)}" for name in names]
        sources += names
    outputs = [f"y_{number}" for number in range(1, rng.randint(1, 4) + 1)]
    lines += [f"{name} = {condition_body(rng, sources)}" for name in outputs]
    return "\n".join(lines) + "\n"


def condition_body(rng, sources):
    """Return a choice, a truth value or a neuron over some sources."""
    kind = rng.random()
    if kind < 0.5:
        branches = [moderate_sum(rng, sources) for _ in range(2)]
        return f"if({truth(rng, sources, 2)}, {branches[0]}, {branches[1]})"
    if kind < 0.75:
        return f"{truth(rng, sources, 2)} + {moderate_sum(rng, sources)}"
    return f"{rng.choice(('sig', 'tanh', 'relu', 'clip'))}({moderate_sum(rng, sources)})"


def truth(rng, sources, depth):
    """Return a comparison, or a logical function of some."""
    kind = rng.random()
    if depth == 0 or kind < 0.5:
        sign, source = rng.choice(COMPARISONS), rng.choice(sources)
        others = [f"{rng.randint(-9, 9) / 5}", rng.choice(sources), moderate_sum(rng, sources)]
        return f"({source} {sign} {rng.choice(others)})"
    if kind < 0.6:
        return f"(not {truth(rng, sources, depth - 1)})"
    if kind < 0.7:
        return f"if({truth(rng, sources, 0)}, {truth(rng, sources, 0)}, {rng.choice(sources)})"
    parts = [truth(rng, sources, depth - 1) for _ in range(2)]
    return f"{rng.choice(LOGICAL)}({parts[0]}, {parts[1]})"


def moderate_sum(rng, sources):
    terms = [f"{rng.uniform(-3, 3):.3f} * {rng.choice(sources)}" for _ in range(rng.randint(1, 4))]
    return " + ".join([*terms, f"{rng.uniform(-2, 2):.3f}"])


def condition_network(seed):
    rng = random.Random(seed)
    return parse(condition_text(rng, rng.randint(1, 5)))


def rows_at_thresholds(seed, count, inputs):
    """Return rows in which numbers equal thresholds, or each other, as often as not."""
    rng = np.random.default_rng(seed)
    table = rng.uniform(-2.2, 2.7, (count, inputs))
    at = rng.random(table.shape) < 0.4
    table[at] = np.round(table[at] * 5) / 5
    same = rng.random(count) < 0.2
    table[same, 0] = table[same, -1]
    return table
