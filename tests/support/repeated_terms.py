"""The networks of phenotypes, and how many terms of their sums repeat a source."""

from dsgec.network.ir import Apply, Constant, Input
from dsgec.network.parse import parse_phenotype
from dsgec.network.simplify import simplify


def parse_network(text, tables, inputs=3):
    """Return the network of a phenotype of this grammar."""
    return parse_phenotype(text, layered=tables.layer >= 0, output="", inputs=inputs)


def count_repeated_terms(network):
    """Return how many terms of sums have the source of another, found in the network itself."""
    network = simplify(network)
    nodes, count = network.nodes, 0
    is_sum = [isinstance(n, Apply) and n.function in ("add", "sub") for n in nodes]
    inner = {a for n, own in zip(nodes, is_sum, strict=True) if own for a in n.arguments}
    inner -= {position for layer in network.layers for position in layer}
    for position in range(len(nodes)):
        if not is_sum[position] or position in inner:
            continue
        todo, sources = [position], []
        while todo:
            at = todo.pop()
            node = nodes[at]
            if is_sum[at]:
                todo += node.arguments
            elif isinstance(node, Constant):
                sources.append("a number")
            elif isinstance(node, Input):
                sources.append(node.column)
            elif node.function == "mul":
                others = [nodes[a] for a in node.arguments if not isinstance(nodes[a], Constant)]
                places = [a for a in node.arguments if not isinstance(nodes[a], Constant)]
                is_term = len(others) == 1
                if is_term and isinstance(others[0], Input):
                    sources.append(others[0].column)
                elif is_term and any(places[0] in layer for layer in network.layers):
                    sources.append(("neuron", places[0]))
        count += len(sources) - len({*sources})
    return count
