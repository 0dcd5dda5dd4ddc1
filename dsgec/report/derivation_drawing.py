"""Draw the derivation tree of a phenotype, and the genealogy of the best individual."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.report.format import format_number, shorten

_MOST_LEAVES = 120
_MOST_BIRTHS = 60
_LETTER, _GAP, _LEVEL, _MARGIN = 7.0, 14.0, 34.0, 24.0
_LONGEST_LEAF = 24
_OPERATORS = {"grown": 4, "copied": 5, "crossover": 0, "mutation": 1, "crossover+mutation": 3}


@dataclass(frozen=True, slots=True)
class Spot:
    """A node of a drawing: its place, its text, and a class of its colour or kind."""

    x: float
    y: float
    text: str
    kind: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class TreeDrawing:
    """Nodes, and edges from (x, y) to (x, y)."""

    width: float
    height: float
    spots: tuple[Spot, ...]
    edges: tuple[tuple[float, float, float, float], ...]


def draw_tree(lines: Sequence[str]) -> TreeDrawing | None:
    """Return the drawing of a derivation tree from its indented lines, unless it is too wide.

    Symbols are in angle brackets, texts in quotes; texts stand side by side, each symbol above the
    middle of what it derives.
    """
    nodes = [((len(line) - len(line.lstrip(" "))) // 2, line.lstrip(" ")) for line in lines]
    leaves = [number for number, (_, text) in enumerate(nodes) if not _is_symbol(text)]
    if not nodes or len(leaves) > _MOST_LEAVES or nodes[-1][1] == "…":
        return None
    parents: list[int] = []
    path: list[int] = []
    for number, (depth, _) in enumerate(nodes):
        del path[depth:]
        parents.append(path[-1] if path else -1)
        path.append(number)
    at = _MARGIN
    x = [0.0] * len(nodes)
    spans: dict[int, list[float]] = {}
    for number in reversed(range(len(nodes))):  # children before parents, from right to left
        own = spans.pop(number, None)
        if own is None:
            width = _LETTER * min(len(nodes[number][1]), _LONGEST_LEAF) + _GAP
            x[number], at = at + width / 2, at + width
        else:
            x[number] = (min(own) + max(own)) / 2
        spans.setdefault(parents[number], []).append(x[number])
    deepest = max(depth for depth, _ in nodes)
    places = [(at + _MARGIN - x[k], _MARGIN + _LEVEL * depth) for k, (depth, _) in enumerate(nodes)]
    spots = tuple(
        Spot(*place, shorten(text, _LONGEST_LEAF), "symbol" if _is_symbol(text) else "leaf", text)
        for place, (_, text) in zip(places, nodes, strict=True)
    )
    edges = tuple(
        (*places[parent], *place)
        for place, parent in zip(places, parents, strict=True)
        if parent >= 0
    )
    return TreeDrawing(at + 2 * _MARGIN, 2 * _MARGIN + _LEVEL * deepest, spots, edges)


def _is_symbol(text: str) -> bool:
    return text.startswith("<")


@dataclass(frozen=True, slots=True)
class Birth:
    """A row of genealogy.csv."""

    name: str
    generation: int
    operators: str
    parents: tuple[str, ...]
    score: float
    phenotype: str


def read_genealogy(text: str) -> tuple[Birth, ...]:
    """Return the rows of genealogy.csv, or raise a ValueError."""
    rows = [*csv.reader(io.StringIO(text), strict=True)][1:]
    return tuple(
        Birth(
            f"{int(generation)}.{int(number)}",
            int(generation),
            operators,
            tuple(filter(None, (mother, father))),
            float(score),
            phenotype,
        )
        for generation, number, operators, mother, father, score, phenotype in rows
    )


def draw_genealogy(births: Sequence[Birth]) -> TreeDrawing:
    """Return the drawing of the youngest ancestors: a row for each generation, the last on top."""
    drawn = births[:_MOST_BIRTHS]
    generations = sorted({one.generation for one in drawn}, reverse=True)
    rows = {g: [one for one in drawn if one.generation == g] for g in generations}
    widest = max(map(len, rows.values()))
    width = max(90.0 * widest + 2 * _MARGIN, 320.0)
    places: dict[str, tuple[float, float]] = {}
    for level, generation in enumerate(generations):
        row = rows[generation]
        above = {
            own: places[one.name][0] for one in drawn if one.name in places for own in one.parents
        }
        row.sort(key=lambda one: (above.get(one.name, 0.0), one.name))
        for number, one in enumerate(row):
            x = _MARGIN + (width - 2 * _MARGIN) * (number + 0.5) / len(row)
            places[one.name] = x, _MARGIN + 2 * _LEVEL * level
    spots = tuple(
        Spot(
            *places[one.name],
            f"{one.name}: {format_number(one.score)}",
            f"s{_OPERATORS.get(one.operators, 5)}",
            f"{one.operators}; {shorten(one.phenotype, 200)}",
        )
        for one in drawn
    )
    edges = tuple(
        (*places[one.name], *places[own]) for one in drawn for own in one.parents if own in places
    )
    return TreeDrawing(width, 2 * _MARGIN + 2 * _LEVEL * (len(generations) - 1), spots, edges)
