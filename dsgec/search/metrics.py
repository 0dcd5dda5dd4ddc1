"""Metrics of outputs and targets, and their 95 % confidence intervals on a sample of rows.

The tests compare the metrics with scikit-learn. Proportions have Wilson's score interval, areas
under the ROC curve Newcombe's, and means of errors the normal one. A mean over classes of
independent proportions combines their intervals by the distances from the estimates (Zou and
Donner's MOVER). Means over several classes that are not independent, of areas and of F1, have no
interval: a combined one would be too narrow.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.primitives import sequential_sum
from dsgec.network.decide import DEFAULT_THRESHOLD, Classes, predict_classes
from dsgec.search.objectives import OBJECTIVES
from dsgec.search.rows import Array, ordered_mean, ordered_sum, spread

Interval = tuple[float, float]
Intervals = dict[str, Interval | None]
"""The interval of each metric, in the order of the metrics, or None."""

_Z = 1.959963984540054  # of 95 %
_HALVINGS = 60


@dataclass(frozen=True, slots=True)
class ClassTally:
    """The counts and sums that the metrics of a classifier are computed from.

    `confusion` has a row for each class and a column for each predicted class; `squares` is the sum
    of the squared errors. `ranks` has, for each class, twice the sum of the ranks of its rows by
    its output, or None if an output is not a number; for two classes, only that of class 1.
    """

    outputs: int
    confusion: list[list[int]]
    ranks: list[int | None]
    squares: float


def classification(
    outputs: Array, classes: Classes, count: int, threshold: float = DEFAULT_THRESHOLD
) -> dict[str, float | None]:
    """Return the metrics of a classifier; a metric that these rows do not define is None."""
    tally = tally_classes(outputs, classes, count, threshold)
    sizes = [sum(row) for row in tally.confusion]
    rows = sum(sizes)
    if not rows:
        return dict.fromkeys(("accuracy", "rmse", "auroc", "f1", "balanced_accuracy"))
    hits = [row[c] for c, row in enumerate(tally.confusion)]
    predicted = [sum(column) for column in zip(*tally.confusion, strict=True)]
    return {
        "accuracy": sum(hits) / rows,
        "rmse": math.sqrt(tally.squares / (rows * tally.outputs)),
        "auroc": _mean_auroc(tally.ranks, sizes),
        "f1": _f1(hits, predicted, sizes),
        "balanced_accuracy": _balanced_accuracy(hits, sizes),
    }


def tally_classes(
    outputs: Array, classes: Classes, count: int, threshold: float = DEFAULT_THRESHOLD
) -> ClassTally:
    """Return the counts that the metrics of a classifier are computed from."""
    one_hot = (classes[:, None] == np.arange(count)).astype(np.float64)
    targets = one_hot[:, 1:2] if outputs.shape[1] == 1 else one_hot
    ranked = [(-1, 1)] if count == 2 else [(c, c) for c in range(outputs.shape[1])]
    return ClassTally(
        outputs.shape[1],
        confusion(outputs, classes, count, threshold),
        [_ranks(outputs[:, column], classes == c) for column, c in ranked],
        ordered_sum(OBJECTIVES["mse"].row_errors(outputs, targets)),
    )


def confusion(
    outputs: Array, classes: Classes, count: int, threshold: float = DEFAULT_THRESHOLD
) -> list[list[int]]:
    """Return the confusion matrix: a row for each class, a column for each predicted class."""
    pairs = classes * count + predict_classes(outputs, threshold)
    counts: list[list[int]] = (
        np.bincount(pairs, minlength=count * count).reshape(count, -1).tolist()
    )
    return counts


def regression(outputs: Array, targets: Array) -> dict[str, float | None]:
    """Return the metrics of a regression; a metric that these rows do not define is None."""
    rows = len(targets)
    if not rows:
        return dict.fromkeys(("rmse", "mae", "r2"))
    errors = outputs[:, 0] - targets
    squares, deviations = ordered_sum(errors * errors), spread(targets)
    return {
        "rmse": math.sqrt(squares / rows),
        "mae": ordered_sum(np.abs(errors)) / rows,
        "r2": 1.0 - squares / deviations if deviations else None,
    }


def auroc(scores: Array, positive: NDArray[np.bool_]) -> float | None:
    """Return the probability that a positive row scores higher than a negative one."""
    positives = int(positive.sum())
    return rank_area(_ranks(scores, positive), positives, len(positive) - positives)


def _ranks(scores: Array, positive: NDArray[np.bool_]) -> int | None:
    """Return twice the sum of the ranks of the positive rows; equals share their mean rank."""
    if np.isnan(scores).any():
        return None
    ordered, own = np.sort(scores), np.sort(scores[positive])
    less = np.searchsorted(ordered, own, "left")
    less_or_equal = np.searchsorted(ordered, own, "right")
    # Equals have the ranks from the first's, less + 1, to the last's, less_or_equal.
    return int((less + less_or_equal + 1).sum())


def rank_area(ranks: int | None, positives: int, negatives: int) -> float | None:
    """Return the area under the ROC curve, given twice the sum of the ranks of the positives."""
    if not positives or not negatives or ranks is None:
        return None
    return (ranks / 2.0 - positives * (positives + 1) / 2.0) / (positives * negatives)


def _mean_auroc(ranks: list[int | None], sizes: list[int]) -> float | None:
    """Return the area of class 1 of two classes, or the mean of each class against the rest."""
    positives = sizes[1:] if len(sizes) == 2 else sizes
    values = [
        rank_area(each, own, sum(sizes) - own) for each, own in zip(ranks, positives, strict=True)
    ]
    defined = [value for value in values if value is not None]
    return sequential_sum(defined) / len(defined) if len(defined) == len(values) else None


def _f1(hits: list[int], predicted: list[int], sizes: list[int]) -> float:
    """Return the F1 of class 1 of two classes, or the mean over the classes that occur."""
    scores = []
    for c in (1,) if len(sizes) == 2 else range(len(sizes)):
        both = predicted[c] + sizes[c]
        if both or len(sizes) == 2:
            scores.append(2.0 * hits[c] / both if both else 0.0)
    return sequential_sum(scores) / len(scores)


def _balanced_accuracy(hits: list[int], sizes: list[int]) -> float:
    """Return the mean recall of the classes that have rows."""
    shares = [hit / own for hit, own in zip(hits, sizes, strict=True) if own]
    return sequential_sum(shares) / len(shares)


def class_intervals(
    outputs: Array, classes: Classes, count: int, threshold: float = DEFAULT_THRESHOLD
) -> Intervals:
    """Return the intervals of the metrics that `classification` returns."""
    tally = tally_classes(outputs, classes, count, threshold)
    sizes = [sum(row) for row in tally.confusion]
    hits = [row[c] for c, row in enumerate(tally.confusion)]
    one_hot = (classes[:, None] == np.arange(count)).astype(np.float64)
    targets = one_hot[:, 1:2] if outputs.shape[1] == 1 else one_hot
    squares = OBJECTIVES["mse"].row_errors(outputs, targets) / outputs.shape[1]
    return {
        "accuracy": _wilson(sum(hits), sum(sizes)),
        "rmse": _interval_root(_mean_interval(squares)),
        "auroc": _auroc_interval(tally, sizes),
        "f1": _f1_interval(tally),
        "balanced_accuracy": _combine(
            [(hit / own, _wilson(hit, own)) for hit, own in zip(hits, sizes, strict=True) if own]
        ),
    }


def error_intervals(outputs: Array, targets: Array) -> Intervals:
    """Return the confidence intervals of the metrics that `regression` returns."""
    errors = outputs[:, 0] - targets
    squares = errors * errors
    return {
        "rmse": _interval_root(_mean_interval(squares)),
        "mae": _mean_interval(np.abs(errors)),
        "r2": _r2_interval(squares, targets),
    }


def _wilson(hits: int, rows: int) -> Interval | None:
    """Return Wilson's score interval of a proportion."""
    if not rows:
        return None
    share, z2 = hits / rows, _Z * _Z
    middle = (share + z2 / (2 * rows)) / (1 + z2 / rows)
    half = _Z * math.sqrt(share * (1 - share) / rows + z2 / (4.0 * rows * rows)) / (1 + z2 / rows)
    # At the ends the interval reaches 0 and 1, which rounding may miss.
    low = 0.0 if hits == 0 else max(0.0, middle - half)
    return low, 1.0 if hits == rows else min(1.0, middle + half)


