"""A loss and its slopes to values that make it low: L-BFGS between bounds.

Projected limited-memory BFGS: a value at a bound that the slope pushes outward stays for one step,
the others follow the two-loop recursion, and what leaves the bounds is put back onto them. Plain
floats and sums in the order of the values: templates/engine/tune.c gives the same bits.
"""

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MEMORY = 8
"""Steps that the curvature is taken from."""
MOST_HALVINGS = 12
SUFFICIENT = 1e-4
"""The share of the decrease that the slope promises with which a step is taken (Armijo)."""
LEAST_CURVATURE = 1e-10
LEAST_SLOPE = 1e-7
LEAST_DECREASE = 1e-10
"""Of a step, relative to the loss; two smaller ones in a row are the end."""

Vector = list[float]
Evaluate = Callable[[Vector], tuple[float, Vector] | None]
Pair = tuple[Vector, Vector]
"""A step, and the change of the slopes over it."""


@dataclass(frozen=True, slots=True)
class Minimum:
    """The lowest values that were found, their loss, and how often it was evaluated."""

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
    """Never worse than the start, which is put between the bounds; None where it has no loss.

    `evaluate` gives a loss and its slopes, or None; it is called `evaluations` times at most, and
    at least once.
    """
    bounds = list(zip(least, most, strict=True))
    x = _between(values, bounds)
    found = evaluate(x)
    if found is None:
        return None
    loss, slopes = found
    used, small = 1, 0
    pairs: deque[Pair] = deque(maxlen=MEMORY)
    while used < evaluations and small < 2:
        free = [
            not (v <= low and g > 0.0) and not (v >= high and g < 0.0)
            for v, g, (low, high) in zip(x, slopes, bounds, strict=True)
        ]
        if not any(f and abs(g) > LEAST_SLOPE for f, g in zip(free, slopes, strict=True)):
            break
        direction = _direction(slopes, free, pairs)
        if not _dot(slopes, direction, free) < 0.0:
            pairs.clear()
            direction = _direction(slopes, free, pairs)
        length = 1.0 if pairs else _first_length(slopes, free)
        taken = False
        for _ in range(MOST_HALVINGS + 1):
            tried = [v + length * d for v, d in zip(x, direction, strict=True)]
            tried = _between(tried, bounds)
            step = [t - v for t, v in zip(tried, x, strict=True)]
            found = evaluate(tried)
            used += 1
            promised = _dot(slopes, step, [True] * len(step))
            taken = found is not None and found[0] <= loss + SUFFICIENT * promised
            if taken or used >= evaluations:
                break
            length *= 0.5
        if not taken or found is None:
            if not pairs:
                break
            pairs.clear()  # downhill once more, without the curvature
            continue
        change = [new - old for new, old in zip(found[1], slopes, strict=True)]
        everything = [True] * len(step)
        if _dot(step, change, everything) > LEAST_CURVATURE * _dot(change, change, everything):
            pairs.append((step, change))
        small = small + 1 if loss - found[0] < LEAST_DECREASE * abs(loss) else 0
        x, (loss, slopes) = tried, found
    return Minimum(tuple(x), loss, used)


def _between(values: Sequence[float], bounds: Sequence[tuple[float, float]]) -> Vector:
    return [
        low if v < low else high if v > high else v
        for v, (low, high) in zip(values, bounds, strict=True)
    ]


def _dot(a: Vector, b: Vector, free: Sequence[bool]) -> float:
    total = 0.0
    for x, y, f in zip(a, b, free, strict=True):
        if f:
            total += x * y
    return total


def _first_length(slopes: Vector, free: Sequence[bool]) -> float:
    total = 0.0
    for g, f in zip(slopes, free, strict=True):
        if f:
            total += math.fabs(g)
    return 1.0 / total if total > 1.0 else 1.0


def _direction(slopes: Vector, free: Sequence[bool], pairs: Sequence[Pair]) -> Vector:
    """Minus the inverse curvature times the slopes, of what is free; the rest stays."""
    q = [g if f else 0.0 for g, f in zip(slopes, free, strict=True)]
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
