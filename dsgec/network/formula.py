"""Model to a formula in raw units: sums of products of columns, functions and neurons.

Scaling is folded into the numbers, equal terms are added up, and products of sums are multiplied
out where that is asked for. A formula computes what its network computes except for rounding.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from dsgec.network.ir import Apply, Constant, Input, Network
from dsgec.network.model import Column, Model

Monomial = tuple[tuple[int, int], ...]
"""Atoms, by their numbers in increasing order, and their exponents; empty for a constant."""
Sum = tuple[tuple[float, Monomial], ...]
"""Coefficients and what they are multiplied by; the constant, if there is one, comes last."""

_MOST_ATOMS, _MOST_TERMS = 2_000, 200_000  # of all sums on the way to the last ones
_MOST_EXPANDED = 9  # terms of a product that is multiplied out
_EVEN, _ODD = {"cos", "abs", "log", "sqrt"}, {"sin", "tanh"}


@dataclass(frozen=True, slots=True)
class Atom:
    """A factor of a product, which stands after the atoms in its arguments.

    A `feature` and a `neuron` have a `number`, a `call` has a `name`; a `group` is a sum in
    parentheses.
    """

    kind: str
    number: int = -1
    name: str = ""
    arguments: tuple[Sum, ...] = ()


@dataclass(frozen=True, slots=True)
class Formula:
    """The sums of a model: those of neurons with their names, then those of outputs.

    Features are numbered as in the network, but a number is that of the row: it is not scaled.
    """

    atoms: tuple[Atom, ...]
    neurons: tuple[tuple[str, Sum], ...]
    outputs: tuple[Sum, ...]
    softmax: bool


class _TooLarge(Exception):
    """A formula that nobody would read, or whose numbers overflow."""


def make_formula(model: Model, *, inline: bool, expand: bool) -> Formula | None:
    """Return the formula of a model, or None if it is too large to be read.

    `inline`: neurons have no names and equations of their own. `expand`: products of short sums are
    multiplied out.
    """
    try:
        return _Maker(model, inline, expand).formula()
    except (_TooLarge, OverflowError, ZeroDivisionError):
        return None


def feature_columns(columns: Iterable[Column]) -> list[tuple[Column, int]]:
    """Return the column of each feature, and which of the column's features it is."""
    return [(column, place) for column in columns for place in range(len(column.features))]


