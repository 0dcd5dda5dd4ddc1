"""Turn operations on numbers into steps on integers, with error bounds of their results."""

from collections.abc import Callable
from fractions import Fraction

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.errors import DsgecError
from dsgec.export.fixed.curves import FunctionCurve, curve, power_of, power_to
from dsgec.export.fixed.exact import (
    ROUNDING,
    TINY,
    above,
    below,
    floor_log2,
    nearest,
    power_of_two,
    refuse_extreme,
)
from dsgec.export.fixed.forms import (
    Form,
    Quantity,
    accumulate,
    constant_form,
    negate,
    quantity_form,
    scale,
)
from dsgec.export.fixed.function_tables import SampledCurve, sample
from dsgec.export.fixed.ir import RESULT_BITS, largest
from dsgec.export.fixed.writer import Writer
from dsgec.network.ir import multiplications
from dsgec.network.simplify import apply_function

_EVERYWHERE = 1e4  # far beyond where the functions that share a table saturate
_SOON = 32.0  # where these saturate at the latest
_CLIP = 4.0  # where `clip` of the arithmetic ends
_NARROWER = "Give narrower ranges with --range COLUMN=LO:HI, or export it as float."
_RECIPROCAL = Fraction(1, 1 << 15)
"""The relative error of the reciprocal of the arithmetic: a test tries all arguments."""


def multiply(writer: Writer, a: Form, b: Form) -> Form:
    """Return a · b; a constant factor becomes a weight."""
    if b.is_constant:
        return scale(a, b.constant) if not b.rounding else _product(writer, a, b)
    if a.is_constant:
        return multiply(writer, b, a)
    return _product(writer, a, b)


def _product(writer: Writer, a: Form, b: Form) -> Form:
    x = writer.store(a)
    return quantity_form(_times(writer, x, x if a == b else writer.store(b)))


def _times(writer: Writer, x: Quantity, y: Quantity) -> Quantity:
    ends = [Fraction(p) * Fraction(q) for p in (x.low, x.high) for q in (y.low, y.high)]
    wholes = [p * q for p in (x.least, x.most) for q in (y.least, y.most)]
    if x == y and min(wholes) < 0:
        wholes.append(0)
        wholes.remove(min(wholes))
    if x == y and min(ends) < 0:
        ends = [max(ends), Fraction(0)]
    wholes = [max(p, 0) for p in wholes] if x == y else wholes
    error = (
        Fraction(x.error) * _size(y)
        + Fraction(y.error) * _size(x)
        + Fraction(x.error) * Fraction(y.error)
        + _rounding(max(map(abs, ends)))
    )
    shift = _shift(min(wholes), max(wholes), largest(writer.bits))
    fraction = x.fraction + y.fraction - shift
    refuse_extreme(fraction)
    operand = writer.call("product", x.operand, y.operand, shift)
    if shift:
        error += power_of_two(-fraction - 1)
    half = (1 << shift) >> 1
    return Quantity(
        operand,
        fraction,
        below(min(ends) - _rounding(min(ends))),
        above(max(ends) + _rounding(max(ends))),
        above(error),
        (min(wholes) + half) >> shift,
        (max(wholes) + half) >> shift,
    )


def quotient(writer: Writer, a: Form, b: Form) -> Form:
    """Return a / b; a constant divisor becomes a weight, any other uses a reciprocal."""
    if b.is_constant and not b.rounding:
        return scale(a, 1 / b.constant) if b.constant else constant_form(1.0)
    x, y = writer.store(a), writer.store(b, RESULT_BITS)
    if y.least <= 0 <= y.most or y.low <= 0 <= y.high:
        raise DsgecError(
            f"the network divides by a number between {y.low:.4g} and {y.high:.4g}, which can be 0"
            " or too close to 0 for fixed point",
            _NARROWER,
        )
    return quantity_form(_divide(writer, x, y))


