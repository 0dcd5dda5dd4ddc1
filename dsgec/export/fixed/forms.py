"""Nodes as weighted sums of quantities: what becomes one sum of products, rounded once."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from dsgec.export.fixed.exact import ROUNDING, TINY, above, below, power_of_two, short
from dsgec.export.fixed.ir import Operand


@dataclass(frozen=True, slots=True)
class Quantity:
    """An integer q of the program, and the number of the double network that it stands for.

    That number is from `low` to `high`, and (q + zero) / 2^fraction within `error` of it. q is from
    `least` to `most`.
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
        """The greatest |q|."""
        return max(-self.least, self.most, 0)


@dataclass(frozen=True, slots=True)
class Form:
    """constant + Σ weight · quantity, each of which has one weight, other than 0.

    What the double network computes for it is within `rounding` of that, because it rounds, and not
    larger than `size`, whatever its sign.
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
        """The least that the double network can compute for it."""
        return below(self._end(least=True) - Fraction(self.rounding))

    @property
    def high(self) -> float:
        return above(self._end(least=False) + Fraction(self.rounding))

    @property
    def is_finite(self) -> bool:
        """Whether the double network computes a finite number for it, whatever the row."""
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
    """A number, also one that is not finite."""
    finite = math.isfinite(value)
    return Form({}, Fraction(value if finite else 0), abs(value) if finite else math.inf)


def quantity_form(quantity: Quantity) -> Form:
    size = max(abs(quantity.low), abs(quantity.high), quantity.error)
    return Form({quantity: Fraction(1)}, Fraction(0), size)


def add(a: Form, b: Form, sign: int = 1) -> Form:
    """a + b, or with the sign −1 their difference."""
    weights = dict(a.weights)  # a copy hashes nothing again: long sums are added to term by term
    for quantity, weight in b.weights.items():
        total = weights.get(quantity, 0) + sign * weight
        if total:
            weights[quantity] = total
        else:
            del weights[quantity]
    constant = a.constant + sign * b.constant
    return _rounded(weights, constant, a.size + b.size, a.rounding + b.rounding)


def scale(form: Form, factor: Fraction) -> Form:
    """The form times a number, or divided by one: then the factor is its reciprocal."""
    factor = short(factor)  # which changes less than rounding, which is counted twice
    weights = {quantity: weight * factor for quantity, weight in form.weights.items() if factor}
    by = above(abs(factor))
    return _rounded(weights, form.constant * factor, form.size * by, form.rounding * by)


def negate(form: Form) -> Form:
    """Exact."""
    weights = {quantity: -weight for quantity, weight in form.weights.items()}
    return Form(weights, -form.constant, form.size, form.rounding)


def _rounded(
    weights: Mapping[Quantity, Fraction], constant: Fraction, size: float, rounding: float
) -> Form:
    """The form of what was computed from others, and rounded; the bounds round, too."""
    wider = 1 + 4 * ROUNDING
    more = size * ROUNDING + TINY
    return Form(weights, constant, (size + more) * wider, (rounding + more) * wider)