class _Maker:
    def __init__(self, model: Model, inline: bool, expand: bool) -> None:
        self.network: Network = model.network
        self.columns = feature_columns(model.columns)
        self.inline, self.expand = inline, expand
        self.atoms: dict[Atom, int] = {}
        self.terms = 0

    def formula(self) -> Formula:
        names = {
            position: f"h_{number}_{index}"
            for number, layer in reversed([*enumerate(self.network.layers, 1)])
            for index, position in enumerate(layer, 1)
        }
        outputs = {*self.network.outputs}
        values: list[dict[Monomial, float]] = []
        neurons: list[tuple[str, Sum]] = []
        for position, node in enumerate(self.network.nodes):
            found: dict[Monomial, float]
            match node:
                case Constant(value):
                    found = {(): value} if value else {}
                case Input(column):
                    found = self.feature(column)
                case Apply(function, arguments):
                    found = self.apply(function, [values[a] for a in arguments])
            self.terms += len(found)
            if self.terms > _MOST_TERMS or not all(map(math.isfinite, found.values())):
                raise _TooLarge
            is_named = position in names and position not in outputs
            if is_named and not self.inline and isinstance(node, Apply):
                neurons.append((names[position], frozen(found)))
                found = self.single(Atom("neuron", len(neurons) - 1))
            values.append(found)
        sums = tuple(frozen(values[position]) for position in self.network.outputs)
        return Formula(tuple(self.atoms), tuple(neurons), sums, self.network.softmax)

    def single(self, atom: Atom) -> dict[Monomial, float]:
        number = self.atoms.setdefault(atom, len(self.atoms))
        if number >= _MOST_ATOMS:
            raise _TooLarge
        return {((number, 1),): 1.0}

    def feature(self, number: int) -> dict[Monomial, float]:
        column, place = self.columns[number]
        found = self.single(Atom("feature", number))
        if column.kind != "number" or place:
            return found
        return scaled(added(found, {(): -column.center}), 1 / column.scale)

    def apply(self, function: str, arguments: list[dict[Monomial, float]]) -> dict[Monomial, float]:
        match function, arguments:
            case "add", (a, b):
                return added(a, b)
            case "sub", (a, b):
                return added(a, scaled(b, -1.0))
            case "neg", (a,):
                return scaled(a, -1.0)
            case "mul", (a, b):
                return self.product(a, b)
            case "div", (a, b):
                return self.quotient(a, b)
            case "pow", (a, b):
                return self.power(a, int(b.get((), 0.0)))
            case _:
                return self.call(function, arguments)

    def product(self, a: dict[Monomial, float], b: dict[Monomial, float]) -> dict[Monomial, float]:
        if is_constant(a):
            return scaled(b, a.get((), 0.0))
        if is_constant(b):
            return scaled(a, b.get((), 0.0))
        if self.expand and len(a) * len(b) <= _MOST_EXPANDED:
            total: dict[Monomial, float] = {}
            for left, x in a.items():
                for right, y in b.items():
                    total = added(total, {multiplied(left, right): x * y})
            return total
        (k, left), (m, right) = self.factor(a), self.factor(b)
        return {multiplied(left, right): k * m}

    def quotient(self, a: dict[Monomial, float], b: dict[Monomial, float]) -> dict[Monomial, float]:
        if is_constant(b):
            divisor = b.get((), 0.0)
            return scaled(a, 1 / divisor) if divisor else {(): 1.0}  # as `div` is protected
        if not a:
            return {}
        (k, left), (m, right) = self.factor(a), self.factor(b)
        return {multiplied(left, raised(right, -1)): k / m}

    def power(self, a: dict[Monomial, float], exponent: int) -> dict[Monomial, float]:
        if exponent == 2 and self.expand and len(a) <= 3:
            return self.product(a, a)
        k, monomial = self.factor(a)
        return {raised(monomial, exponent): k**exponent}

    def factor(self, a: dict[Monomial, float]) -> tuple[float, Monomial]:
        """Return a sum as a number times a product: of itself in parentheses, if it is long."""
        if len(a) == 1:
            ((monomial, k),) = a.items()
            return k, monomial
        if not a:
            return 0.0, ()
        lead = next(value for monomial, value in a.items() if monomial)
        group = self.single(Atom("group", arguments=(frozen(scaled(a, 1 / lead)),)))
        return lead, next(iter(group))

    def call(self, function: str, arguments: list[dict[Monomial, float]]) -> dict[Monomial, float]:
        sign = 1.0
        if function in _EVEN | _ODD and len(arguments) == 1:
            lead = next((value for monomial, value in arguments[0].items() if monomial), 1.0)
            if lead < 0:
                arguments = [scaled(arguments[0], -1.0)]
                sign = -1.0 if function in _ODD else 1.0
        return scaled(
            self.single(Atom("call", name=function, arguments=(*map(frozen, arguments),))), sign
        )


def added(a: dict[Monomial, float], b: dict[Monomial, float]) -> dict[Monomial, float]:
    """Return the sum of two sums; terms that cancel out are gone."""
    total = dict(a)
    for monomial, value in b.items():
        total[monomial] = total.get(monomial, 0.0) + value
    return {monomial: value for monomial, value in total.items() if value}


def scaled(a: dict[Monomial, float], by: float) -> dict[Monomial, float]:
    """Return a sum times a number."""
    return {monomial: value * by for monomial, value in a.items() if value * by}


def is_constant(a: dict[Monomial, float]) -> bool:
    """Return whether a sum is a number."""
    return not any(a)


def multiplied(a: Monomial, b: Monomial) -> Monomial:
    """Return the product of two products."""
    exponents = dict(a)
    for atom, exponent in b:
        exponents[atom] = exponents.get(atom, 0) + exponent
    return tuple(sorted((atom, exponent) for atom, exponent in exponents.items() if exponent))


def raised(a: Monomial, exponent: int) -> Monomial:
    """Return a product raised to a whole number."""
    return tuple((atom, own * exponent) for atom, own in a if exponent)


def frozen(a: dict[Monomial, float]) -> Sum:
    """Return a sum as a value, with its constant last."""
    terms = [(value, monomial) for monomial, value in a.items() if monomial]
    return (*terms, *((value, monomial) for monomial, value in a.items() if not monomial))
