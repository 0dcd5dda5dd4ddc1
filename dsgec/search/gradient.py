"""Compute the loss of a phenotype and its gradient by its weights, by a forward and backward pass.

A weight is a numeral of the phenotype. In the network it is an input of its own, behind the
features. It is frozen to a constant if changing it would have no effect or would change the meaning
of the phenotype:

- there is no numeral at its place;
- it is an operand of a power, whose meaning depends on its sign and on whether it is whole;
- it is in a part of the phenotype that has numerals only, which is folded into one constant;
- it is the whole of a hidden neuron;
- no output depends on it.

The backward pass goes from the last node to the first, so that gradients are added in the order of
the phenotype: templates/engine/backward.c has the same order.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.arithmetic.functions import DERIVATIVES
from dsgec.arithmetic.printed import vector
from dsgec.network.evaluate import evaluate_node, output_values
from dsgec.network.ir import Apply, Builder, Constant, Input, Network, multiplications
from dsgec.network.parse import NetworkReader
from dsgec.network.simplify import apply_function
from dsgec.search.objective import Objective
from dsgec.search.objectives import learned_objective
from dsgec.search.printed.objectives import softmax_gradient
from dsgec.search.rows import Array, Targets, fit_line, ordered_sum, weigh

Span = tuple[int, int]
"""The offset and the length of a weight in the UTF-8 phenotype."""

_NUMERAL = re.compile(rb"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class WeightedNetwork:
    """A network whose inputs are its features and then its weights.

    Of the nodes that depend on a weight, only named neurons are shared. `values` has the numbers of
    the phenotype; `signs` is -1 for a weight that is subtracted, and 0 for one that is frozen.
    """

    network: Network
    values: tuple[float, ...]
    signs: tuple[float, ...]

    @property
    def features(self) -> int:
        """The number of inputs that are not weights."""
        return self.network.inputs - len(self.values)


def weighted_network(
    phenotype: str, spans: Sequence[Span], *, inputs: int, layered: bool, output: str = ""
) -> WeightedNetwork:
    """Parse a phenotype whose weights are at these places, or raise a PhenotypeError."""
    encoded = phenotype.encode("utf-8", "surrogatepass")  # a valid phenotype is ASCII
    values = []
    end = 0
    for offset, length in spans:
        numeral = encoded[offset : offset + length]
        if offset < end or not _NUMERAL.fullmatch(numeral):
            raise ValueError(f"no weight at {offset}: {numeral!r}")
        end = offset + length
        values.append(float(numeral))
    reader = _Reader(phenotype, inputs, spans)
    network = reader.layers(output) if layered else reader.expression(output)
    return _freeze(network, inputs, values, reader.signs)


class _Builder(Builder):
    """A builder that shares no computed node and knows the numbers of weights."""

    def __init__(self) -> None:
        super().__init__()
        self.weights: dict[int, float] = {}  # by the position of their nodes

    def apply(self, function: str, arguments: tuple[int, ...]) -> int:
        return self._add(len(self.nodes), Apply(function, arguments))

    def input(self, column: int) -> int:
        return self._add(len(self.nodes), Input(column))

    def number(self, position: int) -> float | None:
        return self.weights.get(position, super().number(position))


class _Reader(NetworkReader):
    def __init__(self, phenotype: str, inputs: int, spans: Sequence[Span]) -> None:
        super().__init__(phenotype, "phenotype", inputs)
        self.builder: _Builder = _Builder()
        self.places = {(at, at + length): i for i, (at, length) in enumerate(spans)}
        self.signs = [0.0] * len(spans)

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
        """Return the network of the text without reordering: gradients are added in node order."""
        values, softmax = self.neuron(0, len(self.text))
        return self.network((), self.through(values, softmax, output), softmax)


def _freeze(
    network: Network, features: int, values: list[float], signs: list[float]
) -> WeightedNetwork:
    """Fold constant parts, expand whole powers, and replace frozen weights by constants."""
    builder = _Builder()
    neurons = {position for layer in network.layers for position in layer}
    new: list[int] = []

    def weight_value(position: int) -> float | None:
        node = builder.nodes[position]
        if not isinstance(node, Input) or node.column < features:
            return None
        return signs[node.column - features] * values[node.column - features]

    def frozen(position: int) -> int:
        value = weight_value(position)
        return position if value is None else builder.constant(value)

    def known_value(position: int) -> float | None:
        value = weight_value(position)
        return builder.number(position) if value is None else value

    for position, node in enumerate(network.nodes):
        if isinstance(node, Apply):
            arguments = tuple([new[a] for a in node.arguments])
            numbers = [known_value(a) for a in arguments]
            known = [number for number in numbers if number is not None]
            if len(known) == len(arguments):
                new.append(builder.constant(apply_function(node.function, *known)))
            elif node.function == "pow":
                assert numbers[1] is not None
                new.append(_expand_power(builder, arguments[0], int(numbers[1])))
            else:
                if node.function == "power":
                    arguments = tuple(map(frozen, arguments))
                new.append(builder.apply(node.function, arguments))
        elif isinstance(node, Constant):
            new.append(builder.constant(node.value))
        else:
            new.append(builder.input(node.column))
            if position in neurons:
                new[-1] = frozen(new[-1])
    outputs = tuple(new[p] for p in network.outputs)
    used = _used_columns(builder, outputs)
    return WeightedNetwork(
        Network(features + len(values), tuple(builder.nodes), (), outputs, network.softmax),
        tuple(values),
        tuple(sign * (features + weight in used) for weight, sign in enumerate(signs)),
    )


def _expand_power(builder: _Builder, base: int, exponent: int) -> int:
    """Build the nodes of `dsgec.network.ir.power`."""
    if exponent == 0:
        return builder.constant(1.0)
    if exponent == 1:  # a node of its own, as for any function
        return builder.apply("mul", (builder.constant(1.0), base))
    result = base
    for step in multiplications(exponent):
        result = builder.apply("mul", (result, result if step == "square" else base))
    return builder.apply("div", (builder.constant(1.0), result)) if exponent < 0 else result


def _used_columns(builder: _Builder, outputs: Sequence[int]) -> set[int]:
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


@standard_arithmetic()
@np.errstate(all="ignore")
def loss_and_gradient(
    graph: WeightedNetwork,
    values: Sequence[float],
    rows: Array,
    targets: Targets,
    objective: str,
    penalty: float,
    *,
    linear: bool = False,
) -> tuple[float, list[float]] | None:
    """Return the objective on the rows + penalty * Σ w², and its gradient, at these weights.

    With `linear`, the output is first put on its line of least squares.

    Return None if an output or the loss is not finite. The gradient by a weight is 0 if it is not
    finite or if the weight is frozen, which keeps the number of the phenotype.
    """
    learned = learned_objective(objective)
    nodes = _forward(graph, values, rows)
    outputs = _outputs(graph, nodes, len(rows))
    if not np.isfinite(outputs).all():
        return None
    scale = 1.0
    if linear:
        line = fit_line(outputs[:, 0], targets.values[:, 0], targets.row_weights)
        if line is None:
            return None
        outputs, scale = line(outputs), line.slope
    fitness = learned.fitness(outputs, targets)
    loss = fitness + penalty * sum_of_squares(values)
    if not math.isfinite(loss):
        return None
    groups = targets.groups if learned.by_class else (np.arange(len(rows)),)
    factors = learned.factors(outputs, targets, fitness)
    output_gradients = _output_gradients(graph, learned, outputs, targets)
    if linear:
        output_gradients = [(position, scale * own) for position, own in output_gradients]
    weight_gradients = _backward(graph, nodes, output_gradients)
    gradient = []
    for weight, (value, sign) in enumerate(zip(values, graph.signs, strict=True)):
        total = 0.0
        if sign:
            for factor, group in zip(factors, groups, strict=True):
                total += factor * (sign * ordered_sum(weight_gradients[weight][group]))
            total += (2.0 * penalty) * value
        gradient.append(total if math.isfinite(total) else 0.0)
    return loss, gradient


def sum_of_squares(values: Sequence[float]) -> float:
    """Add the squares of weights in their order."""
    total = 0.0
    for value in values:
        total += value * value
    return total


def _forward(graph: WeightedNetwork, values: Sequence[float], rows: Array) -> list[Any]:
    """Return the values of each node: one for each row, or a single one."""
    found: list[Any] = []
    for node in graph.network.nodes:
        if isinstance(node, Apply):
            found.append(evaluate_node(graph.network, node, found, rows.dtype))
        elif isinstance(node, Constant):
            found.append(np.array([node.value]))
        elif node.column < graph.features:
            found.append(rows[:, node.column])
        else:
            weight = node.column - graph.features
            found.append(np.array([graph.signs[weight] * values[weight]]))
    return found


def _outputs(graph: WeightedNetwork, nodes: list[Any], rows: int) -> Array:
    columns = output_values(graph.network, nodes, np.dtype(np.float64))
    return np.column_stack([np.broadcast_to(column, rows) for column in columns])


def _output_gradients(
    graph: WeightedNetwork, learned: Objective, outputs: Array, targets: Targets
) -> list[tuple[int, Array]]:
    """Return the nodes at which the backward pass starts, and the gradients of each row there."""
    network = graph.network
    positions, by = network.outputs, targets.row_weights
    if learned.logistic and network.softmax:
        gradients = outputs - targets.values
    elif learned.logistic and len(positions) == 1 and _is_sigmoid(graph):
        node = network.nodes[positions[0]]
        assert isinstance(node, Apply)
        return [(node.arguments[0], weigh(outputs[:, 0] - targets.values[:, 0], by))]
    else:
        gradients = learned.row_gradients(outputs, targets.values)
        if network.softmax:
            columns = [*gradients.T]
            softmax_gradient([*outputs.T], columns, len(columns))
            gradients = np.column_stack(columns)
    gradients = weigh(gradients, by)
    return [(position, gradients[:, column]) for column, position in enumerate(positions)]


def _is_sigmoid(graph: WeightedNetwork) -> bool:
    node = graph.network.nodes[graph.network.outputs[0]]
    return isinstance(node, Apply) and node.function == "sig"


def _backward(
    graph: WeightedNetwork, values: list[Any], output_gradients: list[tuple[int, Array]]
) -> dict[int, Array]:
    """Return the gradient of each row by each weight that is not frozen."""
    nodes = graph.network.nodes
    active = _depends_on_weight(graph)
    gradients: dict[int, Array] = {}

    def add(position: int, gradient: Array) -> None:
        if active[position]:
            found = gradients.get(position)
            gradients[position] = gradient if found is None else found + gradient

    for position, gradient in reversed(output_gradients):
        add(position, gradient)
    for position in range(len(nodes) - 1, -1, -1):
        node = nodes[position]
        if isinstance(node, Apply) and position in gradients:
            arguments = [values[a] for a in node.arguments]
            own = _argument_gradients(
                node.function, gradients.pop(position), arguments, values[position]
            )
            for argument, gradient in reversed([*zip(node.arguments, own, strict=True)]):
                add(argument, gradient)
    found = {}
    for position, gradient in gradients.items():  # only weights are left
        node = nodes[position]
        assert isinstance(node, Input)
        found[node.column - graph.features] = gradient
    return found


def _depends_on_weight(graph: WeightedNetwork) -> list[bool]:
    active: list[bool] = []
    for node in graph.network.nodes:
        if isinstance(node, Apply):
            active.append(any(active[a] for a in node.arguments))
        else:
            active.append(not isinstance(node, Constant) and node.column >= graph.features)
    return active


def _argument_gradients(
    function: str, gradient: Array, arguments: list[Any], result: Any
) -> list[Array]:
    """Return the gradients by the arguments of a function, given the one by its result."""
    match function, arguments:
        case "add", _:
            return [gradient, gradient]
        case "sub", _:
            return [gradient, -gradient]
        case "mul", (a, b):
            return [gradient * b, gradient * a]
        case _:
            derivatives = DERIVATIVES[function]
            found = [getattr(vector, own)(*arguments, result) for own in derivatives]
            return [gradient * one for one in found or [0.0] * len(arguments)]
