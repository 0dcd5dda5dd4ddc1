"""A Dataset to notes on what makes test figures too good: columns that tell the target, and rows
that resemble their neighbours."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dsgec.data.ir import Dataset
from dsgec.data.neighbours import neighbour_notes
from dsgec.errors import mention

_LEAST_ROWS = 30
_MOST_ROWS = 20_000
_LEAST_ROWS_OF_A_TEXT = 10
_LEAST_CORRELATION = 0.9999
_MOST_COLUMNS = 2_000


def with_suspicions(dataset: Dataset) -> Dataset:
    """The data set with a note on each column, and on rows, that look like a leak of the target."""
    notes = [
        f"`{name}` alone tells the target: is it known when you predict?"
        f" {mention('ignore')} leaves it out"
        for name in _leaks(dataset)
    ]
    notes += neighbour_notes(dataset)
    return replace(dataset, notes=(*dataset.notes, *notes)) if notes else dataset


def _leaks(dataset: Dataset) -> list[str]:
    if dataset.raw is None or len(dataset.y) < _LEAST_ROWS:
        return []
    y = dataset.y[:_MOST_ROWS]
    found = []
    for number, column in enumerate(dataset.columns[:_MOST_COLUMNS]):
        values = dataset.raw[:_MOST_ROWS, number]
        known = ~np.isnan(values)
        if column.kind == "constant" or 2 * known.sum() < len(y):
            continue
        if _tells(values[known], y[known], bool(dataset.classes), bool(column.categories)):
            found.append(column.name)
    return found


def _tells(
    values: NDArray[np.float64], y: NDArray[np.float64], is_class: bool, is_text: bool
) -> bool:
    if not is_class:
        return not is_text and _correlation(values, y) >= _LEAST_CORRELATION
    order = np.argsort(values, kind="stable")
    values, y = values[order], y[order]
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    is_pure = bool(np.all(np.minimum.reduceat(y, starts) == np.maximum.reduceat(y, starts)))
    if not is_pure:
        return False
    if is_text:
        return len(starts) > 1 and len(y) >= _LEAST_ROWS_OF_A_TEXT * len(starts)
    # Every class is one stretch of the numbers.
    classes = len(np.unique(y))
    return classes > 1 and int((y[1:] != y[:-1]).sum()) == classes - 1


def _correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    with np.errstate(all="ignore"):  # of constants, or of numbers near the largest there is
        a, b = a - a.mean(), b - b.mean()
        value = float(abs((a * b).sum()) / np.sqrt((a * a).sum() * (b * b).sum()))
    return value if value == value else 0.0
