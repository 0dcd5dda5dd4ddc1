"""The size of a network, and the weighted links between its features, neurons and outputs."""

import math
from dataclasses import dataclass

from dsgec.network.ir import ACTIVATIONS, Apply, Constant, Input, Network
from dsgec.network.syntax import TOKEN, resolve_function, split_layers


@dataclass(frozen=True, slots=True)
class Size:
    """The numbers of parts that the outputs depend on: dead neurons do not count."""

    layers: int
    neurons: int
    features: int
    connections: int


def measure_size(network: Network) -> Size:
    """Return the size of a simplified network.

    A connection is one mention of a feature or of a hidden neuron in the formula of a neuron or of
    an output.
    """
    neurons = {*_neurons(network)}
    mentions: list[int] = []  # of features and neurons below a node, up to the next neuron
    connections = 0
    for position, node in enumerate(network.nodes):
        inside = 1 if isinstance(node, Input) else 0
        if isinstance(node, Apply):
            inside = sum(mentions[a] for a in node.arguments)
        if position in neurons:
            connections += inside
            inside = 1
        mentions.append(inside)
    connections += sum(mentions[position] for position in network.outputs)
    features = sum(isinstance(node, Input) for node in network.nodes)
    return Size(len(network.layers), len(neurons), features, connections)


def count_connections(phenotype: str, *, layered: bool) -> int:
    """Return the number of connections of a phenotype that is a network, before simplification.

    Neurons that no output depends on do not count. In a lone expression an activation is a neuron,
    and mentioned where it stands.
    """
    *hidden, last = split_layers(phenotype) if layered else [[(0, len(phenotype))]]
    # All outputs are needed; a neuron is, if a needed one after it mentions it.
    needed = {(len(hidden) + 1, number) for number in range(1, len(last) + 1)}
    total = 0
    for number, layer in reversed(list(enumerate([*hidden, last], 1))):
        for neuron, (start, end) in enumerate(layer, 1):
            if (number, neuron) in needed:
                count, neurons = _mentions_in(phenotype[start:end], activations=not layered)
                total += count
                needed |= neurons
    return total


def _mentions_in(expression: str, *, activations: bool) -> tuple[int, set[tuple[int, int]]]:
    """Return how many features and neurons an expression mentions, and the neurons' names."""
    count, neurons = 0, set()
    for token in TOKEN.finditer(expression):
        if token["layer"]:
            neurons.add((int(token["layer"]), int(token["neuron"])))
        elif token["name"]:
            count += activations and resolve_function(token["name"]) in ACTIVATIONS
            continue
        elif not (token["feature"] or token["column"]):
            continue
        count += 1
    return count, neurons


# --- links -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Link:
    """A line from a feature or neuron, by its position, to a neuron or, if `output`, an output.

    `weight` is the factor before the source; None if the source goes into something else than a
    sum of products, or if the factor is not finite. The same source can be linked more than once.
    An output is given by its number.
    """

    source: int
    target: int
    weight: float | None
    output: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a neuron or an output: an activation function of a weighted sum.

    `function` is "" if there is none; `sources` are positions with their weights, as in a Link;
    `bias` is the sum of the constants in the sum, None if there are none.
    """

    function: str
    sources: tuple[tuple[int, float | None], ...]
    bias: float | None


def find_links(network: Network) -> list[Link]:
    """Return a link for every mention of a feature or neuron, in the order of the text."""
    neurons = {*_neurons(network)}
    found = []
    for position in _neurons(network):
        for source, weight in _parts(network, position, neurons, itself=True).sources:
            found.append(Link(source, position, weight))
    for number, position in enumerate(network.outputs):
        for source, weight in _parts(network, position, neurons).sources:
            found.append(Link(source, number, weight, output=True))
    return found


def neuron_parts(network: Network, position: int) -> Parts:
    """Return the parts of the neuron at a position."""
    return _parts(network, position, {*_neurons(network)}, itself=True)


def output_parts(network: Network, number: int) -> Parts:
    """Return the parts of an output; if it is a neuron, the neuron is its only source."""
    return _parts(network, network.outputs[number], {*_neurons(network)})


def _neurons(network: Network) -> list[int]:
    return [position for layer in network.layers for position in layer]


def _parts(network: Network, position: int, neurons: set[int], *, itself: bool = False) -> Parts:
    """Return the parts of a node; with `itself`, look into it though it is a neuron."""
    own = position if itself else -1
    function = ""
    if itself or position not in neurons:
        match network.nodes[position]:
            # A negation is a sign, which belongs to the weights.
            case Apply(name, (argument,)) if name != "neg":
                function, position = name, argument
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
            todo += reversed(_weighted_arguments(network, node, weight))
        elif weight is not None:
            bias = (bias or 0.0) + weight * node.value
    return Parts(function, tuple(found), bias)


def _weighted_arguments(
    network: Network, node: Apply, weight: float | None
) -> list[tuple[int, float | None]]:
    """Return the arguments of a node, each with its weight in the sum that the node is part of."""
    if weight is not None:
        match node.function, node.arguments:
            case "add", (left, right):
                return [(left, weight), (right, weight)]
            case "sub", (left, right):
                return [(left, weight), (right, -weight)]
            case "neg", (argument,):
                return [(argument, -weight)]
            case "mul", (left, right):
                for factor, other in ((left, right), (right, left)):
                    constant = network.nodes[factor]
                    if isinstance(constant, Constant):
                        return [(other, weight * constant.value)]
    return [(a, None) for a in node.arguments]
