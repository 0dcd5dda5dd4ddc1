"""Outputs and targets to the figures that people read; scikit-learn is the oracle in the tests."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.primitives import sequential_sum
from dsgec.network.decide import DEFAULT_THRESHOLD, Classes, predict_classes
from dsgec.search.objectives import ordered_sum, spread, squared_errors

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClassTally:
    """What the figures of a classifier with so many outputs are made of.

    `confusion` has a row for each class, a column for each class that was predicted; `squares` is
    the sum of the squared errors. `ranks` has, for each class, twice the sum of the ranks of its
    rows by its output, or NO_RANKS; of two classes, that of class 1 alone.
    """

    outputs: int
    confusion: list[list[int]]
    ranks: list[int]
    squares: float


NO_RANKS = -1
"""An output is not a number."""


def classification(
    outputs: Array, classes: Classes, count: int, threshold: float = DEFAULT_THRESHOLD
) -> dict[str, float | None]:
    """A figure that is not defined for these rows is None."""
    return class_figures(tally_classes(outputs, classes, count, threshold))


def tally_classes(
    outputs: Array, classes: Classes, count: int, threshold: float = DEFAULT_THRESHOLD
) -> ClassTally:
    """Count what the figures of a classifier are made of."""
    one_hot = (classes[:, None] == np.arange(count)).astype(np.float64)
    targets = one_hot[:, 1:2] if outputs.shape[1] == 1 else one_hot
    ranked = [(-1, 1)] if count == 2 else [(c, c) for c in range(outputs.shape[1])]
    return ClassTally(
        outputs.shape[1],
        confusion(outputs, classes, count, threshold),
        [_ranks(outputs[:, column], classes == c) for column, c in ranked],
        ordered_sum(squared_errors(outputs, targets)),
    )


def class_figures(tally: ClassTally) -> dict[str, float | None]:
    """The figures that `classification` gives."""
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


def confusion(
    outputs: Array, classes: Classes, count: int, threshold: float = DEFAULT_THRESHOLD
) -> list[list[int]]:
    """A row for each class, a column for each class that was predicted: how many rows."""
    pairs = classes * count + predict_classes(outputs, threshold)
    counts: list[list[int]] = (
        np.bincount(pairs, minlength=count * count).reshape(count, -1).tolist()
    )
    return counts


def regression(outputs: Array, targets: Array) -> dict[str, float | None]:
    """Return rmse, mae and r2; a figure that is not defined for these rows is None."""
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
    """The chance that a positive row scores higher than a negative one; ties count half."""
    positives = int(positive.sum())
    return rank_area(_ranks(scores, positive), positives, len(positive) - positives)


def _ranks(scores: Array, positive: NDArray[np.bool_]) -> int:
    """Twice the sum of the ranks of the positive rows, where equals share their mean."""
    if np.isnan(scores).any():
        return NO_RANKS
    ordered, own = np.sort(scores), np.sort(scores[positive])
    less = np.searchsorted(ordered, own, "left")
    less_or_equal = np.searchsorted(ordered, own, "right")
    # Equals have the ranks from the first's, less + 1, to the last's, less_or_equal.
    return int((less + less_or_equal + 1).sum())


def rank_area(ranks: int, positives: int, negatives: int) -> float | None:
    """Return the area under the ROC curve, given twice the sum of the ranks of the positives."""
    if not positives or not negatives or ranks == NO_RANKS:
        return None
    return (ranks / 2.0 - positives * (positives + 1) / 2.0) / (positives * negatives)


def _mean_auroc(ranks: list[int], sizes: list[int]) -> float | None:
    """Of two classes, that of class 1; of more, the mean of each class against the rest."""
    positives = sizes[1:] if len(sizes) == 2 else sizes
    values = [
        rank_area(each, own, sum(sizes) - own) for each, own in zip(ranks, positives, strict=True)
    ]
    defined = [value for value in values if value is not None]
    return sequential_sum(defined) / len(defined) if len(defined) == len(values) else None


def _f1(hits: list[int], predicted: list[int], sizes: list[int]) -> float:
    """Of two classes, that of class 1; of more, the mean over the classes that occur."""
    scores = []
    for c in (1,) if len(sizes) == 2 else range(len(sizes)):
        both = predicted[c] + sizes[c]
        if both or len(sizes) == 2:
            scores.append(2.0 * hits[c] / both if both else 0.0)
    return sequential_sum(scores) / len(scores)


def _balanced_accuracy(hits: list[int], sizes: list[int]) -> float:
    """The mean, over the classes that there are rows of, of the share that is found."""
    shares = [hit / own for hit, own in zip(hits, sizes, strict=True) if own]
    return sequential_sum(shares) / len(shares)
