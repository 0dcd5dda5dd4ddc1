"""Exact numbers to floats that are certainly not below or above them.

Every bound is computed in fractions, which do not round, and becomes a float by one of these.
"""

import math
from fractions import Fraction

from dsgec.errors import DsgecError

ROUNDING = 2.0**-52
"""Twice what rounding changes a double by, as a share of it: so that a bound itself may round."""

TINY = 2.0**-1060
"""More than what rounding changes a number by that is too small for all digits."""

MOST_DIGITS = 900
"""Before or behind the point: 2^900 is still a double."""

_DIGITS = 120


def above(value: Fraction | float) -> float:
    """The least float that is not below the number, or one beside it."""
    return _outward(value, math.inf)


def below(value: Fraction | float) -> float:
    """The greatest float that is not above the number, or one beside it."""
    return _outward(value, -math.inf)


def _outward(value: Fraction | float, towards: float) -> float:
    try:
        near = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    if not math.isfinite(near):
        return near
    is_inside = Fraction(near) < value if towards > 0 else Fraction(near) > value
    return math.nextafter(near, towards) if is_inside else near


def short(value: Fraction) -> Fraction:
    """A number of at most 120 binary digits, within 2^-119 of the value as a share of it."""
    if not value or not value.denominator & (value.denominator - 1):
        return value  # digits of binary fractions stay few
    scale = power_of_two(_DIGITS - floor_log2(abs(value)))
    return Fraction(round(value * scale)) / scale


def power_of_two(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def floor_log2(value: Fraction) -> int:
    """The greatest n with 2^n not above a number that is greater than 0."""
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if power_of_two(guess) <= value else guess - 1


def nearest(value: Fraction, fraction: int) -> int:
    """value · 2^fraction, rounded."""
    return math.floor(value * power_of_two(fraction) + Fraction(1, 2))


def refuse_extreme(fraction: int) -> None:
    """Numbers so large or so small that bounds of them are not finite, or 0."""
    if abs(fraction) > MOST_DIGITS:
        raise DsgecError(
            f"the network computes with numbers of about 2^{-fraction}, which fixed point"
            " cannot hold",
            "Export it as double.",
        )
