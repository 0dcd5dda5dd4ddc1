"""Weighted sums of quantities, which become sums of products of integers, rounded once."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from dsgec.export.fixed.exact import (
    ROUNDING,
    TINY,
    above,
    below,
    floor_log2,
    nearest,
    power_of_two,
    short,
)
from dsgec.export.fixed.ir import Operand

_MOST = (1 << 31) - 1
_HALF = 1 << 24  # room for the half that rounds: no sum is divided by more than 2^25
MOST_SHIFT = 25


@dataclass(frozen=True, slots=True)
class Quantity:
    """An integer q of the program that stands for a number x of the double network.

    x lies between `low` and `high`, (q + zero) / 2^fraction is within `error` of x, and q lies
    between `least` and `most`.
    """

    operand: Operand
    fraction: int
    low: float
    high: float
    error: float
    least: int
    most: int
    zero: int = 0

    @property
    def unit(self) -> Fraction:
        return power_of_two(-self.fraction)

    @property
    def size(self) -> int:
        """Return the greatest absolute value of the integer."""
        return max(-self.least, self.most, 0)


@dataclass(frozen=True, slots=True)
class Form:
    """The sum constant + Σ weight · quantity, where no weight is 0.

    The double network's value is within `rounding` of it, because it rounds, and its magnitude is
    not above `size`.
    """

    weights: Mapping[Quantity, Fraction]
    constant: Fraction
    size: float
    rounding: float = 0.0

    @property
    def terms(self) -> tuple[tuple[Quantity, Fraction], ...]:
        return tuple(self.weights.items())

    @property
    def low(self) -> float:
        """Return the least value that the double network can compute for it."""
        return below(self._end(least=True) - Fraction(self.rounding))

    @property
    def high(self) -> float:
        """Return the greatest value that the double network can compute for it."""
        return above(self._end(least=False) + Fraction(self.rounding))

    @property
    def is_finite(self) -> bool:
        """Return whether the double network computes a finite number for it on every row."""
        return math.isfinite(self.size) and math.isfinite(self.rounding)

    @property
    def is_constant(self) -> bool:
        return not self.weights

    def _end(self, *, least: bool) -> Fraction:
        total = self.constant
        for quantity, weight in self.weights.items():
            total += weight * Fraction(quantity.low if (weight > 0) == least else quantity.high)
        return total


def constant_form(value: float) -> Form:
    """Return the form of a constant, which may be infinite or NaN."""
    finite = math.isfinite(value)
    return Form({}, Fraction(value if finite else 0), abs(value) if finite else math.inf)


def quantity_form(quantity: Quantity) -> Form:
    """Return the form of one quantity."""
    size = max(abs(quantity.low), abs(quantity.high), quantity.error)
    return Form({quantity: Fraction(1)}, Fraction(0), size)


def add(a: Form, b: Form, sign: int = 1) -> Form:
    """Return a + b or, with the sign −1, a − b."""
    weights = dict(a.weights)  # copying hashes no key again, which matters in long sums
    for quantity, weight in b.weights.items():
        total = weights.get(quantity, 0) + sign * weight
        if total:
            weights[quantity] = total
        else:
            del weights[quantity]
    constant = a.constant + sign * b.constant
    return _rounded(weights, constant, a.size + b.size, a.rounding + b.rounding)


def scale(form: Form, factor: Fraction) -> Form:
    """Return a form times a number; for a division, the factor is the reciprocal."""
    factor = short(factor)  # the change is below the rounding error, which is counted twice
    weights = {quantity: weight * factor for quantity, weight in form.weights.items() if factor}
    by = above(abs(factor))
    return _rounded(weights, form.constant * factor, form.size * by, form.rounding * by)


def negate(form: Form) -> Form:
    """Return the negated form, which is exact."""
    weights = {quantity: -weight for quantity, weight in form.weights.items()}
    return Form(weights, -form.constant, form.size, form.rounding)


def _rounded(
    weights: Mapping[Quantity, Fraction], constant: Fraction, size: float, rounding: float
) -> Form:
    """Return a form computed from others with one rounding; its bounds are rounded, too."""
    wider = 1 + 4 * ROUNDING
    more = size * ROUNDING + TINY
    return Form(weights, constant, (size + more) * wider, (rounding + more) * wider)


@dataclass(frozen=True, slots=True)
class Accumulator:
    """An integer sum that is not rounded yet: within `error` of a form, times 2^fraction.

    It lies between `least` and `most`, and no partial sum exceeds 32 bits.
    """

    terms: tuple[tuple[Operand, int], ...]
    bias: int
    fraction: int
    error: float
    least: int
    most: int


def accumulate(form: Form, largest_weight: int, wanted: int | None = None) -> Accumulator:
    """Return the integer sum of a form with terms, with as many digits as 32 bits allow.

    It has not many more digits than `wanted`.
    """
    fraction = _fraction(form, largest_weight)
    if wanted is not None:
        fraction = min(fraction, wanted + MOST_SHIFT - 5)
    bias = form.constant + sum(w * q.zero * q.unit for q, w in form.terms)
    while True:
        weights = [nearest(weight * q.unit, fraction) for q, weight in form.terms]
        start = nearest(bias, fraction)
        total = abs(start) + sum(
            abs(w) * q.size for w, (q, _) in zip(weights, form.terms, strict=True)
        )
        if total <= _MOST - _HALF and max(map(abs, weights)) <= largest_weight:
            break
        fraction -= 1
    spare = _trailing_zeros([*weights, start])
    if wanted is not None:
        spare = min(spare, max(fraction - wanted, 0))
    weights, start = [w >> spare for w in weights], start >> spare
    fraction -= spare
    unit = power_of_two(-fraction)
    error = abs(start * unit - bias) + Fraction(form.rounding)
    least = most = start
    for w, (q, weight) in zip(weights, form.terms, strict=True):
        error += abs(w * unit - weight * q.unit) * q.size + abs(weight) * Fraction(q.error)
        ends = (w * q.least, w * q.most)
        least, most = least + min(ends), most + max(ends)
    # The form's own interval is narrower if its quantities depend on each other.
    low = (Fraction(form.low) - error) / unit
    high = (Fraction(form.high) + error) / unit
    return Accumulator(
        tuple((q.operand, w) for w, (q, _) in zip(weights, form.terms, strict=True) if w),
        start,
        fraction,
        above(error),
        max(least, low.__floor__()),
        min(most, high.__ceil__()),
    )


def _trailing_zeros(numbers: list[int]) -> int:
    """Return how many of the last binary digits are 0 in all numbers."""
    together = 0
    for number in numbers:
        together |= number
    return (together & -together).bit_length() - 1 if together else 0


def _fraction(form: Form, largest_weight: int) -> int:
    """Return the most digits after the point that the weights and the sum allow."""
    heaviest = max(abs(weight) * q.unit for q, weight in form.terms)
    total = abs(form.constant) + sum(
        abs(w) * q.unit * (q.size + abs(q.zero)) for q, w in form.terms
    )
    by_sum = floor_log2(_MOST / total) + 32 if total else 0
    return min(floor_log2(largest_weight / heaviest), by_sum)
