"""Random fixed-point programs with a plain numpy evaluation, which shares no code with dsgec.

An expression carries its text, which dsgec parses, and a function of numpy that computes it. Many
of them are made constant by the ranges of the columns: `max(x, 9)` where x is below 9, a column
whose range is one number, `relu` of what is negative, and products and sums of these.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Expression:
    """The text of a network, and its value given an environment of named arrays."""

    text: str
    of: Callable


def constant(value):
    text = repr(float(value))
    return Expression(f"({text})" if text[0] == "-" else text, lambda env: np.float64(value))


def name(text):
    return Expression(text, lambda env: env[text])


def _protected_quotient(a, b):
    return np.where(b == 0, 1.0, a / np.where(b == 0, 1.0, b))


def _protected_power(a, b):
    return np.where(a == 0, (b == 0) * 1.0, np.abs(np.where(a == 0, 1.0, a)) ** b)


def _whole_power(a, exponent):
    power = a ** float(abs(exponent))
    return power if exponent >= 0 else _protected_quotient(1.0, power)


UNARY = {
    "sig": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0),
    "clip": lambda x: np.clip(x, 0, 4),
    "exp": np.exp,
    "log": lambda x: np.log(np.where(x == 0, 1.0, np.abs(x))),
    "sqrt": lambda x: np.sqrt(np.abs(x)),
    "sin": np.sin,
    "cos": np.cos,
    "abs": np.abs,
    "not": lambda x: np.where(x > 0, 0.0, 1.0),
}
BINARY = {
    "({} + {})": np.add,
    "({} - {})": np.subtract,
    "({} * {})": np.multiply,
    "({} / {})": _protected_quotient,
    "min({}, {})": np.minimum,
    "max({}, {})": np.maximum,
    "power({}, {})": _protected_power,
    "({} < {})": lambda a, b: np.where(a < b, 1.0, 0.0),
    "({} <= {})": lambda a, b: np.where(a <= b, 1.0, 0.0),
    "({} > {})": lambda a, b: np.where(a > b, 1.0, 0.0),
    "({} >= {})": lambda a, b: np.where(a >= b, 1.0, 0.0),
    "({} = {})": lambda a, b: np.where(a == b, 1.0, 0.0),
    "({} != {})": lambda a, b: np.where(a != b, 1.0, 0.0),
    "({} and {})": lambda a, b: np.where((a > 0) & (b > 0), 1.0, 0.0),
    "or({}, {})": lambda a, b: np.where((a > 0) | (b > 0), 1.0, 0.0),
    "xor({}, {})": lambda a, b: np.where((a > 0) ^ (b > 0), 1.0, 0.0),
    "nand({}, {})": lambda a, b: np.where((a > 0) & (b > 0), 0.0, 1.0),
    "({} nor {})": lambda a, b: np.where((a > 0) | (b > 0), 0.0, 1.0),
}


def unary(function, a):
    return Expression(f"{function}({a.text})", lambda env: UNARY[function](a.of(env)))


def binary(form, a, b):
    return Expression(form.format(a.text, b.text), lambda env: BINARY[form](a.of(env), b.of(env)))


def choice(c, a, b):
    text = f"if({c.text}, {a.text}, {b.text})"
    return Expression(text, lambda env: np.where(c.of(env) > 0, a.of(env), b.of(env)))


def whole_power(a, exponent):
    return Expression(f"({a.text}) ^ {exponent}", lambda env: _whole_power(a.of(env), exponent))


def weighted_sum(terms, bias):
    text = " + ".join(f"{constant(w).text} * {a.text}" for a, w in terms)
    return Expression(
        f"({text} + {constant(bias).text})",
        lambda env: sum((w * a.of(env) for a, w in terms), start=np.float64(0)) + bias,
    )


@dataclass(frozen=True)
class RawColumn:
    """A column of the raw row: the arguments of `Column`, and a range."""

    kind: str = "number"
    categories: int = 0
    fill: float | None = None
    center: float = 0.0
    scale: float = 1.0
    marked: bool = False
    range: tuple[float, float] | None = None

    def features(self, x):
        """Return the features of a column of saturated numbers, in which NaN is missing."""
        if self.kind == "constant":
            return []
        missing = np.isnan(x)
        value = x if self.fill is None else np.where(missing, self.fill, x)
        if self.kind == "category":
            found = [(value == number) * 1.0 for number in range(self.categories)]
        elif self.kind == "boolean":
            found = [(value == 1) * 1.0]
        else:
            found = [(value - self.center) / self.scale]
        return [*found, missing * 1.0] if self.marked else found


@dataclass(frozen=True)
class RandomProgram:
    """A network over raw columns, as text and as numpy."""

    columns: tuple[RawColumn, ...]
    text: str
    neurons: tuple[tuple[str, Expression], ...]
    outputs: tuple[Expression, ...]
    softmax: bool
    classes: int
    threshold: float

    def results(self, rows):
        """Evaluate saturated raw rows in double precision."""
        features = [f for c, x in zip(self.columns, rows.T, strict=True) for f in c.features(x)]
        env = {f"x_{number}": value for number, value in enumerate(features, 1)}
        with np.errstate(all="ignore"):
            for each, expression in self.neurons:
                env[each] = expression.of(env)
            found = [np.broadcast_to(y.of(env), len(rows)) for y in self.outputs]
            y = np.array(found, np.float64).T
            if self.softmax:
                e = np.exp(y - y.max(axis=1, keepdims=True))
                y = e / e.sum(axis=1, keepdims=True)
        return np.hstack([1 - y, y]) if self.classes and y.shape[1] == 1 else y


def random_program(seed):
    """Return the random program of a seed."""
    rng = random.Random(seed)
    columns = tuple(_column(rng) for _ in range(rng.choice([1, 2, 3, 3, 4, 6, 9])))
    count = len([f for c in columns for f in c.features(np.zeros(1))])
    columns = columns if count else (*columns, RawColumn(range=(-1.0, 1.0)))
    count = count or 1
    sources = [name(f"x_{number}") for number in range(1, count + 1)]
    lines, neurons = [f"inputs = {count}"], []
    for layer in range(1, rng.choice([0, 1, 1, 2, 3]) + 1):
        made = []
        for number in range(1, rng.randint(1, 5) + 1):
            inner = _inner(rng, sources)
            function = rng.choice(["sig", "tanh", "relu", "clip", ""])
            whole = unary(function, inner) if function else inner
            each = f"h_{layer}_{number}"
            lines.append(f"{each} = {whole.text}")
            neurons.append((each, whole))
            made.append(name(each))
        sources = [*sources, *made]
    softmax = rng.random() < 0.3
    outputs = [_inner(rng, sources) for _ in range(rng.choice([2, 3, 5] if softmax else [1, 1, 2]))]
    if not softmax and rng.random() < 0.5:
        outputs = [unary("sig", each) for each in outputs]
    if softmax:
        names = ", ".join(f"y_{i}" for i in range(1, len(outputs) + 1))
        lines.append(f"{names} = softmax({', '.join(y.text for y in outputs)})")
    else:
        lines += [f"y_{i} = {y.text}" for i, y in enumerate(outputs, 1)]
    has_classes = rng.random() < 0.6
    classes = max(len(outputs), 2) if has_classes else 0
    threshold = rng.choice([0.5, 0.5, 0.3, 0.81]) if classes == 2 else 0.5
    return RandomProgram(
        columns, "\n".join(lines) + "\n", (*neurons,), (*outputs,), softmax, classes, threshold
    )


def _column(rng):
    kind = rng.choice(["number"] * 7 + ["boolean", "category", "constant"])
    if kind in ("boolean", "category"):
        categories = 2 if kind == "boolean" else rng.randint(1, 4)
        fill = rng.choice([None, float(rng.randrange(categories))])
        marked = fill is not None and rng.random() < 0.4
        return RawColumn(kind, categories, fill, marked=marked)
    range_ = rng.choice(
        [
            (-1.0, 1.0),
            (-1.0, 1.0),
            (0.0, 4095.0),
            (0.5, 2.5),
            (-3.0, -0.25),
            (999.5, 1000.5),
            (-1e-6, 1e-6),
            (-0.3, 7.77),
            (2.5, 2.5),
            (0.0, 0.0),
            (-1.75, -1.75),
        ]
    )
    middle, width = sum(range_) / 2, range_[1] - range_[0]
    scale = rng.choice([1.0, width or 1.0, rng.uniform(0.2, 4)])
    scale, center = (1.0, 0.0) if rng.random() < 0.3 else (scale, rng.choice([0.0, middle]))
    fill = rng.choice([None, None, middle, range_[1]])
    marked = fill is not None and rng.random() < 0.4
    return RawColumn(kind, 0, fill, center, scale, marked, range_)


def _number(rng):
    return rng.choice([rng.uniform(-3, 3), rng.uniform(-3, 3), 10 ** rng.uniform(-4, 2), 1, 2, 0])


def _inner(rng, sources):
    """Return the argument of a neuron or an output: mostly a weighted sum of various terms."""
    if rng.random() < 0.15:
        return _expression(rng, 2, sources)
    kinds = [lambda: rng.choice(sources), lambda: _pinned(rng, sources)]
    kinds += [lambda: _expression(rng, 1, sources)]
    terms = [rng.choices(kinds, [6, 2, 1])[0]() for _ in range(rng.choice([1, 2, 3, 4, 6, 12]))]
    if rng.random() < 0.2:
        terms.append(terms[0])
    return weighted_sum([(term, _number(rng)) for term in terms], _number(rng))


def _pinned(rng, sources):
    """Return an expression that the ranges make constant, or nearly so, and one of it."""
    x, far = rng.choice(sources), rng.choice([3.0, 9.5, 5000.0])
    found = rng.choice(
        [
            binary("max({}, {})", x, constant(far)),
            binary("min({}, {})", x, constant(-far)),
            unary("relu", binary("({} - {})", x, constant(far))),
            unary("sig", binary("({} + {})", x, constant(200.0))),
            binary("({} - {})", x, x),
            constant(_number(rng)),
        ]
    )
    for _ in range(rng.choice([0, 1, 2, 3])):
        change = rng.choice(["sum", "sig", "tanh", "relu", "clip", "times", "cos", "max"])
        if change == "sum":
            found = weighted_sum([(found, _number(rng))], _number(rng))
        elif change == "times":
            found = binary("({} * {})", found, rng.choice([found, constant(_number(rng)), x]))
        elif change == "max":
            found = binary("max({}, {})", found, constant(_number(rng)))
        else:
            found = unary(change, found)
    return found


def _expression(rng, depth, sources):
    if depth == 0:
        draw = rng.random()
        if draw < 0.25:
            return _pinned(rng, sources)
        return rng.choice(sources) if draw < 0.8 else constant(_number(rng))
    a, b = (_expression(rng, depth - 1, sources) for _ in range(2))
    kind = rng.random()
    if kind < 0.1:
        return choice(a, b, _expression(rng, depth - 1, sources))
    if kind < 0.5:
        return unary(rng.choice([*UNARY]), a)
    if kind < 0.92:
        return binary(rng.choice([*BINARY]), a, b)
    return whole_power(a, rng.choice([-2, -1, 0, 1, 2, 3, 5]))


_FORMAT = re.compile(
    r"#define NET_FRACTION_(\d+) \(?(-?\d+)\)?(?: /\*.*?\*/)?\n"
    r"#define NET_ZERO_\1 \(?(-?\d+)\)? /\* x from (\S+) to (\S+) \*/"
)


@dataclass(frozen=True)
class Header:
    """The contents of an exported header: formats of columns and results, and the bound."""

    fraction: int
    missing: int
    formats: dict[int, tuple[int, int, float, float]]
    bound: float

    def saturated(self, wholes):
        """Return the numbers that rows of integers stand for, within the limits of the columns."""
        rows = np.full(wholes.shape, np.nan)
        for number, (fraction, zero, low, high) in self.formats.items():
            q = wholes[:, number].astype(np.float64)
            x = np.clip((q + zero) * 2.0**-fraction, low, high)
            rows[:, number] = np.where(q == self.missing, np.nan, x)
        return rows

    def quantised(self, rows, most):
        """Return the integers of raw rows, and 0 for columns that are not read."""
        wholes = np.zeros(rows.shape, np.int64)
        for number, (fraction, zero, _, _) in self.formats.items():
            scaled = np.clip(rows[:, number] * 2.0**fraction, zero - most, zero + most)
            q = np.rint(np.nan_to_num(scaled)) - zero
            wholes[:, number] = np.where(np.isnan(scaled), self.missing, q)
        return wholes


def read_header(text):
    """Parse an exported header."""
    formats = {
        int(number): (int(fraction), int(zero), float(low), float(high))
        for number, fraction, zero, low, high in _FORMAT.findall(text)
    }
    return Header(
        int(re.search(r"#define NET_FRACTION \(?(-?\d+)", text)[1]),
        int(re.search(r"#define NET_MISSING \((-?\d+)\)", text)[1]),
        formats,
        float(re.search(r"by more than (\S+): this is proved", text)[1]),
    )


def random_rows(program, seed, count):
    """Return raw rows within the ranges, at their ends and beyond, some with missing values."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((count, len(program.columns)))
    for number, column in enumerate(program.columns):
        if column.categories:
            x = rng.integers(-1, column.categories, count).astype(float)
        else:
            low, high = column.range
            width = (high - low) or 1.0
            x = rng.uniform(low - 0.1 * width, high + 0.1 * width, count)
            ends = rng.random(count) < 0.3
            x[ends] = rng.choice([low, high, (low + high) / 2, 0.0, 1e9, -1e9], ends.sum())
        if column.fill is not None:
            x[rng.random(count) < 0.1] = np.nan
        rows[:, number] = x
    return rows
