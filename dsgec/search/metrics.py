"""Metrics of outputs and targets; the tests compare them with scikit-learn."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.primitives import sequential_sum
from dsgec.network.decide import DEFAULT_THRESHOLD, Classes, predict_classes
from dsgec.search.objectives import squared_errors
from dsgec.search.rows import Array, ordered_sum, spread


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
    """Count what the metrics of a classifier are computed from."""
    one_hot = (classes[:, None] == np.arange(count)).astype(np.float64)
    targets = one_hot[:, 1:2] if outputs.shape[1] == 1 else one_hot
    ranked = [(-1, 1)] if count == 2 else [(c, c) for c in range(outputs.shape[1])]
    return ClassTally(
        outputs.shape[1],
        confusion(outputs, classes, count, threshold),
        [_ranks(outputs[:, column], classes == c) for column, c in ranked],
        ordered_sum(squared_errors(outputs, targets)),
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
