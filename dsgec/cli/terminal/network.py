"""Print a network: a summary, its equations, and the weights of each neuron as bars."""

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from dsgec.arithmetic.primitives import sequential_sum
from dsgec.cli.terminal.styled import Line, StyledText, length, plain
from dsgec.errors import clean, counted
from dsgec.network.ir import Input
from dsgec.network.model import Model
from dsgec.network.model_text import model_text
from dsgec.network.notation import formula_text, missing_text
from dsgec.network.ranges import Range
from dsgec.network.structure import Parts, measure_size, neuron_parts, output_parts
from dsgec.report.format import shorten, text_width
from dsgec.report.network_drawing import neuron_names, output_name

_WIDTH_OF_A_FILE = 98  # and the signs of a comment
_NARROWEST_BLOCK, _WIDEST_BLOCK, _GAP = 36, 52, 2
_HALF_BAR = 6  # on either side of the axis
_HEAD = 11 + 2 * _HALF_BAR + 2  # a weight, its bar and a blank
_MOST_CLASSES, _LONGEST_NAME = 10, 24
_SCALED = "The weights below are those of the scaled features, so that they can be compared:"
_GLUE = "\u00a0"


@dataclass(frozen=True, slots=True)
class _Term:
    """The sum of all weights of one input of a neuron."""

    label: str
    weight: float | None
    mentions: int


def network_page(
    model: Model, name: str, source: str, width: int, ranges: Sequence[Range | None] = ()
) -> list[Line]:
    """Return the lines that show a network and its equations on a terminal of this width.

    `source` is a line about its origin. The equations are in the units of the columns, whose
    `ranges` give the number of digits.
    """
    lines: list[Line] = [[StyledText(part)] for part in _wrap(_summary(model, name), width)]
    lines += [[StyledText(part, "dim")] for part in _wrap(source, width)]
    lines.append([])
    for equation in formula_text(model, ranges).splitlines():
        lines += [[StyledText(part)] for part in _break_equation(clean(equation), width)]
    missing = missing_text(model)
    if missing:
        lines += [[StyledText(part, "dim")] for part in _wrap(f"missing values: {missing}", width)]
    if any((column.center, column.scale) != (0.0, 1.0) for column in model.columns):
        lines += [[], *([StyledText(part, "dim")] for part in _wrap(_SCALED, width))]
    for title, blocks in _sections(model, width):
        lines += [
            [],
            [StyledText(title, "title")],
            *_grid(blocks, _block_width(model, width), width),
        ]
    return lines


def network_file(
    model: Model,
    name: str,
    source: str,
    ranges: Sequence[Range | None] = (),
    *,
    ascii_only: bool = False,
) -> Iterator[str]:
    """Return the lines of a file that `dsgec compile` reads; the rest of the page is comments."""
    yield f"# {_summary(model, name)}"
    yield f"# {source}"
    yield "#"
    yield "# In the units of the columns, with rounded numbers:"
    for equation in formula_text(model, ranges).splitlines():
        yield f"#   {clean(equation)}"
    missing = missing_text(model)
    if missing:
        yield f"#   missing values: {missing}"
    yield "#"
    yield "# Exactly, as `dsgec compile` reads it:"
    yield model_text(model, ascii_only=ascii_only).removesuffix("\n")
    for title, blocks in _sections(model, _WIDTH_OF_A_FILE):
        yield "#"
        yield f"# {title}"
        for line in _grid(blocks, _block_width(model, _WIDTH_OF_A_FILE), _WIDTH_OF_A_FILE):
            yield f"# {plain(line)}".rstrip()


def _summary(model: Model, name: str) -> str:
    counts = measure_size(model.network)
    target = f" of {shorten(clean(model.target), _LONGEST_NAME)}" if model.target else ""
    what = f"values{target}"
    if model.classes:
        names = [shorten(clean(str(label)), _LONGEST_NAME) for label in model.classes]
        more = f" … ({len(names)})" if len(names) > _MOST_CLASSES else ""
        what = f"the classes {', '.join(names[:_MOST_CLASSES])}{more}{target}"
    figures = ", ".join(
        counted(count, noun)
        for noun, count in (
            ("layer", counts.layers),
            ("neuron", counts.neurons),
            ("connection", counts.connections),
        )
        if count or noun == "connection"
    )
    features = f"{counts.features} of {counted(model.network.inputs, 'feature')}"
    return f"{name}: {what}, from {features}; {figures}"


def _wrap(sentence: str, width: int) -> list[str]:
    return textwrap.wrap(sentence, width, break_on_hyphens=False)


