"""Network to the figures people compare networks by."""

from dataclasses import dataclass

from dsgec.network.ir import ACTIVATIONS, Apply, Input, Network
from dsgec.network.layered import cut
from dsgec.network.tokens import TOKEN, function_called


@dataclass(frozen=True, slots=True)
class Size:
    """What the outputs depend on: dead neurons do not count."""

    layers: int
    neurons: int
    features: int
    connections: int


def size(network: Network) -> Size:
    """The size of a simplified network.

    A connection is one mention of a feature or of a hidden neuron in the formula of a neuron or of
    an output.
    """
    neurons = {position for layer in network.layers for position in layer}
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


def written(phenotype: str, *, layered: bool) -> int:
    """The connections of a phenotype that is a network, as its text has them.

    That is before simplification, but for neurons that no output depends on. In a lone expression
    an activation is a neuron, and mentioned where it stands.
    """
    *hidden, last = cut(phenotype) if layered else [[(0, len(phenotype))]]
    # The output is read by whoever asks; a neuron, by what was found to be needed before it.
    needed = {(len(hidden) + 1, number) for number in range(1, len(last) + 1)}
    total = 0
    for number, layer in reversed(list(enumerate([*hidden, last], 1))):
        for neuron, (start, end) in enumerate(layer, 1):
            if (number, neuron) in needed:
                count, neurons = _mentions_in(phenotype[start:end], activations=not layered)
                total += count
                needed |= neurons
    return total


def _mentions_in(text: str, *, activations: bool) -> tuple[int, set[tuple[int, int]]]:
    """How many features and neurons an expression mentions, and which neurons by their names."""
    count, neurons = 0, set()
    for token in TOKEN.finditer(text):
        if token["layer"]:
            neurons.add((int(token["layer"]), int(token["neuron"])))
        elif token["name"]:
            count += activations and function_called(token["name"]) in ACTIVATIONS
            continue
        elif not (token["feature"] or token["column"]):
            continue
        count += 1
    return count, neurons
