"""A Dataset to a note on rows that resemble the rows beside them, as those of a recording do.

The statistic is a ratio: how much consecutive rows differ, divided by how much each row differs
from a random row of the class that the next row has; of a numeric target, from a random row whose
target is similar. It is taken of the distance between rows, features divided by their standard
deviation, and of each feature alone that goes up and down: one that a table is sorted by does not.
Independent rows give 1, also in a table that is sorted by its target.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.data.ir import Dataset
from dsgec.errors import mention

Array = NDArray[np.float64]

_MOST_RATIO = 0.45
"""Of distances. A process that correlates with itself a row before by 0.9 gives 0.33; of the
development tables the least is 0.47."""
_MOST_COLUMN_RATIO = 0.3
"""Of one feature. That process gives 0.32, one of 0.95 gives 0.22; development tables give 0.4 or
more, except Boston's houses, which stand town by town: 0.16."""
_LEAST_TURNS = 0.2
"""The share of steps upwards, and of steps downwards, of a feature that goes up and down."""
_LEAST_EVIDENCE = 5.0  # standard errors
_LEAST_ROWS = 30
_MOST_ROWS = 20_000
_MOST_CELLS = 4_000_000
_ROWS_OF_A_BIN, _MOST_BINS = 20, 20
_LEAST_STRETCH = 5
NOTE = "consecutive rows are much more alike than random ones"


@dataclass(frozen=True, slots=True)
class Likeness:
    """How much less consecutive rows differ than random ones, in all features or in one."""

    ratio: float
    feature: str = ""

    def __str__(self) -> str:
        if self.feature:
            return f"in `{self.feature}` they differ {self.ratio:.2g} times as much"
        return f"their mean distance is {self.ratio:.2g} times as large"


def neighbour_notes(dataset: Dataset) -> list[str]:
    """Return a note if consecutive rows are much more alike than random ones of their class."""
    if dataset.groups is not None or not dataset.plan.learns:  # the paper's runs stay as they are
        return []
    likeness = measure_likeness(dataset)
    if likeness is None:
        return []
    column = _group_column(dataset)
    named = mention("group", column) if column else mention("group")
    return [
        f"{NOTE} ({likeness}), so test rows may resemble training rows and the test figures be too"
        f" good; where rows are of one recording, patient or machine, {named} keeps them together"
    ]


def measure_likeness(dataset: Dataset) -> Likeness | None:
    """Return how alike consecutive rows are, or None if that is about as much as others are."""
    rows = min(_MOST_ROWS, len(dataset.y), _MOST_CELLS // max(dataset.x.shape[1], 1))
    if rows < _LEAST_ROWS:
        return None
    x = dataset.x[:rows]
    kind = dataset.class_numbers[:rows] if dataset.classes else _bins(dataset.y[:rows])
    here, other = np.arange(rows - 1), _random_rows(kind)
    differs = (other != here) & (other != here + 1)
    with np.errstate(all="ignore"):  # of numbers near the largest that there is
        deviation = x.std(axis=0)
        used = np.flatnonzero((deviation > 0.0) & np.isfinite(deviation))
        scaled = x[:, used] / deviation[used]
        steps = np.diff(scaled, axis=0)
        beside, random = abs(steps)[differs], abs(scaled[:-1] - scaled[other])[differs]
        whole = _ratio(np.sqrt((beside**2).sum(axis=1)), np.sqrt((random**2).sum(axis=1)))
        turns = np.minimum((steps > 0.0).mean(axis=0), (steps < 0.0).mean(axis=0))
        ratios = np.where(turns >= _LEAST_TURNS, _ratio(beside, random), np.inf)
    if whole <= _MOST_RATIO:
        return Likeness(float(whole))
    if len(ratios) and ratios.min() <= _MOST_COLUMN_RATIO:
        return Likeness(float(ratios.min()), dataset.features[used[ratios.argmin()]])
    return None


def _ratio(beside: Array, random: Array) -> Array:
    """Return the ratio of the means, infinite where their difference could be chance."""
    difference = random - beside
    error = difference.std(axis=0) / np.sqrt(max(len(difference), 1))
    is_sure = difference.mean(axis=0) > _LEAST_EVIDENCE * error
    return np.where(is_sure, beside.mean(axis=0) / random.mean(axis=0), np.inf)


def _bins(y: Array) -> NDArray[np.intp]:
    """Return numbers of stretches of the sorted target, which have equally many rows."""
    count = max(1, min(_MOST_BINS, len(y) // _ROWS_OF_A_BIN))
    rank = np.empty(len(y), dtype=np.intp)
    rank[np.argsort(y, kind="stable")] = np.arange(len(y))
    bins: NDArray[np.intp] = rank * count // len(y)
    return bins


def _random_rows(kind: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return, for each row but the last, a random row of the kind that the next row has."""
    order = np.argsort(kind, kind="stable")
    counts = np.bincount(kind)
    starts = np.cumsum(counts) - counts
    # The generator whose numbers numpy promises never to change.
    draws = np.random.RandomState(len(kind)).random_sample(len(kind) - 1)
    following = kind[1:]
    found: NDArray[np.intp] = order[starts[following] + (draws * counts[following]).astype(np.intp)]
    return found


def _distances(x: Array, other: NDArray[np.intp]) -> Array:
    difference = x[:-1] - x[other]
    distances: Array = np.sqrt((difference * difference).sum(axis=1))
    return distances


def _group_column(dataset: Dataset) -> str:
    """Return the column that has one value for each of some long stretches of rows, if any."""
    if dataset.raw is None:
        return ""
    rows, best, name = len(dataset.y), 1, ""
    for number, column in enumerate(dataset.columns):
        values = dataset.raw[:, number]
        if column.kind == "constant" or np.isnan(values).any():
            continue
        if not column.categories and not np.all(values == np.floor(values)):
            continue
        stretches = int((values[1:] != values[:-1]).sum()) + 1
        if stretches == len(np.unique(values)) and best < stretches <= rows // _LEAST_STRETCH:
            best, name = stretches, column.name
    return name
