"""Nodes to a drawing of the network: columns of dots, and the lines between them."""

import math
from collections import defaultdict
from dataclasses import dataclass

from dsgec.arithmetic.primitives import sequential_sum
from dsgec.network.model import Model
from dsgec.network.structure import find_links
from dsgec.report.nodes import NamedNode
from dsgec.report.scales import short
from dsgec.report.width import shorten
from dsgec.report.written import Dropped, Written

MOST_FEATURES, MOST_DOTS, MOST_DEAD, MOST_WIRES = 40, 20, 6, 400
_LEFT, _RIGHT, _TOP, _LOWEST = 244.0, 168.0, 46.0, 22.0
_FEATURE_ROW, _NEURON_ROW, _DEAD_ROW = 25.0, 66.0, 24.0
_LONGEST_NAME, _LONGEST_TITLE = 24, 400


@dataclass(frozen=True, slots=True)
class Dot:
    """A feature, a neuron, an output, or a dead neuron; `place` is its node's."""

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
    """A connection; `sign` is plus, minus or unknown. The ends are places of nodes."""

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


def draw(
    model: Model, nodes: list[NamedNode], written: Written | None = None, *, whole: bool = False
) -> Drawing:
    """The drawing: features on the left, layers as the grammar wrote them, outputs on the right.

    Of a large network only the strongest are drawn, unless it is to be `whole`.
    """
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
        most = len(column) if whole else MOST_DOTS if number else MOST_FEATURES
        strongest = sorted(column, key=lambda node: -strength[node.place])[:most]
        shown.append(sorted(strongest, key=lambda node: node.place))
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
            label = shorten(node.name, _LONGEST_NAME)
            dots.append(Dot(x, y + step / 2, node.kind, node.name, label, node.formula, node.place))
            y += step
        for one in gone[:MOST_DEAD]:
            dots.append(Dot(x, y + _DEAD_ROW / 2, "dead", one.name, "", one.formula, -1, one.why))
            y += _DEAD_ROW
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


def _columns(
    model: Model, nodes: list[NamedNode], written: Written | None
) -> tuple[list[list[NamedNode]], list[tuple[Dropped, ...]], list[str]]:
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


def _height(column: list[NamedNode], dead: tuple[Dropped, ...]) -> float:
    tall = sum(_step(node.kind, len(column)) for node in column)
    return tall + _DEAD_ROW * min(len(dead), MOST_DEAD)


def _step(kind: str, count: int) -> float:
    if kind == "feature":
        return _FEATURE_ROW
    return _NEURON_ROW if count <= 12 else 58.0


def _weights(
    model: Model, nodes: list[NamedNode]
) -> dict[tuple[int, int], tuple[float | None, str]]:
    """For each pair of a source and what reads it: the weight, and how it is written."""
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
        text = " and ".join(short(w) if w is not None else "not a plain weight" for w in several)
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
