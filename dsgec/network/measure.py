"""Network to the figures people compare networks by."""

from dataclasses import dataclass

from dsgec.network.ir import Apply, Input, Network


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
