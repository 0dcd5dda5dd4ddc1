"""The losses of candidates on held-out rows, and the choices that are made by them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dsgec.search.rows import Array, ordered_sum, weigh

RowLosses = Callable[[Array, Array], Array]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Losses and outputs on the held-out rows of all folds, one fold after the other.

    `losses` are those of each candidate, `constant` those of the mean of the other rows, or of the
    shares of the classes, `outputs` the first outputs of each candidate, and `wanted` their
    targets. `middle` is the mean target of all training rows.
    """

    losses: list[Array]
    constant: Array
    outputs: list[Array]
    wanted: Array
    row_weights: Array | None
    middle: float

    @cached_property
    def mass(self) -> float:
        """The sum of the row weights, or the number of rows."""
        return len(self.constant) if self.row_weights is None else ordered_sum(self.row_weights)

    def mean(self, values: Array) -> tuple[float, float]:
        """Return the mean over the rows and its standard error; infinite if a value is."""
        if not np.isfinite(values).all():
            return math.inf, 0.0
        mean = ordered_sum(weigh(values, self.row_weights)) / self.mass
        deviations = weigh(values - mean, self.row_weights)
        squares = ordered_sum(deviations * deviations)
        return mean, math.sqrt(squares * len(values) / max(len(values) - 1, 1)) / self.mass

    def smallest_good(self, means: Sequence[tuple[float, float]]) -> int:
        """Return the number of the smallest candidate that is not clearly worse than the best.

        Its mean loss is larger by at most a standard error of the differences of the rows. `means`
        has the mean loss of each candidate; they are sorted by size.
        """
        finite = [number for number, (mean, _) in enumerate(means) if math.isfinite(mean)]
        best = self.best(means)
        for number in finite:
            more, error = self.mean(self.losses[number] - self.losses[best])
            if more <= error:
                return number
        return best

    def best(self, means: Sequence[tuple[float, float]]) -> int:
        """Return the number of the candidate with the least mean loss, the smallest of equals."""
        finite = [number for number, (mean, _) in enumerate(means) if math.isfinite(mean)]
        return min(finite, key=lambda number: means[number][0])

    def factor(self, number: int) -> float:
        """Return the best factor, from 0 to 1, for a candidate's distance from the mean."""
        distances = self.outputs[number] - self.middle
        together = ordered_sum(weigh(distances * (self.wanted - self.middle), self.row_weights))
        own = ordered_sum(weigh(distances * distances, self.row_weights))
        return min(max(together / own, 0.0), 1.0) if own > 0.0 else 0.0

    def scaled_losses(self, number: int, factor: float, row_losses: RowLosses) -> Array:
        """Return the losses of a candidate with its distance from the mean scaled."""
        outputs = self.middle + factor * (self.outputs[number] - self.middle)
        return row_losses(outputs[:, None], self.wanted[:, None])
