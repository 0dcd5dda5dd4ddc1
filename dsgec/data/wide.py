"""Recognise a wide table, whose row is a window: columns such as `ax_0 … ax_63, ay_0 … ay_63`."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dsgec.data.table import Table
from dsgec.errors import DsgecError

LEAST_SAMPLES = 16
"""Fewer numbered columns are not taken for the samples of a channel."""
_NUMBERED = re.compile(r"(.*?)[_ .\-\[(]?(\d{1,4})[\])]?", re.ASCII)


def find_wide(table: Table, places: Sequence[int], window: int | None) -> dict[str, list[int]]:
    """Return the columns of each channel's samples in their order; empty for any other table.

    With a `window`, a row must have at least as many samples.
    """
    if not table.has_header:
        return {}
    found: dict[str, dict[int, int]] = {}
    for place in places:
        match = _NUMBERED.fullmatch(table.columns[place])
        if match and match[1]:
            found.setdefault(match[1].strip("_ .-[("), {})[int(match[2])] = place
    least = max(LEAST_SAMPLES, window or 0)
    whole = {
        name: [numbers[key] for key in sorted(numbers)]
        for name, numbers in found.items()
        if len(numbers) >= least and max(numbers) - min(numbers) == len(numbers) - 1
    }
    return whole if len({len(columns) for columns in whole.values()}) == 1 else {}


def as_samples(table: Table, wide: Mapping[str, Sequence[int]]) -> tuple[NDArray[np.float64], int]:
    """Return the samples of all rows, one row after the other, and the samples of a row."""
    for columns in wide.values():
        for place in columns:
            texts = table.texts.get(place)
            if texts is not None and texts.has_text().any():
                row = int(np.flatnonzero(texts.has_text())[0])
                raise DsgecError(table.fault(row, place, "a sample is not a number"))
    length = len(next(iter(wide.values())))
    channels = [table.numbers[:, list(columns)].ravel() for columns in wide.values()]
    return np.column_stack(channels), length