def _f1_interval(tally: ClassTally) -> Interval | None:
    """Return the interval of the F1 of class 1, if there are two classes.

    Of the rows that are or are predicted as class 1, the hits are a share j, which is binomial;
    F1 is 2 j / (1 + j).
    """
    if len(tally.confusion) != 2:
        return None
    (_, false_alarms), (misses, hits) = tally.confusion
    share = _wilson(hits, false_alarms + misses + hits)
    return None if share is None else (2 * share[0] / (1 + share[0]), 2 * share[1] / (1 + share[1]))


def _auroc_interval(tally: ClassTally, sizes: list[int]) -> Interval | None:
    """Return the interval of the area of class 1, if there are two classes."""
    if len(sizes) != 2:
        return None
    negatives, positives = sizes
    area = rank_area(tally.ranks[0], positives, negatives)
    return None if area is None else _area_interval(area, positives, negatives)


def _area_interval(area: float, positives: int, negatives: int) -> Interval:
    """Return the areas whose standard error puts the observed area at the edge of 95 %."""
    pairs, extra = positives * negatives, (positives + negatives) / 2 - 1

    def is_outside(other: float) -> bool:
        variance = other * (1 - other)
        variance *= 1 + extra * (1 - other) / (2 - other) + extra * other / (1 + other)
        distance = area - other
        return distance * distance > _Z * _Z * variance / pairs

    def edge(outside: float) -> float:
        inside = area
        if not is_outside(outside):
            return outside
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if is_outside(middle) else (middle, outside)
        return inside

    return (0.0 if area == 0.0 else edge(0.0)), (1.0 if area == 1.0 else edge(1.0))


