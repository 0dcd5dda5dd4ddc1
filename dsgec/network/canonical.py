"""Network to the same Network with only what its outputs need, in one order."""

from dsgec.network.ir import Apply, Builder, Constant, Input, Network


def canonical(network: Network) -> Network:
    """The network without dead nodes, numbered as a reader of its text meets them.

    A neuron that is no longer a function (it became a number or a feature), that nothing reads or
    that equals another one is no neuron any more; a layer without neurons is no layer.
    """
    live = _needed(network)
    seen: set[int] = set()
    layers = []
    for layer in network.layers:
        kept = []
        for position in layer:
            if position in live and position not in seen:
                seen.add(position)
                if isinstance(network.nodes[position], Apply):
                    kept.append(position)
        if kept:
            layers.append(kept)
    order = _Order(network)
    new_layers = tuple(tuple(order.place(position) for position in layer) for layer in layers)
    outputs = tuple(order.place(position) for position in network.outputs)
    nodes = tuple(order.builder.nodes)
    return Network(network.inputs, nodes, new_layers, outputs, network.softmax)


def _needed(network: Network) -> set[int]:
    needed = set(network.outputs)
    # Arguments stand before their node, so one pass from the end finds all.
    for position in range(len(network.nodes) - 1, -1, -1):
        node = network.nodes[position]
        if position in needed and isinstance(node, Apply):
            needed.update(node.arguments)
    return needed


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
                arguments = tuple(self.placed[a] for a in node.arguments)
                self.placed[top] = self.builder.apply(node.function, arguments)
            elif isinstance(node, Constant):
                self.placed[top] = self.builder.constant(node.value)
            elif isinstance(node, Input):
                self.placed[top] = self.builder.input(node.column)
            todo.pop()
        return self.placed[position]
