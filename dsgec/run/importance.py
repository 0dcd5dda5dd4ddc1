"""Permutation importance: how much worse a model is when a column is shuffled.

Each column of the table is shuffled as a whole, so that a category counts once, whatever number of
features it becomes.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.arithmetic.primitives import sequential_sum
from dsgec.data.dataset import shuffle_rows
from dsgec.network.decide import predict_classes
from dsgec.network.evaluate import evaluate_node, node_values, output_values
from dsgec.network.ir import Apply, Input, Network
from dsgec.network.model import Model, compose
from dsgec.search import metrics

Array = NDArray[np.float64]

REPEATS, MOST_ROWS, LEAST_ROWS = 10, 1000, 30
_MOST_STEPS = 10_000_000  # of nodes over rows: a tenth of a second


@dataclass(frozen=True, slots=True)
class ColumnImportance:
    """The increase of the error when a column is shuffled: mean and standard deviation.

    Both are None if the error is not always a number.
    """

    column: int
    mean: float | None
    deviation: float | None

    def validate(self) -> None:
        """Raise a ValueError if one of both figures is missing, or the deviation negative."""
        if (self.mean is None) != (self.deviation is None) or (self.deviation or 0.0) < 0.0:
            raise ValueError("an importance is wrong")


@dataclass(frozen=True, slots=True)
class Importances:
    """The importances of the columns that a model reads, measured on some rows of a part."""

    part: str
    rows: int
    repeats: int
    columns: tuple[ColumnImportance, ...]

    def validate(self) -> None:
        """Raise a ValueError if the part is neither `train` nor `test`."""
        if self.part not in ("train", "test"):
            raise ValueError("`importance.part` is wrong")


@standard_arithmetic()
def importances(
    model: Model, raw: Array, wanted: NDArray[Any], rows: NDArray[np.intp], part: str
) -> Importances:
    """Measure the importance of each column that is read on these rows of a part.

    `wanted` has the numbers of the classes, or the values, of all rows. Of many rows some are
    taken, evenly spread, so that the time does not grow with the table.
    """
    network = compose(model)
    after = _dependent_nodes(network)
    places = rows[spread_evenly(len(rows), _affordable(sum(map(len, after.values()))))]
    raw, wanted = raw[places], wanted[places]
    orders = np.array([shuffle_rows(np.arange(len(raw)), seed) for seed in range(1, REPEATS + 1)])
    found = []
    if len(raw) > 1:
        with np.errstate(all="ignore"):
            plain = node_values(network, raw)
            (before,) = _errors(network, plain, wanted, model)
            for column in sorted(after):
                values = _reevaluate(network, plain, after[column], raw[orders, column])
                errors = _errors(network, values, wanted, model)
                found.append(ColumnImportance(column, *_summary([e - before for e in errors])))
    return Importances(part, len(raw), REPEATS, tuple(found))


def spread_evenly(count: int, most: int) -> NDArray[np.intp]:
    """Return at most so many of the numbers below `count`, evenly spread."""
    if count <= most:
        return np.arange(count)
    return (np.arange(most) * (count - 1) // (most - 1)).astype(np.intp)


def _affordable(steps: int) -> int:
    """Return how many rows to evaluate, if each takes so many steps to shuffle all columns once."""
    return min(MOST_ROWS, max(LEAST_ROWS, _MOST_STEPS // max(steps * REPEATS, 1)))


def _dependent_nodes(network: Network) -> dict[int, list[int]]:
    """Return the positions of the nodes that depend on each column that is read, in order."""
    found: dict[int, list[int]] = {}
    depends: list[set[int]] = []
    for position, node in enumerate(network.nodes):
        if isinstance(node, Apply):
            depends.append(set().union(*(depends[argument] for argument in node.arguments)))
        else:
            depends.append({node.column} if isinstance(node, Input) else set())
        for column in depends[-1]:
            found.setdefault(column, []).append(position)
    return found


def _reevaluate(network: Network, plain: list[Any], changed: list[int], column: Array) -> list[Any]:
    """Return the values of all nodes with other values of a column, a line for each shuffle."""
    values = list(plain)
    for position in changed:
        node = network.nodes[position]
        if isinstance(node, Apply):
            values[position] = evaluate_node(network, node, values, column.dtype)
        else:
            values[position] = column
    return values


def _errors(network: Network, values: list[Any], wanted: NDArray[Any], model: Model) -> list[float]:
    """Return the share of wrong rows, or the RMSE, for each line of the values."""
    found = [np.atleast_2d(one) for one in output_values(network, values, np.dtype(np.float64))]
    lines = np.broadcast_shapes(*(one.shape for one in found), (1, len(wanted)))
    each = np.stack([np.broadcast_to(one, lines) for one in found], axis=-1)
    if model.classes:
        return [float((predict_classes(one, model.threshold) != wanted).mean()) for one in each]
    figures = [metrics.regression(one, wanted)["rmse"] for one in each]
    return [math.nan if one is None else one for one in figures]


def _summary(values: list[float]) -> tuple[float | None, float | None]:
    """Return mean and standard deviation, or None if a value is not a number."""
    if not all(map(math.isfinite, values)):
        return None, None
    mean = sequential_sum(values) / len(values)
    squares = sequential_sum((value - mean) ** 2 for value in values)
    return mean, math.sqrt(squares / (len(values) - 1))
