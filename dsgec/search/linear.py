"""Outputs and a numeric target to the line between them: `%output linear` of a grammar.

An expression f is judged as a + b f with the a and b of least squares (Keijzer 2003), so that it
has to have the shape of the target and neither its mean nor its scale. At these a and b the squared
errors have no slope by them. So the slope of the loss by a number of f is what it is with a and b
held fixed.
"""

import math
from dataclasses import dataclass

import numpy as np

from dsgec.search.objectives import Array, Targets, ordered_mean, ordered_sum, weighed

LEAST_SPREAD = 1e-20
"""Squared spread of an output relative to its squared mean: in less there is only rounding."""


@dataclass(frozen=True, slots=True)
class FittedLine:
    """intercept + slope * output."""

    intercept: float
    slope: float

    def __call__(self, outputs: Array) -> Array:
        return self.intercept + self.slope * outputs


@np.errstate(all="ignore")
def fit_line(outputs: Array, targets: Array, row_weights: Array | None = None) -> FittedLine | None:
    """The line of least squares for a column of outputs; None where a sum is not finite.

    Outputs without spread have the slope 0. templates/engine/linear.c gives the same bits.
    """
    mean, wanted = ordered_mean(outputs, row_weights), ordered_mean(targets, row_weights)
    centred = outputs - mean
    spread = ordered_sum(weighed(centred * centred, row_weights))
    together = ordered_sum(weighed(centred * (targets - wanted), row_weights))
    least = LEAST_SPREAD * (len(outputs) * (mean * mean))
    # An output that is not finite makes the spread so, too.
    if not math.isfinite(spread) or not math.isfinite(together) or not math.isfinite(least):
        return None
    slope = together / spread if spread > least else 0.0
    return FittedLine(wanted - slope * mean, slope)


def on_line(outputs: Array, targets: Targets) -> tuple[Array, float] | None:
    """What a network with one output is judged by, and the slope that it is multiplied with."""
    line = fit_line(outputs[:, 0], targets.values[:, 0], targets.row_weights)
    with np.errstate(all="ignore"):
        return None if line is None else (line(outputs), line.slope)
