"""A Network that gives a scaled target to one that gives the target in its own units."""

from dataclasses import replace

from dsgec.network.ir import Apply, Constant, Network, Node

TargetScale = tuple[float, float]
"""The mean and the deviation of a target that is learned as (value - mean) / deviation."""


def in_own_units(network: Network, scale: TargetScale | None) -> Network:
    """The network with outputs mean + deviation * output, to be simplified; without a scale, as is.

    Its nodes stand where they stood. The softmax of a lone output is 1, whatever that is.
    """
    if scale is None:
        return network
    mean, deviation = scale
    nodes: list[Node] = [*network.nodes, Constant(mean), Constant(deviation), Constant(1.0)]
    first = len(network.nodes)
    outputs = []
    for position in network.outputs:
        scaled = Apply("mul", (first + 1, first + 2 if network.softmax else position))
        nodes += [scaled, Apply("add", (first, len(nodes)))]
        outputs.append(len(nodes) - 1)
    return replace(network, nodes=tuple(nodes), outputs=tuple(outputs), softmax=False)