def _divide(writer: Writer, x: Quantity, y: Quantity) -> Quantity:
    """Return x / y, by the reciprocal of y."""
    ends = [Fraction(p) / Fraction(q) for p in (x.low, x.high) for q in (y.low, y.high)]
    nearest_zero = min(abs(y.least), abs(y.most))
    # q = x / y · 2^digits fits into the stored bits, whatever the error of the reciprocal.
    most = largest(writer.bits)
    greatest = Fraction(max(x.size, 1), nearest_zero) * (1 + _RECIPROCAL * 2)
    digits = floor_log2((most - 1) / greatest)
    operand = writer.call("quotient", x.operand, y.operand, 29 - digits)
    fraction = digits + x.fraction - y.fraction
    refuse_extreme(fraction)
    reach = int(greatest * power_of_two(digits)) + 1
    smallest = Fraction(nearest_zero) * y.unit
    share = max(map(abs, ends))
    error = (
        (Fraction(x.error) + share * Fraction(y.error)) / smallest
        + Fraction(x.size) * x.unit / smallest * _RECIPROCAL
        + power_of_two(-fraction - 1)
        + _rounding(share)
    )
    return Quantity(
        operand,
        fraction,
        below(min(ends) - _rounding(share)),
        above(max(ends) + _rounding(share)),
        above(error),
        -reach,
        reach,
    )


def whole_power(writer: Writer, a: Form, exponent: int) -> Form:
    """Return a^n by multiplications, and a division if n is negative."""
    if exponent == 0:
        return constant_form(1.0)
    if a.is_constant and not a.rounding:
        return constant_form(apply_function("pow", float(a.constant), float(exponent)))
    base = writer.store(a)
    value = base
    for step in multiplications(exponent):
        value = _times(writer, value, value if step == "square" else base)
    if exponent > 0:
        return a if value is base else quantity_form(value)
    return quotient(writer, constant_form(1.0), quantity_form(value))


def smaller(writer: Writer, a: Form, b: Form) -> Form:
    """Return the minimum of two forms."""
    if a.high <= b.low:
        return a
    if b.high <= a.low:
        return b
    return _combine_extremes(writer, "minimum", min, a, b)


def larger(writer: Writer, a: Form, b: Form) -> Form:
    """Return the maximum of two forms."""
    if a.low >= b.high:
        return a
    if b.low >= a.high:
        return b
    return _combine_extremes(writer, "maximum", max, a, b)


def _combine_extremes(
    writer: Writer, function: str, of: Callable[[float, float], float], a: Form, b: Form
) -> Form:
    """Return the smaller or the greater of two forms."""
    x, y = writer.together([a, b])
    return quantity_form(
        Quantity(
            writer.call(function, x.operand, y.operand),
            x.fraction,
            of(x.low, y.low),
            of(x.high, y.high),
            max(x.error, y.error),
            int(of(x.least, y.least)),
            int(of(x.most, y.most)),
        )
    )


def rectified(writer: Writer, a: Form) -> Form:
    """Return the maximum of a form and 0."""
    return larger(writer, a, constant_form(0.0))


def clipped(writer: Writer, a: Form) -> Form:
    """Return a form that is 0 below 0 and 4 above 4, with digits for numbers up to 4.

    All have these digits, so that weights that have one scale keep it. A limit that needs one more
    bit than there is gives way by one unit.
    """
    if a.is_constant or a.low >= _CLIP:
        return smaller(writer, rectified(writer, a), constant_form(_CLIP))
    most = largest(writer.bits)
    fraction = floor_log2(Fraction(most + 1) / Fraction(_CLIP))
    total = accumulate(a, most, fraction)
    value = writer.rounded_sum(a, total, max(total.fraction - fraction, 0))
    limit = min(nearest(Fraction(_CLIP), value.fraction), most)
    lost = abs(Fraction(_CLIP) - limit * power_of_two(-value.fraction))
    return quantity_form(
        Quantity(
            writer.call("clamp", value.operand, 0, limit),
            value.fraction,
            min(max(a.low, 0.0), _CLIP),
            _CLIP,
            above(Fraction(value.error) + lost),
            min(max(value.least, 0), limit),
            min(max(value.most, 0), limit),
        )
    )


