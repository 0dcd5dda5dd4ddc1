"""Raw columns to features, as an exported network makes them, and what is learnt for that."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dsgec.data.columns import not_numbers, text_rows
from dsgec.data.ir import Dataset, Plan, Table, number_text
from dsgec.errors import DsgecError, mention
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Column, prologue
from dsgec.network.units import TargetScale

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


def fitted(dataset: Dataset, rows: Rows) -> Dataset:
    """The data set with categories, fill values and scales of these rows, and encoded by them."""
    if dataset.raw is None:
        return dataset
    columns, raw = _seen(dataset.columns, dataset.raw, rows)
    if dataset.plan.learns:
        columns = tuple(
            learn(column, raw[rows, number], dataset.plan) for number, column in enumerate(columns)
        )
    elif raw is dataset.raw:
        return dataset
    features = tuple(name for column in columns for name in column.features)
    x = encode(columns, raw)
    bad = np.flatnonzero(~np.isfinite(x).all(axis=0))
    if len(bad):
        raise DsgecError(
            f"the numbers of `{features[bad[0]]}` are too large or too small to be scaled",
            f"Use {mention('scale', 'none')}, or write them in other units.",
        )
    seen = set(features)
    notes = [
        f"`{name}` is in no training row, so it is not a feature"
        for name in dataset.features
        if name not in seen
    ]
    return replace(
        dataset,
        columns=columns,
        features=features,
        raw=raw,
        x=x,
        notes=(*dataset.notes, *notes),
        target_scale=_target_scale(dataset, rows),
    )


def _seen(columns: tuple[Column, ...], raw: Array, rows: Rows) -> tuple[tuple[Column, ...], Array]:
    """The columns with the categories of these rows only; a row with another has none of them."""
    found, whole = list(columns), raw
    for number, column in enumerate(columns):
        values = raw[rows, number] if column.kind == "category" else np.empty(0)
        seen = np.unique(values[values >= 0.0]).astype(np.intp)
        if column.kind != "category" or len(seen) == len(column.categories):
            continue
        places = np.full(len(column.categories) + 1, -1.0)  # the last is of -1, which stays
        places[seen] = np.arange(len(seen))
        known = ~np.isnan(raw[:, number])
        raw = raw.copy() if raw is whole else raw
        raw[known, number] = places[raw[known, number].astype(np.intp)]
        found[number] = replace(column, categories=tuple(column.categories[i] for i in seen))
    return tuple(found), raw


def encode(columns: tuple[Column, ...], raw: Array) -> Array:
    """The features of raw rows."""
    if all(column == Column(column.name) for column in columns):
        return raw
    return evaluate(prologue(columns), raw)


def learn(column: Column, values: Array, plan: Plan) -> Column:
    """The column with what stands for a missing value, and with its scale."""
    known = values[~np.isnan(values)]
    if not len(known):
        raise DsgecError(
            f"`{column.name}` is missing in every training row",
            f"Leave the column out with {mention('ignore')}.",
        )
    if column.kind != "number":
        fill = _most_frequent(known) if plan.missing in ("mean", "median") else None
        return replace(column, fill=fill)
    center, scale = _scale(known, plan.scale)
    return replace(column, fill=_fill(known, plan.missing), center=center, scale=scale)


def _fill(known: Array, way: str) -> float | None:
    match way:
        case "mean":
            return _mean(known)
        case "median":
            ordered = np.sort(known)
            low, high = float(ordered[(len(known) - 1) // 2]), float(ordered[len(known) // 2])
            return low / 2.0 + high / 2.0
        case _:
            return None


def _scale(known: Array, way: str) -> tuple[float, float]:
    """What is taken off, and what it is divided by; numbers that are all equal are divided by 1."""
    match way:
        case "standard":
            mean = _mean(known)
            with np.errstate(over="ignore"):
                deviations = known - mean
                return mean, math.sqrt(_mean(deviations * deviations)) or 1.0
        case "minmax":
            low, high = float(known.min()), float(known.max())
            return low, _finite(high - low) or 1.0
        case _:
            return 0.0, 1.0


def _target_scale(dataset: Dataset, rows: Rows) -> TargetScale | None:
    """The mean and the deviation, where they can be taken; None of classes, or if none is asked."""
    if dataset.classes or dataset.plan.scale == "none":
        return None
    y = dataset.y[rows]
    mean = _rounded_mean(y)
    mean = mean if math.isfinite(mean) else 0.0
    with np.errstate(over="ignore", under="ignore"):
        deviations = y - mean
        deviation = math.sqrt(_rounded_mean(deviations * deviations))
    return mean, deviation if 0.0 < deviation < math.inf else 1.0


def _mean(values: Array) -> float:
    return _finite(_rounded_mean(values))


def _rounded_mean(values: Array) -> float:
    """Exactly summed and rounded once, so that it is the same on every machine."""
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


def _most_frequent(numbers: Array) -> float:
    values, counts = np.unique(numbers, return_counts=True)
    return float(values[counts.argmax()])


def raw_rows(table: Table, columns: tuple[Column, ...]) -> Array:
    """The raw rows of a table for columns that are known: a row for a model to predict.

    Columns are found by their names; or by place, in a table without a header that has as many.
    """
    names = [column.name for column in columns]
    place_of = {name: place for place, name in reversed([*enumerate(table.columns)])}
    absent = [name for name in names if name not in place_of]
    if not absent:
        places = [place_of[name] for name in names]
    elif not table.has_header and len(table.columns) == len(names):
        places = list(range(len(names)))
    else:
        listed = ", ".join(f"`{name}`" for name in absent[:20])
        raise DsgecError(
            f"{table.source} lacks the columns {listed}",
            "The table to predict needs the columns that the network was evolved on.",
        )
    raw = np.empty((len(table), len(columns)))
    for number, (column, place) in enumerate(zip(columns, places, strict=True)):
        raw[:, number] = _raw_column(table, place, column)
    return raw


def refuse_missing(raw: Array, columns: tuple[Column, ...], source: str) -> None:
    """Missing values are reported, of columns that nothing is known to fill them with."""
    counts = {
        column.name: int(np.isnan(raw[:, number]).sum())
        for number, column in enumerate(columns)
        if column.fill is None
    }
    listed = "; ".join(f"`{name}`: {count}" for name, count in counts.items() if count)
    if listed:
        raise DsgecError(
            f"{source} has missing values ({listed})",
            "Fill them, or leave those rows out; a network evolved with"
            f" {mention('missing', 'mean', 'median')} fills them itself.",
        )


def _raw_column(table: Table, place: int, column: Column) -> Array:
    numbers, texts = table.numbers[:, place], table.texts.get(place)
    is_text = None if texts is None else text_rows(texts)
    if column.kind == "number":
        if is_text is not None and is_text.any():
            raise not_numbers(table, place, is_text)
        return numbers
    known = {category: float(i) for i, category in enumerate(column.categories)}
    result = np.full(len(table), np.nan)
    is_number = ~np.isnan(numbers)
    result[is_number] = [known.get(number_text(v), -1.0) for v in numbers[is_number].tolist()]
    if texts is not None and is_text is not None:
        of_codes = np.array([*(known.get(text, -1.0) for text in texts.texts), -1.0])
        result[is_text] = of_codes[texts.codes[is_text]]
    return result
