"""A cell to what it is: a number, a text, or a word for a missing value."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MARKS = frozenset({"", "?"})
"""What is never a text."""
_UNKNOWN = {"na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nan", "-nan", "null"}
_NOTHING = {"none", "nil", "missing"}  # which a class may well be called


def is_missing(text: str, *, may_be_class: bool = False) -> bool:
    """Whether a text stands for a missing value; `none` does not where it may be a class."""
    word = text.lower()
    return word in MARKS or word in _UNKNOWN or (word in _NOTHING and not may_be_class)


def number(cell: str, decimal: str = ".") -> float:
    """A cell as a finite number, or NaN; `1_000` is one to Python but to nobody else."""
    try:
        value = float(_with_point(cell) if decimal == "," else cell)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) and "_" not in cell else math.nan


def numbers(cells: Sequence[str], decimal: str = ".") -> NDArray[np.float64] | None:
    """All cells as `number` reads them, at once; None if one of them is no finite number."""
    text = "".join(cells)
    if decimal == ",":
        cells = [_with_point(cell) for cell in cells]
    try:
        values = np.array(list(map(float, cells)))
    except ValueError:
        return None
    return values if "_" not in text and np.isfinite(values).all() else None


def reads_as_number(cell: str, decimal: str = ".") -> bool:
    """Whether a cell is meant as a number, be it an infinite one or one with `_` in it."""
    try:
        return not math.isnan(float(_with_point(cell) if decimal == "," else cell))
    except ValueError:
        return False


def _with_point(cell: str) -> str:
    """A number with a comma, as Python reads it; one with a point is none."""
    return cell.replace(".", "!").replace(",", ".")
