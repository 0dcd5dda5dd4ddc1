"""Make a formula of a Model in raw units: sums of products of columns, functions and neurons.

Scaling is folded into the coefficients, equal terms are added up, and products of sums are
multiplied out on request. A formula computes what its network computes except for rounding.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from dsgec.network.ir import COMPARISONS, Apply, Constant, Input, Network
from dsgec.network.model import Column, Model

Monomial = tuple[tuple[int, int], ...]
"""A product: the indices of its atoms, increasing, and their exponents; empty for a constant."""
Sum = tuple[tuple[float, Monomial], ...]
"""The coefficients and monomials of a sum; the constant, if there is one, comes last."""
Terms = dict[Monomial, float]
"""A sum that is being made: the coefficient of each monomial."""

_MOST_ATOMS, _MOST_TERMS = 2_000, 200_000  # of all sums on the way to the last ones
_MOST_EXPANDED = 9  # terms of a product that is multiplied out
_TURNED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}  # with the sides exchanged
_EVEN, _ODD = {"cos", "abs", "log", "sqrt"}, {"sin", "tanh"}


@dataclass(frozen=True, slots=True)
class Atom:
    """A factor of a product, whose arguments only use earlier atoms.

    Its kind is `feature` or `neuron`, which have a `number`, `call`, which has a `name`, or
    `group`, a sum in parentheses.
    """

    kind: str
    number: int = -1
    name: str = ""
    arguments: tuple[Sum, ...] = ()


@dataclass(frozen=True, slots=True)
class Formula:
    """The sums of a model: those of neurons with their names, then those of outputs.

    Features are numbered as in the network, but their values are those of the raw row.
    """

    atoms: tuple[Atom, ...]
    neurons: tuple[tuple[str, Sum], ...]
    outputs: tuple[Sum, ...]
    softmax: bool


class _TooLarge(Exception):
    """A formula that nobody would read, or whose coefficients overflow."""


def make_formula(model: Model, *, inline: bool, expand: bool) -> Formula | None:
    """Return the formula of a model, or None if it is too large to be read.

    With `inline`, neurons have no names and equations of their own; with `expand`, products of
    short sums are multiplied out.
    """
    try:
        return _FormulaMaker(model, inline, expand).formula()
    except (_TooLarge, OverflowError, ZeroDivisionError):
        return None


def feature_columns(columns: Iterable[Column]) -> list[tuple[Column, int]]:
    """Return the column of each feature, and its index among the column's features."""
    return [(column, place) for column in columns for place in range(len(column.features))]


