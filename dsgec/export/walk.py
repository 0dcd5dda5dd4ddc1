"""Network to one operation after the other: the walk that all who write them out share."""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar, assert_never

from dsgec.network.ir import Apply, Constant, Input, Network, multiplications

Operand = TypeVar("Operand")
"""What stands for a value where it is read: a name, or code that fetches it."""


class OperationWriter(ABC, Generic[Operand]):
    """Writes the operations of one node after the other; `names` are what those are read by."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.names: dict[int, Operand] = {}
        self.neurons: dict[int, str] = {}
        for number, layer in enumerate(network.layers, 1):
            for index, position in enumerate(layer, 1):
                self.neurons.setdefault(position, f"h_{number}_{index}")

    @abstractmethod
    def number(self, value: float) -> Operand:
        """A number as an operand."""

    @abstractmethod
    def column(self, column: int) -> Operand:
        """The value of a column as an operand."""

    @abstractmethod
    def operation(self, function: str, *operands: Operand) -> Operand:
        """What one operation makes of operands."""

    @abstractmethod
    def assign(self, value: Operand, name: str = "") -> Operand:
        """Write a statement that computes a value, of a neuron with its name; gives an operand."""

    def write(self) -> list[Operand]:
        """Write all operations; gives the outputs, before a softmax."""
        for position, node in enumerate(self.network.nodes):
            if isinstance(node, Apply):
                self.node(position, node)
        return [self.operand(position) for position in self.network.outputs]

    def operand(self, position: int) -> Operand:
        node = self.network.nodes[position]
        match node:
            case Constant(value):
                return self.number(value)
            case Input(column):
                return self.column(column)
            case Apply():
                return self.names[position]
            case _:
                assert_never(node)

    def node(self, position: int, node: Apply) -> None:
        name = self.neurons.get(position, "")
        operands = [self.operand(argument) for argument in node.arguments]
        if node.function == "pow":
            self.names[position] = self.power(operands[0], exponent_of(self.network, node), name)
        else:
            self.names[position] = self.assign(self.operation(node.function, *operands), name)

    def power(self, base: Operand, exponent: int, name: str) -> Operand:
        if exponent == 0:
            return self.assign(self.number(1.0), name)
        last = base
        for step in multiplications(exponent):
            last = self.assign(self.operation("mul", last, last if step == "square" else base))
        if exponent < 0:
            return self.assign(self.operation("div", self.number(1.0), last), name)
        return last


def exponent_of(network: Network, node: Apply) -> int:
    """The whole number that a `pow` takes its first argument to."""
    exponent = network.nodes[node.arguments[1]]
    assert isinstance(exponent, Constant)
    return int(exponent.value)
