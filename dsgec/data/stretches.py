"""Find columns that have one value for each long stretch of rows, as recordings have."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dsgec.data.columns import ColumnProfile
from dsgec.data.table import Table

_WORD = re.compile(r"[a-z]+")
_NAMES = {
    *("recording", "rec", "session", "subject", "user", "person", "participant", "patient"),
    *("trial", "run", "file", "device", "machine", "experiment", "series", "segment", "group"),
}


def count_stretches(values: NDArray[np.float64]) -> int:
    """Return the number of stretches of equal values, or 0 if a value comes again later."""
    stretches = int((values[1:] != values[:-1]).sum()) + 1
    return stretches if stretches == len(np.unique(values)) else 0


def find_stretch_column(table: Table, found: Sequence[ColumnProfile], shortest: int) -> int | None:
    """Return the place of the column that names the recordings of a log, if one does.

    It has texts, or a name like `recording`, and another value in each stretch of rows, which has
    at least `shortest` rows on average. Of several columns, the one with the most stretches.
    """
    most, place = 1, None
    for one in found:
        texts = table.texts.get(one.number)
        is_text = texts is not None and not texts.overflowed and bool(texts.has_text().all())
        is_named = bool({*_WORD.findall(one.name.lower())} & _NAMES)
        numbers = table.numbers[:, one.number]
        if is_text and texts is not None:
            values = texts.codes.astype(np.float64)
        elif is_named and np.all(numbers == np.floor(numbers)):
            values = numbers
        else:
            continue
        stretches = count_stretches(values)
        if most < stretches <= len(table) // shortest:
            most, place = stretches, one.number
    return place