def magnitude(writer: Writer, a: Form) -> Form:
    """Return the absolute value of a form."""
    if a.low >= 0:
        return a
    if a.high <= 0:
        return negate(a)
    x = writer.store(a)
    operand = writer.call("absolute", x.operand)
    high = max(-x.low, x.high)
    return quantity_form(Quantity(operand, x.fraction, 0.0, high, x.error, 0, x.size))


def apply_curve(writer: Writer, function: str, a: Form) -> Form:
    """Apply a function of one argument by reading a table of integers."""
    if a.is_constant and not a.rounding:
        return constant_form(apply_function(function, float(a.constant)))
    shared = _shared(writer, function) if ALL_FUNCTIONS[function].is_bounded else None
    if shared is None:
        return looked_up(writer, curve(function, a.low, a.high), a)
    return _look_up(writer, shared, a)


def _shared(writer: Writer, function: str) -> SampledCurve | None:
    """Return one table for all neurons if the function saturates soon, or None."""
    if function not in writer.shared:
        whole = curve(function, -_EVERYWHERE, _EVERYWHERE)
        writer.shared[function] = sample(whole, -_EVERYWHERE, _EVERYWHERE, writer.bits)
    found = writer.shared[function]
    reach = max(-found.first, found.table.last) * 2.0**-found.argument_fraction
    return found if reach <= _SOON else None


def _look_up(writer: Writer, sampled: SampledCurve, a: Form) -> Form:
    """Return the value of a function from its table."""
    limits = sampled.first, sampled.table.last
    argument = writer.argument(a, sampled.argument_fraction, limits)
    return quantity_form(writer.looked(sampled, argument))


def looked_up(writer: Writer, function: FunctionCurve, a: Form) -> Form:
    """Apply a function by reading a table of its own, over the interval of its argument."""
    low, high = function.over(a.low, a.high)
    if not (abs(low) < float("inf") and abs(high) < float("inf")):
        raise DsgecError(
            f"within the ranges of the columns, `{function.key[0]}` of a number between"
            f" {a.low:.4g} and {a.high:.4g} has no limit",
            _NARROWER,
        )
    return _look_up(writer, sample(function, a.low, a.high, writer.bits), a)


def absolute_power(writer: Writer, a: Form, b: Form) -> Form:
    """Return |a|^b: a function of one argument if the other is constant, else e^(b · ln |a|)."""
    if a.is_constant and b.is_constant and not a.rounding and not b.rounding:
        return constant_form(apply_function("power", float(a.constant), float(b.constant)))
    if b.is_constant and not b.rounding:
        return looked_up(writer, power_of(float(b.constant)), a)
    if a.is_constant and not a.rounding and a.constant:
        return looked_up(writer, power_to(float(a.constant)), b)
    if a.low <= 0 <= a.high:
        raise DsgecError(
            f"the network raises a number between {a.low:.4g} and {a.high:.4g}, which can be 0, to"
            " a power that is not one number",
            _NARROWER,
        )
    logarithm = apply_curve(writer, "log", a)
    return apply_curve(writer, "exp", multiply(writer, b, logarithm))


def _shift(least: int, most: int, limit: int) -> int:
    shift = 0
    while (most + ((1 << shift) >> 1)) >> shift > limit or (
        least + ((1 << shift) >> 1)
    ) >> shift < -limit:
        shift += 1
    return shift


def _size(quantity: Quantity) -> Fraction:
    return Fraction(max(abs(quantity.low), abs(quantity.high)))


def _rounding(value: Fraction) -> Fraction:
    """Bound the error of rounding a result of the double network."""
    return abs(value) * Fraction(ROUNDING) + Fraction(TINY)
