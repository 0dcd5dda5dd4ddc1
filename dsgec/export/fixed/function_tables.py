"""Sample a function of one argument into a table of integers, and bound the error of the table.

The error is not estimated: every argument is tried, and compared with the least and the greatest
value of the function over all numbers that the argument can stand for.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.printed import vector_integer
from dsgec.export.fixed.curves import FunctionCurve
from dsgec.export.fixed.exact import MOST_DIGITS, floor_log2, refuse_extreme
from dsgec.export.fixed.ir import FunctionTable, largest

_MOST_SEGMENTS = {16: 256, 8: 64}
_TOLERANCE = {16: 4.0, 8: 1.0}
"""The tolerated error, in units of a stored value: more entries would gain less than they cost."""

_ARGUMENT = {16: (1 << 15) - 1, 8: (1 << 10) - 1}
"""The largest argument: more digits would gain nothing, because the sums have no more."""


@dataclass(frozen=True, slots=True)
class SampledCurve:
    """A function, its table, and the binary digits after the point of arguments and entries."""

    curve: FunctionCurve
    table: FunctionTable
    argument_fraction: int
    fraction: int
    low: float
    high: float

    @property
    def first(self) -> int:
        """Return the least argument that is not clamped."""
        return self.table.first if self.table.look == "look" else -self.table.last

    def values(self, arguments: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the values of the table at arguments."""
        look = getattr(vector_integer, self.table.look)
        entries = np.array(self.table.entries, np.int32)
        found: NDArray[np.int32] = look(entries, arguments, *self.table.limits)
        return found

    def window(
        self, low: float, high: float, error: float, reach: tuple[int, int]
    ) -> tuple[float, float, float, tuple[int, int]]:
        """Widen the arguments of `error` slightly, so that many neurons share one result."""
        least, most = max(reach[0], self.first - 1), min(reach[1], self.table.last + 1)
        low = min(low, self.low) if least < self.first else low
        high = max(high, self.high) if most > self.table.last else high
        if error > 0:
            digits = 4 - floor_log2(Fraction(error))
            error = math.ldexp(math.ceil(math.ldexp(error, digits)), -digits)
        return low, high, error, (least, most)

    def error(self, low: float, high: float, error: float, reach: tuple[int, int]) -> float:
        """Bound the difference between a value of the table and one of the function.

        The argument, before it is clamped, is within `error` of a number between `low` and `high`,
        and lies between the integers `reach`.
        """
        least, most = (min(max(end, self.first), self.table.last) for end in reach)
        arguments = np.arange(least, most + 1, dtype=np.int64)
        places = arguments * 2.0**-self.argument_fraction
        starts, ends = places - error * (1 + 2.0**-40), places + error * (1 + 2.0**-40)
        starts[0] = (
            low if reach[0] < least else starts[0]
        )  # a clamped argument stands for any number there
        ends[-1] = high if reach[1] > most else ends[-1]
        possible = (starts <= high) & (ends >= low)
        arguments, starts, ends = arguments[possible], starts[possible], ends[possible]
        starts, ends = np.clip(starts, low, high), np.clip(ends, low, high)
        smallest, greatest = self.curve.extremes(starts, ends)
        values = self.values(arguments.astype(np.int32)) * 2.0**-self.fraction
        worst = np.maximum(values - smallest, greatest - values).max(initial=0.0)
        return float(worst) * (1 + 2.0**-40)