class _FormulaMaker:
    """The atoms of a formula that is being made, and how many terms it has so far."""

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
        values: list[Terms] = []
        neurons: list[tuple[str, Sum]] = []
        for position, node in enumerate(self.network.nodes):
            found: Terms
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
                neurons.append((names[position], _freeze(found)))
                found = self.single(Atom("neuron", len(neurons) - 1))
            values.append(found)
        sums = tuple(_freeze(values[position]) for position in self.network.outputs)
        return Formula(tuple(self.atoms), tuple(neurons), sums, self.network.softmax)

    def single(self, atom: Atom) -> Terms:
        number = self.atoms.setdefault(atom, len(self.atoms))
        if number >= _MOST_ATOMS:
            raise _TooLarge
        return {((number, 1),): 1.0}

    def feature(self, number: int) -> Terms:
        column, place = self.columns[number]
        found = self.single(Atom("feature", number))
        if column.kind != "number" or place:
            return found
        return _scale(_add(found, {(): -column.center}), 1 / column.scale)

    def apply(self, function: str, arguments: list[Terms]) -> Terms:
        match function, arguments:
            case "add", (a, b):
                return _add(a, b)
            case "sub", (a, b):
                return _add(a, _scale(b, -1.0))
            case "neg", (a,):
                return _scale(a, -1.0)
            case "mul", (a, b):
                return self.product(a, b)
            case "div", (a, b):
                return self.quotient(a, b)
            case "pow", (a, b):
                return self.power(a, int(b.get((), 0.0)))
            case _, (a, b) if function in COMPARISONS:
                return self.comparison(function, a, b)
            case _:
                return self.call(function, arguments)

    def comparison(self, function: str, a: Terms, b: Terms) -> Terms:
        """Return a comparison; one of a single term with a number has no coefficient."""
        apart = _add(a, _scale(b, -1.0))
        terms = [(value, monomial) for monomial, value in apart.items() if monomial]
        if len(terms) != 1:
            return self.call(function, [a, b])
        ((value, monomial),) = terms
        limit = -apart.get((), 0.0) / value
        own = function if value > 0 else _TURNED.get(function, function)
        return self.call(own, [{monomial: 1.0}, {(): limit} if limit else {}])

    def product(self, a: Terms, b: Terms) -> Terms:
        if _is_constant(a):
            return _scale(b, a.get((), 0.0))
        if _is_constant(b):
            return _scale(a, b.get((), 0.0))
        if self.expand and len(a) * len(b) <= _MOST_EXPANDED:
            total: Terms = {}
            for left, x in a.items():
                for right, y in b.items():
                    total = _add(total, {_multiply(left, right): x * y})
            return total
        (k, left), (m, right) = self.factor(a), self.factor(b)
        return {_multiply(left, right): k * m}

    def quotient(self, a: Terms, b: Terms) -> Terms:
        if _is_constant(b):
            divisor = b.get((), 0.0)
            return _scale(a, 1 / divisor) if divisor else {(): 1.0}  # as `div` is protected
        if not a:
            return {}
        (k, left), (m, right) = self.factor(a), self.factor(b)
        return {_multiply(left, _raise(right, -1)): k / m}

    def power(self, a: Terms, exponent: int) -> Terms:
        if exponent == 2 and self.expand and len(a) <= 3:
            return self.product(a, a)
        k, monomial = self.factor(a)
        return {_raise(monomial, exponent): k**exponent}

    def factor(self, a: Terms) -> tuple[float, Monomial]:
        """Return a sum as a coefficient times a monomial: a group, if it has several terms."""
        if len(a) == 1:
            ((monomial, k),) = a.items()
            return k, monomial
        if not a:
            return 0.0, ()
        lead = next(value for monomial, value in a.items() if monomial)
        group = self.single(Atom("group", arguments=(_freeze(_scale(a, 1 / lead)),)))
        return lead, next(iter(group))

    def call(self, function: str, arguments: list[Terms]) -> Terms:
        sign = 1.0
        if function in _EVEN | _ODD and len(arguments) == 1:
            lead = next((value for monomial, value in arguments[0].items() if monomial), 1.0)
            if lead < 0:
                arguments = [_scale(arguments[0], -1.0)]
                sign = -1.0 if function in _ODD else 1.0
        return _scale(
            self.single(Atom("call", name=function, arguments=(*map(_freeze, arguments),))), sign
        )


def _add(a: Terms, b: Terms) -> Terms:
    """Return the sum of two sums, without terms that cancel out."""
    total = dict(a)
    for monomial, value in b.items():
        total[monomial] = total.get(monomial, 0.0) + value
    return {monomial: value for monomial, value in total.items() if value}


def _scale(a: Terms, by: float) -> Terms:
    """Return a sum times a number."""
    return {monomial: value * by for monomial, value in a.items() if value * by}


def _is_constant(a: Terms) -> bool:
    """Return whether a sum has no term but a constant."""
    return not any(a)


def _multiply(a: Monomial, b: Monomial) -> Monomial:
    """Return the product of two monomials."""
    exponents = dict(a)
    for atom, exponent in b:
        exponents[atom] = exponents.get(atom, 0) + exponent
    return tuple(sorted((atom, exponent) for atom, exponent in exponents.items() if exponent))


def _raise(a: Monomial, exponent: int) -> Monomial:
    """Return a whole power of a monomial."""
    return tuple((atom, own * exponent) for atom, own in a if exponent)


def _freeze(a: Terms) -> Sum:
    """Return a finished sum, with its constant last."""
    terms = [(value, monomial) for monomial, value in a.items() if monomial]
    return (*terms, *((value, monomial) for monomial, value in a.items() if not monomial))
