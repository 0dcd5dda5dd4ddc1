"""Table to Dataset: which column is the target, what the labels are, every feature a number."""

import difflib
import math
from array import array
from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dsgec.data.ir import Dataset, Label, Split
from dsgec.data.table import Table, is_number
from dsgec.errors import DsgecError, Fault
from dsgec.genome.random import Stream

MARKS = frozenset({"", "?"})
MISSING = MARKS | {"na", "n/a", "nan", "null", "none"}
_MOST_NUMERIC_CLASSES = 20
_MOST_FAULTS = 10
_NUMBERS_ONLY = (
    "Features must be numbers: leave such a column out of the table, or give numbers for its texts."
)
_LONGEST_LABEL = 18  # digits of a whole number that is a class


def make_dataset(table: Table, target: str | None = None) -> Dataset:
    """The data set whose target is the named or numbered column, by default the last."""
    column = _target_column(table, target)
    features = [i for i in range(len(table.columns)) if i != column]
    if not features:
        raise DsgecError(f"{table.source} has one column, so no features", "Give a wider table.")
    _refuse_missing(table, column)
    labels = [row[column] for row in table.rows]
    classes = _classes(table, column, labels)
    if classes:
        number = {str(label): i for i, label in enumerate(classes)}
        y = np.array([number[_canonical(label)] for label in labels], dtype=np.float64)
    else:
        y = _numbers(table, [column])[:, 0]
    return Dataset(
        name=table.name,
        features=tuple(table.columns[i] for i in features),
        target=table.columns[column],
        classes=classes,
        x=_numbers(table, features),
        y=y,
        digest=table.digest,
    )


def feature_rows(table: Table, features: tuple[str, ...]) -> NDArray[np.float64]:
    """The columns called `features`; or all, of a table without a header that has as many."""
    missing = [name for name in features if name not in table.columns]
    if not missing:
        columns = [table.columns.index(name) for name in features]
    elif not table.has_header and len(table.columns) == len(features):
        columns = list(range(len(features)))
    else:
        names = ", ".join(f"`{name}`" for name in missing[:20])
        raise DsgecError(
            f"{table.source} lacks the columns {names}",
            "The table to predict needs the columns that the network was evolved on.",
        )
    return _numbers(table, columns)


def split(dataset: Dataset, test: float, seed: int) -> Split:
    """Rows to learn from and rows kept aside: the same share of every class, drawn from `seed`."""
    stream = Stream(seed, 0, 0)
    groups = (
        [np.flatnonzero(dataset.y == c) for c in range(len(dataset.classes))]
        if dataset.classes
        else [np.arange(len(dataset.y))]
    )
    chosen = np.ones(len(dataset.y), dtype=bool)
    for rows in groups if test else ():
        order = array("q", rows.tobytes())  # a list of a million numbers takes four times as much
        for last in range(len(order) - 1, 0, -1):
            other = stream.below(last + 1)
            order[last], order[other] = order[other], order[last]
        kept = math.floor(len(order) * (1.0 - test) + 0.5)
        chosen[order[max(kept, 1) :]] = False
    return Split(np.flatnonzero(chosen), np.flatnonzero(~chosen))


def _target_column(table: Table, target: str | None) -> int:
    if target is None:
        return len(table.columns) - 1
    if target in table.columns:
        return table.columns.index(target)
    if _is_whole(target) and len(target) < 10:
        number = int(target)
        column = number - 1 if number > 0 else len(table.columns) + number
        if number and 0 <= column < len(table.columns):
            return column
    near = difflib.get_close_matches(target, table.columns, 1)
    raise DsgecError(
        f"{table.source} has no column `{target}`",
        f"Did you mean `{near[0]}`?" if near else f"Its columns: {', '.join(table.columns[:40])}.",
    )


def _refuse_missing(table: Table, target: int) -> None:
    counts: Counter[int] = Counter()
    for row in table.rows:
        # A class may well be called "none".
        counts.update(
            i
            for i, cell in enumerate(row)
            if (cell in MARKS if i == target else cell.lower() in MISSING)
        )
    if counts:
        columns = "; ".join(f"`{table.columns[i]}`: {counts[i]}" for i in sorted(counts)[:20])
        raise DsgecError(
            f"{table.source} has missing values ({columns})",
            "Fill them or leave those rows out before you evolve.",
        )


def _classes(table: Table, column: int, labels: list[str]) -> tuple[Label, ...]:
    """The labels in order; none where the target is a quantity."""
    distinct = sorted({_canonical(label) for label in labels})
    if len(distinct) == 1:
        raise DsgecError(
            f"every row of {table.source} has the same target, `{distinct[0]}`",
            "There is nothing to tell apart: choose another column with --target.",
        )
    if all(map(_is_whole, distinct)):
        if len(distinct) <= _MOST_NUMERIC_CLASSES:
            return tuple(sorted(map(int, distinct)))
        return ()
    if all(map(is_number, distinct)):
        return ()
    if len(distinct) > max(2, len(labels) // 2):
        raise DsgecError(
            f"the target column `{table.columns[column]}` has {len(distinct)} different texts in "
            f"{len(labels)} rows",
            "That is no class and no number: choose another column with --target.",
        )
    return tuple(distinct)


def _canonical(label: str) -> str:
    """`1`, `1.0` and `01` are one class."""
    if _is_whole(label):
        return str(int(label))
    if is_number(label):
        value = float(label)
        if math.isfinite(value) and value == int(value) and abs(value) < 2**53:
            return str(int(value))
    return label


def _is_whole(label: str) -> bool:
    return label.removeprefix("-").isdecimal() and label.isascii() and len(label) <= _LONGEST_LABEL


def _numbers(table: Table, columns: list[int]) -> NDArray[np.float64]:
    result = np.empty((len(table.rows), len(columns)))
    faults: list[Fault] = []
    for index, column in enumerate(columns):
        for row, cells in enumerate(table.rows):
            cell = cells[column]
            value = float(cell) if is_number(cell) else math.nan
            if not math.isfinite(value):
                faults.append(table.fault(row, column, "not a finite number"))
                if len(faults) == _MOST_FAULTS:
                    raise DsgecError([*faults, Fault("there may be more", _NUMBERS_ONLY)])
            result[row, index] = value
    if faults:
        raise DsgecError([*faults[:-1], replace(faults[-1], advice=_NUMBERS_ONLY)])
    return result
