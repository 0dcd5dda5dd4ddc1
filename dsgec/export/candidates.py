"""Columns to candidate rows: numbers of many sizes, limits, categories, missing values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.network.model import Column

Array = NDArray[Any]

LIMITS = {
    "double": (
        -0.0,
        1.0,
        -1.0,
        1e300,
        -1e300,
        5e-324,
        -5e-324,
        1e-300,
        709.5,
        710.0,
        -745.0,
        -745.5,
        1e30,
    ),
    "float": (-0.0, 1.0, -1.0, 1e30, -1e30, 1e-45, -1e-45, 1e-37, 88.5, 89.0, -103.5, -104.5, 1e20),
}
_SHORT = 5  # parts
TYPES = {"double": np.float64, "float": np.float32}


@np.errstate(all="ignore")  # whatever a program has set: extremes are what is wanted
def candidates(
    columns: Sequence[Column], count: int, limits: Sequence[float], dtype: str, part: int
) -> Array:
    """Rows of many sizes, some of them mostly zeros, with every category and missing values.

    Every `part` has others. The numbers of the first parts are short: the same in every type, and
    short in the source. Of later parts half are of all digits, because products of short ones are
    exact where others round.
    """
    # The generator whose numbers numpy promises never to change.
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
    # A small weight shows in its last digits where hardly another column has a say.
    rows[(value(max(len(columns), 1)) > 1) & (random.randint(0, 4, a_row) == 0)] = 0.0
    # Infinities between the inputs and the outputs come of several extreme values at once.
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
