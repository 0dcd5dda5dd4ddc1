"""Read the target column of a table as classes or as numbers."""

import numpy as np
from numpy.typing import NDArray

from dsgec.data.columns import DATES, DURATIONS, SIGNED, label_rows, not_numbers, profile_column
from dsgec.data.table import Table, is_missing, looks_numeric, number_label
from dsgec.errors import DsgecError, mention
from dsgec.network.model import Label

Array = NDArray[np.float64]

_MOST_NUMERIC_CLASSES = 20
_LARGEST_LABEL = 2.0**53
_TARGET_NAMES = {
    *("class", "label", "labels", "target", "y", "output", "outcome", "response", "result"),
    *("diagnosis", "species", "survived"),
}
_OTHERWISE = f"choose another column with {mention('target')}"


def default_target(table: Table) -> int:
    """Return the place of the last column that has a name."""
    return max((i for i, name in enumerate(table.columns) if name), default=len(table.columns) - 1)


def suggest_targets(table: Table, column: int, target: str | None) -> list[str]:
    """Return a note if no target was named and another column has a typical target's name."""
    others = [
        name
        for number, name in enumerate(table.columns)
        if number != column and name.lower() in _TARGET_NAMES
    ]
    if target is not None or not others or table.columns[column].lower() in _TARGET_NAMES:
        return []
    return [
        f"the target is `{table.columns[column]}`, the last column;"
        f" {mention('target', others[0])} predicts `{others[0]}` instead"
    ]


def read_target(table: Table, column: int, task: str = "") -> tuple[tuple[Label, ...], Array]:
    """Return the classes, empty for a numeric target, and each row's class number or value.

    A missing target is NaN. Among numbers, every word for a missing value is one; among texts, not
    those that may well be the name of a class, such as "none".
    """
    numbers = table.numbers[:, column]
    texts = table.texts.get(column)
    if table.kinds.get(column) == "category":
        task = task or "classification"
    is_number = ~np.isnan(numbers)
    if texts is None or not texts.has_text(may_be_class=not is_number.any()).any():
        return _read_numbers(table, column, numbers, task)
    is_text = texts.has_text(may_be_class=True)
    quantities = len(np.unique(numbers[is_number])) > _MOST_NUMERIC_CLASSES
    if task == "regression" or (not task and quantities and 10 * is_text.sum() < len(table)):
        raise not_numbers(table, column, is_text, _OTHERWISE)
    if is_number.any() and any(map(looks_numeric, texts.texts)):
        raise not_numbers(table, column, is_text, _OTHERWISE)
    labels, values = label_rows(numbers, texts, is_text)
    _refuse_few(table, column, labels)
    _refuse_many(table, column, len(labels) if not texts.overflowed else len(table))
    return (False, True) if _are_booleans(table, column, labels) else labels, values


def _are_booleans(table: Table, column: int, labels: tuple[str, ...]) -> bool:
    """Return whether a column is declared boolean, or its labels are what pandas writes for one."""
    if table.kinds.get(column) == "boolean":
        return tuple(map(str.lower, labels)) == ("false", "true")
    return bool(table.format) and labels == ("False", "True")


def missing_class_notes(classes: tuple[Label, ...]) -> list[str]:
    """Return a note on each class that is called like a missing value."""
    return [
        f"`{label}` in the target is taken for a class; an empty cell is a missing value"
        for label in classes
        if is_missing(str(label))
    ]


def _read_numbers(
    table: Table, column: int, numbers: Array, task: str
) -> tuple[tuple[Label, ...], Array]:
    distinct = np.unique(numbers[~np.isnan(numbers)])
    whole = bool(np.all(distinct == np.floor(distinct)) and np.all(abs(distinct) < _LARGEST_LABEL))
    few = whole and len(distinct) <= _MOST_NUMERIC_CLASSES
    is_class = few and len(distinct) <= _most_classes(int((~np.isnan(numbers)).sum()))
    if len(distinct) > 1 and (task == "regression" or not (task or is_class)):
        return (), numbers.copy()
    labels = tuple(map(number_label, distinct.tolist()))
    _refuse_few(table, column, labels)
    if not few:
        _refuse_many(table, column, len(labels))
    places = np.searchsorted(distinct, numbers).astype(np.float64)
    places[np.isnan(numbers)] = np.nan
    return tuple(map(int, labels)) if whole else labels, places


def _refuse_few(table: Table, column: int, labels: tuple[str, ...]) -> None:
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
    """Return how many classes there may be: two, or one for every two rows."""
    return max(2, rows // 2)


def _refuse_many(table: Table, column: int, count: int) -> None:
    rows = len(table)
    if count > _most_classes(rows):
        useless = profile_column(table, column).useless
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
