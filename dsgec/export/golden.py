"""The golden rows of a self-test with their results, and the loss of a number format."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.export.candidates import LIMITS, candidates
from dsgec.export.mutants import cover_network
from dsgec.network.decide import DEFAULT_THRESHOLD, Classes, choose_classes, classify
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Network
from dsgec.network.model import Model

Array = NDArray[Any]

_COMPARED = 2_048
_LATER_PART = 99
_MOST_VALUES = 8_000_000  # of all nodes for all rows


@dataclass(frozen=True, slots=True)
class Golden:
    """Raw rows of a self-test (NaN is a missing value) with the results of the network.

    `results` are probabilities or values. `classes` are the numbers of the predicted classes, -1
    for a row whose output is not a number.
    """

    rows: tuple[tuple[float, ...], ...]
    results: tuple[tuple[float, ...], ...]
    classes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """The greatest difference from double precision on some rows, and how many classes differ.

    The difference of values above 1 is relative in single precision; all others are absolute.
    """

    rows: int
    worst: float
    flips: int


def golden(model: Model, network: Network, dtype: str = "double", effort: str = "full") -> Golden:
    """Return the golden rows of a model, whose composed network is `network`."""
    rows = cover_network(network, model.columns, dtype, effort)
    if model.threshold != DEFAULT_THRESHOLD:
        count, part = _many(network)
        more = candidates(model.columns, count, LIMITS[dtype], dtype, part)
        rows = np.vstack([rows, _around_threshold(model, network, more)])
    results = results_of(model, evaluate(network, rows))
    return golden_of(rows, results, classes_of(model, network, rows))


def golden_of(rows: Array, results: Array, classes: list[int]) -> Golden:
    """Return golden rows from arrays."""
    return Golden(
        tuple(map(tuple, rows.tolist())), tuple(map(tuple, results.tolist())), tuple(classes)
    )


def loss(model: Model, network: Network) -> Loss:
    """Return the loss of single precision, on rows of ordinary sizes."""
    rows = loss_rows(model, network)
    tables = rows.astype(np.float64), rows
    exact, results = (results_of(model, evaluate(network, table)) for table in tables)
    wanted, found = (classes_of(model, network, table) for table in tables)
    flips = np.not_equal(wanted, found)
    return loss_of(model, exact, results, flips, relative=True)


def loss_rows(model: Model, network: Network) -> Array:
    """Return the rows on which single precision is compared with double."""
    count, part = _many(network)
    return candidates(model.columns, count, (0.0,), "float", part)


def loss_of(
    model: Model, exact: Array, results: Array, flips: NDArray[np.bool_], *, relative: bool
) -> Loss:
    """Return the loss of results; `flips` tells which rows get another class."""
    finite = np.isfinite(exact).all(axis=1) & np.isfinite(results).all(axis=1)
    exact, results = exact[finite], results[finite]
    difference = np.abs(exact - results.astype(np.float64))
    if relative and not model.is_classifier:
        difference = difference / np.maximum(1.0, np.abs(exact))
    worst = round_up(float(difference.max(initial=0.0)))
    return Loss(len(exact), worst, int(flips[finite].sum()) if model.is_classifier else 0)


def _many(network: Network) -> tuple[int, int]:
    """Return how many candidates are compared, and their part."""
    width = max(len(network.nodes), network.inputs)
    return max(min(_COMPARED, _MOST_VALUES // width), 1), _LATER_PART


def _around_threshold(model: Model, network: Network, rows: Array) -> Array:
    """Return the rows whose last output is nearest to the threshold from below and from above."""
    last = evaluate(network, rows)[:, -1]
    threshold = last.dtype.type(model.threshold)
    with np.errstate(all="ignore"):
        sides = (np.flatnonzero(last < threshold), np.flatnonzero(last >= threshold))
        distance = np.abs(last - threshold)
    return rows[[side[distance[side].argmin()] for side in sides if len(side)]]


def round_up(value: float) -> float:
    """Round a value up to two digits."""
    return float(Context(prec=2, rounding=ROUND_CEILING).create_decimal(value))


def results_of(model: Model, outputs: Array) -> Array:
    """Return probabilities or values; a lone probability follows its complement."""
    return np.hstack([1 - outputs, outputs]) if model.has_lone_probability else outputs


def classes_of(model: Model, network: Network, rows: Array) -> list[int]:
    """Return the number of each row's class, -1 for none; an empty list for a numeric target."""
    if not model.is_classifier:
        return []
    return _numbers(*classify(network, rows, model.threshold))


def classes_of_results(model: Model, results: Array) -> list[int]:
    """Return the number of each row's class in fixed point, -1 for none."""
    if not model.is_classifier:
        return []
    outputs = results[:, -1:] if model.has_lone_probability else results
    return _numbers(*choose_classes(outputs, model.threshold))


def _numbers(chosen: Classes, nothing: NDArray[np.bool_]) -> list[int]:
    return [int(number) for number in np.where(nothing, -1, chosen)]
