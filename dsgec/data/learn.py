"""Training rows to what the columns need of them: fill values, marks, scales."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dsgec.data.ir import Dataset
from dsgec.errors import DsgecError, mention
from dsgec.network.model import Column, TargetScale

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

_LEAST_MARKED = 10
"""Rows that must lack a value, and rows that must have it, before that is made a feature."""
_LEAST_EVIDENCE = 9.0
"""Of the chi-squared statistic of one degree of freedom: three deviations."""


def learn(
    dataset: Dataset, column: Column, values: Array, rows: Rows, *, some_missing: bool
) -> Column:
    """The column with what stands for a missing value, and with its scale.

    `values` are those of all rows, `rows` the training rows. Where `some_missing`, of this column
    or of another one, any may be in rows to come.
    """
    plan = dataset.plan
    known = values[rows]
    known = known[~np.isnan(known)]
    if column.kind == "constant":
        return column
    if not len(known):
        if plan.missing == "fill":
            return Column(column.name, "constant")
        raise DsgecError(
            f"`{column.name}` is missing in every training row",
            f"Leave the column out with {mention('ignore')}.",
        )
    fills = plan.fills and (plan.missing != "fill" or some_missing)
    marked = plan.missing == "fill" and _is_worth_marking(dataset, column, values, rows)
    if plan.constant == "drop" and known.min() == known.max() and not marked:
        return Column(column.name, "constant")
    fill = _fill_of(column, known, plan.missing) if fills else None
    center, scale = (0.0, 1.0) if column.categories else _scale(known, plan.scale)
    return replace(column, fill=fill, center=center, scale=scale, marked=marked)


def filled(dataset: Dataset, raw: Array) -> tuple[Column, ...]:
    """The columns, with fill values also for those that are missing in these other rows only."""
    if dataset.plan.missing != "fill" or dataset.raw is None:
        return dataset.columns
    return tuple(
        replace(column, fill=_fill_of(column, dataset.raw[:, number], "fill"))
        if column.fill is None and column.kind != "constant" and _lacks(raw[:, number])
        else column
        for number, column in enumerate(dataset.columns)
    )


def _fill_of(column: Column, known: Array, way: str) -> float:
    return _most_frequent(known) if column.categories else _fill(known, way)


def _lacks(values: Array) -> bool:
    return bool(np.isnan(values).any())


def _is_worth_marking(dataset: Dataset, column: Column, values: Array, rows: Rows) -> bool:
    """Whether the target differs between the training rows with and without a value."""
    missing = np.isnan(values[rows])
    count = int(missing.sum())
    if min(count, len(rows) - count) < _LEAST_MARKED:
        return False
    if any(other.name == column.mark for other in dataset.columns):
        return False
    y = dataset.y[rows]
    if not dataset.classes:
        return _squared_correlation(missing, y) * len(rows) >= _LEAST_EVIDENCE
    # A test for each class: as many are likely to look like evidence by chance.
    least = _LEAST_EVIDENCE + 2.0 * math.log(len(dataset.classes) / 2.0)
    return any(
        _chi_squared(missing, y == number) >= least for number in range(len(dataset.classes))
    )


def _chi_squared(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> float:
    """Of the table of two properties: exact counts, so the same on every machine."""
    both, only_a = int((a & b).sum()), int((a & ~b).sum())
    only_b, neither = int((~a & b).sum()), int((~a & ~b).sum())
    rows = both + only_a + only_b + neither
    sizes = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    return rows * (both * neither - only_a * only_b) ** 2 / sizes if sizes else 0.0


def _squared_correlation(missing: NDArray[np.bool_], y: Array) -> float:
    mean = _rounded_mean(y)
    with np.errstate(over="ignore"):
        variance = _rounded_mean((y - mean) * (y - mean))
    share = int(missing.sum()) / len(missing)
    between = _rounded_mean(y[missing]) - mean
    if not (math.isfinite(variance) and variance > 0.0):
        return 0.0
    return share / (1.0 - share) * between * between / variance


def _fill(known: Array, way: str) -> float:
    if way == "mean":
        return _mean(known)
    ordered = np.sort(known)
    low, high = float(ordered[(len(known) - 1) // 2]), float(ordered[len(known) // 2])
    return low / 2.0 + high / 2.0


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


def target_scale(dataset: Dataset, rows: Rows) -> TargetScale | None:
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
