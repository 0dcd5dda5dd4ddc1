"""Random rows that a self-test is chosen from: of many sizes, extreme, and with missing values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.export.fixed.ir import IntegerProgram, largest
from dsgec.network.model import Column

Array = NDArray[Any]

_UNITS = (-0.0, 1.0, -1.0)
LIMITS = {
    "double": (*_UNITS, 1e300, -1e300, 5e-324, -5e-324, 1e-300, 709.5, 710.0, -745.0, -745.5, 1e30),
    "float": (*_UNITS, 1e30, -1e30, 1e-45, -1e-45, 1e-37, 88.5, 89.0, -103.5, -104.5, 1e20),
}
_SHORT = 5  # parts whose numbers have few digits
TYPES = {"double": np.float64, "float": np.float32}


@np.errstate(all="ignore")  # whatever the calling program has set: extremes are intended
def candidates(
    columns: Sequence[Column], count: int, limits: Sequence[float], dtype: str, part: int
) -> Array:
    """Return rows of many sizes, some mostly zeros, with every category and missing values.

    Each `part` has other rows. The numbers of the first parts have few digits: the same in every
    type, and short in the source. Half of those of later parts have all digits, because products
    of short numbers are exact where others are rounded.
    """
    # numpy promises never to change the numbers of this generator.
    random = np.random.RandomState([len(columns), part])
    shape = (count, len(columns))
    a_row = (count, 1)

    def value(below: int) -> NDArray[np.int_]:
        return random.randint(0, below, shape)

    mixed = random.randint(0, 3, a_row) == 0
    sizes = np.where(mixed, value(24) - 10, random.randint(0, 17, a_row) - 6)
    short = np.arange(count) < (count if part < _SHORT else count // 2)
    digits = value(511) - 255.0
    digits[~short] += random.random_sample(digits[~short].shape)
    rows: Array = np.ldexp(digits, sizes - 8)
    rows[value(4) < np.array([0, 0, 1, 3])[random.randint(0, 4, a_row)]] = 0.0
    # The last digits of a small weight show where hardly any other column counts.
    rows[(value(max(len(columns), 1)) > 1) & (random.randint(0, 4, a_row) == 0)] = 0.0
    # Infinities inside the network come from several extreme values at once.
    extreme = value(8) < np.array([0, 0, 1, 2, 4])[random.randint(0, 5, a_row)]
    ends = np.array(limits)[value(len(limits))]
    missing = value(8) == 0
    for index, column in enumerate(columns):
        if not column.categories:
            scaled = column.center + column.scale * rows[:, index]
            scaled[short] = np.float32(scaled[short])
            rows[:, index] = np.where(extreme[:, index], ends[:, index], scaled)
        else:
            rows[:, index] = random.randint(-1, len(column.categories), count)
        if column.fill is not None:
            rows[missing[:, index], index] = np.nan
    return rows.astype(TYPES[dtype])


def integer_candidates(
    program: IntegerProgram, columns: Sequence[Column], count: int, part: int
) -> NDArray[np.int32]:
    """Return rows of integers of all sizes, limits, categories and missing values.

    Each `part` has other rows.
    """
    random = np.random.RandomState([len(columns), part])
    rows = np.zeros((count, len(columns)), np.int32)
    most = largest(program.bits)
    for number, (format_, column) in enumerate(zip(program.columns, columns, strict=True)):
        least, top = format_.least, format_.most
        values = random.randint(least, top + 1, count)
        small = random.randint(0, 4, count) == 0
        values[small] = values[small] >> random.randint(1, program.bits, count)[small]
        ends = random.randint(0, 6, count) == 0
        values[ends] = np.array([least, top, -most, most])[random.randint(0, 4, count)][ends]
        if column.categories:
            values = random.randint(-1, len(column.categories), count)
        if column.fill is not None:
            values[random.randint(0, 8, count) == 0] = program.missing
        rows[:, number] = values
    return rows
