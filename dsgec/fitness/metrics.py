"""Outputs and targets to the figures that people read; scikit-learn is the oracle in the tests."""

import math

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.sums import total
from dsgec.fitness.objectives import ordered_sum, spread, squared_errors

Array = NDArray[np.float64]
Classes = NDArray[np.intp]


def predicted_classes(outputs: Array) -> Classes:
    """The class of each row: the largest output, or, of a lone one, whether it reaches 0.5.

    What is not a number is smaller than any number, as in the exported code.
    """
    if outputs.shape[1] == 1:
        return (outputs[:, 0] >= 0.5).astype(np.intp)
    comparable = np.where(np.isnan(outputs), -np.inf, outputs)
    return np.asarray(comparable.argmax(axis=1), dtype=np.intp)


def classification(outputs: Array, classes: Classes, count: int) -> dict[str, float | None]:
    """A figure that is not defined for these rows is None."""
    if len(classes) == 0:
        return dict.fromkeys(("accuracy", "rmse", "auroc", "f1", "balanced_accuracy"))
    predicted = predicted_classes(outputs)
    one_hot = (classes[:, None] == np.arange(count)).astype(np.float64)
    targets = one_hot[:, 1:2] if outputs.shape[1] == 1 else one_hot
    return {
        "accuracy": int(np.sum(predicted == classes)) / len(classes),
        "rmse": math.sqrt(ordered_sum(squared_errors(outputs, targets)) / targets.size),
        "auroc": _mean_auroc(outputs, classes, count),
        "f1": _f1(predicted, classes, count),
        "balanced_accuracy": _balanced_accuracy(predicted, classes, count),
    }


def confusion(outputs: Array, classes: Classes, count: int) -> list[list[int]]:
    """A row for each class, a column for each class that was predicted: how many rows."""
    pairs = classes * count + predicted_classes(outputs)
    counts: list[list[int]] = (
        np.bincount(pairs, minlength=count * count).reshape(count, -1).tolist()
    )
    return counts


def regression(outputs: Array, targets: Array) -> dict[str, float | None]:
    """rmse, mae and r2."""
    if len(targets) == 0:
        return dict.fromkeys(("rmse", "mae", "r2"))
    count = len(targets)
    errors = outputs[:, 0] - targets
    squares = ordered_sum(errors * errors)
    deviations = spread(targets)
    return {
        "rmse": math.sqrt(squares / count),
        "mae": ordered_sum(np.abs(errors)) / count,
        "r2": 1.0 - squares / deviations if deviations else None,
    }


def auroc(scores: Array, positive: NDArray[np.bool_]) -> float | None:
    """The chance that a positive row scores higher than a negative one; ties count half."""
    positives = int(positive.sum())
    negatives = len(positive) - positives
    if not positives or not negatives or np.isnan(scores).any():
        return None
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    last_rank = np.cumsum(counts)
    mean_ranks = last_rank - (counts - 1) / 2.0
    rank_sum = float(mean_ranks[inverse][positive].sum())
    return (rank_sum - positives * (positives + 1) / 2.0) / (positives * negatives)


def _mean_auroc(outputs: Array, classes: Classes, count: int) -> float | None:
    """Of two classes, that of class 1; of more, the mean of each class against the rest."""
    if count == 2:
        return auroc(outputs[:, -1], classes == 1)
    values = [auroc(outputs[:, c], classes == c) for c in range(outputs.shape[1])]
    defined = [value for value in values if value is not None]
    return total(defined) / len(defined) if len(defined) == len(values) else None


def _f1(predicted: Classes, classes: Classes, count: int) -> float:
    """Of two classes, that of class 1; of more, the mean over the classes that occur."""
    scores = []
    for c in (1,) if count == 2 else range(count):
        hits = int(np.sum((predicted == c) & (classes == c)))
        both = int(np.sum(predicted == c)) + int(np.sum(classes == c))
        if both or count == 2:
            scores.append(2.0 * hits / both if both else 0.0)
    return total(scores) / len(scores)


def _balanced_accuracy(predicted: Classes, classes: Classes, count: int) -> float:
    """The mean, over the classes that there are rows of, of the share that is found."""
    shares = [
        int(np.sum(predicted[classes == c] == c)) / int(np.sum(classes == c))
        for c in range(count)
        if np.any(classes == c)
    ]
    return total(shares) / len(shares)
