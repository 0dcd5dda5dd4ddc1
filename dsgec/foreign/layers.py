"""Layers of a model, one after the other, to a Network over raw columns.

A reader of foreign models calls these; what a dense layer or a scaler means in nodes is said here
only. A sum has a fixed order: products from the first input to the last, then the bias.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError
from dsgec.network.check import check
from dsgec.network.ir import Apply, Builder, Constant, Input, Network, Node
from dsgec.network.model import Column
from dsgec.network.simplify import simplify

Array = NDArray[np.float64]

MOST_NODES = 4_000_000
"""Of a network: about a million weights."""

_LEAST = 5e-324  # so that a row of zeros stays one when it is divided by its norm
_TOO_LARGE = (
    f"the model has more than {MOST_NODES // 4:,} weights",
    "dsgec writes every weight as a statement: see docs/import.md for what is sensible.",
)


@dataclass(frozen=True, slots=True)
class Vector:
    """The values that a row has somewhere in a model, by their positions.

    With `softmax` they are what goes into a softmax over all of them. `are_shares`: they are known
    to be from 0 to 1.
    """

    values: tuple[int, ...]
    softmax: bool = False
    are_shares: bool = False

    def __len__(self) -> int:
        return len(self.values)

    @property
    def are_probabilities(self) -> bool:
        return self.softmax or self.are_shares


class Layers:
    """What a model computes, as nodes that grow with each call."""

    def __init__(self) -> None:
        self._builder = Builder()
        self._neurons: set[int] = set()
        self._scalings: set[int] = set()
        self._inputs = 0

    # --- what goes in --------------------------------------------------------------------------

    def inputs(self, count: int) -> Vector:
        """Further columns of the row."""
        first, self._inputs = self._inputs, self._inputs + count
        self._reserve(count)
        return Vector(tuple(map(self._builder.input, range(first, self._inputs))))

    def numbers(self, values: Array) -> Vector:
        """Constants; what is not finite is refused."""
        self._reserve(values.size)
        return Vector(tuple(self._constant(float(value)) for value in values.ravel()))

    # --- layers --------------------------------------------------------------------------------

    def dense(self, x: Vector, weights: Array, bias: Array | None = None) -> Vector:
        """Weighted sums; `weights` has a row for each input and a column for each sum.

        A weight or a bias of 0 is left out.
        """
        x = self.plain(x)
        sources, count = weights.shape
        assert sources == len(x)
        self._reserve(3 * int(np.count_nonzero(weights)) + count)
        sums = []
        for number, column in enumerate(weights.T.tolist()):
            total: int | None = None
            for source, weight in zip(x.values, column, strict=True):
                if weight != 0.0:
                    term = self._apply("mul", self._constant(weight), source)
                    total = term if total is None else self._apply("add", total, term)
            constant = 0.0 if bias is None else float(bias[number])
            if total is None:
                total = self._constant(constant)
            elif constant != 0.0:
                total = self._apply("add", total, self._constant(constant))
            sums.append(total)
        self._neurons.update(sums)
        return Vector(tuple(sums))

    def activate(self, x: Vector, function: str) -> Vector:
        """A function of one argument, of every value."""
        x = self.plain(x)
        self._reserve(len(x))
        found = tuple(self._apply(function, value) for value in x.values)
        self._rename(x.values, found)
        return Vector(found, are_shares=function == "sig")

    def combine(self, function: str, a: Vector, b: Vector) -> Vector:
        """A function of two arguments, value by value; a lone one goes with each of the other."""
        a, b = self.plain(a), self.plain(b)
        count = max(len(a), len(b))
        self._reserve(count)
        left, right = (v.values * (count if len(v) == 1 else 1) for v in (a, b))
        found = tuple(self._combined(function, *pair) for pair in zip(left, right, strict=True))
        for one, other in ((left, right), (right, left)):
            if all(isinstance(self._builder.nodes[p], Constant) for p in other):
                self._rename(one, found)
                self._scalings.update(found)
        complement = function == "sub" and {self._builder.number(p) for p in a.values} == {1.0}
        return Vector(found, are_shares=complement and b.are_shares)

    def scale(self, x: Vector, function: str, values: Any) -> Vector:
        """With one number, or one for each value, as the second argument of a function."""
        return self.combine(function, x, self.numbers(np.asarray(values, np.float64)))

    def softmax(self, x: Vector) -> Vector:
        """Left to the network, if it is its last step."""
        return replace(self.plain(x), softmax=True)

    def normalise(self, x: Vector, norm: str = "l1") -> Vector:
        """Every value divided by the sum of their sizes, by its length or by the largest size."""
        shares = x.are_probabilities
        x = self.plain(x)
        sizes = x if shares or norm == "l2" else self.activate(x, "abs")
        if norm == "l2":
            sizes = self.combine("mul", x, x)
        total = self.fold(sizes, "max" if norm == "max" else "add")
        if norm == "l2":
            total = self.activate(total, "sqrt")
        total = self.combine("max", total, self.numbers(np.array([_LEAST])))
        return replace(self.combine("div", x, total), are_shares=shares)

    def fold(self, x: Vector, function: str) -> Vector:
        """The sum or the greatest of all values, from the first to the last."""
        total, *rest = self.plain(x).values
        self._reserve(len(rest))
        for value in rest:
            total = self._apply(function, total, value)
        return Vector((total,))

    def select(self, x: Vector, places: Sequence[int]) -> Vector:
        """Some of the values, in another order perhaps."""
        x = self.plain(x)
        return Vector(tuple(x.values[place] for place in places), are_shares=x.are_shares)

    def join(self, parts: Iterable[Vector]) -> Vector:
        """The values of several vectors, one behind the other."""
        plain = [self.plain(part) for part in parts]
        values = tuple(value for part in plain for value in part.values)
        return Vector(values, are_shares=all(part.are_shares for part in plain))

    def plain(self, x: Vector) -> Vector:
        """The same values without a softmax that is still to be done."""
        if not x.softmax:
            return x
        x = replace(x, softmax=False)
        greatest = self.fold(x, "max")
        powers = self.activate(self.combine("sub", x, greatest), "exp")
        total = self.fold(powers, "add")
        return replace(self.combine("div", powers, total), are_shares=True)

    def second_of_two(self, x: Vector) -> Vector | None:
        """p of the pair 1 - p and p; None of any other vector."""
        if len(x) != 2 or x.softmax:
            return None
        first = self._builder.nodes[x.values[0]]
        if not isinstance(first, Apply) or first.function != "sub":
            return None
        one, other = first.arguments
        if self._builder.number(one) != 1.0 or other != x.values[1]:
            return None
        return Vector((other,), are_shares=x.are_shares)

    # --- what comes out ------------------------------------------------------------------------

    def network(self, outputs: Vector, names: Sequence[str]) -> tuple[Network, tuple[Column, ...]]:
        """The network of what was built, and its columns.

        What only scales a column is left to the column, as in an evolved network.
        """
        readers = _readers(self._builder.nodes)
        nodes, columns = self._columns(names, readers)
        last = {*outputs.values}
        shared = {p for p, found in enumerate(readers) if len(found) > 1}
        named = {p for p in shared | (self._neurons - last) if isinstance(nodes[p], Apply)}
        layers = _layered(nodes, named)
        network = Network(self._inputs, tuple(nodes), layers, outputs.values, outputs.softmax)
        return check(simplify(network)), columns

    def _columns(
        self, names: Sequence[str], readers: list[list[int]]
    ) -> tuple[list[Node], tuple[Column, ...]]:
        """The nodes with a column where a scaled column was, and how the column is scaled."""
        nodes = list(self._builder.nodes)
        columns = []
        for position, node in enumerate(self._builder.nodes):
            if not isinstance(node, Input):
                continue
            center, scale = 0.0, 1.0
            at = position
            while len(readers[at]) == 1 and readers[at][0] in self._scalings:
                scaling = self._builder.nodes[readers[at][0]]
                assert isinstance(scaling, Apply)
                found = self._rescaled(scaling, at, center, scale)
                if found is None:
                    break
                (center, scale), at = found, readers[at][0]
            if at != position:
                nodes[at] = node
            columns.append(Column(names[node.column], center=center, scale=scale))
        return nodes, tuple(columns)

    def _rescaled(
        self, node: Apply, at: int, center: float, scale: float
    ) -> tuple[float, float] | None:
        """The center and the scale of a column after one more step; None if there are none."""
        is_first = node.arguments[0] == at
        number = self._builder.number(node.arguments[1 if is_first else 0])
        if number is None:
            return None
        match node.function, is_first:
            case "add", _:
                center -= number * scale
            case "sub", True:
                center += number * scale
            case "mul", _ if number != 0.0:
                scale /= number
            case "div", True if number != 0.0:
                scale *= number
            case _:
                return None
        is_usable = math.isfinite(center) and math.isfinite(scale) and scale != 0.0
        return (center, scale) if is_usable else None

    # --- nodes ---------------------------------------------------------------------------------

    def _combined(self, function: str, left: int, right: int) -> int:
        """Without an addition of 0, which simplification keeps for the sake of -0."""
        if function in ("add", "sub") and self._builder.number(right) == 0.0:
            return left
        if function == "add" and self._builder.number(left) == 0.0:
            return right
        return self._apply(function, left, right)

    def _rename(self, old: Iterable[int], new: Iterable[int]) -> None:
        """What is computed of a neuron alone is that neuron."""
        for before, after in zip(old, new, strict=True):
            if before in self._neurons:
                self._neurons.discard(before)
                self._neurons.add(after)

    def _constant(self, value: float) -> int:
        if not math.isfinite(value):
            raise DsgecError(
                f"the model has a weight that is {value}",
                "Train it again: a weight must be a finite number.",
            )
        return self._builder.constant(value)

    def _apply(self, function: str, *arguments: int) -> int:
        return self._builder.apply(function, arguments)

    def _reserve(self, count: int) -> None:
        if len(self._builder.nodes) + count > MOST_NODES:
            raise DsgecError(*_TOO_LARGE)


def _readers(nodes: Sequence[Node]) -> list[list[int]]:
    """For each node the ones that read it, as often as they do."""
    found: list[list[int]] = [[] for _ in nodes]
    for position, node in enumerate(nodes):
        if isinstance(node, Apply):
            for argument in node.arguments:
                found[argument].append(position)
    return found


def _layered(nodes: Sequence[Node], named: set[int]) -> tuple[tuple[int, ...], ...]:
    """Named nodes by the longest way to them through others: the layers of the network."""
    depths: list[int] = []
    layers: list[list[int]] = []
    for position, node in enumerate(nodes):
        depth = 0
        if isinstance(node, Apply):
            depth = max(depths[argument] for argument in node.arguments)
        if position in named:
            if depth == len(layers):
                layers.append([])
            layers[depth].append(position)
            depth += 1
        depths.append(depth)
    return tuple(map(tuple, layers))
