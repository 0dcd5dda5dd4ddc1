"""A model to the drawing of its network: columns of dots, and the lines between them."""

from collections import defaultdict
from dataclasses import dataclass

from dsgec.arithmetic.sums import total
from dsgec.drawing.scales import short
from dsgec.network.ir import Input, Network
from dsgec.network.links import links
from dsgec.network.model import Model
from dsgec.network.text import expression
from dsgec.report.figures import shortened
from dsgec.report.written import Dropped, Written

MOST_FEATURES, MOST_DOTS, MOST_DEAD, MOST_WIRES = 40, 20, 6, 400
_LEFT, _RIGHT, _TOP, _LOWEST = 244.0, 168.0, 46.0, 22.0
_FEATURE_ROW, _NEURON_ROW, _DEAD_ROW = 25.0, 66.0, 24.0
_LONGEST_NAME, _LONGEST_TITLE = 24, 400


@dataclass(frozen=True, slots=True)
class Dot:
    """A feature, a neuron, an output, or a dead neuron; `trace` numbers its value in the script."""

    x: float
    y: float
    kind: str
    name: str
    label: str
    formula: str
    trace: int = -1
    why: str = ""


@dataclass(frozen=True, slots=True)
class Wire:
    """A connection; `sign` is plus, minus or unknown. The ends are numbers in the trace."""

    path: str
    width: float
    sign: str
    start: int
    end: int
    title: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """What the template prints; `notes` say what is left out."""

    width: float
    height: float
    headings: tuple[tuple[float, str], ...]
    dots: tuple[Dot, ...]
    wires: tuple[Wire, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A node that people know by a name; `trace` numbers its value in the script."""

    position: int
    kind: str
    name: str
    formula: str
    trace: int


def traced(model: Model) -> Network:
    """The network with the value of every feature and neuron as outputs before its own."""
    network = model.network
    neurons = [p for layer in network.layers for p in layer]
    wanted = (*input_positions(network), *neurons, *network.outputs)
    return Network(network.inputs, network.nodes, network.layers, wanted, softmax=False)


def input_positions(network: Network) -> list[int]:
    """The features that are read, in the order of the table."""
    found = [(n.column, p) for p, n in enumerate(network.nodes) if isinstance(n, Input)]
    return [position for _, position in sorted(found)]


def named_nodes(model: Model) -> list[Named]:
    """Features, neurons and outputs, in the order of the trace."""
    network = model.network
    names: dict[int, str] = {}
    found: list[Named] = []
    for position in input_positions(network):
        node = network.nodes[position]
        assert isinstance(node, Input)
        names[position] = model.features[node.column]
        found.append(Named(position, "feature", names[position], "", len(found)))
    for number, layer in enumerate(network.layers, 1):
        for index, position in enumerate(layer, 1):
            formula = expression(network, position, names)
            name = f"h_{number}_{index}"
            found.append(Named(position, "neuron", name, formula, len(found)))
        names |= {p: f"h_{number}_{index}" for index, p in enumerate(layer, 1)}
    for index, position in enumerate(network.outputs):
        formula = expression(network, position, names)
        if network.softmax:
            formula = f"softmax, of {formula}"
        found.append(Named(position, "output", output_name(model, index), formula, len(found)))
    return found


def output_name(model: Model, index: int) -> str:
    """What an output of the network is."""
    if not model.classes:
        return (model.target if len(model.network.outputs) == 1 else "") or f"y_{index + 1}"
    single = len(model.network.outputs) == 1
    return f"p({model.classes[1 if single else index]})"


def draw(model: Model, nodes: list[Named], written: Written | None) -> Drawing:
    """The drawing: features on the left, layers as the grammar wrote them, outputs on the right."""
    weights = _weights(model, nodes)
    first_output = len(nodes) - len(model.network.outputs)
    strength: defaultdict[int, float] = defaultdict(float)
    for (start, end), (weight, _) in weights.items():
        strength[start] += abs(weight or 0.0)
        if end >= first_output:
            strength[end] += abs(weight or 0.0)
    columns, dead, headings = _columns(model, nodes, written)
    notes = []
    shown = []
    for number, column in enumerate(columns):
        most = MOST_DOTS if number else MOST_FEATURES
        strongest = sorted(column, key=lambda node: -strength[node.trace])[:most]
        shown.append(sorted(strongest, key=lambda node: node.trace))
    hidden = sum(map(len, columns)) - sum(map(len, shown))
    if hidden:
        notes.append(
            f"Drawn are at most {MOST_FEATURES} features and {MOST_DOTS} neurons or outputs of a"
            f" layer, those whose weights are largest together; {hidden} more compute as well, and"
            " are in the tables below."
        )
    gap = 210.0 if len(columns) <= 3 else 150.0 if len(columns) <= 5 else 122.0
    heights = [_height(column, gone) for column, gone in zip(shown, dead, strict=True)]
    height = _TOP + max(*heights, 120.0) + _LOWEST
    dots: list[Dot] = []
    for number, (column, gone) in enumerate(zip(shown, dead, strict=True)):
        x = _LEFT + number * gap
        y = _TOP + (height - _TOP - _LOWEST - heights[number]) / 2
        for node in column:
            step = _step(node.kind, len(column))
            label = shortened(node.name, _LONGEST_NAME)
            dots.append(Dot(x, y + step / 2, node.kind, node.name, label, node.formula, node.trace))
            y += step
        for one in gone[:MOST_DEAD]:
            dots.append(Dot(x, y + _DEAD_ROW / 2, "dead", one.name, "", one.formula, -1, one.why))
            y += _DEAD_ROW
    if any(len(gone) > MOST_DEAD for gone in dead):
        notes.append(f"Of a layer's dropped neurons at most {MOST_DEAD} are drawn.")
    wires, left_out = _wires(weights, dots)
    if left_out:
        notes.append(
            f"{len(wires)} of {len(weights)} connections are drawn, those of the largest weights."
        )
    places = tuple((_LEFT + number * gap, heading) for number, heading in enumerate(headings))
    width = _LEFT + (len(columns) - 1) * gap + _RIGHT
    return Drawing(width, round(height, 1), places, tuple(dots), tuple(wires), tuple(notes))


def _columns(
    model: Model, nodes: list[Named], written: Written | None
) -> tuple[list[list[Named]], list[tuple[Dropped, ...]], list[str]]:
    """Who stands in which column, who died there, and what is above it."""
    neurons = iter([node for node in nodes if node.kind == "neuron"])
    sizes = [len(layer) for layer in model.network.layers]
    dropped: list[tuple[Dropped, ...]] = [() for _ in sizes]
    if written is not None:
        sizes, dropped = list(written.kept), list(written.dropped)
    columns = [[node for node in nodes if node.kind == "feature"]]
    columns += [[next(neurons) for _ in range(size)] for size in sizes]
    columns.append([node for node in nodes if node.kind == "output"])
    count, headings = 0, ["features"]
    for size in sizes:
        count += bool(size)
        alone = len(sizes) == 1
        headings.append("hidden" if alone else f"layer {count}" if size else "dropped")
    return columns, [(), *dropped, ()], [*headings, "output"]


def _height(column: list[Named], dead: tuple[Dropped, ...]) -> float:
    tall = sum(_step(node.kind, len(column)) for node in column)
    return tall + _DEAD_ROW * min(len(dead), MOST_DEAD)


def _step(kind: str, count: int) -> float:
    if kind == "feature":
        return _FEATURE_ROW
    return _NEURON_ROW if count <= 12 else 58.0


def _weights(model: Model, nodes: list[Named]) -> dict[tuple[int, int], tuple[float | None, str]]:
    """For each pair of a source and what reads it: the weight, and how it is written."""
    sources = {node.position: node.trace for node in nodes if node.kind != "output"}
    outputs = [node.trace for node in nodes if node.kind == "output"]
    found: dict[tuple[int, int], list[float | None]] = {}
    for link in links(model.network):
        end = outputs[link.target] if link.output else sources[link.target]
        found.setdefault((sources[link.source], end), []).append(link.weight)
    names = {node.trace: node.name for node in nodes}
    told = {}
    for (start, end), several in found.items():
        known = [weight for weight in several if weight is not None]
        whole = total(known) if len(known) == len(several) else None
        text = " and ".join(short(w) if w is not None else "not a plain weight" for w in several)
        told[start, end] = (whole, f"{names[start]} to {names[end]}: {text}")
    return told


def _wires(
    weights: dict[tuple[int, int], tuple[float | None, str]], dots: list[Dot]
) -> tuple[list[Wire], bool]:
    places = {dot.trace: dot for dot in dots if dot.trace >= 0}
    largest = max((abs(w) for w, _ in weights.values() if w is not None), default=0.0) or 1.0
    order = sorted(weights.items(), key=lambda item: -abs(item[1][0] or 0.0))
    wires: list[Wire] = []
    for (start, end), (weight, title) in order:
        if start not in places or end not in places or len(wires) == MOST_WIRES:
            continue
        first, last = places[start], places[end]
        x0, x1 = first.x, last.x
        bend = min((x1 - x0) / 2, 105.0)
        path = (
            f"M{x0:g} {first.y:g} C{x0 + bend:g} {first.y:g}"
            f" {x1 - bend:g} {last.y:g} {x1:g} {last.y:g}"
        )
        sign = "unknown" if weight is None else "minus" if weight < 0 else "plus"
        width = 1.2 if weight is None else 0.7 + 4.3 * abs(weight) / largest
        wires.append(Wire(path, round(width, 2), sign, start, end, title[:_LONGEST_TITLE]))
    return wires, len(wires) < len(weights)