def sample(
    curve: FunctionCurve, low: float, high: float, bits: int, finest: int | None = None
) -> SampledCurve:
    """Return the table of a function between two numbers, with entries of so many bits.

    Its arguments have at most `finest` digits after the point.
    """
    most = _ARGUMENT[bits]
    fraction = min(value_fraction(max(map(abs, curve.over(low, high))), bits), MOST_DIGITS)
    whole = low, high
    low, high = _trimmed(curve, low, high, 2.0**-fraction / 2)
    reach = max(abs(low), abs(high))
    digits = floor_log2(Fraction(most) / Fraction(reach)) if reach else 0
    digits = min(digits, MOST_DIGITS if finest is None else finest)
    refuse_extreme(digits)
    first = max(math.floor(low * 2.0**digits), -most)
    last = min(math.ceil(high * 2.0**digits), most)
    look, total = _symmetry(curve, first, last, digits, fraction, bits)
    if look != "look":
        first, last = 0, max(-first, last)
    arguments = np.arange(-last if look != "look" else first, last + 1, dtype=np.int32)
    exact = curve.value(arguments.astype(np.float64) * 2.0**-digits) * 2.0**fraction
    found: list[tuple[float, SampledCurve]] = []
    for shift in range(14, -1, -1):
        segments = ((last - first) >> shift) + 1
        if found and segments > _MOST_SEGMENTS[bits]:
            break
        entries = _entries(curve, first, shift, segments + 1, digits, fraction, bits)
        table = FunctionTable(entries, look, first, last, shift, total)
        sampled = SampledCurve(curve, table, digits, fraction, *whole)
        error = float(np.abs(sampled.values(arguments) - exact).max())
        found.append((error, sampled))
        if error <= _TOLERANCE[bits]:
            break
    return min(found, key=lambda one: one[0])[1]


def value_fraction(size: float, bits: int) -> int:
    """Return the digits after the point with which a table holds numbers up to a size.

    The greatest number may be one unit too large, and is then clamped.
    """
    return (
        floor_log2(Fraction((largest(bits) + 1) * (1 + 2.0**-30)) / Fraction(size)) if size else 0
    )


def _trimmed(
    curve: FunctionCurve, low: float, high: float, tolerance: float
) -> tuple[float, float]:
    """Return an interval without the ends over which the function hardly changes."""

    def is_flat(a: float, b: float) -> bool:
        least, most = curve.over(a, b)
        return most - least <= tolerance

    def end(fixed: float, far: float) -> float:
        flat, bent = fixed, far
        for _ in range(60):
            middle = (flat + bent) / 2
            if is_flat(min(fixed, middle), max(fixed, middle)):
                flat = middle
            else:
                bent = middle
        return flat

    start, stop = end(low, high), end(high, low)
    if start >= stop:  # one value is close enough to all others
        start = stop = start / 2 + stop / 2
    return start, stop


def _symmetry(
    curve: FunctionCurve, first: int, last: int, digits: int, fraction: int, bits: int
) -> tuple[str, int]:
    """Return how half of the table can be read, and the total of an odd function.

    A wrong guess costs accuracy only: the error is found by trying all arguments.
    """
    if not first < 0 < last or min(-first, last) * 2 < max(-first, last):
        return "look", 0
    x = np.linspace(0.0, max(-first, last), 257) * 2.0**-digits
    right, left = curve.value(x), curve.value(-x)
    unit = 2.0**-fraction
    if np.abs(right - left).max() <= unit / 8:
        return "look_even", 0
    total = right + left
    whole = round(float(total[0]) / unit)
    if np.abs(total - whole * unit).max() <= unit / 8:
        return "look_odd", whole
    return "look", 0


def _entries(
    curve: FunctionCurve, first: int, shift: int, count: int, digits: int, fraction: int, bits: int
) -> tuple[int, ...]:
    """Return entries such that the lines between them are as far above the function as below it.

    They stay within the values of the function; if every argument has an entry, they are these
    values.
    """
    places = (first + (np.arange(count * 2 - 1) << shift) / 2) * 2.0**-digits
    values = curve.value(places)
    inside = np.isfinite(values)  # one entry is outside the interval, and can be infinite
    values[~inside] = np.interp(places[~inside], places[inside], values[inside])
    ends, middles = values[::2], values[1::2]
    bends = (middles - (ends[1:] + ends[:-1]) / 2) / 4
    lifts = np.concatenate([bends, bends[-1:]]) + np.concatenate([bends[:1], bends])
    most = largest(bits)
    lifted = np.clip(ends + lifts, ends.min(), ends.max()) if shift else ends
    scaled = np.rint(lifted * 2.0**fraction)
    return tuple(int(entry) for entry in np.clip(scaled, -most, most))
