"""Fit a linear model, which every network is compared with.

Logistic and ridge regression on standardised features, with scikit-learn's default penalty. Sums
are in the order of the rows or of the features, so that every machine gives the same bits.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.printed import vector
from dsgec.search.lbfgs import minimise
from dsgec.search.objectives import LEAST_PROBABILITY

Array = NDArray[np.float64]
Loss = Callable[[Array], tuple[float, Array]]
"""Return the loss of outputs, before the last function, and its gradient by each of them."""

MOST_CELLS = 4_000_000
"""Rows times features times outputs; a larger table is thinned evenly."""
_MOST_EVALUATIONS, _LEAST_EVALUATIONS = 100, 20
_MOST_WORK = 40_000  # evaluations times weights
_UNBOUNDED = float("inf")


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """A linear model; `weights` has a row for each output, with the intercept last."""

    center: Array
    scale: Array
    weights: Array
    finish: Callable[[Array], Array]

    def outputs(self, x: Array) -> Array:
        """Return the outputs, a row for each row of features."""
        rows = np.ascontiguousarray(((x - self.center) / self.scale).T)
        return self.finish(_sums(rows, self.weights))


def fit_logistic(
    x: Array, classes: NDArray[np.intp], count: int, weights: Array | None = None
) -> LinearModel:
    """Fit a logistic regression: the probability of the second of two classes, or of each class."""
    rows = _thinned_rows(len(x), x.shape[1] * count)
    by = _row_weights(weights, rows)
    wanted = (classes[rows, None] == np.arange(count)).astype(np.float64)
    if count == 2:
        return _fit(x[rows], 1, lambda z: _two_classes(z, wanted[:, 1:], by), vector.sig)
    return _fit(x[rows], count, lambda z: _many_classes(z, wanted, by), _softmax)


def fit_ridge(x: Array, y: Array, weights: Array | None = None) -> LinearModel:
    """Fit a ridge regression."""
    rows = _thinned_rows(len(x), x.shape[1])
    by = _row_weights(weights, rows)
    wanted = y[rows, None]
    mean = _sum_rows(wanted) / len(rows)
    spread = np.sqrt(_sum_rows((wanted - mean) ** 2) / len(rows))
    spread[~((spread > 0.0) & np.isfinite(spread))] = 1.0
    scaled = (wanted - mean) / spread

    def errors(z: Array) -> tuple[float, Array]:
        return 0.5 * float(_sum_rows(by * (z - scaled) ** 2)[0]), by * (z - scaled)

    return _fit(x[rows], 1, errors, lambda z: z * spread + mean)


def _fit(x: Array, outputs: int, loss_of: Loss, finish: Callable[[Array], Array]) -> LinearModel:
    count, features = x.shape
    center = _sum_rows(x) / count
    scale = np.sqrt(_sum_rows((x - center) ** 2) / count)
    scale[~((scale > 0.0) & np.isfinite(scale))] = 1.0
    by_row = (x - center) / scale
    by_feature = np.ascontiguousarray(by_row.T)
    products = np.empty_like(by_row)  # allocating it each time would cost more than the sums

    def evaluate(values: list[float]) -> tuple[float, list[float]] | None:
        weights = np.array(values).reshape(outputs, features + 1)
        loss, gradients = loss_of(_sums(by_feature, weights))
        found = weights.copy()
        found[:, -1] = 0.0  # an intercept is not penalised
        loss += 0.5 * float(_sum_rows(found.reshape(-1, 1) ** 2)[0])
        for output in range(outputs):
            gradient = gradients[:, output, None]
            found[output, :-1] += _sum_rows(np.multiply(gradient, by_row, out=products))
            found[output, -1] = _sum_rows(gradient)[0]
        flat: list[float] = (found / count).ravel().tolist()
        return (loss / count, flat) if np.isfinite(loss) else None

    start = [0.0] * (outputs * (features + 1))
    ends = [_UNBOUNDED] * len(start)
    evaluations = max(min(_MOST_WORK // len(start), _MOST_EVALUATIONS), _LEAST_EVALUATIONS)
    with np.errstate(all="ignore"):
        best = minimise(start, [-one for one in ends], ends, evaluate, evaluations)
    weights = np.array(start if best is None else best.values).reshape(outputs, features + 1)
    return LinearModel(center, scale, weights, finish)


def _two_classes(z: Array, wanted: Array, by: Array) -> tuple[float, Array]:
    p = vector.sig(z)
    return _loss(np.where(wanted == 1.0, p, 1.0 - p), by), by * (p - wanted)


def _many_classes(z: Array, wanted: Array, by: Array) -> tuple[float, Array]:
    p = _softmax(z)
    return _loss(p[wanted == 1.0][:, None], by), by * (p - wanted)


def _softmax(z: Array) -> Array:
    return np.column_stack(vector.softmax(*z.T))


def _loss(chosen: Array, by: Array) -> float:
    return float(_sum_rows(-by * vector.log(np.clip(chosen, LEAST_PROBABILITY, 1.0)))[0])


def _row_weights(weights: Array | None, rows: NDArray[np.intp]) -> Array:
    return np.ones((len(rows), 1)) if weights is None else weights[rows, None]


def _sums(by_feature: Array, weights: Array) -> Array:
    """Return the weighted sums of each row: a column for each output."""
    rows = by_feature.shape[1]
    sums = np.tile(weights[:, -1:], rows)
    products = np.empty_like(sums)
    for values, w in zip(by_feature, weights.T[:-1], strict=True):
        sums += np.multiply(w[:, None], values, out=products)
    return np.ascontiguousarray(sums.T)


def _sum_rows(values: Array) -> Array:
    """Return the sum of the rows, added one by one, so that no vector width changes the bits."""
    total: Array = np.add.reduce(values, axis=0)
    return total


def _thinned_rows(rows: int, cells: int) -> NDArray[np.intp]:
    most = max(MOST_CELLS // max(cells, 1), 1)
    count = min(rows, most)
    return (np.arange(count) * rows // count).astype(np.intp)
