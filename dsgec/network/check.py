"""What can be wrong with a Network; a fault here is a bug of ours, never a user's mistake."""

import math
from typing import assert_never

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.network.ir import OPERATORS, Apply, Constant, Input, Network, Node
from dsgec.network.powers import integer_exponent

ARITY: dict[str, int] = dict.fromkeys(OPERATORS, 2) | {
    name: function.arity for name, function in ALL_FUNCTIONS.items() if function.arity is not None
}


class InvalidNetwork(Exception):
    """A Network that breaks the rules of its form."""


def check(network: Network) -> Network:
    """The network itself, if it is well formed."""
    seen: set[object] = set()
    for position, node in enumerate(network.nodes):
        match node:
            case Constant(value):
                _expect(math.isfinite(value), f"node {position}: {value} is not finite")
                seen.add(value.hex())
            case Input(column):
                _expect(0 <= column < network.inputs, f"node {position}: no column {column}")
                seen.add(node)
            case Apply(function, arguments):
                _expect(function in ARITY, f"node {position}: no function {function}")
                _expect(ARITY[function] == len(arguments), f"node {position}: arity of {function}")
                _expect(
                    all(0 <= argument < position for argument in arguments),
                    f"node {position}: reads a node that does not stand before it",
                )
                _expect(
                    function != "pow" or _is_exponent(network.nodes[arguments[1]]),
                    f"node {position}: the exponent is not a whole number",
                )
                seen.add(node)
            case _:
                assert_never(node)
    _expect(len(seen) == len(network.nodes), "two nodes are equal")
    _expect(bool(network.outputs), "no output")
    named = [position for layer in network.layers for position in layer]
    _expect(
        all(0 <= position < len(network.nodes) for position in (*named, *network.outputs)),
        "a neuron or an output is not a node",
    )
    return network


def _is_exponent(node: Node) -> bool:
    return isinstance(node, Constant) and integer_exponent(node.value) is not None


def _expect(holds: bool, fault: str) -> None:
    if not holds:
        raise InvalidNetwork(fault)
