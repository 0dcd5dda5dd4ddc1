"""Network to the same Network with only what its outputs need, in one order."""

from dsgec.network.ir import Apply, Builder, Constant, Input, Network


def canonical(network: Network) -> Network:
    """The network without dead nodes, numbered as a reader of its text meets them.

    A neuron that is no longer a function (it became a number or a feature), that nothing reads or
    that equals another one is not a neuron any more; a layer without neurons is not a layer.
    """
    order = _Order(network)
    new_layers = tuple(
        tuple(
            order.place(position) for position, fate in zip(layer, fates, strict=True) if not fate
        )
        for layer, fates in zip(network.layers, neuron_fates(network), strict=True)
        if "" in fates
    )
    outputs = tuple(order.place(position) for position in network.outputs)
    nodes = tuple(order.builder.nodes)
    return Network(network.inputs, nodes, new_layers, outputs, network.softmax)


def neuron_fates(network: Network) -> list[list[str]]:
    """For each neuron of each layer why it is not a neuron any more; "" of one that stays."""
    live = _needed(network)
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


def _needed(network: Network) -> set[int]:
    found = set(network.outputs)
    # Arguments stand before their node, so one pass from the end finds all.
    for position in range(len(network.nodes) - 1, -1, -1):
        node = network.nodes[position]
        if position in found and isinstance(node, Apply):
            found.update(node.arguments)
    return found


class _Order:
    def __init__(self, network: Network) -> None:
        self.network = network
        self.builder = Builder()
        self.placed: dict[int, int] = {}

    def place(self, position: int) -> int:
        """The new position of a node, after its arguments from left to right."""
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
            elif isinstance(node, Input):
                self.placed[top] = self.builder.input(node.column)
            todo.pop()
        return self.placed[position]
