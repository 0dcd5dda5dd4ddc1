"""Network to the lines between its neurons, with their weights where a neuron is a weighted sum."""

import math
from dataclasses import dataclass

from dsgec.network.ir import Apply, Constant, Input, Network


@dataclass(frozen=True, slots=True)
class Link:
    """From a feature or a neuron, by its position, to a neuron or, if `output`, a numbered output.

    `weight` is the factor before the source; None where the source goes into something else than
    a sum of products, or no number can hold it. The same source can be linked more than once.
    """

    source: int
    target: int
    weight: float | None
    output: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """What a neuron or an output is made of.

    `function` is what its sum goes through, "" if nothing; `sources` are positions with their
    weights, as in a Link; `bias` is what the numbers in the sum come to, None if there are none.
    """

    function: str
    sources: tuple[tuple[int, float | None], ...]
    bias: float | None


def links(network: Network) -> list[Link]:
    """Every mention of a feature or neuron in a neuron or an output, in the order of the text."""
    neurons = _neurons(network)
    known = set(neurons)
    found = []
    for position in neurons:
        for source, weight in _parts(network, position, known, itself=True).sources:
            found.append(Link(source, position, weight))
    for number, position in enumerate(network.outputs):
        for source, weight in _parts(network, position, known).sources:
            found.append(Link(source, number, weight, output=True))
    return found


def neuron_parts(network: Network, position: int) -> Parts:
    """What the neuron at a position is made of."""
    return _parts(network, position, set(_neurons(network)), itself=True)


def output_parts(network: Network, number: int) -> Parts:
    """What an output is made of; one that is a neuron is made of that neuron."""
    return _parts(network, network.outputs[number], set(_neurons(network)))


def _neurons(network: Network) -> list[int]:
    return [position for layer in network.layers for position in layer]


def _parts(network: Network, position: int, neurons: set[int], *, itself: bool = False) -> Parts:
    """What a node is made of; of a neuron, what it is `itself` made of."""
    body = network.nodes[position]
    own = position if itself else -1
    function = ""
    if (
        (itself or position not in neurons)
        and isinstance(body, Apply)
        and len(body.arguments) == 1
        and body.function != "neg"  # a sign, which belongs to the weights
    ):
        function, position = body.function, body.arguments[0]  # what goes into the activation
    found = []
    bias: float | None = None
    todo: list[tuple[int, float | None]] = [(position, 1.0)]
    while todo:
        position, weight = todo.pop()
        node = network.nodes[position]
        if isinstance(node, Input) or (position in neurons and position != own):
            known = weight is not None and math.isfinite(weight)
            found.append((position, weight if known else None))
        elif isinstance(node, Apply):
            todo += reversed(_inside(network, node, weight))
        elif weight is not None:
            bias = (bias or 0.0) + weight * node.value
    return Parts(function, tuple(found), bias)


def _inside(network: Network, node: Apply, weight: float | None) -> list[tuple[int, float | None]]:
    """The arguments of a node with what they are multiplied by on the way up."""
    if weight is not None:
        if node.function == "add":
            return [(a, weight) for a in node.arguments]
        if node.function == "sub":
            return [(node.arguments[0], weight), (node.arguments[1], -weight)]
        if node.function == "neg":
            return [(node.arguments[0], -weight)]
        if node.function == "mul":
            for factor, other in (node.arguments, node.arguments[::-1]):
                constant = network.nodes[factor]
                if isinstance(constant, Constant):
                    return [(other, weight * constant.value)]
    return [(a, None) for a in node.arguments]
