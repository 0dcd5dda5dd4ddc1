"""Nodes as weighted sums of quantities: what becomes one sum of products, rounded once."""

import math
from dataclasses import dataclass
from fractions import Fraction

from dsgec.fixed.exact import ROUNDING, TINY, above, below, power_of_two, short
from dsgec.fixed.ir import Operand


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
    """constant + Σ weight · quantity.

    What the double network computes for it is within `rounding` of that, because it rounds, and not
    larger than `size`, whatever its sign.
    """

    terms: tuple[tuple[Quantity, Fraction], ...]
    constant: Fraction
    size: float
    rounding: float = 0.0

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
        return not self.terms

    def _end(self, *, least: bool) -> Fraction:
        total = self.constant
        for quantity, weight in self.terms:
            total += weight * Fraction(quantity.low if (weight > 0) == least else quantity.high)
        return total


def constant_form(value: float) -> Form:
    """A number, also one that is not finite."""
    finite = math.isfinite(value)
    return Form((), Fraction(value if finite else 0), abs(value) if finite else math.inf)


def quantity_form(quantity: Quantity) -> Form:
    size = max(abs(quantity.low), abs(quantity.high), quantity.error)
    return Form(((quantity, Fraction(1)),), Fraction(0), size)


def add(a: Form, b: Form, sign: int = 1) -> Form:
    """a + b, or with the sign −1 their difference."""
    weights = dict(a.terms)
    for quantity, weight in b.terms:
        weights[quantity] = weights.get(quantity, Fraction(0)) + sign * weight
    terms = tuple((quantity, weight) for quantity, weight in weights.items() if weight)
    constant = a.constant + sign * b.constant
    return _rounded(terms, constant, a.size + b.size, a.rounding + b.rounding)


def scale(form: Form, factor: Fraction) -> Form:
    """The form times a number, or divided by one: then the factor is its reciprocal."""
    factor = short(factor)  # which changes less than rounding, which is counted twice
    terms = tuple((quantity, weight * factor) for quantity, weight in form.terms if factor)
    by = above(abs(factor))
    return _rounded(terms, form.constant * factor, form.size * by, form.rounding * by)


def negate(form: Form) -> Form:
    """Exact."""
    terms = tuple((quantity, -weight) for quantity, weight in form.terms)
    return Form(terms, -form.constant, form.size, form.rounding)


def _rounded(
    terms: tuple[tuple[Quantity, Fraction], ...], constant: Fraction, size: float, rounding: float
) -> Form:
    """The form of what was computed from others, and rounded; the bounds round, too."""
    wider = 1 + 4 * ROUNDING
    more = size * ROUNDING + TINY
    return Form(terms, constant, (size + more) * wider, (rounding + more) * wider)
