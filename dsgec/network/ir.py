"""The intermediate representation of a network: a flat list of nodes in evaluation order."""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from dsgec.arithmetic.functions import ALL_FUNCTIONS, FUNCTIONS

OPERATORS = ("add", "sub", "mul", "div", "neg", "pow")
"""Functions written with signs; every other function of a node is in `dsgec.arithmetic.functions`.

`pow` is the power by a whole number that stands as a Constant; any other power is the function
`power`.
"""

ACTIVATIONS = tuple(name for name, function in FUNCTIONS.items() if function.is_activation)
"""The functions that make a neuron of an expression."""

COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
CONDITIONS = (*COMPARISONS, "not", "and", "or", "xor", "nand", "nor")
"""The functions whose results are 1 and 0. A number is true if it is greater than 0."""

ARITY: dict[str, int] = dict.fromkeys(OPERATORS, 2) | {
    name: function.arity for name, function in ALL_FUNCTIONS.items() if function.arity is not None
}

LARGEST_EXPONENT = 64
"""The largest whole exponent whose power is computed by multiplying."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A finite number."""

    value: float


@dataclass(frozen=True, slots=True)
class Input:
    """A feature, by its column, counted from 0."""

    column: int


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of earlier nodes, which are given by their positions."""

    function: str
    arguments: tuple[int, ...]


Node = Constant | Input | Apply


@dataclass(frozen=True, slots=True)
class Network:
    """A list of nodes, no two of them equal, and which of them are neurons and outputs.

    `layers` has the positions of the hidden neurons, layer by layer. With `softmax`, the outputs
    are the arguments of a softmax over all of them.
    """

    inputs: int
    nodes: tuple[Node, ...]
    layers: tuple[tuple[int, ...], ...]
    outputs: tuple[int, ...]
    softmax: bool = False


class Builder:
    """A growing list of nodes that holds equal nodes only once."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._positions: dict[object, int] = {}

    def constant(self, value: float) -> int:
        key = value.hex()  # 0.0 == -0.0, but they are different numbers
        position = self._positions.get(key)
        return self._add(key, Constant(value)) if position is None else position

    def input(self, column: int) -> int:
        position = self._positions.get(column)
        return self._add(column, Input(column)) if position is None else position

    def apply(self, function: str, arguments: tuple[int, ...]) -> int:
        key = function, arguments
        position = self._positions.get(key)
        return self._add(key, Apply(function, arguments)) if position is None else position

    def number(self, position: int) -> float | None:
        """Return the value of the constant at a position, or None if another node is there."""
        node = self.nodes[position]
        return node.value if isinstance(node, Constant) else None

    def _add(self, key: object, node: Node) -> int:
        position = self._positions[key] = len(self.nodes)
        self.nodes.append(node)
        return position


def used_functions(networks: Iterable[Network]) -> set[str]:
    """Return the names of the functions that any of the networks applies."""
    nodes = (node for network in networks for node in network.nodes)
    return {node.function for node in nodes if isinstance(node, Apply)}


def group_layers(nodes: Sequence[Node], neurons: Collection[int]) -> tuple[tuple[int, ...], ...]:
    """Return neurons layer by layer: by the longest path to them through other neurons."""
    depths: list[int] = []
    layers: list[list[int]] = []
    for position, node in enumerate(nodes):
        depth = 0
        if isinstance(node, Apply):
            depth = max(depths[argument] for argument in node.arguments)
        if position in neurons:
            if depth == len(layers):
                layers.append([])
            layers[depth].append(position)
            depth += 1
        depths.append(depth)
    return tuple(map(tuple, layers))


# --- whole powers ------------------------------------------------------------------------------


def integer_exponent(value: float) -> int | None:
    """Return an exponent as an int if its powers are computed by multiplying, else None."""
    return int(value) if value == int(value) and abs(value) <= LARGEST_EXPONENT else None


def multiplications(exponent: int) -> list[str]:
    """Return the steps of a whole power: "square", and "times" the base where a bit is set.

    The bits are taken from the highest down.
    """
    steps = []
    for bit in bin(abs(exponent))[3:]:
        steps.append("square")
        if bit == "1":
            steps.append("times")
    return steps


def power(base: Any, exponent: int, divide: Callable[[Any, Any], Any]) -> Any:
    """Return a whole power; a negative one is 1 divided (protected) by the positive one."""
    if exponent == 0:
        return 1.0
    result = base
    for step in multiplications(exponent):
        result = result * result if step == "square" else result * base
    return divide(1.0, result) if exponent < 0 else result


# --- checks ------------------------------------------------------------------------------------


class InvalidNetwork(Exception):
    """A Network that breaks the rules of its form: a bug of ours, never a user's mistake."""


def check(network: Network) -> Network:
    """Return the network itself, or raise InvalidNetwork if it is not well formed."""
    seen: set[object] = set()
    for position, node in enumerate(network.nodes):
        match node:
            case Constant(value):
                _require(math.isfinite(value), f"node {position}: {value} is not finite")
                seen.add(value.hex())
            case Input(column):
                _require(0 <= column < network.inputs, f"node {position}: no column {column}")
                seen.add(node)
            case Apply(function, arguments):
                _require(function in ARITY, f"node {position}: no function {function}")
                _require(ARITY[function] == len(arguments), f"node {position}: arity of {function}")
                _require(
                    all(0 <= argument < position for argument in arguments),
                    f"node {position}: reads a node that does not stand before it",
                )
                _require(
                    function != "pow" or _is_exponent(network.nodes[arguments[1]]),
                    f"node {position}: the exponent is not a whole number",
                )
                seen.add(node)
            case _:
                assert_never(node)
    _require(len(seen) == len(network.nodes), "two nodes are equal")
    _require(bool(network.outputs), "no output")
    named = [position for layer in network.layers for position in layer]
    _require(
        all(0 <= position < len(network.nodes) for position in (*named, *network.outputs)),
        "a neuron or an output is not a node",
    )
    return network


def _is_exponent(node: Node) -> bool:
    return isinstance(node, Constant) and integer_exponent(node.value) is not None


def _require(holds: bool, fault: str) -> None:
    """Raise an error if a rule of networks does not hold."""
    if not holds:
        raise InvalidNetwork(fault)
