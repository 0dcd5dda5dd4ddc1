"""Model to golden rows: few rows whose outputs differ from those of any network that is almost it.

Mutants of the network (a bit of a number flipped, a term of a sum dropped, two columns swapped) are
evaluated beside it on many candidate rows, and rows are chosen until every mutant that some
candidate gives away is given away.
"""

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
    """Raw rows of numbers (NaN is a missing one) and, for each, what the network gives.

    `results` are probabilities or values; `classes` the numbers of the predicted classes, -1 where
    there is none because the output is not a number.
    """

    rows: tuple[tuple[float, ...], ...]
    results: tuple[tuple[float, ...], ...]
    classes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """The greatest difference to double precision on so many rows, and classes that differ.

    Of probabilities the difference itself; of values that are greater than 1 a share of them, but
    in fixed point, too, the difference itself.
    """

    rows: int
    worst: float
    flips: int


def golden(model: Model, network: Network, dtype: str = "double", effort: str = "full") -> Golden:
    """The golden rows of a model whose composed network is `network`."""
    rows = cover_network(network, model.columns, dtype, effort)
    if model.threshold != DEFAULT_THRESHOLD:
        count, part = _many(network)
        more = candidates(model.columns, count, LIMITS[dtype], dtype, part)
        rows = np.vstack([rows, _around_threshold(model, network, more)])
    results = results_of(model, evaluate(network, rows))
    return golden_of(rows, results, classes_of(model, network, rows))


def golden_of(rows: Array, results: Array, classes: list[int]) -> Golden:
    """The golden rows that were chosen, with their results."""
    return Golden(
        tuple(map(tuple, rows.tolist())), tuple(map(tuple, results.tolist())), tuple(classes)
    )


def loss(model: Model, network: Network) -> Loss:
    """What single precision changes, on rows of ordinary sizes."""
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
    """What other results than the exact ones lose; `flips` are the rows of another class."""
    finite = np.isfinite(exact).all(axis=1) & np.isfinite(results).all(axis=1)
    exact, results = exact[finite], results[finite]
    difference = np.abs(exact - results.astype(np.float64))
    if relative and not model.is_classifier:
        difference = difference / np.maximum(1.0, np.abs(exact))
    worst = rounded_up(float(difference.max(initial=0.0)))
    return Loss(len(exact), worst, int(flips[finite].sum()) if model.is_classifier else 0)


def _many(network: Network) -> tuple[int, int]:
    """How many candidates can be evaluated at once, and of which part."""
    width = max(len(network.nodes), network.inputs)
    return max(min(_COMPARED, _MOST_VALUES // width), 1), _LATER_PART


def _around_threshold(model: Model, network: Network, rows: Array) -> Array:
    """Those of the rows that come nearest to the threshold from below and from above."""
    last = evaluate(network, rows)[:, -1]
    threshold = last.dtype.type(model.threshold)
    with np.errstate(all="ignore"):
        sides = (np.flatnonzero(last < threshold), np.flatnonzero(last >= threshold))
        distance = np.abs(last - threshold)
    return rows[[side[distance[side].argmin()] for side in sides if len(side)]]


def rounded_up(value: float) -> float:
    """To two digits, and never below the value."""
    return float(Context(prec=2, rounding=ROUND_CEILING).create_decimal(value))


def results_of(model: Model, outputs: Array) -> Array:
    """Probabilities or values: of a lone probability, its complement stands before it."""
    return np.hstack([1 - outputs, outputs]) if _is_single(model) else outputs


def _is_single(model: Model) -> bool:
    return model.is_classifier and len(model.network.outputs) == 1


def classes_of(model: Model, network: Network, rows: Array) -> list[int]:
    """The number of the class of each row, -1 where there is none; nothing of values."""
    if not model.is_classifier:
        return []
    return _numbers(*classify(network, rows, model.threshold))


def classes_of_results(model: Model, results: Array) -> list[int]:
    """The same of results in fixed point, whose largest has the largest sum."""
    if not model.is_classifier:
        return []
    outputs = results[:, -1:] if _is_single(model) else results
    return _numbers(*choose_classes(outputs, model.threshold))


def _numbers(chosen: Classes, nothing: NDArray[np.bool_]) -> list[int]:
    return [int(number) for number in np.where(nothing, -1, chosen)]
