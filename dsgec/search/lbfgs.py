"""Minimise a loss between bounds by its gradient: projected limited-memory BFGS.

A value at a bound that the gradient pushes outward stays for one step, the others follow the
two-loop recursion, and values beyond the bounds are put back onto them. With plain floats and sums
in the order of the values, templates/engine/tune.c gives the same bits.
"""

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MEMORY = 8
"""Steps that the curvature is estimated from."""
MOST_HALVINGS = 12
SUFFICIENT = 1e-4
"""The least share of the decrease that the gradient predicts (Armijo)."""
LEAST_CURVATURE = 1e-10
LEAST_GRADIENT = 1e-7
LEAST_DECREASE = 1e-10
"""The least decrease of a step, relative to the loss; two smaller ones in a row are the last."""

Vector = list[float]
Found = tuple[float, Vector] | None
"""A loss and its gradient, or None if the loss is not finite."""
Evaluate = Callable[[Vector], Found]
Pair = tuple[Vector, Vector]
"""A step, and the change of the gradient over it."""


@dataclass(frozen=True, slots=True)
class Minimum:
    """The best values, their loss, and the number of evaluations."""

    values: tuple[float, ...]
    loss: float
    evaluations: int


def minimise(
    values: Sequence[float],
    least: Sequence[float],
    most: Sequence[float],
    evaluate: Evaluate,
    evaluations: int,
) -> Minimum | None:
    """Minimise a loss from `values`, which are first put between the bounds.

    The result is never worse than the start, and None if that has no loss. `evaluate` is called at
    least once and at most `evaluations` times.
    """
    bounds = list(zip(least, most, strict=True))
    x = _clip(values, bounds)
    found = evaluate(x)
    if found is None:
        return None
    loss, gradient = found
    used, small = 1, 0
    pairs: deque[Pair] = deque(maxlen=MEMORY)
    while used < evaluations and small < 2:
        free = _free_values(x, gradient, bounds)
        if not any(f and abs(g) > LEAST_GRADIENT for f, g in zip(free, gradient, strict=True)):
            break
        direction = _direction(gradient, free, pairs)
        if not _dot(gradient, direction, free) < 0.0:
            pairs.clear()
            direction = _direction(gradient, free, pairs)
        length = 1.0 if pairs else _first_length(gradient, free)
        for _ in range(min(MOST_HALVINGS + 1, evaluations - used)):
            tried = _clip([v + length * d for v, d in zip(x, direction, strict=True)], bounds)
            step = [t - v for t, v in zip(tried, x, strict=True)]
            found = _unless_too_large(evaluate(tried), loss + SUFFICIENT * _dot(gradient, step))
            used += 1
            if found is not None:
                break
            length *= 0.5
        if found is not None:
            change = [new - old for new, old in zip(found[1], gradient, strict=True)]
            if _dot(step, change) > LEAST_CURVATURE * _dot(change, change):
                pairs.append((step, change))
            small = small + 1 if loss - found[0] < LEAST_DECREASE * abs(loss) else 0
            x, (loss, gradient) = tried, found
        elif pairs:
            pairs.clear()  # try once more without the curvature
        else:
            break
    return Minimum(tuple(x), loss, used)


def _unless_too_large(found: Found, most: float) -> Found:
    """Return a loss and its gradient, or None if the loss has not decreased enough."""
    return found if found is not None and found[0] <= most else None


def _free_values(x: Vector, gradient: Vector, bounds: Sequence[tuple[float, float]]) -> list[bool]:
    """Return which values are not at a bound beyond which the loss would fall."""
    return [
        not (v <= low and g > 0.0) and not (v >= high and g < 0.0)
        for v, g, (low, high) in zip(x, gradient, bounds, strict=True)
    ]


def _clip(values: Sequence[float], bounds: Sequence[tuple[float, float]]) -> Vector:
    return [
        low if v < low else high if v > high else v
        for v, (low, high) in zip(values, bounds, strict=True)
    ]


def _dot(a: Vector, b: Vector, free: Sequence[bool] | None = None) -> float:
    """Add the products of the free values, or of all, in their order."""
    total = 0.0
    for number, (x, y) in enumerate(zip(a, b, strict=True)):
        if free is None or free[number]:
            total += x * y
    return total


def _first_length(gradient: Vector, free: Sequence[bool]) -> float:
    total = 0.0
    for g, f in zip(gradient, free, strict=True):
        if f:
            total += math.fabs(g)
    return 1.0 / total if total > 1.0 else 1.0


def _direction(gradient: Vector, free: Sequence[bool], pairs: Sequence[Pair]) -> Vector:
    """Return minus the inverse curvature times the gradient, for the free values; 0 for others."""
    q = [g if f else 0.0 for g, f in zip(gradient, free, strict=True)]
    passed: list[tuple[float, float, Pair]] = []
    scale = 1.0
    for step, change in reversed(pairs):
        curvature = _dot(step, change, free)
        size = _dot(change, change, free)
        if not curvature > LEAST_CURVATURE * size:
            continue
        if not passed:
            scale = curvature / size
        alpha = _dot(step, q, free) / curvature
        passed.append((alpha, curvature, (step, change)))
        q = [v - alpha * c if f else 0.0 for v, c, f in zip(q, change, free, strict=True)]
    q = [scale * v for v in q]
    for alpha, curvature, (step, change) in reversed(passed):
        beta = _dot(change, q, free) / curvature
        q = [v + (alpha - beta) * s if f else 0.0 for v, s, f in zip(q, step, free, strict=True)]
    return [-v for v in q]