def _combine(parts: Sequence[tuple[float, Interval | None]]) -> Interval | None:
    """Return the interval of the mean of independent estimates, given their intervals."""
    known = [(value, interval) for value, interval in parts if interval is not None]
    if not known or len(known) < len(parts):
        return None
    mean = sequential_sum(value for value, _ in known) / len(known)
    below = sequential_sum((value - low) * (value - low) for value, (low, _) in known)
    above = sequential_sum((high - value) * (high - value) for value, (_, high) in known)
    return (
        max(0.0, mean - math.sqrt(below) / len(known)),
        min(1.0, mean + math.sqrt(above) / len(known)),
    )


def _mean_interval(values: Array) -> Interval | None:
    """Return the interval of the mean of numbers that are not negative."""
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    mean = ordered_mean(values)
    half = _Z * _standard_error(values)
    return (max(0.0, mean - half), mean + half) if math.isfinite(mean + half) else None


def _r2_interval(squares: Array, targets: Array) -> Interval | None:
    """Return the interval of R², by the influence of each row."""
    rows = len(targets)
    if rows < 2 or not np.isfinite(squares).all():
        return None
    deviations = targets - ordered_mean(targets)
    squared = deviations * deviations
    variance = ordered_mean(squared)
    if variance == 0.0:
        return None
    ratio = ordered_mean(squares) / variance
    half = _Z * _standard_error((squares - ratio * squared) / variance)
    if not math.isfinite(ratio + half):
        return None
    return 1.0 - ratio - half, min(1.0, 1.0 - ratio + half)


def _standard_error(values: Array) -> float:
    rows = len(values)
    deviations = values - ordered_mean(values)
    return math.sqrt(ordered_sum(deviations * deviations) / (rows - 1) / rows)


def _interval_root(interval: Interval | None) -> Interval | None:
    return None if interval is None else (math.sqrt(interval[0]), math.sqrt(interval[1]))
