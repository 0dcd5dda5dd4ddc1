"""Model to a drawing of its network: features on the left, outputs on the right."""

from dataclasses import dataclass

from dsgec.codegen.markup import render_markup
from dsgec.drawing.labels import node_labels, output_label
from dsgec.network.ir import Input
from dsgec.network.links import links
from dsgec.network.model import Model
from dsgec.network.text import expression

_COLUMN, _ROW, _MARGIN, _RADIUS, _TEXT = 190.0, 34.0, 30.0, 9.0, 210.0
_LONGEST_LABEL = 30


@dataclass(frozen=True, slots=True)
class Dot:
    """A feature, a neuron or an output."""

    x: float
    y: float
    kind: str
    label: str
    formula: str


@dataclass(frozen=True, slots=True)
class Line:
    """A connection; `sign` is plus, minus or unknown."""

    path: str
    width: float
    sign: str
    title: str


def draw(model: Model) -> str:
    """The network as SVG: weights by colour and width, formulas as titles."""
    network = model.network
    features = [p for p, node in enumerate(network.nodes) if isinstance(node, Input)]
    features.sort(key=lambda p: _column(model, p))
    columns = [features, *map(list, network.layers)]
    # An output can be a neuron or a feature, and two outputs can be one node: each has its dot.
    tallest = max(len(network.outputs), *map(len, columns))
    height = 2 * _MARGIN + _ROW * max(tallest, 2)
    names = node_labels(model)
    dots: list[Dot] = []
    places: dict[int, tuple[float, float]] = {}
    for number, column in enumerate(columns):
        x = _MARGIN + _TEXT + number * _COLUMN
        for index, position in enumerate(column):
            y = _spread(index, len(column), height)
            places[position] = (x, y)
            kind = "neuron" if number else "feature"
            formula = expression(network, position, _without(names, position)) if number else ""
            dots.append(Dot(x, y, kind, _short(names[position]), formula))
    x = _MARGIN + _TEXT + len(columns) * _COLUMN
    ends: list[tuple[float, float]] = []
    for index, position in enumerate(network.outputs):
        y = _spread(index, len(network.outputs), height)
        ends.append((x, y))
        formula = expression(network, position, _without(names, position))
        dots.append(Dot(x, y, "output", _short(output_label(model, index)), formula))
    lines = _lines(model, names, places, ends)
    return render_markup(
        "svg/network.svg.j2",
        width=x + _MARGIN + _TEXT,
        height=height,
        radius=_RADIUS,
        dots=dots,
        lines=lines,
    )


def _lines(
    model: Model,
    names: dict[int, str],
    places: dict[int, tuple[float, float]],
    ends: list[tuple[float, float]],
) -> list[Line]:
    found = links(model.network)
    largest = max((abs(link.weight) for link in found if link.weight is not None), default=1.0)
    lines = []
    for link in found:
        (x0, y0), (x, y) = (
            places[link.source],
            ends[link.target] if link.output else places[link.target],
        )
        middle = (x0 + x) / 2
        path = f"M{x0:.1f} {y0:.1f} C{middle:.1f} {y0:.1f} {middle:.1f} {y:.1f} {x:.1f} {y:.1f}"
        width, sign, title = 1.0, "unknown", names[link.source]
        if link.weight is not None:
            width = 0.6 + 3.4 * (abs(link.weight) / (largest or 1.0))
            sign = "minus" if link.weight < 0 else "plus"
            title = f"{link.weight:g} × {names[link.source]}"
        lines.append(Line(path, round(width, 2), sign, title))
    return lines


def _spread(index: int, count: int, height: float) -> float:
    """The height of the dot `index` of a column: as far apart as there is room, within reason."""
    distance = min((height - 2 * _MARGIN) / count, 3.0 * _ROW)
    return height / 2 + (index - (count - 1) / 2) * distance


def _column(model: Model, position: int) -> int:
    node = model.network.nodes[position]
    assert isinstance(node, Input)
    return node.column


def _without(names: dict[int, str], position: int) -> dict[int, str]:
    return {p: name for p, name in names.items() if p != position}


def _short(label: str) -> str:
    return label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…"
