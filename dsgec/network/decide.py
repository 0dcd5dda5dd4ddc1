"""Outputs of a classifier to the numbers of classes: the rule that every export prints.

The class is that of the largest output; of a lone output, the second one where it reaches 0.5. With
another threshold, the second of two classes is chosen where its output reaches that. What is not a
number is smaller than any number.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Classes = NDArray[np.intp]

USUAL_THRESHOLD = 0.5


def has_threshold(outputs: int, threshold: float) -> bool:
    """Whether the last output is compared with the threshold, and not with the others."""
    return outputs == 1 or threshold != USUAL_THRESHOLD


def predicted_classes(outputs: NDArray[Any], threshold: float = USUAL_THRESHOLD) -> Classes:
    """The class of each row of outputs, also where these are not numbers."""
    if has_threshold(outputs.shape[1], threshold):
        reached = outputs[:, -1] >= outputs.dtype.type(threshold)
        return np.asarray(reached, dtype=np.intp)
    comparable = np.where(np.isnan(outputs), -np.inf, outputs)
    return np.asarray(comparable.argmax(axis=1), dtype=np.intp)


def chosen_classes(
    outputs: NDArray[Any], threshold: float = USUAL_THRESHOLD
) -> tuple[Classes, NDArray[np.bool_]]:
    """The class of each row, and which rows have none: what decides is not a number."""
    chosen = predicted_classes(outputs, threshold)
    last = has_threshold(outputs.shape[1], threshold)
    places = np.full_like(chosen, outputs.shape[1] - 1) if last else chosen
    return chosen, np.isnan(outputs[np.arange(len(outputs)), places])
