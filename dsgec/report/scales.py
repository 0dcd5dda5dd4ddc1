"""Numbers to places on an axis, and to the words beside it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

LOG_RATIO = 20.0
MOST_STEPS = 5.5
_LEAST = 1e-290  # what is smaller is drawn as nothing


@dataclass(frozen=True, slots=True)
class Scale:
    """Values from `low` to `high` onto `start` … `end`; `ticks` are those with a word."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    is_log: bool = False

    def place(self, value: float) -> float:
        """Where a value is drawn; what lies outside is drawn at the edge."""
        value = min(max(value, self.low), self.high)
        low, high = self.low, self.high
        if self.is_log:
            value, low, high = math.log(value), math.log(low), math.log(high)
        # Halves, because the span of two large numbers is more than a double holds.
        share = (value / 2 - low / 2) / (high / 2 - low / 2)
        return round(self.start + share * (self.end - self.start), 2)

    def words(self) -> list[tuple[float, str]]:
        """The ticks' places and words."""
        return [(self.place(tick), self._word(tick)) for tick in self.ticks]

    def _word(self, value: float) -> str:
        if self.is_log or len(self.ticks) < 2:
            return short(value)
        step = abs(self.ticks[1] - self.ticks[0])
        if max(map(abs, self.ticks)) >= 1e6 or step < 1e-5:
            return short(value)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        return f"{value:,.{decimals}f}".replace("-", "−")


def linear(values: Sequence[float], start: float, end: float, *, whole: bool = False) -> Scale:
    """An axis whose ends are ticks; `whole` where only whole numbers make sense."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    ticks = steps(low, high, whole=whole)
    return Scale(ticks[0], ticks[-1], start, end, tuple(ticks))


def suited(values: Sequence[float], start: float, end: float) -> Scale:
    """A logarithmic axis where values are of different sizes and none is 0; else a linear one."""
    if not values or min(values) <= 0 or max(values) / min(values) < LOG_RATIO:
        return linear(values, start, end)
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


def steps(low: float, high: float, *, whole: bool = False, most: float = MOST_STEPS) -> list[float]:
    """Round numbers, three to seven of them, from at most `low` to at least `high`."""
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


def short(value: float | None) -> str:
    """A number for people: four digits that mean something, a real minus."""
    if value is None or not math.isfinite(value):
        return "–" if value is None or math.isnan(value) else "∞" if value > 0 else "−∞"
    size = abs(value)
    if size and (size >= 1e6 or size < 1e-4):
        digits, power = f"{value:.3e}".split("e")
        text = f"{digits.rstrip('0').rstrip('.')}e{int(power)}"
    elif value == int(value):
        text = f"{int(value):,}"
    else:
        text = f"{value:,.{max(0, 3 - math.floor(math.log10(size)))}f}" if size else "0"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", "−")


def figure(value: float | None) -> str:
    """A metric: four decimals, as the command line prints it."""
    if value is None:
        return "–"
    return (f"{value:.4f}" if abs(value) < 1e5 else f"{value:.3g}").replace("-", "−")