def _break_equation(equation: str, width: int) -> list[str]:
    """Break an equation into lines of a width, before signs and after commas."""
    for sign in "*/":
        equation = equation.replace(f" {sign} ", f"{_GLUE}{sign}{_GLUE}")
    for sign in "+-":
        equation = equation.replace(f" {sign} ", f" {sign}{_GLUE}")
    indent = " " * min(equation.find("=") + 2, width // 3)
    lines, line = [], ""
    for word in equation.split(" "):
        if line.strip() and text_width(f"{line} {word}") > width:
            lines.append(line)
            line = indent + word
        else:
            line = f"{line} {word}" if line else word
        while text_width(line) > width:
            fitting = next(n for n in range(width, 0, -1) if text_width(line[:n]) <= width)
            lines.append(line[:fitting])
            line = indent + line[fitting:]
    return [each.replace(_GLUE, " ") for each in (*lines, line)]


def _sections(model: Model, width: int) -> Iterator[tuple[str, list[list[Line]]]]:
    """Return for each layer and the outputs a title and a block of lines for each neuron."""
    network = model.network
    layers = [[neuron_parts(network, p) for p in layer] for layer in network.layers]
    ends = [output_parts(network, number) for number in range(len(network.outputs))]
    names = _names(model)
    room = _block_width(model, width)
    for number, layer in enumerate(layers, 1):
        labels = [f"h_{number}_{index}" for index in range(1, len(layer) + 1)]
        yield (
            f"layer {number}: {counted(len(layer), 'neuron')}",
            _blocks(labels, layer, names, room),
        )
    title = "output" if len(ends) == 1 else "outputs"
    if network.softmax:
        title += ", through softmax"
    labels = [f"y_{index}" for index in range(1, len(ends) + 1)]
    if model.classes:
        labels = [f"{y} = {clean(output_name(model, n))}" for n, y in enumerate(labels)]
    yield title, _blocks(labels, ends, names, room)


def _names(model: Model) -> dict[int, str]:
    """Return the names of features and neurons by the positions of their nodes."""
    features = model.features
    found = {
        position: f"x_{node.column + 1} {clean(features[node.column])}"
        for position, node in enumerate(model.network.nodes)
        if isinstance(node, Input)
    }
    return found | neuron_names(model)


def _terms(parts: Parts, names: dict[int, str]) -> list[_Term]:
    """Return the inputs of a neuron, the largest weight first."""
    found: dict[tuple[int, bool], list[float | None]] = {}
    for source, weight in parts.sources:
        found.setdefault((source, weight is None), []).append(weight)
    terms = []
    for (source, is_unknown), weights in found.items():
        whole = sequential_sum(weight for weight in weights if weight is not None)
        known = not is_unknown and math.isfinite(whole)
        terms.append(_Term(names[source], whole if known else None, len(weights)))
    return sorted(terms, key=lambda t: -1.0 if t.weight is None else abs(t.weight), reverse=True)


def _blocks(
    labels: list[str], layer: list[Parts], names: dict[int, str], width: int
) -> list[list[Line]]:
    """Return the blocks of a layer; its largest weight has the longest bar."""
    each = [_terms(parts, names) for parts in layer]
    largest = max((abs(t.weight) for terms in each for t in terms if t.weight), default=1.0)
    return [
        _block(label, parts, terms, largest, width)
        for label, parts, terms in zip(labels, layer, each, strict=True)
    ]


def _block(label: str, parts: Parts, terms: list[_Term], largest: float, width: int) -> list[Line]:
    """Return the name and the function of a neuron, and a line for each of its inputs."""
    title = shorten(label, width - len(parts.function) - 2)
    lines: list[Line] = [[StyledText(title, "title"), StyledText(f"  {parts.function}", "dim")]]
    for term in terms:
        again = f" ({term.mentions}×)" if term.mentions > 1 else ""
        head = [*_weight(term.weight), *_bar(term.weight, largest), StyledText(" ")]
        room = width - length(head) - len(again)
        lines.append([*head, StyledText(shorten(term.label, room)), StyledText(again, "dim")])
    if parts.bias is not None:
        lines.append(
            [*_weight(parts.bias), StyledText(" " * (2 * _HALF_BAR + 2)), StyledText("bias", "dim")]
        )
    return lines


def _weight(weight: float | None) -> Line:
    shown = "·" if weight is None else f"{weight:+.4g}"
    return [StyledText(f"{shown:>10} ")]


def _bar(weight: float | None, largest: float) -> Line:
    """Return the bar of a weight: to the left of the axis if it is negative, else to the right."""
    halves = 0 if weight is None else round(2 * _HALF_BAR * (abs(weight) / largest))
    bar = "━" * (halves // 2)
    left = right = StyledText(" " * _HALF_BAR)
    if weight is not None and weight < 0:
        left = StyledText((("╺" if halves % 2 else "") + bar).rjust(_HALF_BAR), "minus")
    elif weight is not None:
        right = StyledText((bar + ("╸" if halves % 2 else "")).ljust(_HALF_BAR), "plus")
    return [left, StyledText("│", "dim"), right]


def _block_width(model: Model, width: int) -> int:
    """Return the width of a block: enough for the longest name, within limits."""
    longest = max((text_width(f"{name} (2×)") for name in _names(model).values()), default=0)
    return min(max(_NARROWEST_BLOCK, _HEAD + longest), _WIDEST_BLOCK, width)


def _grid(blocks: list[list[Line]], room: int, width: int) -> list[Line]:
    """Place blocks side by side, with an empty line between rows of blocks."""
    across = max(1, (width + _GAP) // (room + _GAP))
    lines: list[Line] = []
    for start in range(0, len(blocks), across):
        if start:
            lines.append([])
        for parts in zip_longest(*blocks[start : start + across], fillvalue=()):
            lines.append(_side_by_side(parts, room))
    return lines


def _side_by_side(parts: Sequence[Line], room: int) -> Line:
    line: list[StyledText] = []
    for number, part in enumerate(parts):
        line += [StyledText(" " * (number * (room + _GAP) - length(line))), *part]
    return line
