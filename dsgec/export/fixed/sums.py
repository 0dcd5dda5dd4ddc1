"""A weighted sum to products of integers, summed in 32 bits and rounded once."""

from dataclasses import dataclass
from fractions import Fraction

from dsgec.export.fixed.exact import above, floor_log2, nearest, power_of_two
from dsgec.export.fixed.forms import Form
from dsgec.export.fixed.ir import Operand

_MOST = (1 << 31) - 1
_HALF = 1 << 24  # room for what rounds: no sum is divided by more than 2^25
MOST_SHIFT = 25


@dataclass(frozen=True, slots=True)
class Accumulator:
    """A sum that is not rounded yet: within `error` of the form, times 2^fraction.

    It is from `least` to `most`, and no sum of some of its terms is beyond 32 bits.
    """

    terms: tuple[tuple[Operand, int], ...]
    bias: int
    fraction: int
    error: float
    least: int
    most: int


def accumulate(form: Form, largest_weight: int, wanted: int | None = None) -> Accumulator:
    """The sum of a form that has terms, with as many digits as weights and 32 bits allow.

    Where so many are `wanted`, it has not many more.
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
    # The form's own interval is narrower where quantities depend on each other.
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
    """The binary digits that are 0 at the end of all of them."""
    together = 0
    for number in numbers:
        together |= number
    return (together & -together).bit_length() - 1 if together else 0


def _fraction(form: Form, largest_weight: int) -> int:
    """At most so many digits, by the weights and by the sum."""
    heaviest = max(abs(weight) * q.unit for q, weight in form.terms)
    total = abs(form.constant) + sum(
        abs(w) * q.unit * (q.size + abs(q.zero)) for q, w in form.terms
    )
    by_sum = floor_log2(_MOST / total) + 32 if total else 0
    return min(floor_log2(largest_weight / heaviest), by_sum)
