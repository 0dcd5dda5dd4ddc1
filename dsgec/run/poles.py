"""Find networks without bounds within the training ranges, by interval arithmetic.

A division by something that can be 0, a logarithm of it and a negative power of it are poles: close
to them the network gives any value, however good it is on the rows that it was trained on.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.printed import vector
from dsgec.export.fixed.curves import curve
from dsgec.network.ir import ARITY, CONDITIONS, Apply, Constant, Input, Network, Node, power
from dsgec.network.model import Column
from dsgec.network.ranges import Range
from dsgec.network.syntax import ALIASES
from dsgec.run.job import training_ranges
from dsgec.search.individual import Champion
from dsgec.search.models import make_network
from dsgec.search.problem import Problem

Array = NDArray[np.float64]
Interval = tuple[Array, Array]

POLE_NOTE = (
    "the formula with the best score has a pole within the ranges of the training rows, so the next"
    " one of the hall of fame without a pole was taken"
)
ALL_POLES_NOTE = (
    "the formula has a pole within the ranges of the training rows, as have all others of the hall"
    " of fame: near it, predictions can be arbitrarily large"
)

_SINGULAR = {"div": 1, "log": 0, "pow": 0, "power": 0}
"""Functions with a pole where one of their arguments, by its place, is 0."""
_WORDS = ("/", "^", "**", *(alias for alias, name in ALIASES.items() if name in _SINGULAR))
"""What a phenotype with a pole has in it."""
_MOST_BOXES, _HALVINGS = 4_096, 10
_LARGE = 1e300


def without_poles(
    problem: Problem, best: Champion, champions: Sequence[Champion]
) -> tuple[Champion, list[Champion], str]:
    """Return the best individual without a pole, the champions without one, and a note.

    If every one has a pole, all stay; the note is empty if none was refused as the best.
    """
    box = feature_box(problem.dataset.inputs, training_ranges(problem))

    def is_safe(champion: Champion) -> bool:
        is_suspect = any(word in champion.phenotype for word in _WORDS)
        return not (is_suspect and has_pole(make_network(problem, champion.phenotype), box))

    safe = [champion for champion in champions if is_safe(champion)]
    if is_safe(best):
        return best, safe, ""
    if not safe:
        return best, list(champions), ALL_POLES_NOTE
    return min(safe, key=lambda champion: (champion.fitness, champion.size)), safe, POLE_NOTE


def has_pole(network: Network, box: Sequence[Range]) -> bool:
    """Return whether a pole cannot be ruled out for features within their intervals.

    Boxes in which there may be one are cut in two until there are none left, or too many.
    """
    if not any(_can_be_singular(network, node) for node in network.nodes):
        return False
    read = [node.column for node in network.nodes if isinstance(node, Input)]
    low, high = (np.array([[ends[place]] for ends in box]).reshape(-1, 1) for place in (0, 1))
    for _ in range(1 + _HALVINGS * len(read)):
        bad = _singular_boxes(network, low, high)
        if not bad.any():
            return False
        low, high = low[:, bad], high[:, bad]
        if low.shape[1] > _MOST_BOXES or not read:
            return True
        low, high = _split_boxes(low, high, read)
    return True


def feature_box(columns: Sequence[Column], ranges: Sequence[Range | None]) -> list[Range]:
    """Return the interval of each feature, scaled as the network reads it."""
    found: list[Range] = []
    for column, range_ in zip(columns, ranges or (None,) * len(columns), strict=True):
        if column.kind == "number":
            ends = [*(range_ or (column.center,)), *(() if column.fill is None else (column.fill,))]
            scaled = [(end - column.center) / column.scale for end in ends]
            found.append((min(scaled), max(scaled)))
            found += [(0.0, 1.0)] * column.marked
        else:
            found += [(0.0, 1.0)] * len(column.features)
    return found


def _can_be_singular(network: Network, node: Node) -> bool:
    if not isinstance(node, Apply) or node.function not in _SINGULAR:
        return False
    if isinstance(network.nodes[node.arguments[_SINGULAR[node.function]]], Constant):
        return False
    exponent = network.nodes[node.arguments[-1]] if node.function in ("pow", "power") else None
    return not (isinstance(exponent, Constant) and exponent.value >= 0)


def _split_boxes(low: Array, high: Array, read: list[int]) -> Interval:
    """Cut every box in two, along the widest of the features that are read."""
    widths = high[read] - low[read]
    place = np.array(read)[widths.argmax(axis=0)]
    boxes = np.arange(low.shape[1])
    middle = (low[place, boxes] + high[place, boxes]) / 2
    lower, upper = high.copy(), low.copy()
    lower[place, boxes] = upper[place, boxes] = middle
    return np.hstack([low, upper]), np.hstack([lower, high])


def _singular_boxes(network: Network, low: Array, high: Array) -> NDArray[np.bool_]:
    """Return which boxes may have a pole inside them."""
    count = low.shape[1]
    bad = np.zeros(count, dtype=bool)
    values: list[Interval] = []
    with np.errstate(all="ignore"):
        for node in network.nodes:
            match node:
                case Constant(value):
                    found = np.full(count, value), np.full(count, value)
                case Input(column):
                    found = low[column], high[column]
                case Apply(function, arguments):
                    inner = [values[a] for a in arguments]
                    if _can_be_singular(network, node):
                        least, most = inner[_SINGULAR[function]]
                        touches = (least <= 0) & (most >= 0)
                        if function == "power":
                            touches &= inner[1][0] < 0
                        bad |= touches
                    found = _clamp(_apply(function, arguments, inner))
            values.append(found)
    return bad


def _clamp(interval: Interval) -> Interval:
    """Return the interval without infinities and NaN, which stand for no bound at all."""
    least, most = interval
    unknown = np.isnan(least) | np.isnan(most)
    least, most = np.where(unknown, -_LARGE, least), np.where(unknown, _LARGE, most)
    return np.clip(least, -_LARGE, _LARGE), np.clip(most, -_LARGE, _LARGE)


def _apply(function: str, arguments: tuple[int, ...], inner: list[Interval]) -> Interval:
    """Return the interval of a function of intervals."""
    a, b = inner[0], inner[-1]
    match function:
        case "add":
            return a[0] + b[0], a[1] + b[1]
        case "sub":
            return a[0] - b[1], a[1] - b[0]
        case "neg":
            return -a[1], -a[0]
        case "mul" if arguments[0] == arguments[1]:
            return _whole_power(a, 2)
        case "mul":
            return _corners(np.multiply, a, b)
        case "div":
            return _corners(np.divide, a, b)
        case "pow":
            exponent = int(b[0][0])
            raised = _whole_power(a, abs(exponent))
            return raised if exponent >= 0 else _corners(np.divide, _ones(a), raised)
        case "power":
            return _corners(vector.power, _magnitude(a), b)
        case "min":
            return np.minimum(a[0], b[0]), np.minimum(a[1], b[1])
        case "max":
            return np.maximum(a[0], b[0]), np.maximum(a[1], b[1])
        case "abs":
            return _magnitude(a)
        case "relu":
            return np.maximum(a[0], 0.0), np.maximum(a[1], 0.0)
        case "clip":
            return np.clip(a[0], 0.0, 4.0), np.clip(a[1], 0.0, 4.0)
        case _:
            return _apply_other(function, inner)


def _apply_other(function: str, inner: list[Interval]) -> Interval:
    """Return the interval of a choice, a condition or another function of intervals."""
    a = inner[0]
    if function == "if":
        _, yes, no = inner
        return np.minimum(yes[0], no[0]), np.maximum(yes[1], no[1])
    if function in CONDITIONS:
        return np.zeros_like(a[0]), np.ones_like(a[0])
    if ARITY[function] == 1:
        least, most = float(a[0].min()), float(a[1].max())
        return curve(function, max(least, -_LARGE), min(most, _LARGE)).extremes(*a)
    return np.full_like(a[0], -math.inf), np.full_like(a[0], math.inf)


def _corners(operation: Callable[[Array, Array], Array], a: Interval, b: Interval) -> Interval:
    """Return the bounds of an operation that is monotone in each argument."""
    values = np.stack([operation(x, y) for x in a for y in b])
    return values.min(axis=0), values.max(axis=0)


def _whole_power(a: Interval, exponent: int) -> Interval:
    least, most = a if exponent % 2 else _magnitude(a)
    return power(least, exponent, np.divide), power(most, exponent, np.divide)


def _magnitude(a: Interval) -> Interval:
    inside = (a[0] <= 0) & (a[1] >= 0)
    ends = np.abs(np.stack(a))
    return np.where(inside, 0.0, ends.min(axis=0)), ends.max(axis=0)


def _ones(a: Interval) -> Interval:
    return np.ones_like(a[0]), np.ones_like(a[0])
