"""A model drawn as a network: columns of dots, and the lines between them."""

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dsgec.arithmetic.primitives import sequential_sum
from dsgec.errors import DsgecError
from dsgec.network.ir import Input, Network
from dsgec.network.model import Model, TargetScale, in_target_units
from dsgec.network.parse import parse_phenotype
from dsgec.network.simplify import canonicalise, fold_constants, neuron_fates
from dsgec.network.structure import find_links
from dsgec.network.text import expression_text
from dsgec.rendering import render_markup
from dsgec.report.format import format_number, shorten


@dataclass(frozen=True, slots=True)
class NamedNode:
    """A feature, a neuron or an output; `place` is its number among all of them."""

    position: int
    kind: str
    name: str
    formula: str
    place: int


def input_positions(network: Network) -> list[int]:
    """Return the positions of the features that are read, in the order of the table."""
    found = [(n.column, p) for p, n in enumerate(network.nodes) if isinstance(n, Input)]
    return [position for _, position in sorted(found)]


def named_nodes(model: Model) -> list[NamedNode]:
    """Return the features by the user's names, the neurons by layer and index, and the outputs."""
    network = model.network
    names: dict[int, str] = {}
    found: list[NamedNode] = []
    for position in input_positions(network):
        names[position] = _feature_name(model, position)
        found.append(NamedNode(position, "feature", names[position], "", len(found)))
    for number, layer in enumerate(network.layers, 1):
        for index, position in enumerate(layer, 1):
            formula = expression_text(network, position, names)
            name = f"h_{number}_{index}"
            found.append(NamedNode(position, "neuron", name, formula, len(found)))
        names |= {p: f"h_{number}_{index}" for index, p in enumerate(layer, 1)}
    for index, position in enumerate(network.outputs):
        formula = expression_text(network, position, names)
        if network.softmax:
            formula = f"softmax, of {formula}"
        found.append(NamedNode(position, "output", output_name(model, index), formula, len(found)))
    return found


def _feature_name(model: Model, position: int) -> str:
    node = model.network.nodes[position]
    assert isinstance(node, Input)
    return model.features[node.column]


def neuron_names(model: Model) -> dict[int, str]:
    """Return the name of each neuron; one that is in several layers is named by the first."""
    names: dict[int, str] = {}
    for number, layer in enumerate(model.network.layers, 1):
        for index, position in enumerate(layer, 1):
            names.setdefault(position, f"h_{number}_{index}")
    return names


def output_name(model: Model, index: int) -> str:
    """Return the name of an output: `p(class)`, the target, or `y_1`."""
    single = len(model.network.outputs) == 1
    if not model.classes:
        return (model.target if single else "") or f"y_{index + 1}"
    return f"p({model.classes[1 if single else index]})"


_LONGEST = 2_000_000


@dataclass(frozen=True, slots=True)
class DroppedNeuron:
    """A neuron of the phenotype that simplification dropped, and the reason why."""

    name: str
    formula: str
    why: str


@dataclass(frozen=True, slots=True)
class PhenotypeLayers:
    """The layers of a phenotype: the number of kept neurons and the dropped ones of each."""

    kept: tuple[int, ...]
    dropped: tuple[tuple[DroppedNeuron, ...], ...]

    @property
    def count(self) -> int:
        return sum(map(len, self.dropped))


def compare_phenotype(
    phenotype: str, model: Model, scale: TargetScale | None = None
) -> PhenotypeLayers | None:
    """Find the neurons of a phenotype that its network lacks; None if it is of another network.

    `scale` is that of the target, if it was scaled. A record does not say how its phenotype is
    read: the way that gives the network is taken.
    """
    if len(phenotype) > _LONGEST:
        return None
    likely = "--" in phenotype
    for layered, output in itertools.product((likely, not likely), ("", "sigmoid")):
        try:
            raw = parse_phenotype(
                phenotype, layered=layered, output=output, inputs=len(model.features)
            )
        except DsgecError:
            continue
        rebuilt = fold_constants(in_target_units(raw, scale))
        if canonicalise(rebuilt) == model.network:
            return _compare_layers(raw, rebuilt, model)
    return None


