"""Model to a graph in the language of Graphviz: layers as ranks, weights on the edges."""

from dataclasses import dataclass

from dsgec.codegen.environment import render
from dsgec.drawing.labels import node_labels, output_label
from dsgec.drawing.width import shorten
from dsgec.network.ir import Input
from dsgec.network.links import Link, links, neuron_parts, output_parts
from dsgec.network.model import Model
from dsgec.network.text import expression

_LONGEST_LABEL = 30


@dataclass(frozen=True, slots=True)
class Dot:
    """A feature, a neuron or an output; `name` is ours, `label` may be the user's."""

    name: str
    kind: str
    label: str
    formula: str


@dataclass(frozen=True, slots=True)
class Rank:
    """Dots that stand in one column; `kind` is Graphviz's word for where."""

    kind: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection; `sign` is plus, minus or unknown."""

    source: str
    target: str
    sign: str
    label: str
    width: float
    title: str


def graph(model: Model) -> str:
    """The network as text for `dot`."""
    network = model.network
    labels = node_labels(model)
    features = [p for p, node in enumerate(network.nodes) if isinstance(node, Input)]
    names = {p: f"x{_column(model, p)}" for p in features}
    ranks = [
        Rank(
            "source",
            tuple(Dot(names[p], "feature", _short(labels[p]), labels[p]) for p in features),
        )
    ]
    for number, layer in enumerate(network.layers, 1):
        dots = []
        for index, position in enumerate(layer, 1):
            if position in names:  # a neuron of an earlier layer, or a feature
                continue
            names[position] = f"h_{number}_{index}"
            function = neuron_parts(network, position).function
            others = {p: name for p, name in labels.items() if p != position}
            formula = expression(network, position, others)
            dots.append(Dot(names[position], "neuron", _with(labels[position], function), formula))
        ranks.append(Rank("same", tuple(dots)))
    ends = []
    for index, position in enumerate(network.outputs):
        function = "softmax" if network.softmax else output_parts(network, index).function
        label = _with(_short(output_label(model, index)), function)
        formula = expression(network, position, labels)
        ends.append(Dot(f"y_{index + 1}", "output", label, formula))
    ranks.append(Rank("sink", tuple(ends)))
    found = links(network)
    largest = max((abs(link.weight) for link in found if link.weight is not None), default=1.0)
    edges = [_edge(link, names, labels, largest or 1.0) for link in found]
    return render("dot/network.dot.j2", ranks=[rank for rank in ranks if rank.dots], edges=edges)


def _column(model: Model, position: int) -> int:
    """The number of a feature, from 1, as the formulas have it."""
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


def _with(label: str, function: str) -> str:
    return f"{label}: {function}" if function else label


def _short(label: str) -> str:
    return shorten(label, _LONGEST_LABEL)
