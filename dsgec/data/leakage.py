"""Notes on what makes test figures too good: columns that reveal the target, and similar rows.

Rows that resemble the rows beside them, as those of a recording do, are found by a ratio: how much
consecutive rows differ, divided by how much each row differs from a random row of the next row's
class; for a numeric target, from a random row whose target is similar. It is computed for the
distance between rows, with features divided by their standard deviation, and for each feature that
goes up and down: one that a table is sorted by does not. Independent rows give 1, also in a table
that is sorted by its target.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dsgec.data.blocks import divide
from dsgec.data.dataset import Dataset
from dsgec.data.stretches import count_stretches
from dsgec.errors import mention

Array = NDArray[np.float64]

NEIGHBOUR_NOTE = "consecutive rows are much more alike than random ones"
LOG_NOTE = "this looks like a log of samples"
WINDOW = 64
"""The length of a window in advice, in samples."""
_LEAST_ROWS = 30
_MOST_ROWS = 20_000
_LEAST_ROWS_OF_A_TEXT = 10
_LEAST_CORRELATION = 0.9999
_MOST_COLUMNS = 2_000
_MOST_RATIO = 0.45
"""For distances. A process with an autocorrelation of 0.9 gives 0.33; the smallest ratio of the
development tables is 0.47."""
_MOST_COLUMN_RATIO = 0.3
"""For one feature. That process gives 0.32, one of 0.95 gives 0.22; development tables give 0.4 or
more, except for Boston's houses, which are listed town by town: 0.16."""
_LEAST_TURNS = 0.2
"""The share of upward steps, and of downward steps, of a feature that goes up and down."""
_LEAST_EVIDENCE = 5.0  # standard errors
_MOST_CELLS = 4_000_000
_ROWS_OF_A_BIN, _MOST_BINS = 20, 20
_LEAST_STRETCH = 5
_LEAST_RESTARTS = 3


def is_on_neighbours(note: str) -> bool:
    """Return whether a note says that consecutive rows are alike."""
    return note.startswith((NEIGHBOUR_NOTE, LOG_NOTE))


def add_leakage_notes(dataset: Dataset, time: Array | None = None) -> Dataset:
    """Return the data set with notes on columns, and on rows, that may reveal the target.

    With a `time`, which may be a column that counts the rows, it may be a log of samples: then its
    rows are divided into groups.
    """
    notes = [
        f"`{name}` alone tells the target: is it known when you predict?"
        f" {mention('ignore')} leaves it out"
        for name in _find_leaks(dataset)
    ]
    # The paper's preset, which fits no preprocessing, stays as it is.
    is_grouped = dataset.groups is not None
    unknown = not is_grouped and dataset.preprocessing.is_fitted
    likeness = measure_likeness(dataset) if unknown else None
    if likeness is not None and time is not None:
        dataset, note = _divide_log(dataset, time, likeness)
        notes.append(note)
    elif likeness is not None:
        notes.append(_neighbour_note(dataset, likeness))
    return replace(dataset, notes=(*dataset.notes, *notes)) if notes else dataset


def _find_leaks(dataset: Dataset) -> list[str]:
    """Return the names of the columns that determine the target alone."""
    if dataset.raw is None or len(dataset.y) < _LEAST_ROWS:
        return []
    y = dataset.y[:_MOST_ROWS]
    found = []
    for number, column in enumerate(dataset.columns[:_MOST_COLUMNS]):
        values = dataset.raw[:_MOST_ROWS, number]
        known = ~np.isnan(values)
        if column.kind == "constant" or 2 * known.sum() < len(y):
            continue
        if _determines(values[known], y[known], bool(dataset.classes), bool(column.categories)):
            found.append(column.name)
    return found


def _determines(values: Array, y: Array, is_class: bool, is_text: bool) -> bool:
    """Return whether the values of a column determine the target."""
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
    # Every class is one interval of the numbers.
    classes = len(np.unique(y))
    return classes > 1 and int((y[1:] != y[:-1]).sum()) == classes - 1


def _correlation(a: Array, b: Array) -> float:
    with np.errstate(all="ignore"):  # of constants and of numbers near the largest one
        a, b = a - a.mean(), b - b.mean()
        value = float(abs((a * b).sum()) / np.sqrt((a * a).sum() * (b * b).sum()))
    return value if value == value else 0.0


