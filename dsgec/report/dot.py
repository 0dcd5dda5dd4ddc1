"""A network in the language of Graphviz: layers as ranks, weights on the edges."""

from dataclasses import dataclass

from dsgec.network.ir import Input
from dsgec.network.model import Model
from dsgec.network.structure import Link, find_links, neuron_parts, output_parts
from dsgec.rendering import render
from dsgec.report.format import shorten
from dsgec.report.network_drawing import named_nodes

_LONGEST_LABEL = 30


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A feature, a neuron or an output; `name` is ours, `label` may be the user's text."""

    name: str
    kind: str
    label: str
    formula: str


@dataclass(frozen=True, slots=True)
class Rank:
    """Nodes in one column; `kind` is Graphviz's word for its place."""

    kind: str
    dots: tuple[GraphNode, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection; `sign` is plus, minus or unknown."""

    source: str
    target: str
    sign: str
    label: str
    width: float
    title: str


def network_dot(model: Model) -> str:
    """Return the network of a model as text for `dot`."""
    network = model.network
    ranks: dict[str, list[GraphNode]] = {}
    names: dict[int, str] = {}
    labels: dict[int, str] = {}
    ends = 0
    for node in named_nodes(model):
        position, function = node.position, ""
        if node.kind == "output":
            function = "softmax" if network.softmax else output_parts(network, ends).function
            ends += 1
            rank, name = "sink", f"y_{ends}"
        elif position in names:  # a neuron of an earlier layer, or a feature
            continue
        elif node.kind == "feature":
            rank, name = "source", f"x{_column(model, position)}"
        else:
            rank, name = node.name.rpartition("_")[0], node.name
            function = neuron_parts(network, position).function
        if node.kind != "output":
            names[position], labels[position] = name, node.name
        label = shorten(node.name, _LONGEST_LABEL) + (f": {function}" if function else "")
        ranks.setdefault(rank, []).append(
            GraphNode(name, node.kind, label, node.formula or node.name)
        )
    found = find_links(network)
    largest = max((abs(link.weight) for link in found if link.weight is not None), default=1.0)
    edges = [_edge(link, names, labels, largest or 1.0) for link in found]
    kinds = [
        Rank(rank if rank in ("source", "sink") else "same", tuple(dots))
        for rank, dots in ranks.items()
    ]
    return render("dot/network.dot.j2", ranks=kinds, edges=edges)


def _column(model: Model, position: int) -> int:
    """Return the number of a feature, counted from 1 as in formulas."""
    node = model.network.nodes[position]
    assert isinstance(node, Input)
    return node.column + 1


def _edge(link: Link, names: dict[int, str], labels: dict[int, str], largest: float) -> Edge:
    source, label = names[link.source], labels[link.source]
    target = f"y_{link.target + 1}" if link.output else names[link.target]
    if link.weight is None:
        return Edge(source, target, "unknown", "", 1.0, label)
    sign = "minus" if link.weight < 0 else "plus"
    width = round(0.6 + 3.4 * (abs(link.weight) / largest), 2)
    return Edge(source, target, sign, f"{link.weight:g}", width, f"{link.weight:g} × {label}")
