"""Simplify a Network so that its outputs stay the same, bit for bit.

Constants are folded with the run-time arithmetic. The only identities used are those that hold for
every number, signed zeros included: `x + 0` is not one of them (it turns -0 into 0), `x - 0` is.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from dsgec.arithmetic import scalar
from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.network.ir import Apply, Builder, Constant, Input, Network, power


def simplify(network: Network) -> Network:
    """Return the network with dead nodes removed, constants folded and equal nodes shared."""
    return canonicalise(fold_constants(network))


def fold_constants(network: Network) -> Network:
    """Fold constants and share equal nodes; every neuron keeps its place in its layer."""
    builder = Builder()
    new: list[int] = []
    for node in network.nodes:
        if isinstance(node, Apply):
            new.append(_apply(builder, node.function, tuple([new[a] for a in node.arguments])))
        elif isinstance(node, Input):
            new.append(builder.input(node.column))
        else:
            new.append(builder.constant(node.value))
    return renumber(network, builder, new)


def renumber(network: Network, builder: Builder, new: list[int]) -> Network:
    """Return the network with the nodes of a builder; `new` has the position of each old node."""
    layers = tuple(tuple(new[p] for p in layer) for layer in network.layers)
    outputs = tuple(new[p] for p in network.outputs)
    return replace(network, nodes=tuple(builder.nodes), layers=layers, outputs=outputs)


def _apply(builder: Builder, function: str, arguments: tuple[int, ...]) -> int:
    values = [builder.number(a) for a in arguments]
    numbers = [value for value in values if value is not None]
    if len(numbers) == len(values):
        folded = apply_function(function, *numbers)
        if math.isfinite(folded):
            return builder.constant(folded)
    elif function == "if":
        condition, (_, yes, no) = values[0], arguments
        if yes == no:
            return yes
        if condition is not None:
            return yes if condition > 0 else no
    elif numbers and len(values) == 2:
        place = _place_of_result(function, values)
        if place is not None:
            return arguments[place]
        if function == "pow" and values[1] == 0.0:
            return builder.constant(1.0)
    elif function == "neg":
        inner = builder.nodes[arguments[0]]
        if isinstance(inner, Apply) and inner.function == "neg":
            return inner.arguments[0]
    return builder.apply(function, arguments)


def _place_of_result(function: str, values: Sequence[float | None]) -> int | None:
    """Return the place of the argument that is the result if the other one is neutral, or None."""
    match function, *values:
        case ("mul", 1.0, _):
            return 1
        case ("mul" | "div" | "pow", _, 1.0):
            return 0
        case ("sub", _, 0.0 as right) if not _is_negative(right):
            return 0
        case ("add", _, 0.0 as right) if _is_negative(right):
            return 0
        case ("add", 0.0 as left, _) if _is_negative(left):
            return 1
        case _:
            return None


def _is_negative(value: float) -> bool:
    return math.copysign(1.0, value) < 0


def apply_function(function: str, *values: float) -> float:
    """Apply one function to numbers, with the run-time arithmetic."""
    match function, values:
        case "add", (a, b):
            return a + b
        case "sub", (a, b):
            return a - b
        case "mul", (a, b):
            return a * b
        case "pow", (a, b):
            raised: float = power(a, int(b), scalar.div)
            return raised
        case _:
            result: float = ALL_FUNCTIONS[function].compute(*values)
            return result


# --- one order of nodes ------------------------------------------------------------------------


def canonicalise(network: Network) -> Network:
    """Return the network without dead nodes, numbered as a reader of its text meets them.

    A neuron that is no longer a function (it became a number or a feature), that nothing reads or
    that equals another one is not a neuron any more; a layer without neurons is not a layer.
    """
    order = _Order(network)
    layers = tuple(
        tuple(
            order.place(position) for position, fate in zip(layer, fates, strict=True) if not fate
        )
        for layer, fates in zip(network.layers, neuron_fates(network), strict=True)
        if "" in fates
    )
    outputs = tuple(order.place(position) for position in network.outputs)
    return replace(network, nodes=tuple(order.builder.nodes), layers=layers, outputs=outputs)


def neuron_fates(network: Network) -> list[list[str]]:
    """Return why each neuron of each layer is not a neuron any more; "" for one that stays."""
    live = _live_nodes(network)
    seen: set[int] = set()

    def fate(position: int) -> str:
        if position not in live:
            return "nothing reads it"
        if not isinstance(network.nodes[position], Apply):
            return "it is a number or a feature"
        if position in seen:
            return "it equals another neuron"
        seen.add(position)
        return ""

    return [[fate(position) for position in layer] for layer in network.layers]


def _live_nodes(network: Network) -> set[int]:
    found = set(network.outputs)
    # Arguments stand before their node, so one pass from the end finds all.
    for position in range(len(network.nodes) - 1, -1, -1):
        node = network.nodes[position]
        if position in found and isinstance(node, Apply):
            found.update(node.arguments)
    return found


class _Order:
    """The new positions of nodes, in the order in which they are asked for."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.builder = Builder()
        self.placed: dict[int, int] = {}

    def place(self, position: int) -> int:
        """Return the new position of a node, after its arguments from left to right."""
        todo = [position]
        while todo:
            top = todo[-1]
            if top in self.placed:
                todo.pop()
                continue
            node = self.network.nodes[top]
            if isinstance(node, Apply):
                missing = [a for a in node.arguments if a not in self.placed]
                if missing:
                    todo += reversed(missing)
                    continue
                arguments = tuple([self.placed[a] for a in node.arguments])
                self.placed[top] = self.builder.apply(node.function, arguments)
            elif isinstance(node, Constant):
                self.placed[top] = self.builder.constant(node.value)
            else:
                self.placed[top] = self.builder.input(node.column)
            todo.pop()
        return self.placed[position]
