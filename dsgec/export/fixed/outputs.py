"""Outputs of a network to results that share one fraction: probabilities, or values."""

import math
from fractions import Fraction

import numpy as np

from dsgec.arithmetic import integer
from dsgec.arithmetic.printed import vector
from dsgec.errors import DsgecError
from dsgec.export.fixed.curves import FunctionCurve
from dsgec.export.fixed.exact import above, power_of_two
from dsgec.export.fixed.forms import Form, Quantity, quantity_form
from dsgec.export.fixed.ir import RESULT_BITS, Operand, WholeNumber, largest
from dsgec.export.fixed.sums import MOST_SHIFT
from dsgec.export.fixed.tables import sample
from dsgec.export.fixed.writer import Writer

_DEEPEST = 64.0  # e^-64 is nothing
_MOST_CLASSES = 1 << 14
_ONE = RESULT_BITS - 1  # the fraction of probabilities


def softmax(writer: Writer, outputs: list[Form]) -> tuple[list[Form], tuple[Operand, ...]]:
    """e^z_i / Σ e^z_j: of a table of e^−d of the distances d to the greatest z; and the z.

    A share is less than that of the greatest z where its z is less, so that the greatest z and the
    greatest share are of the same class.
    """
    if len(outputs) > _MOST_CLASSES:
        raise DsgecError("fixed point has no softmax of so many numbers", "Export it as float.")
    z = writer.together(outputs, RESULT_BITS)
    fraction = z[0].fraction
    greatest: Operand = z[0].operand
    for one in z[1:]:
        greatest = writer.call("maximum", greatest, one.operand)
    reach = max(one.most for one in z) - min(one.least for one in z)
    deepest = min(math.ldexp(reach, -fraction), _DEEPEST) or 1.0
    sampled = sample(_FALLING, 0.0, deepest, RESULT_BITS, finest=fraction)
    # The greatest z has a power of 1, which the sum is not below: its reciprocal needs 15 bits.
    assert sampled.table.entries[0] >= 1 << (_ONE - 1)
    assert min(sampled.table.entries) >= 0
    assert list(sampled.table.entries) == sorted(sampled.table.entries, reverse=True)
    lack = fraction - sampled.argument_fraction
    farthest, half = math.ldexp(reach, -fraction), (1 << lack) >> 1
    is_near = lack > MOST_SHIFT  # so that every distance is 0 in the digits of the table
    error = math.ldexp(0.5, -sampled.argument_fraction) if lack else 0.0
    powers = []
    for one in z:
        distance: Operand = (
            WholeNumber(0)
            if is_near
            else writer.sum(((greatest, 1), (one.operand, -1)), half, lack)
        )
        argument = Quantity(
            distance,
            sampled.argument_fraction,
            0.0,
            farthest,
            farthest if is_near else error,
            0,
            0 if is_near else (reach + half) >> lack,
        )
        powers.append(writer.looked(sampled, argument))
    total = writer.sum([(power.operand, 1) for power in powers], 0, 0)
    halvings = writer.call("excess", total)
    reciprocal = writer.call("reciprocal", writer.call("shifted", total, halvings))
    shift = writer.sum(((halvings, 1),), _ONE - 1, 0)
    bound = _softmax_error(
        max(one.error for one in z), max(power.error for power in powers), len(z)
    )
    most = largest(RESULT_BITS)
    first = sampled.table
    nearest = getattr(integer, first.look)([*first.entries], 0, *first.limits)
    top = writer.call("minimum", writer.call("product", nearest, reciprocal, shift), most)
    shares = []
    for one, power in zip(z, powers, strict=True):
        farther = writer.sum(((greatest, 1), (one.operand, -1)), 0, 0)
        limit = writer.sum(((top, 1), (writer.call("minimum", farther, 1), -1)), 0, 0)
        share = writer.call("product", power.operand, reciprocal, shift)
        shares.append(writer.call("minimum", share, limit))
    forms = [quantity_form(Quantity(share, _ONE, 0.0, 1.0, bound, 0, most)) for share in shares]
    return forms, tuple(one.operand for one in z)


def _softmax_error(logit: float, power: float, count: int) -> float:
    """The error of a probability, given those of the z and of the powers.

    Errors of the z change the log-odds of a class by twice the greatest, so its probability by at
    most tanh(error / 2). A power is within `power` of e^-d, and the sum of them, which is 1 at
    least, within count · power of the exact one: with errors η of powers e, the share of one is off
    by (η_i S − e_i Σ η_j) / (S S'). Of S' the first 15 bits are taken, which loses 2^-14 of it, the
    reciprocal loses 2^-15, and the result is rounded; where it is 1, it is clamped, and where it
    equals that of a greater z, it is one unit less.
    """
    least_sum = 1 - power
    shares = power * (1 + count) / least_sum
    rest = 2.0**-14 + 2.0**-14 + 2.0**-15
    off = math.tanh(logit / 2) + shares + rest * (1 + shares) + 2.0**-_ONE
    return off * (1 + 2.0**-30) + 2.0**-40


def results(
    writer: Writer, outputs: list[Form], *, complement: bool
) -> tuple[tuple[Operand, ...], int, tuple[float, ...]]:
    """The integers of the results, their fraction, and for each the bound of its error.

    The `complement` of a lone probability is the result before it.
    """
    aligned = writer.together(outputs, RESULT_BITS)
    if complement:
        aligned = [writer.aligned(one, min(one.fraction, _ONE)) for one in aligned]
        aligned = [_complement(writer, aligned[0]), *aligned]
    return (
        tuple(one.operand for one in aligned),
        aligned[0].fraction,
        tuple(one.error for one in aligned),
    )


def _complement(writer: Writer, one: Quantity) -> Quantity:
    """1 − y, within the bits of a result."""
    most = largest(RESULT_BITS)
    whole = 1 << one.fraction if one.fraction >= 0 else 0
    least, greatest = whole - one.most, whole - one.least
    operand = writer.sum(((one.operand, -1),), whole, 0)
    # Double precision rounds 1 − y by a share of the greatest value that can come of it.
    greatest_value = max(Fraction(1), abs(Fraction(one.low)), abs(Fraction(one.high)))
    rounding = Fraction(2.0**-52) * greatest_value
    error = Fraction(one.error) + abs(1 - whole * power_of_two(-one.fraction)) + rounding
    if least < -most or greatest > most:
        operand = writer.call("clamp", operand, -most, most)
        error += max(greatest - most, -most - least, 0) * power_of_two(-one.fraction)
    return Quantity(operand, one.fraction, 1 - one.high, 1 - one.low, above(error), least, greatest)


def _value(x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return vector.exp(-x)


_FALLING = FunctionCurve(
    ("exp of the distance",), _value, lambda low, high: (_value(high), _value(low))
)
