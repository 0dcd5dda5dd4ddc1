"""Names and labels that try to become code."""

import random
from dataclasses import dataclass
from functools import cache

from dsgec.network.model import Column, Model
from dsgec.network.parse import parse

KNOWN = [
    'x"}; int main(){',
    "*/ evil /*",
    "// \\",
    "line\nbreak",
    "\r",
    "'''; import os; '''",
    '"""',
    "__import__('os')",
    "%s%n",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "??/",
    "\\",
    "é ü 漢字 \U0001f600",
    "\u2028\u202e",
    "\0",
    "",
    "int",
    "def",
    "a b",
    "a_b",
    "a-b",
    "`${process.exit()}`",
    "</script><script>alert(1)</script>",
    "#define double int",
    "metadata",
    "a" * 5000,
]
PIECES = [
    *KNOWN[:-1],
    '"',
    "'",
    "\n",
    "\t",
    "\x7f",
    "\x1b[31m",
    "0",
    "x",
    "_",
    "\\n",
    "\\x41",
    "\\0",
]


def hostile_names(count, seed=1):
    """Return a number of different names, the known ones included."""
    rng = random.Random(seed)
    names = dict.fromkeys(KNOWN)
    while len(names) < count:
        names["".join(rng.choice(PIECES) for _ in range(rng.randint(1, 4)))] = None
    return tuple(names)[:count]


@dataclass(frozen=True)
class Hostile:
    """A model whose names and labels are hostile, and the same with tame ones."""

    names: tuple[str, ...]
    labels: tuple[str, ...]
    model: Model
    tame: Model


@cache
def hostile(count, classes=300):
    names, labels = hostile_names(count), hostile_names(classes, seed=2)
    tame = [f"n{i}" for i in range(count)], [f"l{i}" for i in range(classes)]
    return Hostile(names, labels, named(names, labels), named(*tame))


def named(names, labels):
    """Return a model with hostile names; every second column has hostile categories."""
    columns = tuple(
        Column(name, "category", tuple(labels[:3]), 1.0) if number % 2 else Column(name)
        for number, name in enumerate(names)
    )
    inputs = sum(len(column.features) for column in columns)
    outputs = [f"x_{i % inputs + 1} * {i}.5" for i in range(len(labels))]
    text = f"softmax({', '.join(outputs)})"
    return Model(parse(text, inputs=inputs), columns, tuple(labels), names[0])
