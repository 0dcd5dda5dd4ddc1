"""Training rows: their targets, weights and batches, and sums over rows in a fixed order.

Sums have a fixed order (`LANES` partial sums, which are then added in turn), so that the engine can
compute them with vector instructions and still give the same bits.

A row can have a weight: its error counts that many times. The weights of the training rows have the
mean 1, so that a mean over the rows divides by their number and penalties keep their meaning.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

LANES = 8
WHOLE_EVERY = 10
"""With batches, every tenth generation uses all rows. The hall of fame is filled by these
generations only, since fitness on different rows cannot be compared."""
LEAST_SPREAD = 1e-20
"""An output whose squared spread, relative to its squared mean, is less than this is constant up to
rounding."""


@dataclass(frozen=True, slots=True)
class Targets:
    """The wanted outputs of each row, the rows of each class, and the row weights, if any."""

    values: Array
    groups: tuple[NDArray[np.intp], ...]
    row_weights: Array | None = None


def ordered_sum(values: Array) -> float:
    """Add row i to lane i mod LANES, row after row, then add the lanes in turn."""
    padded = np.zeros(-(-len(values) // LANES) * LANES or LANES)
    padded[: len(values)] = values
    # A running sum, because numpy may regroup the terms of a plain one.
    lanes = np.add.accumulate(padded.reshape(-1, LANES), axis=0)[-1]
    total = 0.0
    for lane in lanes.tolist():
        total += lane
    return total


def ordered_mean(values: Array, row_weights: Array | None = None) -> float:
    """Return the weighted mean; the weights need not have a mean of 1."""
    mass = len(values) if row_weights is None else ordered_sum(row_weights)
    return ordered_sum(weigh(values, row_weights)) / mass


def spread(values: Array, row_weights: Array | None = None) -> float:
    """Return the sum of the squared distances from the mean."""
    deviations = values - ordered_mean(values, row_weights)
    return ordered_sum(weigh(deviations * deviations, row_weights))


def weigh(values: Array, row_weights: Array | None) -> Array:
    """Multiply the value, or the values, of each row by the weight of the row."""
    if row_weights is None:
        return values
    return values * (row_weights if values.ndim == 1 else row_weights[:, None])


def make_row_weights(
    given: Array | None, classes: NDArray[np.intp], count: int, *, balance: bool
) -> Array | None:
    """Return row weights of mean 1, or None if all rows count the same.

    With `balance`, each of the `count` classes has the same total weight: without given weights, a
    row has n / (count * the rows of its class), as in scikit-learn.
    """
    if given is None and not balance:
        return None
    weights = np.ones(len(classes)) if given is None else given
    if balance:
        total = ordered_sum(weights)
        own = [ordered_sum(weights[classes == number]) for number in range(count)]
        weights = weights * np.array([total / (count * each) for each in own])[classes]
    return weights * (len(weights) / ordered_sum(weights))


def has_all_rows(generation: int, batch: int) -> bool:
    """Return whether a generation uses all training rows; without batches, each does."""
    return not batch or generation % WHOLE_EVERY == 0


def batch_rows(generation: int, rows: int, batch: int) -> slice:
    """Return the training rows of a generation: all, or the next batch of them.

    The training rows of a run with batches are shuffled. Rows that fill no whole batch are used
    only by generations that use all rows.
    """
    if has_all_rows(generation, batch):
        return slice(0, rows)
    before = generation - generation // WHOLE_EVERY - 1
    start = before % (rows // batch) * batch
    return slice(start, start + batch)


@dataclass(frozen=True, slots=True)
class FittedLine:
    """The line of least squares from an output to the target: intercept + slope * output.

    With `%output linear`, an expression f is scored as a + b f with the a and b of least squares
    (Keijzer 2003), so that it needs the shape of the target but neither its mean nor its scale. At
    these a and b the derivatives of the squared errors by them are 0, so the gradient of the loss
    is the same as if they were constants.
    """

    intercept: float
    slope: float

    def __call__(self, outputs: Array) -> Array:
        with np.errstate(all="ignore"):
            return self.intercept + self.slope * outputs


@np.errstate(all="ignore")
def fit_line(outputs: Array, targets: Array, row_weights: Array | None = None) -> FittedLine | None:
    """Fit the least-squares line of a column of outputs, or return None if a sum is not finite.

    Constant outputs have the slope 0. templates/engine/linear.c gives the same bits.
    """
    mean, wanted = ordered_mean(outputs, row_weights), ordered_mean(targets, row_weights)
    centred = outputs - mean
    variation = ordered_sum(weigh(centred * centred, row_weights))
    covariation = ordered_sum(weigh(centred * (targets - wanted), row_weights))
    least = LEAST_SPREAD * (len(outputs) * (mean * mean))
    # If an output is not finite, neither is the variation.
    if not (math.isfinite(variation) and math.isfinite(covariation) and math.isfinite(least)):
        return None
    slope = covariation / variation if variation > least else 0.0
    return FittedLine(wanted - slope * mean, slope)
