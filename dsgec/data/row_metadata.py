"""Row weights and row groups, read from a column or from what a user passes, and checked."""

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.data.arrays import make_table
from dsgec.data.table import Table
from dsgec.errors import DsgecError, counted, mention, setting_error

_WEIGHTS_NEEDED = "It must have a number for each row."
_GROUPS_NEEDED = "It must have a label for each row."


def parse_weights(given: Any, rows: int) -> NDArray[np.float64]:
    """Return the weight of each row, scaled so that the largest is 1."""
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise setting_error(
            "sample_weight", f"is a {type(given).__name__}", _WEIGHTS_NEEDED
        ) from error
    if weights.shape != (rows,):
        shape = f"has the shape {weights.shape}, but there are {rows} rows"
        raise setting_error("sample_weight", shape, _WEIGHTS_NEEDED)
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0)))
    if len(bad):
        row = int(bad[0])
        raise setting_error(
            "sample_weight",
            f"has {weights[row]:g} for row {row}",
            "Weights are finite and not negative; a row of weight 0 is left out.",
        )
    if not weights.any():
        raise setting_error("sample_weight", "has only zeros", "Some rows must count.")
    with np.errstate(all="ignore"):
        scaled = weights / weights.max()  # so that no sum of them overflows
    return np.ascontiguousarray(scaled)


def digest_weights(weights: NDArray[np.float64]) -> str:
    """Return the digest of all weights, including those of rows that are left out."""
    return hashlib.sha256(weights.astype("<f8", copy=False).data).hexdigest()


def add_weights(table: Table, given: Any) -> Table:
    """Return the table with weights, without the rows of weight 0."""
    weights = parse_weights(given, len(table))
    weighted = replace(table, row_weights=weights, weights_digest=digest_weights(weights))
    return weighted.take(np.flatnonzero(weights)) if not weights.all() else weighted


def read_groups(table: Table, column: int) -> NDArray[np.intp]:
    """Return the number of each row's group, -1 if the cell is missing."""
    numbers, texts = table.numbers[:, column], table.texts.get(column)
    found = np.full(len(table), -1, dtype=np.intp)
    is_number = ~np.isnan(numbers)
    values, found[is_number] = np.unique(numbers[is_number], return_inverse=True)
    if texts is None:
        return found
    if texts.overflowed:
        raise DsgecError(
            f"the column `{table.columns[column]}` has more than {len(texts.texts):,} groups",
            "Name a column of which a value comes again.",
        )
    is_text = texts.has_text()
    order = sorted(range(len(texts.texts)), key=texts.texts.__getitem__)
    places = np.empty(len(order), dtype=np.intp)
    places[order] = len(values) + np.arange(len(order))
    found[is_text] = places[texts.codes[is_text]]
    known = found >= 0
    found[known] = np.unique(found[known], return_inverse=True)[1]
    return found


def refuse_missing_groups(codes: NDArray[np.intp], name: str, source: str) -> None:
    """Raise a DsgecError if a row has no group."""
    missing = int((codes < 0).sum())
    if missing:
        raise DsgecError(
            f"the group `{name}` of {source} is missing in {counted(missing, 'row')}",
            f"Every row belongs to a group: fill it, or {mention('missing', 'drop')} leaves those"
            " rows out.",
        )


def parse_groups(given: Any, rows: int) -> NDArray[np.intp]:
    """Return the number of each row's group for a list or an array of labels."""
    try:
        flat = given if hasattr(given, "dtype") else np.array(list(given), dtype=object)
        shape = np.shape(flat)
    except TypeError as error:
        raise setting_error("groups", f"is a {type(given).__name__}", _GROUPS_NEEDED) from error
    if shape != (rows,):
        message = f"has the shape {shape}, but there are {rows} rows"
        raise setting_error("groups", message, _GROUPS_NEEDED)
    codes = read_groups(make_table({"groups": flat}, shown="groups"), 0)
    refuse_missing_groups(codes, "groups", "the table")
    return codes


def digest_groups(codes: NDArray[np.intp]) -> str:
    """Return the digest of the group numbers."""
    return hashlib.sha256(codes.astype("<i8", copy=False).data).hexdigest()


def add_groups(table: Table, given: Any) -> Table:
    """Return the table with a group for each row."""
    codes = parse_groups(given, len(table))
    return replace(table, groups=codes, groups_digest=digest_groups(codes))
