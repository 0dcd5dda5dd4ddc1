"""A Network, or a text, that gives a scaled target to one that gives it in its own units."""

import sys
from dataclasses import replace

from dsgec.network.ir import Apply, Constant, Network, Node
from dsgec.network.layered import cut

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


def line_text(phenotype: str, intercept: float, slope: float, *, layered: bool) -> str:
    """The text of intercept + slope * its output; that is a number where the slope is 0."""
    start = cut(phenotype)[-1][-1][0] if layered else 0
    output = phenotype[start:]
    line = f"({_numeral(intercept)})"
    if slope != 0.0:
        line += f"+({_numeral(slope)})*({output})"
    return phenotype[:start] + line


def _numeral(value: float) -> str:
    """One that can be read, even where units make the value too large."""
    most = sys.float_info.max
    return repr(min(max(value, -most), most))
