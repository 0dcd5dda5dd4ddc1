"""Sums and gradients on one row, from which the engine's loops over blocks of rows are printed.

They are written in the language of `dsgec/arithmetic/read.py`; `python -m dsgec.search.generate`
prints them. A sum begins with −0, to which adding any number gives that number.
"""

from collections.abc import Sequence

from dsgec.arithmetic.core import exp_down
from dsgec.arithmetic.scalar import maximum, sig

Row = Sequence[float]
"""Values of one row."""
Columns = list[float]
"""Values of one row that are written."""
Numbers = Sequence[float]
"""Values that are the same for all rows."""
Lanes = list[float]
"""Sums over rows: row i is added to lane i mod LANES of each."""

TERMS = 8
"""The most terms of one sum."""


def constant(number: float) -> float:
    """A number, in every row."""
    return number


def difference(a: float, b: float) -> float:
    """a - b."""
    return a - b


def weighted_sum(w: Numbers, x: Row, number: float, count: int) -> float:
    """w0 * x0 + w1 * x1 + ... + number, added from left to right."""
    total = -0.0
    for k in range(count):
        total += w[k] * x[k]
    return total + number


def sigmoid_sum(w: Numbers, x: Row, number: float, count: int) -> float:
    """The sigmoid of w0 * x0 + w1 * x1 + ... + number."""
    total = -0.0
    for k in range(count):
        total += w[k] * x[k]
    return sig(total + number)


def sigmoid_gradient(w: Numbers, x: Row, y: float, count: int) -> float:
    """(w0 * x0 + w1 * x1 + ...) * the derivative of a sigmoid with the result y."""
    total = -0.0
    for k in range(count):
        total += w[k] * x[k]
    return total * (y * (1.0 - y))


def add_products(lanes: Lanes, d: float, x: Row, count: int) -> None:
    """Add d, d * x0, d * x1, ... to their lanes."""
    lanes[0] = lanes[0] + d
    for k in range(count):
        lanes[k + 1] = lanes[k + 1] + d * x[k]


def softmax(sums: Row, made: Columns, count: int) -> None:
    """Compute the softmax of sums."""
    most = sums[0]
    for k in range(count):
        most = maximum(most, sums[k])
    total = 0.0
    for k in range(count):
        part = exp_down(sums[k] - most)
        made[k] = part
        total += part
    for k in range(count):
        made[k] = made[k] / total


def softmax_gradient(outputs: Row, gradients: Columns, count: int) -> None:
    """Turn the gradients by the outputs of a softmax into those by its arguments."""
    total = -0.0
    for k in range(count):
        total += gradients[k] * outputs[k]
    for k in range(count):
        gradients[k] = outputs[k] * (gradients[k] - total)
