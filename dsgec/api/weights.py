"""What users of scikit-learn give to rows and to classes, to a weight for each row."""

import math
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.data.row_metadata import parse_weights
from dsgec.errors import wrong

BALANCED = "balanced"

Numbers = NDArray[np.float64]
Groups = NDArray[np.intp]


def rows_that_count(
    x: Any, y: NDArray[Any], sample_weight: Any, groups: Groups | None
) -> tuple[Any, NDArray[Any], Numbers | None, Groups | None]:
    """The rows, their targets, weights and groups, less those of weight 0."""
    if sample_weight is None:
        return x, y, None, groups
    weights = parse_weights(sample_weight, len(y))
    counts = weights > 0.0
    if counts.all():
        return x, y, weights, groups
    if groups is not None:
        groups = np.unique(groups[counts], return_inverse=True)[1]
    return x[counts], y[counts], weights[counts], groups


def with_class_weights(
    weights: Numbers | None, given: Any, classes: NDArray[Any], numbers_of: NDArray[np.intp]
) -> Numbers | None:
    """The weights of rows, times those of their classes, where a dictionary gives some.

    A class that it does not name has the weight 1. What balances classes is a setting of the run.
    """
    if given is None or (isinstance(given, str) and given == BALANCED):
        return weights
    if not isinstance(given, Mapping):
        raise wrong(
            "class_weight", f"is {given!r}", f"It must be None, {BALANCED!r} or a dictionary."
        )
    known = classes.tolist()
    unknown = [label for label in given if label not in known]
    if unknown:
        raise wrong("class_weight", f"has the class {unknown[0]!r}, which y does not have")
    each = [given.get(label, 1) for label in known]
    for label, weight in zip(known, each, strict=True):
        if not isinstance(weight, numbers.Real) or not 0.0 < float(weight) < math.inf:
            raise wrong(
                "class_weight", f"is {weight!r} for the class {label!r}", "It must be positive."
            )
    own = np.array(each, dtype=np.float64)[numbers_of]
    return parse_weights(own if weights is None else own * weights, len(own))
