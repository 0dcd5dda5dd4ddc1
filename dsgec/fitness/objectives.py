"""Outputs and targets to the number that evolution makes small.

Sums run in a fixed order (`LANES` partial sums, then those in turn), so that the engine can make
them with vector instructions and still give the same bits.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic import scalar

LANES = 8

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Targets:
    """What the outputs should be: a row each; `groups` are the rows of each class."""

    values: Array
    groups: tuple[NDArray[np.intp], ...]


def exp_rmse(outputs: Array, targets: Targets) -> float:
    """The paper's fitness: the product over the classes of exp(RMSE of the class)."""
    errors = squared_errors(outputs, targets.values)
    product = 1.0
    for rows in targets.groups:
        mean = ordered_sum(errors[rows]) / (len(rows) * outputs.shape[1])
        product *= scalar.exp(scalar.sqrt(mean))
    return product


def rmse(outputs: Array, targets: Targets) -> float:
    """The root of the mean squared error."""
    mean = ordered_sum(squared_errors(outputs, targets.values)) / targets.values.size
    return scalar.sqrt(mean)


OBJECTIVES: dict[str, Callable[[Array, Targets], float]] = {"exp-rmse": exp_rmse, "rmse": rmse}


def squared_errors(outputs: Array, targets: Array) -> Array:
    """For each row, its squared errors summed over the outputs from left to right."""
    total = np.zeros(len(outputs))
    for column in range(outputs.shape[1]):
        difference = outputs[:, column] - targets[:, column]
        total = total + difference * difference
    return total


def ordered_sum(values: Array) -> float:
    """Row i is added to lane i mod LANES, row after row; then the lanes are added in turn."""
    padded = np.zeros(-(-len(values) // LANES) * LANES or LANES)
    padded[: len(values)] = values
    # A running sum, because numpy may regroup the terms of a plain one.
    lanes = np.add.accumulate(padded.reshape(-1, LANES), axis=0)[-1]
    total = 0.0
    for lane in lanes.tolist():
        total += lane
    return total
