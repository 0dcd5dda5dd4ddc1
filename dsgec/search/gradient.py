"""A weighted network, values of its weights and rows to the loss and its slope by each weight.

Reverse mode, node by node from the last to the first, so that the order in which slopes are added
is that of the text: templates/engine/backward.c keeps it. The sums over the rows are those of
`dsgec.search.objectives`.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.arithmetic.functions import DERIVATIVES
from dsgec.arithmetic.printed import vector
from dsgec.network.evaluate import evaluate_node, output_values
from dsgec.network.ir import Apply, Constant, Input
from dsgec.search.graph import WeightedNetwork
from dsgec.search.linear import on_line
from dsgec.search.objectives import OBJECTIVES, Array, Objective, Targets, ordered_sum, weighed


@standard_arithmetic()
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
    """The objective on the rows + penalty · Σ w², and its slopes, with `values` for the weights.

    With `linear`, of the output on the line of least squares: see `dsgec.search.linear`.

    None where an output or the loss is not finite. A slope that is not finite is 0, as is that of
    a frozen weight, which keeps the number of the text.
    """
    learned = _learned(objective)
    with np.errstate(all="ignore"):
        nodes = _node_values(graph, values, rows)
        outputs = _outputs(graph, nodes, len(rows))
        if not np.isfinite(outputs).all():
            return None
        factor = 1.0
        if linear:
            scaled = on_line(outputs, targets)
            if scaled is None:
                return None
            outputs, factor = scaled
        fitness = learned.fitness(outputs, targets)
        loss = fitness + penalty * _squares(values)
        if not math.isfinite(loss):
            return None
        groups = targets.groups if learned.by_class else (np.arange(len(rows)),)
        factors = learned.factors(outputs, targets, fitness)
        seeds = _seed(graph, learned, outputs, targets)
        if linear:
            seeds = [(position, factor * seed) for position, seed in seeds]
        slopes = _weight_slopes(graph, nodes, seeds)
    gradient = []
    for weight, (value, sign) in enumerate(zip(values, graph.signs, strict=True)):
        total = 0.0
        if sign:
            for factor, group in zip(factors, groups, strict=True):
                total += factor * (sign * ordered_sum(slopes[weight][group]))
            total += (2.0 * penalty) * value
        gradient.append(total if math.isfinite(total) else 0.0)
    return loss, gradient


def _learned(objective: str) -> Objective:
    return OBJECTIVES[OBJECTIVES[objective].surrogate or objective]


def _squares(values: Sequence[float]) -> float:
    total = 0.0
    for value in values:
        total += value * value
    return total


def _node_values(graph: WeightedNetwork, values: Sequence[float], rows: Array) -> list[Any]:
    """The value of every node: an array over the rows, or of one number."""
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


def _seed(
    graph: WeightedNetwork, learned: Objective, outputs: Array, targets: Targets
) -> list[tuple[int, Array]]:
    """Where the slopes of the objective begin, in the order of the outputs."""
    network = graph.network
    positions, by = network.outputs, targets.row_weights
    if learned.logistic and network.softmax:
        seeds = outputs - targets.values
    elif learned.logistic and len(positions) == 1 and _is_sigmoid(graph):
        (argument,) = _arguments(graph, positions[0])
        return [(argument, weighed(outputs[:, 0] - targets.values[:, 0], by))]
    else:
        seeds = learned.seeds(outputs, targets)
        if network.softmax:
            total = seeds[:, 0] * outputs[:, 0]
            for column in range(1, len(positions)):
                total = total + seeds[:, column] * outputs[:, column]
            seeds = outputs * (seeds - total[:, None])
    seeds = weighed(seeds, by)
    return [(position, seeds[:, column]) for column, position in enumerate(positions)]


def _is_sigmoid(graph: WeightedNetwork) -> bool:
    node = graph.network.nodes[graph.network.outputs[0]]
    return isinstance(node, Apply) and node.function == "sig"


def _arguments(graph: WeightedNetwork, position: int) -> tuple[int, ...]:
    node = graph.network.nodes[position]
    assert isinstance(node, Apply)
    return node.arguments


def _weight_slopes(
    graph: WeightedNetwork, values: list[Any], seeds: list[tuple[int, Array]]
) -> dict[int, Array]:
    """For each weight that is not frozen, what the seeds come to at it, row by row."""
    nodes = graph.network.nodes
    active = _active(graph)
    adjoints: dict[int, Array] = {}

    def add(position: int, slope: Array) -> None:
        if active[position]:
            found = adjoints.get(position)
            adjoints[position] = slope if found is None else found + slope

    for position, seed in reversed(seeds):
        add(position, seed)
    for position in range(len(nodes) - 1, -1, -1):
        node = nodes[position]
        if isinstance(node, Apply) and position in adjoints:
            arguments = [values[a] for a in node.arguments]
            slopes = _slopes(node.function, adjoints.pop(position), arguments, values[position])
            for argument, slope in reversed([*zip(node.arguments, slopes, strict=True)]):
                add(argument, slope)
    found = {}
    for position, slope in adjoints.items():  # only weights are left
        node = nodes[position]
        assert isinstance(node, Input)
        found[node.column - graph.features] = slope
    return found


def _active(graph: WeightedNetwork) -> list[bool]:
    """Whether each node depends on a weight."""
    active: list[bool] = []
    for node in graph.network.nodes:
        if isinstance(node, Apply):
            active.append(any(active[a] for a in node.arguments))
        else:
            active.append(not isinstance(node, Constant) and node.column >= graph.features)
    return active


def _slopes(function: str, adjoint: Array, arguments: list[Any], result: Any) -> list[Array]:
    """What comes to each argument of what has come to the result."""
    match function, arguments:
        case "add", _:
            return [adjoint, adjoint]
        case "sub", _:
            return [adjoint, -adjoint]
        case "mul", (a, b):
            return [adjoint * b, adjoint * a]
        case _:
            return [
                adjoint * getattr(vector, symbol)(*arguments, result)
                for symbol in DERIVATIVES[function]
            ]
