"""What a network is: a flat list of nodes in an order in which each can be computed."""

from dataclasses import dataclass

from dsgec.arithmetic.functions import FUNCTIONS

OPERATORS = ("add", "sub", "mul", "div", "neg", "pow")
"""Written with signs; every other function of a node is in `dsgec.arithmetic.functions`.

`pow` is the power by a whole number that stands as a Constant; any other power is the function
`power`.
"""

ACTIVATIONS = tuple(name for name, function in FUNCTIONS.items() if function.is_activation)
"""The functions that make a neuron of an expression."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A finite number."""

    value: float


@dataclass(frozen=True, slots=True)
class Input:
    """A feature, by its column from 0."""

    column: int


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of earlier nodes, which are given by their positions."""

    function: str
    arguments: tuple[int, ...]


Node = Constant | Input | Apply


@dataclass(frozen=True, slots=True)
class Network:
    """Nodes, no two of them equal, and which of them are neurons and outputs.

    `layers` has the positions of the hidden neurons, layer by layer. With `softmax`, the outputs
    are what goes into the softmax over all of them.
    """

    inputs: int
    nodes: tuple[Node, ...]
    layers: tuple[tuple[int, ...], ...]
    outputs: tuple[int, ...]
    softmax: bool = False


class Builder:
    """Makes nodes; a node equal to one that is there already is that one."""

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
        """The number that is written at a position, if one is."""
        node = self.nodes[position]
        return node.value if isinstance(node, Constant) else None

    def _add(self, key: object, node: Node) -> int:
        position = self._positions[key] = len(self.nodes)
        self.nodes.append(node)
        return position