def _compare_layers(raw: Network, rebuilt: Network, model: Model) -> PhenotypeLayers:
    names: dict[int, str] = {}
    features = model.features
    for position, node in enumerate(raw.nodes):
        if hasattr(node, "column"):
            names[position] = features[node.column]
    kept, dropped = [], []
    for number, (layer, fates) in enumerate(zip(raw.layers, neuron_fates(rebuilt), strict=True), 1):
        gone = [
            DroppedNeuron(
                f"neuron {index} of layer {number}", expression_text(raw, position, names), why
            )
            for index, (position, why) in enumerate(zip(layer, fates, strict=True), 1)
            if why
        ]
        for index, position in enumerate(layer, 1):
            names.setdefault(position, f"n_{number}_{index}")
        kept.append(len(layer) - len(gone))
        dropped.append(tuple(gone))
    return PhenotypeLayers(tuple(kept), tuple(dropped))


MOST_FEATURES, MOST_DOTS, MOST_DEAD, MOST_WIRES = 40, 20, 6, 400
_LEFT, _RIGHT, _TOP, _LOWEST = 244.0, 168.0, 46.0, 22.0
_FEATURE_ROW, _NEURON_ROW, _DEAD_ROW = 25.0, 66.0, 24.0
_LONGEST_NAME, _LONGEST_TITLE = 24, 400


@dataclass(frozen=True, slots=True)
class Dot:
    """A feature, a neuron, an output, or a dropped neuron; `place` is that of its node."""

    x: float
    y: float
    kind: str
    name: str
    label: str
    formula: str
    place: int = -1
    why: str = ""


@dataclass(frozen=True, slots=True)
class Wire:
    """A connection; `sign` is plus, minus or unknown, `start` and `end` are places of nodes."""

    path: str
    width: float
    sign: str
    start: int
    end: int
    title: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """The dots and wires of a network; `notes` tell what is left out."""

    width: float
    height: float
    headings: tuple[tuple[float, str], ...]
    dots: tuple[Dot, ...]
    wires: tuple[Wire, ...]
    notes: tuple[str, ...]


def draw_network(
    model: Model,
    nodes: list[NamedNode],
    written: PhenotypeLayers | None = None,
    *,
    whole: bool = False,
) -> Drawing:
    """Place the features on the left, layers as the phenotype has them, outputs on the right.

    Of a large network only the dots and wires of the largest weights are drawn, unless it is to be
    `whole`.
    """
    weights = _weights(model, nodes)
    columns, dead, headings = _columns(model, nodes, written)
    notes = []
    shown = columns if whole else _strongest(columns, weights)
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
        y = _TOP + (height - _TOP - _LOWEST - heights[number]) / 2
        dots += _column_dots(_LEFT + number * gap, y, column, gone)
    if any(len(gone) > MOST_DEAD for gone in dead):
        notes.append(f"Of a layer's dropped neurons at most {MOST_DEAD} are drawn.")
    wires, left_out = _wires(weights, dots, len(weights) if whole else MOST_WIRES)
    if left_out:
        notes.append(
            f"{len(wires)} of {len(weights)} connections are drawn, those of the largest weights."
        )
    places = tuple((_LEFT + number * gap, heading) for number, heading in enumerate(headings))
    width = _LEFT + (len(columns) - 1) * gap + _RIGHT
    return Drawing(width, round(height, 1), places, tuple(dots), tuple(wires), tuple(notes))


def _strongest(
    columns: list[list[NamedNode]], weights: Mapping[tuple[int, int], tuple[float | None, str]]
) -> list[list[NamedNode]]:
    """Return those of the nodes of each column whose weights are largest together."""
    outputs = {node.place for node in columns[-1]}
    strength: defaultdict[int, float] = defaultdict(float)
    for (start, end), (weight, _) in weights.items():
        strength[start] += abs(weight or 0.0)
        if end in outputs:
            strength[end] += abs(weight or 0.0)
    shown = []
    for number, column in enumerate(columns):
        most = MOST_DOTS if number else MOST_FEATURES
        strongest = sorted(column, key=lambda node: -strength[node.place])[:most]
        shown.append(sorted(strongest, key=lambda node: node.place))
    return shown


