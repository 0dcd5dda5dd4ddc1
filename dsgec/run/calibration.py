"""Probabilities to a reliability diagram: what was promised, and how often it came true."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.network.decide import predict_classes
from dsgec.plain_data import is_count, is_list, is_number

Array = NDArray[np.float64]

BINS, LEAST_ROWS = 10, 50


def calibration(outputs: Array, classes: NDArray[np.intp], count: int) -> list[dict[str, Any]]:
    """Rows by their probability, in bins of equal width: how many, the mean, how many came true.

    Of two classes it is the probability of the second; of many, that of the predicted one. Without
    enough rows there are no bins, nor where an output is not a probability.
    """
    if count == 2:
        promised, came_true = outputs[:, -1], classes == 1
    else:
        predicted = predict_classes(outputs)
        promised = outputs[np.arange(len(outputs)), predicted]
        came_true = classes == predicted
    if len(promised) < LEAST_ROWS or not ((promised >= 0.0) & (promised <= 1.0)).all():
        return []
    numbers = np.minimum((promised * BINS).astype(np.intp), BINS - 1)
    rows = np.bincount(numbers, minlength=BINS)
    sums = np.bincount(numbers, promised, BINS)  # row after row, so the same everywhere
    true = np.bincount(numbers, came_true, BINS)
    return [
        {"rows": int(rows[i]), "promised": float(sums[i] / rows[i]), "true": int(true[i])}
        for i in np.flatnonzero(rows).tolist()
    ]


def is_calibration(found: Any) -> bool:
    """Whether it is the diagram of both parts; it is untrusted."""

    def is_bin(one: Any) -> bool:
        return (
            isinstance(one, dict)
            and is_count(one.get("rows"))
            and is_count(one.get("true"))
            and one["rows"] > 0
            and one["true"] <= one["rows"]
            and is_number(one.get("promised"))
            and 0 <= one["promised"] <= 1
        )

    return (
        isinstance(found, dict)
        and set(found) == {"train", "test"}
        and all(is_list(bins, is_bin) and len(bins) <= BINS for bins in found.values())
    )
