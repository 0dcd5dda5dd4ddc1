"""Accuracy against bytes of flash as pictures: the mean, and every table."""

import math
from collections.abc import Callable, Mapping, Sequence

from benchmarks.kilobyte.budgets import BUDGETS, CHIPS
from benchmarks.kilobyte.summary import Row, methods_in, overall, table_means
from dsgec.report.chart import linear_scale
from dsgec.report.curve_figure import Figure, Label, Stroke

Curves = Mapping[str, Sequence[float]]

_INK, _FAINT, _GRID = "#1a202c", "#4a5568", "#e2e8f0"
_STYLES: dict[str, tuple[str, tuple[float, ...]]] = {
    "dsgec": ("#0b3c8c", ()),
    "dsgec-compile": ("#5b8def", (2.5, 3.5)),
    "loops": ("#d9660a", (10.0, 4.0)),
    "emlearn": ("#3f8f6b", (6.0, 3.0)),
    "emlearn-trees": ("#3f8f6b", (2.5, 4.5)),
    "m2cgen": ("#8e3b8e", (12.0, 4.0, 2.5, 4.0)),
    "bonsai": ("#6b7280", (5.0, 3.0)),
    "protonn": ("#a0522d", (3.0, 3.0)),
}
_SMALL = ("dsgec", "loops", "emlearn-trees", "dsgec-compile")
_ACROSS = 5
_ROOM = 0.02


def draw_means(rows: Sequence[Row]) -> Figure:
    """Draw the mean over all tables, a panel for each chip."""
    wide, left, top, bottom = 330.0, 62.0, 78.0, 330.0
    names = [name for name in methods_in(rows) if name in _STYLES]
    found = {chip: _mean_curves(rows, chip, names) for chip in CHIPS}
    every = [value for curves in found.values() for curve in curves.values() for value in curve]
    up = linear_scale(every, bottom, top)
    strokes: list[Stroke] = []
    tables = len({row.table for row in rows})
    labels = [Label(left, 28.0, f"Mean test accuracy of {tables} tables", 17.0, _INK)]
    for place, (chip, curves) in enumerate(found.items()):
        start = left + place * (wide + 30.0)
        labels.append(Label(start, 58.0, CHIPS[chip], 14.0, _INK))
        for y, word in up.labels():
            strokes.append(Stroke(((start, y), (start + wide, y)), _GRID, 1.0))
            if not place:
                labels.append(Label(start - 8.0, y + 4.5, word, 12.5, _FAINT, "end"))
        across = _places(start + 12.0, start + wide - 12.0)
        for budget, x in zip(BUDGETS, across, strict=True):
            labels.append(Label(x, bottom + 20.0, _bytes(budget), 12.5, _FAINT, "middle"))
        labels.append(
            Label(start + wide / 2, bottom + 42.0, "bytes of flash, linked", 13.0, _FAINT, "middle")
        )
        strokes += _lines(curves, across, up.place, 2.6)
    labels += _legend(names, left + 2 * wide + 44.0, top + 8.0, strokes)
    title = "Mean test accuracy against bytes of flash"
    return Figure(title, left + 2 * wide + 190.0, bottom + 60.0, (), tuple(strokes), tuple(labels))


def draw_tables(rows: Sequence[Row], chip: str) -> Figure:
    """Draw every table for one chip, each with axes of its own."""
    wide, high, gap, top = 150.0, 96.0, 40.0, 92.0
    tables = sorted({row.table for row in rows})
    names = [name for name in _SMALL if name in methods_in(rows)]
    strokes: list[Stroke] = []
    title = f"Test accuracy against bytes of flash, {CHIPS[chip]}"
    labels = [Label(40.0, 28.0, title, 17.0, _INK)]
    at = 40.0
    for name in names:
        colour, dashes = _STYLES[name]
        strokes.append(Stroke(((at, 50.0), (at + 30.0, 50.0)), colour, 2.4, dashes))
        labels.append(Label(at + 36.0, 54.5, name, 13.0, colour))
        at += 70.0 + 8.0 * len(name)
    for number, table in enumerate(tables):
        left = 44.0 + number % _ACROSS * (wide + gap)
        above = top + number // _ACROSS * (high + 46.0)
        own = [row for row in rows if row.table == table]
        curves = _mean_curves(own, chip, names)
        values = [value for curve in curves.values() for value in curve]
        room = [min(values) - _ROOM, min(1.0, max(values) + _ROOM)]
        up = linear_scale([*values, *room], above + high, above)
        labels.append(Label(left, above - 8.0, table, 12.5, _INK))
        for y, word in (up.labels()[0], up.labels()[-1]):
            strokes.append(Stroke(((left, y), (left + wide, y)), _GRID, 1.0))
            labels.append(Label(left - 5.0, y + 4.0, word, 10.5, _FAINT, "end"))
        across = _places(left + 6.0, left + wide - 6.0)
        for budget, x in zip(BUDGETS, across, strict=True):
            if budget in (BUDGETS[0], 1024, BUDGETS[-1]):
                labels.append(Label(x, above + high + 15.0, _bytes(budget), 10.5, _FAINT, "middle"))
        strokes += _lines(curves, across, up.place, 1.8)
    height = top + math.ceil(len(tables) / _ACROSS) * (high + 46.0)
    return Figure(title, 44.0 + _ACROSS * (wide + gap), height, (), tuple(strokes), tuple(labels))


def _mean_curves(rows: Sequence[Row], chip: str, names: Sequence[str]) -> dict[str, list[float]]:
    at = [overall(table_means(rows, chip, budget)) for budget in BUDGETS]
    return {name: [scores[name] for scores in at] for name in names if name in at[0]}


def _lines(
    curves: Curves, across: Sequence[float], place: Callable[[float], float], width: float
) -> list[Stroke]:
    found = []
    for name, curve in reversed(list(curves.items())):  # the first is in front
        colour, dashes = _STYLES[name]
        points = tuple((x, place(value)) for x, value in zip(across, curve, strict=True))
        found.append(Stroke(points, colour, width, dashes))
    return found


def _legend(names: Sequence[str], x: float, y: float, strokes: list[Stroke]) -> list[Label]:
    labels = []
    for number, name in enumerate(names):
        colour, dashes = _STYLES[name]
        own = y + 24.0 * number
        strokes.append(Stroke(((x, own - 4.5), (x + 28.0, own - 4.5)), colour, 2.6, dashes))
        labels.append(Label(x + 35.0, own, name, 13.5, colour))
    return labels


def _places(start: float, end: float) -> list[float]:
    return [start + (end - start) * at / (len(BUDGETS) - 1) for at in range(len(BUDGETS))]


def _bytes(budget: int) -> str:
    return f"{budget // 1024} KB" if budget >= 1024 else str(budget)