def _column_dots(
    x: float, y: float, column: list[NamedNode], gone: tuple[DroppedNeuron, ...]
) -> Iterator[Dot]:
    """Yield the dots of a column from y downwards, its dropped neurons below the others."""
    for node in column:
        step = _step(node.kind, len(column))
        label = shorten(node.name, _LONGEST_NAME)
        yield Dot(x, y + step / 2, node.kind, node.name, label, node.formula, node.place)
        y += step
    for one in gone[:MOST_DEAD]:
        yield Dot(x, y + _DEAD_ROW / 2, "dead", one.name, "", one.formula, -1, one.why)
        y += _DEAD_ROW


def _columns(
    model: Model, nodes: list[NamedNode], written: PhenotypeLayers | None
) -> tuple[list[list[NamedNode]], list[tuple[DroppedNeuron, ...]], list[str]]:
    """Return the nodes, the dropped neurons and the heading of each column."""
    neurons = iter([node for node in nodes if node.kind == "neuron"])
    sizes = [len(layer) for layer in model.network.layers]
    dropped: list[tuple[DroppedNeuron, ...]] = [() for _ in sizes]
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


def _height(column: list[NamedNode], dead: tuple[DroppedNeuron, ...]) -> float:
    tall = sum(_step(node.kind, len(column)) for node in column)
    return tall + _DEAD_ROW * min(len(dead), MOST_DEAD)


def _step(kind: str, count: int) -> float:
    if kind == "feature":
        return _FEATURE_ROW
    return _NEURON_ROW if count <= 12 else 58.0


def _weights(
    model: Model, nodes: list[NamedNode]
) -> dict[tuple[int, int], tuple[float | None, str]]:
    """Return the weight and the title of each connection, by the places of its ends."""
    sources = {node.position: node.place for node in nodes if node.kind != "output"}
    outputs = [node.place for node in nodes if node.kind == "output"]
    found: dict[tuple[int, int], list[float | None]] = {}
    for link in find_links(model.network):
        end = outputs[link.target] if link.output else sources[link.target]
        found.setdefault((sources[link.source], end), []).append(link.weight)
    names = {node.place: node.name for node in nodes}
    labelled = {}
    for (start, end), several in found.items():
        known = [weight for weight in several if weight is not None]
        whole = sequential_sum(known) if len(known) == len(several) else None
        whole = whole if whole is not None and math.isfinite(whole) else None
        text = " and ".join(
            format_number(w) if w is not None else "not a plain weight" for w in several
        )
        labelled[start, end] = (whole, f"{names[start]} to {names[end]}: {text}")
    return labelled


def _wires(
    weights: dict[tuple[int, int], tuple[float | None, str]], dots: list[Dot], most: int
) -> tuple[list[Wire], bool]:
    places = {dot.place: dot for dot in dots if dot.place >= 0}
    largest = max((abs(w) for w, _ in weights.values() if w is not None), default=0.0) or 1.0
    order = sorted(weights.items(), key=lambda item: -abs(item[1][0] or 0.0))
    wires: list[Wire] = []
    for (start, end), (weight, title) in order:
        if start not in places or end not in places or len(wires) == most:
            continue
        first, last = places[start], places[end]
        x0, x1 = first.x, last.x
        bend = min((x1 - x0) / 2, 105.0)
        path = (
            f"M{x0:g} {first.y:g} C{x0 + bend:g} {first.y:g}"
            f" {x1 - bend:g} {last.y:g} {x1:g} {last.y:g}"
        )
        sign = "unknown" if weight is None else "minus" if weight < 0 else "plus"
        width = 1.2 if weight is None else 0.7 + 4.3 * (abs(weight) / largest)
        wires.append(Wire(path, round(width, 2), sign, start, end, title[:_LONGEST_TITLE]))
    return wires, len(wires) < len(weights)


def network_svg(model: Model) -> str:
    """Return the whole network as SVG: weights by colour and width, formulas as titles."""
    drawing = draw_network(model, named_nodes(model), whole=True)
    return render_markup("svg/network.svg.j2", drawing=drawing)
