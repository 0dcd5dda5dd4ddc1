"""The target column of a Table to classes and their numbers, or to numbers."""

import difflib

import numpy as np
from numpy.typing import NDArray

from dsgec.data.cells import is_missing, reads_as_number
from dsgec.data.columns import DATES, DURATIONS, SIGNED, label_texts, look, not_numbers, text_rows
from dsgec.data.ir import Label, Table, number_text
from dsgec.errors import DsgecError, mention

Array = NDArray[np.float64]

_MOST_NUMERIC_CLASSES = 20
_LARGEST_LABEL = 2.0**53
_USUAL_NAMES = {
    *("class", "label", "labels", "target", "y", "output", "outcome", "response", "result"),
    *("diagnosis", "species", "survived"),
}
_OTHERWISE = f"choose another column with {mention('target')}"


def find_column(table: Table, wanted: str) -> int:
    """The column of that name, blanks around it or not, or of that number; -1 is the last."""
    for name in (wanted, wanted.strip()):  # which names in a table have lost
        if name in table.columns:
            return table.columns.index(name)
    digits = wanted.removeprefix("-")
    if digits.isdecimal() and digits.isascii() and len(wanted) < 10:
        number = int(wanted)
        column = number - 1 if number > 0 else len(table.columns) + number
        if number and 0 <= column < len(table.columns):
            return column
    near = difflib.get_close_matches(wanted, table.columns, 1)
    raise DsgecError(
        f"{table.source} has no column `{wanted[:60]}`",
        f"Did you mean `{near[0]}`?" if near else f"Its columns: {', '.join(table.columns[:40])}.",
    )


def default_column(table: Table) -> int:
    """The last column that has a name."""
    return max((i for i, name in enumerate(table.columns) if name), default=len(table.columns) - 1)


def propose(table: Table, column: int, target: str | None) -> list[str]:
    """A note where nobody named the target and another column is called like one."""
    others = [
        name
        for number, name in enumerate(table.columns)
        if number != column and name.lower() in _USUAL_NAMES
    ]
    if target is not None or not others or table.columns[column].lower() in _USUAL_NAMES:
        return []
    return [
        f"the target is `{table.columns[column]}`, the last column;"
        f" {mention('target', others[0])} predicts `{others[0]}` instead"
    ]


def look_at_target(table: Table, column: int, task: str = "") -> tuple[tuple[Label, ...], Array]:
    """The labels in order, none for a numeric target; for each row its label's number or value.

    A NaN is missing. Among numbers every word for that is; among texts not those that a class may
    well be called, such as "none".
    """
    numbers = table.numbers[:, column]
    texts = table.texts.get(column)
    if table.kinds.get(column) == "category":
        task = task or "classification"
    if texts is None:
        return _from_numbers(table, column, numbers, task)
    is_number = ~np.isnan(numbers)
    if not text_rows(texts, may_be_class=not is_number.any()).any():
        return _from_numbers(table, column, numbers, task)
    is_text = text_rows(texts, may_be_class=True)
    quantities = len(np.unique(numbers[is_number])) > _MOST_NUMERIC_CLASSES
    if task == "regression" or (not task and quantities and 10 * is_text.sum() < len(table)):
        raise not_numbers(table, column, is_text, _OTHERWISE)
    if is_number.any() and any(map(reads_as_number, texts.texts)):
        raise not_numbers(table, column, is_text, _OTHERWISE)
    labels, values = label_texts(numbers, texts, is_text)
    _refuse(table, column, labels)
    _refuse_many(table, column, len(labels) if not texts.overflowed else len(table))
    return (False, True) if _are_booleans(table, column, labels) else labels, values


def _are_booleans(table: Table, column: int, labels: tuple[str, ...]) -> bool:
    """Whether labels are those of a Boolean column, or are written as Python and pandas do in a
    file."""
    if table.kinds.get(column) == "boolean":
        return tuple(map(str.lower, labels)) == ("false", "true")
    return bool(table.written) and labels == ("False", "True")


def remarks(classes: tuple[Label, ...]) -> list[str]:
    """What is worth knowing about the classes."""
    return [
        f"`{label}` in the target is taken for a class; an empty cell is a missing value"
        for label in classes
        if is_missing(str(label))
    ]


def _from_numbers(
    table: Table, column: int, numbers: Array, task: str
) -> tuple[tuple[Label, ...], Array]:
    distinct = np.unique(numbers[~np.isnan(numbers)])
    whole = bool(np.all(distinct == np.floor(distinct)) and np.all(abs(distinct) < _LARGEST_LABEL))
    few = whole and len(distinct) <= _MOST_NUMERIC_CLASSES
    is_class = few and len(distinct) <= _most_classes(int((~np.isnan(numbers)).sum()))
    if len(distinct) > 1 and (task == "regression" or not (task or is_class)):
        return (), numbers.copy()
    labels = tuple(map(number_text, distinct.tolist()))
    _refuse(table, column, labels)
    if not few:
        _refuse_many(table, column, len(labels))
    places = np.searchsorted(distinct, numbers).astype(np.float64)
    places[np.isnan(numbers)] = np.nan
    return tuple(map(int, labels)) if whole else labels, places


def _refuse(table: Table, column: int, labels: tuple[str, ...]) -> None:
    if not labels:
        raise DsgecError(
            f"the target column `{table.columns[column]}` of {table.source} is empty",
            f"Choose another column with {mention('target')}.",
        )
    if len(labels) == 1:
        raise DsgecError(
            f"every row of {table.source} has the same target, `{labels[0][:60]}`",
            f"There is nothing to tell apart: {_OTHERWISE}.",
        )


def _most_classes(rows: int) -> int:
    """Classes come again: two rows for each, or there are two of them."""
    return max(2, rows // 2)


def _refuse_many(table: Table, column: int, count: int) -> None:
    rows = len(table)
    if count > _most_classes(rows):
        useless = look(table, column).useless
        if useless in (DATES, DURATIONS, SIGNED):
            raise DsgecError(
                f"the column `{table.columns[column]}` cannot be the target: {useless}",
                f"Choose another column with {mention('target')}.",
            )
        raise DsgecError(
            f"the target column `{table.columns[column]}` has {count} different labels"
            f" in {rows} rows",
            f"That is no class: {_OTHERWISE}, or use {mention('task', 'regression')} for a numeric"
            " target.",
        )
