"""Networks of one kind of operation each: what a kind takes, and which routines it needs."""

import itertools
from dataclasses import replace

from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.network.model import Column, Model, plain_columns
from dsgec.network.parse import parse
from dsgec.network.ranges import Range

_FORMS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div_number": "{0} / {2}.7",
    **{name: f"{name}({{0}})" for name, f in FUNCTIONS.items() if f.arity == 1},
    **{name: f"{name}({{0}}, {{1}})" for name, f in FUNCTIONS.items() if f.arity == 2},
    **{name: f"{name}({{0}}, {{1}}, {{2}}.5)" for name, f in FUNCTIONS.items() if f.arity == 3},
    "div": "{0} / {1}",
    "neg": "-{0}",
}
_COLUMNS = {
    "plain": Column(""),
    "fill": Column("", fill=0.5),
    "scaled": Column("", center=2.25, scale=3.5),
    "category": Column("", "category", ("a", "b")),
}
USES = (1, 2, 3, 6)
_LARGE = ("sqrt", "exp", "sig", "tanh", "log", "sin", "cos", "power")

ALONE = {
    "": ("nothing 1", ""),
    **{kind: (f"{kind} 1", "nothing 1") for kind in _FORMS},
    "fill": ("fill 2", "plain 2"),
    "is": ("category 2", "plain 2"),
    "softmax": ("softmax 2", "nothing 1"),
    "classes": ("classes 3", "nothing 1"),
    "two_classes": ("threshold 2", "nothing 1"),
    "lone_output": ("two_classes 1", "nothing 1"),
}
"""The probes that tell what a kind needs: one with it, and one that is the same without."""

FIXED_ALONE = {
    "": ("nothing 1", ""),
    "unrolled_sum": ("weighted 4", "nothing 1"),
    "inlined_sum": ("weighted 12", "nothing 1"),
    "called_sum": ("weighted 12", "nothing 1"),
    "times": ("weighted 1", "nothing 1"),
    "negative": ("negative 1", "weighted 1"),
    "product": ("mul 1", "nothing 1"),
    "quotient": ("div 1", "nothing 1"),
    "inlined_look": ("sig 1", "nothing 1"),
    "twin_look": ("sig 1", "nothing 1"),
    "shared_look": ("exp 3", "nothing 1"),
    "reciprocal": ("softmax 2", "nothing 1"),
}
"""The same for fixed point."""


def probes() -> dict[str, Model]:
    """By the kind and how many of it there are."""
    found = {"nothing 1": _values("y_1 = x_1", 1)}
    for kind, form in _FORMS.items():
        for uses in USES:
            lines = [
                f"y_{i + 1} = {form.format(f'x_{2 * i + 1}', f'x_{2 * i + 2}', i + 3)}"
                for i in range(uses)
            ]
            found[f"{kind} {uses}"] = _values("\n".join(lines), 2 * uses)
    for count in (1, 4, 12, 30):
        terms = " + ".join(f"{1.37 * i + 0.213:.3f} * x_{i}" for i in range(1, count + 1))
        found[f"weighted {count}"] = _values(f"y_1 = {terms}", count)
    for kind, column in _COLUMNS.items():
        for count in (2, 8):
            features = sum(len(column.features) for _ in range(count))
            terms = " + ".join(f"x_{i}" for i in range(1, features + 1))
            network = parse(f"inputs = {features}\ny_1 = {terms}")
            found[f"{kind} {count}"] = Model(network, (column,) * count)
    for one, other in itertools.combinations(_LARGE, 2):
        lines = [f"y_{i} = {_FORMS[f].format(f'x_{i}', 'x_3')}" for i, f in ((1, one), (2, other))]
        found[f"{one} and {other} 2"] = _values("\n".join(lines), 3)
    for count in (2, 8):
        flags = " + ".join(f"{i}.27 * x_{i}" for i in range(1, 2 * count + 1))
        network = parse(f"inputs = {2 * count}\ny_1 = {flags}")
        found[f"flags {count}"] = Model(network, (_COLUMNS["category"],) * count)
    for count in (2, 3, 6):
        names = ", ".join(f"y_{i}" for i in range(1, count + 1))
        inner = ", ".join(f"x_{i}" for i in range(1, count + 1))
        text = f"{names} = softmax({inner})"
        found[f"softmax {count}"] = _values(text, count)
        found[f"softmax_classes {count}"] = _classes(text, count, count)
        text = "\n".join(f"y_{i} = x_{i}" for i in range(1, count + 1))
        found[f"classes {count}"] = _classes(text, count, count)
    found["two_classes 1"] = _classes("y_1 = x_1", 1, 2)
    found["threshold 2"] = replace(_classes("y_1 = x_1\ny_2 = x_2", 2, 2), threshold=0.3)
    return found


def fixed_probes() -> dict[str, Model]:
    """Those of fixed point, which has a routine for weights below 0, and many kinds of sums."""
    found = probes() | {"negative 1": _values("y_1 = -1.37 * x_1", 1)}
    for count in (2, 3, 4, 6):
        lines = [
            f"y_{i} = {(-1) ** i * (1.37 * i + 0.213):.3f} * x_{i}" for i in range(1, count + 1)
        ]
        found[f"products {count}"] = _values("\n".join(lines), count)
        found[f"products_classes {count}"] = _classes("\n".join(lines), count, count)
    for count in (2, 3, 5):
        sums = [
            " + ".join(f"{1.37 * i + 0.213:.3f} * x_{i}" for i in range(k, k + count))
            for k in range(1, 4)
        ]
        for number in (1, 2, 3):
            lines = [f"y_{k} = {own}" for k, own in enumerate(sums[:number], 1)]
            found[f"sums_of_{number} {count}"] = _values("\n".join(lines), count + 2)
    return found


def _values(text: str, inputs: int) -> Model:
    return Model(parse(f"inputs = {inputs}\n{text}"), _plain(inputs))


def _classes(text: str, inputs: int, classes: int) -> Model:
    network = parse(f"inputs = {inputs}\n{text}")
    return Model(network, _plain(inputs), tuple(f"class {i}" for i in range(classes)))


def _plain(inputs: int) -> tuple[Column, ...]:
    return plain_columns(tuple(f"column {i}" for i in range(inputs)))


_ABOVE_0 = {"div", "div_number", "log", "sqrt", "power"}


def probe_ranges(name: str, model: Model) -> tuple[Range, ...]:
    """Of the columns of a probe, in fixed point: most are around 0."""
    low = -3.25 if _ABOVE_0.isdisjoint(name.split()) else 0.5
    return tuple((low, 4.0 + number / 8) for number, _ in enumerate(model.columns))
