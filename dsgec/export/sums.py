"""Find the sums of a network and their terms, in the order in which they are added."""

from dsgec.network.ir import Apply, Constant, Network

ONE = -1
"""Stands for a 1, which a constant in a sum multiplies."""

Terms = tuple[tuple[float, int], ...]
"""The terms of a sum: weights, and the nodes that they multiply."""


def network_sums(network: Network) -> dict[int, Terms]:
    """Return the terms of each sum, from left to right, except for sums inside another sum."""
    uses = [0] * len(network.nodes)
    for node in network.nodes:
        if isinstance(node, Apply):
            for argument in node.arguments:
                uses[argument] += 1
    for position in network.outputs:
        uses[position] += 1
    found: dict[int, Terms] = {}
    part: set[int] = set()
    for position in range(len(network.nodes) - 1, -1, -1):
        if position in part or not _is_sum(network, position):
            continue
        terms: list[tuple[float, int]] = []
        left = position
        while _is_sum(network, left) and (left == position or uses[left] == 1):
            node = network.nodes[left]
            assert isinstance(node, Apply)
            part.add(left)
            weight, source = term_of(network, node.arguments[1])
            # a - w x is a + (-w) x to the last bit.
            terms.append((-weight if node.function == "sub" else weight, source))
            left = node.arguments[0]
        terms.append(term_of(network, left))
        found[position] = tuple(reversed(terms))
    return dict(sorted(found.items()))


def _is_sum(network: Network, position: int) -> bool:
    node = network.nodes[position]
    return isinstance(node, Apply) and node.function in ("add", "sub")


def term_of(network: Network, position: int) -> tuple[float, int]:
    """Return a node as a weight and what it multiplies: x is 1 x, and c is c 1, to the last bit."""
    node = network.nodes[position]
    if isinstance(node, Constant):
        return node.value, ONE
    if isinstance(node, Apply) and node.function == "mul":
        for weight, source in (node.arguments, node.arguments[::-1]):
            number = network.nodes[weight]
            if isinstance(number, Constant):
                return number.value, source
    return 1.0, position


def inner_nodes(network: Network, sums: dict[int, Terms]) -> set[int]:
    """Return the nodes that need no step, because a sum computes them."""
    needed = set(network.outputs)
    for position in range(len(network.nodes) - 1, -1, -1):
        node = network.nodes[position]
        if position in needed and isinstance(node, Apply):
            if position in sums:
                needed.update(source for _, source in sums[position])
            else:
                needed.update(node.arguments)
    return set(range(len(network.nodes))) - needed
