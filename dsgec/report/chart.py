"""Series of numbers to a chart: places, paths and words, which a template prints as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dsgec.report.scales import Scale

WIDTH, HEIGHT = 424.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 400.0, 30.0, 254.0

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Mark:
    """A point that is drawn; `title` is shown where a pointer rests."""

    x: float
    y: float
    title: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """A line, marks, a band; `style` numbers colour, dash and shape of the marks."""

    name: str
    style: int
    path: str = ""
    marks: tuple[Mark, ...] = ()
    band: str = ""


@dataclass(frozen=True, slots=True)
class DataTable:
    """The same as numbers, for who does not see the picture."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture with two axes. `key` makes its parts' ids different from those of other charts."""

    key: str
    title: str
    description: str
    across: Scale
    up: Scale
    across_label: str
    up_label: str
    series: tuple[Series, ...]
    table: DataTable
    guide: str = ""
    notes: tuple[str, ...] = ()
    width: float = field(default=WIDTH)
    height: float = field(default=HEIGHT)
    left: float = field(default=LEFT)
    right: float = field(default=RIGHT)
    top: float = field(default=TOP)
    bottom: float = field(default=BOTTOM)


def line(points: Points, across: Scale, up: Scale) -> str:
    """The path through points."""
    places = [f"{across.place(x):g} {up.place(y):g}" for x, y in points]
    return f"M{' L'.join(places)}" if places else ""


def stairs(points: Points, across: Scale, up: Scale) -> str:
    """The path that keeps a height until the next point."""
    path = ""
    for x, y in points:
        there = f"{across.place(x):g}"
        path += f" H{there} V{up.place(y):g}" if path else f"M{there} {up.place(y):g}"
    return path


def marks(points: Points, across: Scale, up: Scale) -> tuple[Mark, ...]:
    """A mark at each point."""
    return tuple(Mark(across.place(x), up.place(y)) for x, y in points)
