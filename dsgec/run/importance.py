"""A model and some rows to what each column is worth: its metric when a column is shuffled.

Each column of the table is shuffled as a whole, so that a category counts once, whatever number of
features it becomes.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.arithmetic.primitives import sequential_sum
from dsgec.data.dataset import shuffled
from dsgec.network.decide import predict_classes
from dsgec.network.evaluate import evaluate_node, node_values, output_values
from dsgec.network.ir import Apply, Input, Network
from dsgec.network.model import Model, compose
from dsgec.plain_data import is_count, is_figure, is_list
from dsgec.search import metrics

Array = NDArray[np.float64]

REPEATS, MOST_ROWS, LEAST_ROWS = 10, 1000, 30
_MOST_STEPS = 10_000_000  # of nodes over rows: a tenth of a second


@standard_arithmetic()
def importances(
    model: Model, raw: Array, wanted: NDArray[Any], rows: NDArray[np.intp]
) -> dict[str, Any]:
    """How much worse the main metric of these rows gets with each column that is read.

    `wanted` are the numbers of the classes, or values, of all rows. Of many rows some are taken,
    which lie evenly over them, so that the time does not grow with the table.
    """
    network = compose(model)
    after = _readers(network)
    places = rows[spread_evenly(len(rows), _affordable(sum(map(len, after.values()))))]
    raw, wanted = raw[places], wanted[places]
    orders = np.array([shuffled(np.arange(len(raw)), seed) for seed in range(1, REPEATS + 1)])
    found = []
    if len(raw) > 1:
        with np.errstate(all="ignore"):
            plain = node_values(network, raw)
            (before,) = _errors(network, plain, wanted, model)
            for column in sorted(after):
                values = _again(network, plain, after[column], raw[orders, column])
                errors = _errors(network, values, wanted, model)
                found.append({"column": column, **_summary([e - before for e in errors])})
    return {"rows": len(raw), "repeats": REPEATS, "columns": found}


def spread_evenly(count: int, most: int) -> NDArray[np.intp]:
    """So many of the numbers below `count`, evenly."""
    if count <= most:
        return np.arange(count)
    return (np.arange(most) * (count - 1) // (most - 1)).astype(np.intp)


def _affordable(steps: int) -> int:
    """How many rows are evaluated, if each takes so many steps to shuffle all columns once."""
    return min(MOST_ROWS, max(LEAST_ROWS, _MOST_STEPS // max(steps * REPEATS, 1)))


def _readers(network: Network) -> dict[int, list[int]]:
    """For each column that is read, the positions of the nodes that depend on it, in order."""
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


def _again(network: Network, plain: list[Any], changed: list[int], column: Array) -> list[Any]:
    """The values of all nodes where a column has these values, a line for each time."""
    values = list(plain)
    for position in changed:
        node = network.nodes[position]
        if isinstance(node, Apply):
            values[position] = evaluate_node(network, node, values, column.dtype)
        else:
            values[position] = column
    return values


def _errors(network: Network, values: list[Any], wanted: NDArray[Any], model: Model) -> list[float]:
    """The share of wrong rows, or the RMSE, for each line of the values."""
    found = [np.atleast_2d(one) for one in output_values(network, values, np.dtype(np.float64))]
    lines = np.broadcast_shapes(*(one.shape for one in found), (1, len(wanted)))
    each = np.stack([np.broadcast_to(one, lines) for one in found], axis=-1)
    if model.classes:
        return [float((predict_classes(one, model.threshold) != wanted).mean()) for one in each]
    figures = [metrics.regression(one, wanted)["rmse"] for one in each]
    return [math.nan if one is None else one for one in figures]


def _summary(values: list[float]) -> dict[str, float | None]:
    """Mean and standard deviation, where they are numbers."""
    if not all(map(math.isfinite, values)):
        return {"mean": None, "deviation": None}
    mean = sequential_sum(values) / len(values)
    squares = sequential_sum((value - mean) ** 2 for value in values)
    return {"mean": mean, "deviation": math.sqrt(squares / (len(values) - 1))}


def are_importances(found: Any, model: Model) -> bool:
    """Whether it is what the report draws of them; it is untrusted."""

    def is_column(one: Any) -> bool:
        return (
            isinstance(one, dict)
            and is_count(one.get("column"))
            and one["column"] < len(model.columns)
            and {"mean", "deviation"} <= one.keys()
            and all(is_figure(one[name]) for name in ("mean", "deviation"))
            and (one["mean"] is None) == (one["deviation"] is None)
            and (one["deviation"] is None or one["deviation"] >= 0)
        )

    return (
        isinstance(found, dict)
        and found.get("part") in ("train", "test")
        and is_count(found.get("rows"))
        and is_count(found.get("repeats"))
        and is_list(found.get("columns"), is_column)
        and len({one["column"] for one in found["columns"]}) == len(found["columns"])
    )
