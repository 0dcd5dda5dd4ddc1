"""A figure of curves with a band, as SVG and as PNG.

The figure is a list of shapes: a template prints them as SVG, and Pillow paints them as PNG.
"""

import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.rendering import render_markup
from dsgec.report.chart import round_ticks
from dsgec.report.format import shorten

Array = NDArray[np.float64]
Point = tuple[float, float]

_WIDTH, _HEIGHT = 760.0, 460.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 66.0, 646.0, 74.0, 404.0
_INK, _FAINT, _GRID = "#1a202c", "#4a5568", "#e2e8f0"
_BETWEEN_LABELS = 18.0
_LONGEST_LABEL = 13
_MOST_STEPS = 6.5
# Told apart by hue, by darkness and by dashes; the last row of a table has the first of them.
_STYLES: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("#0b3c8c", ()),
    ("#d9660a", (10.0, 5.0)),
    ("#3f8f6b", (2.5, 4.5)),
    ("#8e3b8e", (12.0, 4.0, 2.5, 4.0)),
    ("#6b7280", (5.0, 3.0)),
)


@dataclass(frozen=True, slots=True)
class Area:
    """A filled polygon."""

    points: tuple[Point, ...]
    colour: str
    opacity: float


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points; `dashes` are lengths of dash and gap, in turn."""

    points: tuple[Point, ...]
    colour: str
    width: float
    dashes: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Label:
    """A text; `anchor` is start, middle or end."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    anchor: str = "start"


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture: areas behind strokes behind labels."""

    title: str
    width: float
    height: float
    areas: tuple[Area, ...]
    strokes: tuple[Stroke, ...]
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The best fitness over the generations: mean and standard deviation over several runs."""

    label: str
    runs: int
    generations: Array
    mean: Array
    deviation: Array


def figure_svg(figure: Figure) -> str:
    """Return a figure as SVG."""
    return render_markup(
        "svg/figure.svg.j2",
        figure=figure,
        areas=[(area, _path(area.points)) for area in figure.areas],
        strokes=[(stroke, _path(stroke.points)) for stroke in figure.strokes],
    )


