"""Build a Network over raw columns from the layers of a foreign model.

Only this module knows what a dense layer or a scaler means in nodes. A sum has a fixed order:
products from the first input to the last, then the bias.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError
from dsgec.network.ir import Apply, Builder, Constant, Input, Network, Node, check, group_layers
from dsgec.network.model import Column
from dsgec.network.simplify import simplify
from dsgec.network.trees import Tree, add_tree

Array = NDArray[np.float64]

Nodes = NDArray[np.int64]
"""Positions of nodes, in an array of any shape: a tensor of the model for one row."""

MOST_NODES = 4_000_000
"""The most nodes of a network: about a million weights."""

FREE_NODES, NODES_PER_WEIGHT = 50_000, 8
"""Limits of a file that has few weights, but computes many values from them."""

STEPS_PER_NODE, MOST_STEPS = 100, 40_000_000
"""Limits of a file that computes the same values again and again, or copies them."""

_SENSIBLE = (
    "dsgec writes every weight as a statement: see docs/board/import.md for what is sensible."
)


class Layers:
    """The computation of a model as nodes, to which each call adds some.

    :param weights: The number of weights of the model, which limits the number of nodes.
    """

    def __init__(self, weights: int | None = None) -> None:
        self._builder = Builder()
        self._neurons: set[int] = set()
        self._scalings: set[int] = set()
        self._shares: set[int] = set()
        self._totals: set[int] = set()
        self._softmaxes: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._orders: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._inputs = 0
        self._most = MOST_NODES
        if weights is not None:
            self._most = min(MOST_NODES, FREE_NODES + NODES_PER_WEIGHT * weights)
        self._steps_left = min(STEPS_PER_NODE * self._most, MOST_STEPS)

    # --- inputs --------------------------------------------------------------------------------

    def inputs(self, count: int) -> Nodes:
        """Add columns and return their nodes."""
        first, self._inputs = self._inputs, self._inputs + count
        self.reserve(count)
        return _nodes(map(self._builder.input, range(first, self._inputs)), (count,))

    def numbers(self, values: Any) -> Nodes:
        """Add constants and return their nodes; raise a DsgecError if one is not finite."""
        given = np.asarray(values, np.float64)
        self.reserve(given.size)
        return _nodes(map(self._constant, given.ravel().tolist()), given.shape)

    # --- layers --------------------------------------------------------------------------------

    def dense(self, x: Nodes, weights: Array, bias: Array | None = None) -> Nodes:
        """Return weighted sums; `weights` has a row for each input and a column for each sum.

        A weight or a bias of 0 is left out.
        """
        sources, count = weights.shape
        assert x.shape == (sources,)
        self.reserve(3 * int(np.count_nonzero(weights)) + count)
        values = x.tolist()
        sums = []
        for number, column in enumerate(weights.T.tolist()):
            total: int | None = None
            for source, weight in zip(values, column, strict=True):
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
        return _nodes(sums, (count,))

    def activate(self, x: Nodes, function: str) -> Nodes:
        """Apply a function of one argument to every value."""
        if function == "abs" and self.are_shares(x):
            return x
        self.reserve(x.size)
        values = x.ravel().tolist()
        found = [self._apply(function, value) for value in values]
        self._move_neurons(values, found)
        y = _nodes(found, x.shape)
        if function == "sig":
            self._shares.update(found)
            self._keep_order(y, x)
        return y

    def combine(self, function: str, a: Nodes, b: Nodes) -> Nodes:
        """Apply a function of two arguments, value by value, to arrays that are broadcast."""
        self.reserve(math.prod(np.broadcast_shapes(a.shape, b.shape)))
        both = np.broadcast_arrays(a, b)
        left, right = (one.ravel().tolist() for one in both)
        found = [self._combine_one(function, *pair) for pair in zip(left, right, strict=True)]
        for one, other in ((left, right), (right, left)):
            if all(isinstance(self._builder.nodes[p], Constant) for p in other):
                self._move_neurons(one, found)
                self._scalings.update(found)
        if function == "sub":
            self._shares.update(
                node
                for node, one, other in zip(found, left, right, strict=True)
                if self._builder.number(one) == 1.0 and other in self._shares
            )
        y = _nodes(found, both[0].shape)
        if function == "div" and self._totals.issuperset(right) and b.shape[-1:] == (1,):
            self._shares.update(found if self.are_shares(a) else ())
            self._keep_order(y, np.asarray(both[0]))  # each vector is divided by one sum of shares
        return y

    def scale(self, x: Nodes, function: str, values: Any) -> Nodes:
        """Apply a function with constants, which are broadcast, as its second argument."""
        return self.combine(function, x, self.numbers(values))

    def fold(self, x: Nodes, function: str) -> Nodes:
        """Fold a function along the last axis, from the first value to the last."""
        self.reserve(x.size)
        totals = []
        for first, *rest in x.reshape(-1, x.shape[-1]).tolist():
            total = first
            for value in rest:
                total = self._apply(function, total, value)
            totals.append(total)
            if function == "add" and self._shares.issuperset((first, *rest)):
                self._totals.add(total)
        return _nodes(totals, x.shape[:-1])

    def softmax(self, x: Nodes) -> Nodes:
        """Return the softmax along the last axis; as the last step, it is the network's own."""
        greatest = self.fold(x, "max")[..., np.newaxis]
        powers = self.activate(self.combine("sub", x, greatest), "exp")
        y = self.combine("div", powers, self.fold(powers, "add")[..., np.newaxis])
        self._shares.update(y.ravel().tolist())
        self._softmaxes.update(zip(_vectors(y), _vectors(x), strict=True))
        self._keep_order(y, x)
        return y

    def log_softmax(self, x: Nodes) -> Nodes:
        """Return the logarithm of the softmax along the last axis."""
        rest = self.combine("sub", x, self.fold(x, "max")[..., np.newaxis])
        total = self.fold(self.activate(rest, "exp"), "add")[..., np.newaxis]
        y = self.combine("sub", rest, self.activate(total, "log"))
        self._keep_order(y, x)
        return y

    def normalise(self, x: Nodes, norm: str = "l1", least: float = 0.0) -> Nodes:
        """Divide by the l1, l2 or max norm along the last axis.

        A row whose norm is 0 or below `least` stays as it is. The norm `top` is the largest value,
        with its sign.
        """
        shares = self.are_shares(x)
        sizes = x if shares or norm in ("l2", "top") else self.activate(x, "abs")
        if norm == "l2":
            sizes = self.combine("mul", x, x)
        total = self.fold(sizes, "max" if norm in ("max", "top") else "add")
        if norm == "l2":
            total = self.activate(total, "sqrt")
        # A quotient by 0 is 1: 0 / v is 1 where v is 0, and 0 elsewhere.
        zero = self.numbers(np.zeros(total.shape))
        if least:
            above = self.scale(total, "sub", math.nextafter(least, 0.0))
            is_small = self.combine("div", zero, self.activate(above, "relu"))
            total = self.combine("max", total, is_small)
        else:
            total = self.combine("add", total, self.combine("div", zero, total))
        y = self.combine("div", x, total[..., np.newaxis])
        if shares:
            self._shares.update(y.ravel().tolist())
            self._keep_order(y, x)
        return y

    def tree(self, x: Nodes, tree: Tree) -> Nodes:
        """Return the outputs of a decision tree."""
        self.reserve(2 * len(tree.columns) * (1 + len(tree.outputs)))
        return _nodes(add_tree(self._builder, tree, x.tolist()), (len(tree.outputs),))

    def plus(self, a: int, b: int) -> int:
        """Return the sum of two values."""
        self.reserve(1)
        return self._apply("add", a, b)

    # --- known properties of values ------------------------------------------------------------

    def are_shares(self, x: Nodes) -> bool:
        """Return whether all values are known to be from 0 to 1."""
        return all(value in self._shares for value in x.ravel().tolist())

    def is_softmax(self, x: Nodes) -> bool:
        """Return whether a vector is the result of a softmax."""
        return tuple(x.ravel().tolist()) in self._softmaxes

    def has_order_of(self, x: Nodes, y: Nodes) -> bool:
        """Return whether two vectors are known to have their values in the same order of size."""
        return self._order(x) == self._order(y)

    def _order(self, x: Nodes) -> tuple[int, ...]:
        found = tuple(x.ravel().tolist())
        while found in self._orders:
            found = self._orders[found]
        return found

    def _keep_order(self, y: Nodes, x: Nodes) -> None:
        """Record that y is an increasing function of x, along the last axis."""
        if x.ndim:
            pairs = zip(_vectors(y), _vectors(x), strict=True)
            self._orders.update(pair for pair in pairs if pair[0] != pair[1])

    def second_of_two(self, x: Nodes) -> Nodes | None:
        """Return p if the vector is the pair 1 - p and p, else None."""
        if x.shape != (2,):
            return None
        values = x.tolist()
        first = self._builder.nodes[values[0]]
        if not isinstance(first, Apply) or first.function != "sub":
            return None
        one, other = first.arguments
        if self._builder.number(one) != 1.0 or other != values[1]:
            return None
        return x[1:]

    # --- outputs -------------------------------------------------------------------------------

    def network(self, outputs: Nodes, names: Sequence[str]) -> tuple[Network, tuple[Column, ...]]:
        """Return the network with these outputs, and its columns.

        Steps that only scale a column become part of the column, as in an evolved network.
        """
        last = tuple(outputs.tolist())
        softmax = last in self._softmaxes
        last = self._softmaxes.get(last, last)
        readers = _readers(self._builder.nodes, last)
        nodes, columns = self._columns(names, readers)
        shared = {p for p, found in enumerate(readers) if len(found) > 1}
        named = {
            p
            for p in (shared | self._neurons) - {*last}
            if readers[p] and isinstance(nodes[p], Apply)
        }
        layers = group_layers(nodes, named)
        network = Network(self._inputs, tuple(nodes), layers, last, softmax)
        return check(simplify(network)), columns

    def _columns(
        self, names: Sequence[str], readers: list[list[int]]
    ) -> tuple[list[Node], tuple[Column, ...]]:
        """Return the nodes with each scaled column replaced by the column, and the columns."""
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
                found = self._rescale(scaling, at, center, scale)
                if found is None:
                    break
                (center, scale), at = found, readers[at][0]
            if at != position:
                nodes[at] = node
            columns.append(Column(names[node.column], center=center, scale=scale))
        return nodes, tuple(columns)

    def _rescale(
        self, node: Apply, at: int, center: float, scale: float
    ) -> tuple[float, float] | None:
        """Return the center and scale of a column after one more step, or None if it is another."""
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

    def _combine_one(self, function: str, left: int, right: int) -> int:
        """Apply a function, except additions of 0, which simplification keeps because of -0."""
        if function in ("add", "sub") and self._builder.number(right) == 0.0:
            return left
        if function == "add" and self._builder.number(left) == 0.0:
            return right
        return self._apply(function, left, right)

    def _move_neurons(self, old: Iterable[int], new: Iterable[int]) -> None:
        """Move the marks of neurons to what is computed from each of them alone."""
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

    def reserve(self, count: int) -> None:
        """Raise a DsgecError if so many more nodes would be too many."""
        self.charge(count)
        if len(self._builder.nodes) + count <= self._most:
            return
        if self._most == MOST_NODES:
            raise DsgecError(f"the model has more than {MOST_NODES // 4:,} weights", _SENSIBLE)
        message = f"the model computes more than {self._most:,} values from few weights"
        raise DsgecError(message, _SENSIBLE)

    def charge(self, count: int) -> None:
        """Count steps of work; raise a DsgecError if there were too many."""
        self._steps_left -= count
        if self._steps_left < 0:
            raise DsgecError("the model takes too many steps to read", _SENSIBLE)


def _nodes(positions: Iterable[int], shape: tuple[int, ...]) -> Nodes:
    return np.fromiter(positions, np.int64).reshape(shape)


def _vectors(x: Nodes) -> Iterable[tuple[int, ...]]:
    """Return the vectors along the last axis."""
    return map(tuple, x.reshape(-1, x.shape[-1]).tolist())


def _readers(nodes: Sequence[Node], outputs: Sequence[int]) -> list[list[int]]:
    """Return the readers of each node, as often as they read it; -1 stands for an output.

    Nodes that no output depends on read nothing.
    """
    found: list[list[int]] = [[] for _ in nodes]
    for output in outputs:
        found[output].append(-1)
    for position in range(len(nodes) - 1, -1, -1):
        node = nodes[position]
        if isinstance(node, Apply) and found[position]:
            for argument in node.arguments:
                found[argument].append(position)
    return found
