"""A table and the number of a split to training and test rows of numbers.

The rows depend on the table and the number only, so all learners get the same. Categories,
medians and most frequent values come from the training rows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.keel import Column
from benchmarks.tables import Table

TEST_SHARE = 0.3

Numbers = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Features are not scaled; a target is the number of a class, or a number."""

    table: str
    number: int
    classes: int
    x_train: Numbers
    y_train: NDArray[Any]
    x_test: Numbers
    y_test: NDArray[Any]

    @property
    def task(self) -> str:
        """classification or regression."""
        return "classification" if self.classes else "regression"


def split_rows(table: Table, number: int, most: int = 0) -> tuple[Rows, Rows]:
    """Training and test rows: 70 and 30 %, of each class where there are classes.

    With `most`, of so many rows of a larger table, which are drawn for each split.
    """
    from sklearn.model_selection import train_test_split

    def cut(rows: Rows, **sizes: float) -> tuple[Rows, Rows]:
        classes = table.target[rows] if table.classes else None
        first, second = train_test_split(rows, random_state=number, stratify=classes, **sizes)
        return first, second

    rows = np.arange(len(table.target))
    if 0 < most < len(rows):
        rows, _ = cut(rows, train_size=most)
    return cut(rows, test_size=TEST_SHARE)


def make_split(table: Table, number: int, most: int = 0) -> Split:
    """The rows as numbers, without missing values."""
    train, test = split_rows(table, number, most)
    encoded = [_encode(column, train) for column in table.features]
    x = np.ascontiguousarray(np.hstack(encoded))
    target = table.target
    return Split(
        table.name, number, len(table.classes), x[train], target[train], x[test], target[test]
    )


def _encode(column: Column, train: Rows) -> Numbers:
    return _one_hot(column.values, train) if column.is_nominal else _filled(column.values, train)


def _filled(values: NDArray[Any], train: Rows) -> Numbers:
    """A numeric column, with the median of the training rows where it is missing."""
    known = values[train][~np.isnan(values[train])]
    median = np.median(known) if len(known) else 0.0
    return np.where(np.isnan(values), median, values).reshape(-1, 1)


def _one_hot(values: NDArray[Any], train: Rows) -> Numbers:
    """A column for each category of the training rows, one for two; others have zeros."""
    known = [value for value in values[train] if value is not None]
    categories, counts = np.unique(np.array(known, dtype=str), return_counts=True)
    if not len(categories):
        return np.zeros((len(values), 1))
    frequent = categories[counts.argmax()]
    texts = np.array([frequent if value is None else value for value in values], dtype=str)
    shown = categories[1:] if len(categories) == 2 else categories
    shows: Numbers = np.equal(texts[:, None], shown[None, :]).astype(np.float64)
    return shows
