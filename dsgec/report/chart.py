"""Charts with two axes: scales, marks and paths, which a template prints as SVG."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.report.format import format_number

WIDTH, HEIGHT = 424.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 400.0, 30.0, 254.0
LOG_RATIO = 20.0
MOST_STEPS = 5.5
_LEAST = 1e-290  # what is smaller is drawn as nothing

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from `low` to `high`, drawn from `start` to `end`; `ticks` are labelled."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    is_log: bool = False

    def place(self, value: float) -> float:
        """Return where a value is drawn; a value outside is drawn at the edge."""
        value = min(max(value, self.low), self.high)
        low, high = self.low, self.high
        if self.is_log:
            value, low, high = math.log(value), math.log(low), math.log(high)
        # Halves, because the span of two large numbers is more than a double holds.
        share = (value / 2 - low / 2) / (high / 2 - low / 2)
        return round(self.start + share * (self.end - self.start), 2)

    def labels(self) -> list[tuple[float, str]]:
        """Return the place and the label of each tick."""
        return [(self.place(tick), self._label(tick)) for tick in self.ticks]

    def _label(self, value: float) -> str:
        if self.is_log or len(self.ticks) < 2:
            return format_number(value)
        step = abs(self.ticks[1] - self.ticks[0])
        if max(map(abs, self.ticks)) >= 1e6 or step < 1e-5:
            return format_number(value)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        return f"{value:,.{decimals}f}".replace("-", "−")


def linear_scale(
    values: Sequence[float], start: float, end: float, *, whole: bool = False
) -> Scale:
    """Return an axis whose ends are ticks; `whole` if only whole numbers make sense."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    ticks = round_ticks(low, high, whole=whole)
    return Scale(ticks[0], ticks[-1], start, end, tuple(ticks))


def suitable_scale(values: Sequence[float], start: float, end: float) -> Scale:
    """Return a logarithmic axis for positive values of different magnitudes, else a linear one."""
    if not values or min(values) <= 0 or max(values) / min(values) < LOG_RATIO:
        return linear_scale(values, start, end)
    low, high = min(values), max(values)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = max(1, math.ceil((last - first) / 6))
    factors = (1.0, 2.0, 5.0) if last - first <= 2 else (1.0,)
    ticks = [
        factor * 10.0**power
        for power in range(max(first, -307), min(last, 308) + 1)
        if (power - first) % every == 0
        for factor in factors
    ]
    inside = [tick for tick in ticks if low / 1.001 <= tick <= high * 1.001]
    return Scale(low / 1.05, min(high, 1.7e308) * 1.05, start, end, tuple(inside), is_log=True)


def generation_scale(first: float, last: float) -> Scale:
    """Return the horizontal axis of the generations, which ends at the last one."""
    ticks = linear_scale([first, last], LEFT, RIGHT, whole=True).ticks
    end = max(last, first + 1.0)
    return Scale(first, end, LEFT, RIGHT, tuple(tick for tick in ticks if tick <= end))


def round_ticks(
    low: float, high: float, *, whole: bool = False, most: float = MOST_STEPS
) -> list[float]:
    """Return a few evenly spaced round numbers, from at most `low` to at least `high`."""
    span = high - low
    if not span > max(abs(high) * 1e-12, _LEAST):
        span = abs(high) if abs(high) > _LEAST else 1.0
        low, high = low - span / 2, high + span / 2
        low = max(low, 0.0) if whole else low
        span = high - low
    if not math.isfinite(span):
        return [low, 0.0, high]
    size = 10.0 ** math.floor(math.log10(span / 4.0))
    size = next(size * f for f in (1.0, 2.0, 5.0, 10.0, 20.0) if span / (size * f) <= most)
    size = max(size, 1.0) if whole else size
    first = math.floor(low / size + 1e-9)
    last = max(math.ceil(high / size - 1e-9), first + 1)
    return [number * size for number in range(first, last + 1)]


@dataclass(frozen=True, slots=True)
class Mark:
    """A point that is drawn; `title` is its tooltip."""

    x: float
    y: float
    title: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """A line, marks and a band; `style` numbers colour, dashes and the shape of the marks."""

    name: str
    style: int
    path: str = ""
    marks: tuple[Mark, ...] = ()
    band: str = ""


@dataclass(frozen=True, slots=True)
class DataTable:
    """The numbers of a chart as a table, for readers who cannot see the picture."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture with two axes; `key` is the prefix of its ids, unique on a page."""

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
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    right: float = RIGHT
    top: float = TOP
    bottom: float = BOTTOM


def line_path(points: Points, across: Scale, up: Scale) -> str:
    """Return the path through points."""
    places = [f"{across.place(x):g} {up.place(y):g}" for x, y in points]
    return f"M{' L'.join(places)}" if places else ""


def step_path(points: Points, across: Scale, up: Scale) -> str:
    """Return the path that keeps the height of a point until the next one."""
    path = ""
    for x, y in points:
        there = f"{across.place(x):g}"
        path += f" H{there} V{up.place(y):g}" if path else f"M{there} {up.place(y):g}"
    return path


def make_marks(points: Points, across: Scale, up: Scale) -> tuple[Mark, ...]:
    """Return a mark at each point."""
    return tuple(Mark(across.place(x), up.place(y)) for x, y in points)
