"""Weights that a user gives to rows, checked; a row of weight 0 is left out."""

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.data.dataset import take
from dsgec.data.ir import Table
from dsgec.errors import wrong

_SIZE = "It must have a number for each row."


def read_weights(given: Any, rows: int) -> NDArray[np.float64]:
    """A weight for each of so many rows."""
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise wrong("sample_weight", f"is a {type(given).__name__}", _SIZE) from error
    if weights.shape != (rows,):
        shape = f"has the shape {weights.shape}, but there are {rows} rows"
        raise wrong("sample_weight", shape, _SIZE)
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0)))
    if len(bad):
        row = int(bad[0])
        raise wrong(
            "sample_weight",
            f"has {weights[row]:g} for row {row}",
            "Weights are finite and not negative; a row of weight 0 is left out.",
        )
    if not weights.any():
        raise wrong("sample_weight", "has only zeros", "Some rows must count.")
    with np.errstate(all="ignore"):
        scaled = weights / weights.max()  # no sum of them is too large
    return np.ascontiguousarray(scaled)


def digest_weights(weights: NDArray[np.float64]) -> str:
    """Of all weights, also those of rows that are left out."""
    return hashlib.sha256(weights.astype("<f8", copy=False).data).hexdigest()


def with_weights(table: Table, given: Any) -> Table:
    """The table with weights for its rows, less those that do not count."""
    weights = read_weights(given, len(table))
    weighted = replace(table, row_weights=weights, weights_digest=digest_weights(weights))
    return take(weighted, np.flatnonzero(weights)) if not weights.all() else weighted
