"""Exact bounds: they are computed as fractions, which do not round, and then rounded outwards."""

import math
from fractions import Fraction

from dsgec.errors import DsgecError

ROUNDING = 2.0**-52
"""Twice the relative error of rounding a double, so that the bound itself may be rounded."""

TINY = 2.0**-1060
"""More than the absolute error of rounding a subnormal number."""

MOST_DIGITS = 900
"""The most binary digits before or after the point: 2^900 is still a double."""

_DIGITS = 120


def above(value: Fraction | float) -> float:
    """Return a float that is not below a number: the least one, or the next."""
    return _round_towards(value, math.inf)


def below(value: Fraction | float) -> float:
    """Return a float that is not above a number: the greatest one, or the next."""
    return _round_towards(value, -math.inf)


def _round_towards(value: Fraction | float, towards: float) -> float:
    """Return a float that is not on the inner side of a number."""
    try:
        near = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    if not math.isfinite(near):
        return near
    is_inside = Fraction(near) < value if towards > 0 else Fraction(near) > value
    return math.nextafter(near, towards) if is_inside else near


def short(value: Fraction) -> Fraction:
    """Round a number to at most 120 binary digits, with a relative error below 2^-119."""
    if not value or not value.denominator & (value.denominator - 1):
        return value  # a binary fraction has few digits anyway
    scale = power_of_two(_DIGITS - floor_log2(abs(value)))
    return Fraction(round(value * scale)) / scale


def power_of_two(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def floor_log2(value: Fraction) -> int:
    """Return the greatest n such that 2^n is not above a positive number."""
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if power_of_two(guess) <= value else guess - 1


def nearest(value: Fraction, fraction: int) -> int:
    """Return value · 2^fraction, rounded to the nearest integer."""
    return math.floor(value * power_of_two(fraction) + Fraction(1, 2))


def refuse_extreme(fraction: int) -> None:
    """Raise DsgecError for numbers so large or small that their bounds would be infinite or 0."""
    if abs(fraction) > MOST_DIGITS:
        raise DsgecError(
            f"the network computes with numbers of about 2^{-fraction}, which fixed point"
            " cannot hold",
            "Export it as double.",
        )
