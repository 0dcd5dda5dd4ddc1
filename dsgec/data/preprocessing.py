"""Fit fill values, categories and scales on training rows, and encode raw rows as features."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dsgec.data.columns import are_rare, not_numbers
from dsgec.data.dataset import Dataset
from dsgec.data.table import Table, category_label, number_label, parse_number
from dsgec.data.window_features import fit_window_features
from dsgec.errors import DsgecError, join_names, mention
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Column, TargetScale, prologue

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

_LEAST_MARKED = 10
"""The least number of rows with, and of rows without, a missing value to make that a feature."""
_LEAST_EVIDENCE = 9.0
"""The least chi-squared statistic of one degree of freedom: three standard deviations."""


def fit_preprocessing(dataset: Dataset, rows: Rows) -> Dataset:
    """Return the data set encoded with the categories, fill values and scales of these rows."""
    if dataset.windows is not None:
        dataset = fit_window_features(dataset, rows)
    if dataset.raw is None:
        return dataset
    columns, raw = _restrict_categories(dataset.columns, dataset.raw, rows)
    if dataset.preprocessing.is_fitted:
        some_missing = bool(np.isnan(raw).any())
        columns = tuple(
            _fit_column(dataset, column, raw[:, i], rows, some_missing=some_missing)
            for i, column in enumerate(columns)
        )
    elif raw is dataset.raw:
        return dataset
    features = tuple(name for column in columns for name in column.features)
    if not features:
        raise DsgecError(
            "every column has one value in all training rows",
            "Use a table with a column whose values differ.",
        )
    x = encode(columns, raw)
    bad = np.flatnonzero(~np.isfinite(x).all(axis=0))
    if len(bad):
        raise DsgecError(
            f"the numbers of `{features[bad[0]]}` are too large or too small to be scaled",
            f"Use {mention('scale', 'none')}, or write them in other units.",
        )
    # A grammar names features of windows that are always constant, such as `first(diff(x))`.
    changes = () if dataset.windows else _change_notes(dataset.columns, columns)
    return replace(
        dataset,
        columns=columns,
        features=features,
        raw=raw,
        x=x,
        notes=(*dataset.notes, *changes),
        target_scale=_target_scale(dataset, rows),
    )


def add_fill_values(dataset: Dataset, raw: Array) -> tuple[Column, ...]:
    """Return the columns with fill values for those that have missing values only in `raw`."""
    if dataset.preprocessing.missing != "fill" or dataset.raw is None:
        return dataset.columns
    return tuple(
        replace(column, fill=_fill_value(column, dataset.raw[:, number], "fill"))
        if column.fill is None and column.kind != "constant" and np.isnan(raw[:, number]).any()
        else column
        for number, column in enumerate(dataset.columns)
    )


def encode(columns: tuple[Column, ...], raw: Array) -> Array:
    """Return the features of raw rows, computed as an exported network does."""
    if all(column == Column(column.name) for column in columns):
        return raw
    return evaluate(prologue(columns), raw)


def extract_raw_rows(table: Table, columns: tuple[Column, ...]) -> Array:
    """Return the rows of a table as the raw rows of a model with these columns.

    Columns are found by name or, in a table without a header that has as many, by place. A constant
    column, which no model reads, may be absent.
    """
    names = [column.name for column in columns]
    place_of = {name: place for place, name in reversed([*enumerate(table.columns)])}
    needed = [column.name for column in columns if column.kind != "constant"]
    absent = [name for name in needed if name not in place_of]
    places: list[int | None]
    if not absent:
        places = [place_of.get(name) for name in names]
    elif not table.has_header and len(table.columns) == len(names):
        places = list(range(len(names)))
    else:
        noun = "column" if len(absent) == 1 else "columns"
        raise DsgecError(
            f"{table.source} lacks the {noun} {join_names([f'`{name}`' for name in absent])}",
            "It needs the columns that the network is evolved on.",
        )
    raw = np.empty((len(table), len(columns)))
    for number, (column, place) in enumerate(zip(columns, places, strict=True)):
        raw[:, number] = 0.0 if place is None else _extract_column(table, place, column)
    return raw


def refuse_missing(raw: Array, columns: tuple[Column, ...], source: str) -> None:
    """Raise a DsgecError if a column without a fill value has missing values."""
    counts = {
        column.name: int(np.isnan(raw[:, number]).sum())
        for number, column in enumerate(columns)
        if column.fill is None and column.kind != "constant"
    }
    places = "; ".join(f"`{name}`: {count}" for name, count in counts.items() if count)
    if places:
        raise DsgecError(
            f"{source} has missing values ({places})",
            "Fill them, or leave those rows out; a network evolved with"
            f" {mention('missing', 'mean', 'median')} fills them itself.",
        )


def _extract_column(table: Table, place: int, column: Column) -> Array:
    numbers, texts = table.numbers[:, place], table.texts.get(place)
    is_text = None if texts is None else texts.has_text()
    if column.kind == "constant":  # which no model reads
        return np.nan_to_num(numbers)
    if column.kind == "number":
        if texts is not None and is_text is not None:  # texts may be numbers, too
            values = np.array([*map(parse_number, texts.texts), np.nan])
            numbers = np.where(is_text, values[texts.codes], numbers)
            is_text = is_text & np.isnan(numbers)
        if is_text is not None and is_text.any() and (column.fill is None or not are_rare(is_text)):
            raise not_numbers(table, place, is_text, "leave their rows out")
        return numbers
    known = _category_places(column)
    result = np.full(len(table), np.nan)
    is_number = ~np.isnan(numbers)
    result[is_number] = [known.get(number_label(v), -1.0) for v in numbers[is_number].tolist()]
    if texts is not None and is_text is not None:
        of_codes = np.array(
            [*(known.get(t, known.get(category_label(t), -1.0)) for t in texts.texts), -1.0]
        )
        result[is_text] = of_codes[texts.codes[is_text]]
    return result


def _category_places(column: Column) -> dict[str, float]:
    """Return the place of each category by how it may be written.

    A boolean may be written in lower, upper or title case, and as 0 or 1.
    """
    known = {category: float(i) for i, category in enumerate(column.categories)}
    if tuple(map(str.lower, column.categories)) != ("false", "true"):
        return known
    words = (("0", "false", "False", "FALSE"), ("1", "true", "True", "TRUE"))
    return {word: float(i) for i, same in enumerate(words) for word in same} | known


def _restrict_categories(
    columns: tuple[Column, ...], raw: Array, rows: Rows
) -> tuple[tuple[Column, ...], Array]:
    """Return columns with the categories of these rows only, and raw rows coded accordingly.

    A row with any other category has the code -1.
    """
    found, whole = list(columns), raw
    for number, column in enumerate(columns):
        values = raw[rows, number] if column.kind == "category" else np.empty(0)
        seen = np.unique(values[values >= 0.0]).astype(np.intp)
        if column.kind != "category" or len(seen) == len(column.categories):
            continue
        places = np.full(len(column.categories) + 1, -1.0)  # the last is for the code -1
        places[seen] = np.arange(len(seen))
        known = ~np.isnan(raw[:, number])
        raw = raw.copy() if raw is whole else raw
        raw[known, number] = places[raw[known, number].astype(np.intp)]
        found[number] = replace(column, categories=tuple(column.categories[i] for i in seen))
    return tuple(found), raw


def _change_notes(before: tuple[Column, ...], after: tuple[Column, ...]) -> Iterator[str]:
    """Yield notes on features that the training rows take away or add."""
    constant, unseen, marks = [], [], []
    for old, new in zip(before, after, strict=True):
        if new.kind == "constant" != old.kind:
            constant.append(f"`{new.name}`")
        elif new.kind == "category":
            lost = set(old.features) - {*new.features, old.mark}
            unseen += [f"`{name}`" for name in old.features if name in lost]
        if new.marked and not old.marked:
            marks.append(
                f"`{new.mark}` is a feature: where `{new.name}` is missing, the target differs"
            )
    for names, why in (
        (constant, "the same in every training row"),
        (unseen, "in no training row"),
    ):
        if len(names) == 1:
            yield f"{names[0]} is {why}, so it is not a feature"
        elif names:
            yield f"{join_names(names)} are {why}, so they are not features"
    yield from marks


def _fit_column(
    dataset: Dataset, column: Column, values: Array, rows: Rows, *, some_missing: bool
) -> Column:
    """Return the column with its fill value and its scale.

    `values` are those of all rows, `rows` the training rows. If there are `some_missing` values in
    any column, all columns get a fill value, because later rows may lack others.
    """
    options = dataset.preprocessing
    known = values[rows]
    known = known[~np.isnan(known)]
    if column.kind == "constant":
        return column
    if not len(known):
        if options.missing == "fill":
            return Column(column.name, "constant")
        raise DsgecError(
            f"`{column.name}` is missing in every training row",
            f"Leave the column out with {mention('ignore')}.",
        )
    fills = options.fills and (options.missing != "fill" or some_missing)
    marked = options.missing == "fill" and _is_worth_marking(dataset, column, values, rows)
    if options.constant == "drop" and known.min() == known.max() and not marked:
        return Column(column.name, "constant")
    fill = _fill_value(column, known, options.missing) if fills else None
    center, scale = (0.0, 1.0) if column.categories else _scale(known, options.scale)
    return replace(column, fill=fill, center=center, scale=scale, marked=marked)


def _is_worth_marking(dataset: Dataset, column: Column, values: Array, rows: Rows) -> bool:
    """Return whether the target differs between training rows with and without a value."""
    missing = np.isnan(values[rows])
    count = int(missing.sum())
    if min(count, len(rows) - count) < _LEAST_MARKED:
        return False
    if any(other.name == column.mark for other in dataset.columns):
        return False
    y = dataset.y[rows]
    if not dataset.classes:
        return _squared_correlation(missing, y) * len(rows) >= _LEAST_EVIDENCE
    # There is a test for each class, so that some are likely to look like evidence by chance.
    least = _LEAST_EVIDENCE + 2.0 * math.log(len(dataset.classes) / 2.0)
    return any(
        _chi_squared(missing, y == number) >= least for number in range(len(dataset.classes))
    )


def _chi_squared(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> float:
    """Return the statistic of a 2 × 2 table, from exact counts: the same on every machine."""
    both, only_a = int((a & b).sum()), int((a & ~b).sum())
    only_b, neither = int((~a & b).sum()), int((~a & ~b).sum())
    rows = both + only_a + only_b + neither
    sizes = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    return rows * (both * neither - only_a * only_b) ** 2 / sizes if sizes else 0.0


def _squared_correlation(missing: NDArray[np.bool_], y: Array) -> float:
    mean = _exact_mean(y)
    with np.errstate(over="ignore"):
        variance = _exact_mean((y - mean) * (y - mean))
    share = int(missing.sum()) / len(missing)
    between = _exact_mean(y[missing]) - mean
    if not (math.isfinite(variance) and variance > 0.0):
        return 0.0
    return share / (1.0 - share) * between * between / variance


def _fill_value(column: Column, known: Array, method: str) -> float:
    """Return the most frequent category, the mean, or otherwise the median."""
    if column.categories:
        values, counts = np.unique(known, return_counts=True)
        return float(values[counts.argmax()])
    if method == "mean":
        return _finite(_exact_mean(known))
    ordered = np.sort(known)
    low, high = float(ordered[(len(known) - 1) // 2]), float(ordered[len(known) // 2])
    return low / 2.0 + high / 2.0


def _scale(known: Array, method: str) -> tuple[float, float]:
    """Return the center to subtract and the divisor, which is 1 if all numbers are equal."""
    match method:
        case "standard":
            mean = _finite(_exact_mean(known))
            with np.errstate(over="ignore"):
                deviations = known - mean
                return mean, math.sqrt(_finite(_exact_mean(deviations * deviations))) or 1.0
        case "minmax":
            low, high = float(known.min()), float(known.max())
            return low, _finite(high - low) or 1.0
        case _:
            return 0.0, 1.0


def _target_scale(dataset: Dataset, rows: Rows) -> TargetScale | None:
    """Return the mean and deviation of a numeric target, or None if it is not scaled."""
    if dataset.classes or dataset.preprocessing.scale == "none":
        return None
    y = dataset.y[rows]
    mean = _exact_mean(y)
    mean = mean if math.isfinite(mean) else 0.0
    with np.errstate(over="ignore", under="ignore"):
        deviations = y - mean
        deviation = math.sqrt(_exact_mean(deviations * deviations))
    return mean, deviation if 0.0 < deviation < math.inf else 1.0


def _exact_mean(values: Array) -> float:
    """Return the mean, summed exactly and rounded once: the same on every machine."""
    try:
        return math.fsum(values.tolist()) / len(values)
    except OverflowError:
        return math.inf


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise DsgecError(
            "a column has numbers too large to take the mean or the scale of",
            f"Write it in other units, or leave it out with {mention('ignore')}.",
        )
    return value
