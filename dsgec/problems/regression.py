"""Measure the error of an expression on points, for all problems of symbolic regression."""

from collections.abc import Mapping

import numpy as np

from dsgec.problems.expressions import Column, evaluate_numbers


def root_mean_square(text: str, columns: Mapping[str, Column], target: Column) -> float:
    """Return the root of the mean squared error of an expression; NaN if it has no value."""
    with np.errstate(all="ignore"):
        errors = np.asarray(evaluate_numbers(text, columns)) - target
        return float(np.sqrt(np.mean(errors * errors)))
