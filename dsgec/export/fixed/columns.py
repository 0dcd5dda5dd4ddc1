"""Ranges of columns to their formats as integers."""

import math
from fractions import Fraction

from dsgec.errors import DsgecError
from dsgec.export.fixed.exact import MOST_DIGITS, floor_log2, nearest, power_of_two
from dsgec.export.fixed.ir import Format, largest
from dsgec.network import model
from dsgec.network.ranges import Range

_LARGEST_ZERO = 1 << 30


def column_format(column: model.Column, range_: Range, bits: int) -> Format:
    """The format with the most digits that holds the range, and what stands for missing values.

    The integers are centred on the range where that gains a digit.
    """
    most = largest(bits)
    if column.categories:
        if len(column.categories) > most:
            raise DsgecError(
                f"the column `{column.name}` has {len(column.categories)} categories, more than"
                f" numbers of {bits} bits can tell apart",
                "Export it as q15." if bits < 16 else "Export it as float.",
            )
        return Format(0, 0, -1, len(column.categories) - 1)
    low, high = map(Fraction, range_)
    if column.fill is not None:
        low, high = min(low, Fraction(column.fill)), max(high, Fraction(column.fill))
    plain = _format(low, high, most, Fraction(0))
    centred = _format(low, high, most, (low + high) / 2)
    return centred if centred.fraction > plain.fraction else plain


def _format(low: Fraction, high: Fraction, most: int, middle: Fraction) -> Format:
    reach = max(high - middle, middle - low)
    size = max(abs(low), abs(high))
    fraction = floor_log2(most / reach) if reach > 0 else MOST_DIGITS
    fraction = min(fraction, floor_log2(_LARGEST_ZERO / size) if size else 0)
    fraction = max(min(fraction, MOST_DIGITS), -MOST_DIGITS)
    while True:
        zero = nearest(middle, fraction)
        least = math.floor(low * power_of_two(fraction)) - zero
        top = math.ceil(high * power_of_two(fraction)) - zero
        if least >= -most and top <= most:
            return Format(fraction, zero, least, top)
        fraction -= 1
