"""Phenotype text and the places of its weights to a network that can be learned through.

A weight is a numeral of the text. In the network it is an input of its own, behind the features.
It is frozen, a constant, where it cannot be changed without a change of what the text means or
where that would have no effect:

- the text has no number at its place;
- it is an operand of a power, whose meaning depends on the sign and on whole numbers;
- it is in a part of the text that is made of numbers only, which is one number;
- it is the whole of a hidden neuron;
- no output depends on it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.network.ir import Apply, Builder, Constant, Input, Network, multiplications
from dsgec.network.parse import NetworkReader
from dsgec.network.simplify import apply_function

Span = tuple[int, int]
"""The offset and the length of a weight in the UTF-8 text."""

_NUMERAL = re.compile(rb"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_POWERS = ("pow", "power")


@dataclass(frozen=True, slots=True)
class WeightedNetwork:
    """A network whose inputs are its features and then its weights.

    No node that depends on a weight is shared, but for named neurons. `values` has the numbers of
    the text; `signs` has −1 for a weight that the text takes away, and 0 for one that is frozen.
    """

    network: Network
    values: tuple[float, ...]
    signs: tuple[float, ...]

    @property
    def features(self) -> int:
        """How many of the inputs are no weights."""
        return self.network.inputs - len(self.values)


def weighted_network(
    text: str, spans: Sequence[Span], *, inputs: int, layered: bool, output: str = ""
) -> WeightedNetwork:
    """The network of a phenotype; a PhenotypeError if it is none."""
    encoded = text.encode("utf-8", "surrogatepass")  # a text that is a network is all ASCII
    values = []
    end = 0
    for offset, length in spans:
        numeral = encoded[offset : offset + length]
        if offset < end or not _NUMERAL.fullmatch(numeral):
            raise ValueError(f"no weight at {offset}: {numeral!r}")
        end = offset + length
        values.append(float(numeral))
    reader = _Reader(text, inputs, spans, values)
    network = reader.layers(output) if layered else reader.expression(output)
    return _frozen(network, inputs, values, reader.signs)


class _Builder(Builder):
    """Shares nothing that is computed; `weights` has the text's numbers by their positions."""

    def __init__(self) -> None:
        super().__init__()
        self.weights: dict[int, float] = {}

    def apply(self, function: str, arguments: tuple[int, ...]) -> int:
        return self._add(len(self.nodes), Apply(function, arguments))

    def input(self, column: int) -> int:
        return self._add(len(self.nodes), Input(column))

    def number(self, position: int) -> float | None:
        return self.weights.get(position, super().number(position))


class _Reader(NetworkReader):
    def __init__(
        self, text: str, inputs: int, spans: Sequence[Span], values: Sequence[float]
    ) -> None:
        super().__init__(text, "phenotype", inputs)
        self.builder: _Builder = _Builder()
        self.places = {(at, at + length): i for i, (at, length) in enumerate(spans)}
        self.signs = [0.0] * len(values)

    def number(self, value: float, sign: int, start: int, end: int) -> int:
        weight, factor = self.places.get((sign, end)), 1.0
        if weight is None:
            weight, factor = self.places.get((start, end)), -1.0
        if weight is None:
            return self.builder.constant(value)
        assert self.inputs is not None
        position = self.builder.input(self.inputs + weight)
        self.builder.weights[position] = value
        self.signs[weight] = factor
        return position

    def expression(self, output: str) -> Network:
        """As the text has it: the order of nodes is that in which slopes are added."""
        values, softmax = self.neuron(0, len(self.text))
        return self.network((), self.through(values, softmax, output), softmax)


def _frozen(
    network: Network, features: int, values: list[float], signs: list[float]
) -> WeightedNetwork:
    """Parts that are numbers folded, whole powers written out; frozen weights are constants."""
    builder = _Builder()
    neurons = {position for layer in network.layers for position in layer}
    new: list[int] = []

    def weight_of(position: int) -> int | None:
        node = builder.nodes[position]
        return (
            node.column - features if isinstance(node, Input) and node.column >= features else None
        )

    def number_of(position: int) -> float | None:
        weight = weight_of(position)
        return builder.number(position) if weight is None else signs[weight] * values[weight]

    def frozen(position: int) -> int:
        weight = weight_of(position)
        return position if weight is None else builder.constant(signs[weight] * values[weight])

    for position, node in enumerate(network.nodes):
        if isinstance(node, Apply):
            arguments = tuple([new[a] for a in node.arguments])
            numbers = [number_of(a) for a in arguments]
            known = [number for number in numbers if number is not None]
            if len(known) == len(arguments):
                new.append(builder.constant(apply_function(node.function, *known)))
            elif node.function == "pow":
                assert numbers[1] is not None
                new.append(_raise(builder, arguments[0], int(numbers[1])))
            else:
                if node.function in _POWERS:
                    arguments = tuple(map(frozen, arguments))
                new.append(builder.apply(node.function, arguments))
        elif isinstance(node, Constant):
            new.append(builder.constant(node.value))
        else:
            new.append(builder.input(node.column))
            if position in neurons:
                new[-1] = frozen(new[-1])
    outputs = tuple(new[p] for p in network.outputs)
    used = _used(builder, outputs)
    return WeightedNetwork(
        Network(features + len(values), tuple(builder.nodes), (), outputs, network.softmax),
        tuple(values),
        tuple(sign * (features + weight in used) for weight, sign in enumerate(signs)),
    )


def _raise(builder: _Builder, base: int, exponent: int) -> int:
    """`dsgec.network.ir.power` as nodes."""
    if exponent == 0:
        return builder.constant(1.0)
    result = base if abs(exponent) > 1 or exponent < 0 else None
    if result is None:  # a node of its own, as any function is
        return builder.apply("mul", (builder.constant(1.0), base))
    for step in multiplications(exponent):
        result = builder.apply("mul", (result, result if step == "square" else base))
    return builder.apply("div", (builder.constant(1.0), result)) if exponent < 0 else result


def _used(builder: _Builder, outputs: Sequence[int]) -> set[int]:
    """The columns that the outputs depend on."""
    needed = [False] * len(builder.nodes)
    for position in outputs:
        needed[position] = True
    columns = set()
    for position in range(len(builder.nodes) - 1, -1, -1):
        node = builder.nodes[position]
        if needed[position] and isinstance(node, Apply):
            for argument in node.arguments:
                needed[argument] = True
        elif needed[position] and isinstance(node, Input):
            columns.add(node.column)
    return columns
