"""Outputs for two classes to the threshold that decides best between them."""

import numpy as np

from dsgec.network.decide import DEFAULT_THRESHOLD, Classes, predict_classes
from dsgec.search.objectives import Array, weighed

_SAME = 1e-12  # of all weights: less is rounding


def best_threshold(outputs: Array, classes: Classes, row_weights: Array | None = None) -> float:
    """The threshold by which the most rows, or those of the most weight, are of the class given.

    With balanced weights that is the balanced accuracy. Candidates are 0.5 and the middle between
    any two neighbouring outputs; of those that are equally good, it is the one nearest to 0.5.
    """
    if not np.isfinite(outputs).all() or not len(outputs):
        return DEFAULT_THRESHOLD
    order = np.argsort(outputs[:, -1], kind="stable")
    scores, second = outputs[order, -1], classes[order] == 1
    own = np.ones(len(scores)) if row_weights is None else row_weights[order]
    # A threshold above row i makes what is first up to it right, and what is second behind it.
    first = np.add.accumulate(np.where(second, 0.0, own))
    behind = np.add.accumulate(np.where(second, own, 0.0)[::-1])[::-1]
    ends = np.flatnonzero(np.diff(scores) > 0.0)
    right = first[ends] + behind[ends + 1]
    middles = _middles(scores[ends], scores[ends + 1])
    is_right = predict_classes(outputs) == classes
    usual = np.add.accumulate(weighed(is_right.astype(np.float64), row_weights))[-1]
    others = middles != DEFAULT_THRESHOLD  # which decides otherwise between two outputs
    candidates = np.append(middles[others], DEFAULT_THRESHOLD)
    found = np.append(right[others], usual)
    good = candidates[found >= found.max() - _SAME * own.sum()]
    return float(good[np.abs(good - DEFAULT_THRESHOLD).argmin()])


def _middles(below: Array, above: Array) -> Array:
    """Above the one and not above the other, also where no number lies between them."""
    middles = below + (above - below) / 2.0
    return np.where(middles > below, middles, above)