def draw_curves(curves: Sequence[Curve], title: str, subtitle: str) -> Figure:
    """Draw curves over the generations, each with its band and with its name at the end."""
    lowest = min(float((c.mean - c.deviation).min()) for c in curves)
    highest = max(float((c.mean + c.deviation).max()) for c in curves)
    rows = _ticks(lowest, highest)
    rows = [tick for tick in rows if tick <= highest] if rows[-2] > rows[0] else rows
    top = max(highest, rows[-1])
    columns = _ticks(0.0, max(float(c.generations[-1]) for c in curves) or 1.0)
    columns = [tick for tick in columns if tick >= 0]
    right = max(float(c.generations[-1]) for c in curves) or 1.0

    def x(generation: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * generation / right

    def y(fitness: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (fitness - rows[0]) / (top - rows[0])

    strokes = [Stroke(((_LEFT, y(t)), (_RIGHT, y(t))), _GRID, 1.0) for t in rows]
    strokes.append(Stroke(((_LEFT, _BOTTOM), (_RIGHT, _BOTTOM)), _FAINT, 1.2))
    labels = [
        Label(_LEFT, 28.0, title, 17.0, _INK),
        Label(_LEFT, 50.0, subtitle, 12.5, _FAINT),
        Label((_LEFT + _RIGHT) / 2, _BOTTOM + 42.0, "generation", 13.0, _FAINT, "middle"),
    ]
    labels += [Label(_LEFT - 9.0, y(t) + 4.5, _tick(t, rows), 13.0, _FAINT, "end") for t in rows]
    for tick in columns:
        if tick <= right:
            strokes.append(Stroke(((x(tick), _BOTTOM), (x(tick), _BOTTOM + 5.0)), _FAINT, 1.2))
            text = _tick(tick, columns)
            labels.append(Label(x(tick), _BOTTOM + 20.0, text, 13.0, _FAINT, "middle"))
    areas = []
    ends = []
    for number, curve in enumerate(curves):
        colour, dashes = _STYLES[(len(curves) - 1 - number) % len(_STYLES)]
        across = [x(g) for g in curve.generations.tolist()]
        middle = [y(v) for v in curve.mean.tolist()]
        upper = [y(v) for v in (curve.mean + curve.deviation).tolist()]
        lower = [y(v) for v in (curve.mean - curve.deviation).tolist()]
        around = [*zip(across, upper, strict=True), *reversed([*zip(across, lower, strict=True)])]
        areas.append(Area(tuple(around), colour, 0.14))
        line = tuple(zip(across, middle, strict=True))
        strokes.append(Stroke(line, colour, 2.4, dashes))
        name = shorten(curve.label, _LONGEST_LABEL)
        ends.append(Label(across[-1] + 10.0, middle[-1] + 5.0, name, 15.0, colour))
    return Figure(title, _WIDTH, _HEIGHT, tuple(areas), tuple(strokes), (*labels, *_separate(ends)))


def _separate(ends: list[Label]) -> list[Label]:
    """Move the labels at the ends of the curves so that none covers another."""
    placed: list[Label] = []
    for label in sorted(ends, key=lambda one: one.y):
        least = placed[-1].y + _BETWEEN_LABELS if placed else label.y
        y = max(label.y, least)
        placed.append(Label(label.x, y, label.text, label.size, label.colour, label.anchor))
    over = max(0.0, placed[-1].y - _BOTTOM) if placed else 0.0
    return [Label(p.x, p.y - over, p.text, p.size, p.colour, p.anchor) for p in placed]


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers, four to nine of them, from at most `low` to at least `high`."""
    return round_ticks(low, high, most=_MOST_STEPS)


def _tick(value: float, ticks: list[float]) -> str:
    step = ticks[1] - ticks[0]
    if step >= 1e6 or abs(step) < 1e-6:
        return f"{value:.3g}"
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:,.{decimals}f}"


def _path(points: tuple[Point, ...]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


_SCALE = 2  # pixels of the picture to a unit of the figure
_FINER = 3  # painted so many times larger, then averaged: that is what smooths the edges


def figure_png(figure: Figure) -> bytes:
    """Return a figure as the bytes of a PNG file.

    Pillow (7 MB, 0.02 s to import) brings a font of its own, so the picture is the same wherever
    that version of Pillow paints it; matplotlib is ten times as large and as slow.
    """
    from PIL import Image, ImageColor, ImageDraw, ImageFont

    scale = _SCALE * _FINER
    size = (round(figure.width) * scale, round(figure.height) * scale)
    picture = Image.new("RGB", size, "#ffffff")
    for area in figure.areas:
        mask = Image.new("L", size, 0)
        opacity = round(255 * area.opacity)
        ImageDraw.Draw(mask).polygon([(x * scale, y * scale) for x, y in area.points], opacity)
        box = mask.getbbox()
        if box is not None:  # what lies outside stays as it is, and takes most of the time
            picture.paste(ImageColor.getrgb(area.colour), box, mask.crop(box))
    brush = ImageDraw.Draw(picture)
    for stroke in figure.strokes:
        for piece in _dashes(stroke):
            points = [(x * scale, y * scale) for x, y in piece]
            brush.line(points, stroke.colour, round(stroke.width * scale), joint="curve")
    picture = picture.resize((size[0] // _FINER, size[1] // _FINER), Image.Resampling.BOX)
    brush = ImageDraw.Draw(picture)
    anchors = {"start": "ls", "middle": "ms", "end": "rs"}
    for label in figure.labels:
        font = ImageFont.load_default(label.size * _SCALE)
        place = (label.x * _SCALE, label.y * _SCALE)
        brush.text(place, label.text, label.colour, font, anchors[label.anchor])
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()


def _dashes(stroke: Stroke) -> Iterator[list[Point]]:
    """Yield the dashes of a line, or the line as a whole."""
    if not stroke.dashes:
        yield list(stroke.points)
        return
    number, left = 0, stroke.dashes[0]
    piece = [stroke.points[0]]
    for start, end in zip(stroke.points, stroke.points[1:], strict=False):
        (x, y), length = start, math.dist(start, end)
        done = 0.0
        while length - done > left:
            done += left
            share = done / length
            x, y = start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
            piece.append((x, y))
            if number % 2 == 0:
                yield piece
            piece = [(x, y)]
            number += 1
            left = stroke.dashes[number % len(stroke.dashes)]
        left -= length - done
        piece.append(end)
    if number % 2 == 0:
        yield piece
