"""A cell to what it is: a number, a text, or a word for a missing value."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dsgec.network.model import BLANK_WORDS, MISSING_WORDS, NOTHING_WORDS

__all__ = [
    "BLANK_WORDS",
    "is_missing",
    "label",
    "number",
    "number_text",
    "numbers",
    "reads_as_number",
]


def is_missing(text: str, *, may_be_class: bool = False) -> bool:
    """Whether a text stands for a missing value; `none` does not where it may be a class."""
    word = text.lower()
    return word in MISSING_WORDS and not (may_be_class and word in NOTHING_WORDS)


def number(cell: str, decimal: str = ".") -> float:
    """A cell as a finite number in plain digits, or NaN; blanks around it do not matter.

    `1_000` is a number to Python but to nobody else, and so are digits of other scripts.
    """
    cell = cell.strip()
    try:
        value = float(_with_point(cell) if decimal == "," else cell)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) and cell.isascii() and "_" not in cell else math.nan


def numbers(cells: Sequence[str], decimal: str = ".") -> NDArray[np.float64] | None:
    """All cells as `number` reads them, at once; None if that takes a look at each of them."""
    text = "".join(cells)
    if decimal == ",":
        cells = [_with_point(cell) for cell in cells]
    try:
        values = np.array(list(map(float, cells)))
    except ValueError:
        return None
    return values if text.isascii() and "_" not in text and np.isfinite(values).all() else None


def reads_as_number(cell: str, decimal: str = ".") -> bool:
    """Whether a cell is meant as a number, also one that `number` does not take."""
    try:
        return not math.isnan(float(_with_point(cell) if decimal == "," else cell))
    except ValueError:
        return False


def label(text: str) -> str:
    """A text as the label of a category: that of its number, if it is one."""
    value = number(text)
    return text if math.isnan(value) else number_text(value)


def number_text(value: float) -> str:
    """`1`, `1.0` and `01` are one label."""
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(value)


def _with_point(cell: str) -> str:
    """A number with a comma, as Python reads it; one with a point is none."""
    return cell.replace(".", "!").replace(",", ".")