@dataclass(frozen=True, slots=True)
class Likeness:
    """The difference of consecutive rows divided by that of random ones, in all features or one."""

    ratio: float
    feature: str = ""

    def __str__(self) -> str:
        if self.feature:
            return f"in `{self.feature}` they differ {self.ratio:.2g} times as much"
        return f"their mean distance is {self.ratio:.2g} times as large"


def _divide_log(dataset: Dataset, time: Array, likeness: Likeness) -> tuple[Dataset, str]:
    """Return a log of samples with groups that a split keeps together, and a note on them."""
    codes = _stretch_codes(dataset)
    named = mention("group", codes[0]) if codes else mention("group")
    again = np.diff(time, prepend=time[:1]) < 0.0
    recording = np.cumsum(again).astype(np.intp) if codes is None else codes[1]
    known = recording if codes or again.sum() >= _LEAST_RESTARTS else None
    division = divide(dataset.y, len(dataset.classes), recording, known, 1)
    named += " leaves that column out" if codes else " names the recordings"
    note = (
        f"{LOG_NOTE}: rows are in the order of a time, and {NEIGHBOUR_NOTE} ({likeness}), so"
        f" training and test rows, and folds, are {division.by.split('; ')[0]};"
        f" {mention('window', WINDOW)} makes features of windows, and {named}"
    )
    return replace(dataset, groups=division.groups), note


def _neighbour_note(dataset: Dataset, likeness: Likeness) -> str:
    codes = _stretch_codes(dataset)
    named = mention("group", codes[0]) if codes else mention("group")
    return (
        f"{NEIGHBOUR_NOTE} ({likeness}), so test rows may resemble training rows and the test"
        " figures be too good; where rows are of one recording, patient or machine,"
        f" {named} keeps them together"
    )


def measure_likeness(dataset: Dataset) -> Likeness | None:
    """Return how alike consecutive rows are, or None if they are not unusually alike."""
    rows = min(_MOST_ROWS, len(dataset.y), _MOST_CELLS // max(dataset.x.shape[1], 1))
    if rows < _LEAST_ROWS:
        return None
    x = dataset.x[:rows]
    strata = dataset.class_numbers[:rows] if dataset.classes else _bin_targets(dataset.y[:rows])
    here, other = np.arange(rows - 1), _draw_rows(strata)
    differs = (other != here) & (other != here + 1)
    with np.errstate(all="ignore"):  # of numbers near the largest one
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
    """Return mean(beside) / mean(random), or infinity unless `beside` is significantly smaller."""
    difference = random - beside
    error = difference.std(axis=0) / np.sqrt(max(len(difference), 1))
    is_sure = difference.mean(axis=0) > _LEAST_EVIDENCE * error
    return np.where(is_sure, beside.mean(axis=0) / random.mean(axis=0), np.inf)


def _bin_targets(y: Array) -> NDArray[np.intp]:
    """Return the bin of each target; bins are intervals with equally many rows."""
    count = max(1, min(_MOST_BINS, len(y) // _ROWS_OF_A_BIN))
    rank = np.empty(len(y), dtype=np.intp)
    rank[np.argsort(y, kind="stable")] = np.arange(len(y))
    bins: NDArray[np.intp] = rank * count // len(y)
    return bins


def _draw_rows(strata: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return, for each row but the last, a random row of the next row's stratum."""
    order = np.argsort(strata, kind="stable")
    counts = np.bincount(strata)
    starts = np.cumsum(counts) - counts
    # The generator whose numbers numpy promises never to change.
    draws = np.random.RandomState(len(strata)).random_sample(len(strata) - 1)
    following = strata[1:]
    found: NDArray[np.intp] = order[starts[following] + (draws * counts[following]).astype(np.intp)]
    return found


def _stretch_codes(dataset: Dataset) -> tuple[str, NDArray[np.intp]] | None:
    """Return a column that has one value for each long stretch of rows: its name and its codes."""
    if dataset.raw is None:
        return None
    rows, best, found = len(dataset.y), 1, None
    for number, column in enumerate(dataset.columns):
        values = dataset.raw[:, number]
        if column.kind == "constant" or np.isnan(values).any():
            continue
        if not column.categories and not np.all(values == np.floor(values)):
            continue
        stretches = count_stretches(values)
        if best < stretches <= rows // _LEAST_STRETCH:
            best = stretches
            found = column.name, np.unique(values, return_inverse=True)[1].astype(np.intp)
    return found
