"""Values over generations to a curve of braille dots."""

import math
from collections.abc import Sequence

_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # by column, from the top
_EMPTY = 0x2800
_WORTH_A_LOGARITHM = 50.0

Steps = Sequence[tuple[int, float]]
"""Generations in order, each with the value that holds from there on."""


def is_logarithmic(values: Sequence[float]) -> bool:
    """Whether values differ so much that only their logarithms can be drawn."""
    return bool(values) and min(values) > 0 and max(values) > _WORTH_A_LOGARITHM * min(values)


def curve(steps: Steps, last: int, columns: int, rows: int) -> list[str]:
    """The values from the first generation to the last, great ones above; not finite ones gap."""
    finite = [value for _, value in steps if math.isfinite(value)]
    if not finite:
        return [" " * columns] * rows
    scale = math.log if is_logarithmic(finite) else float
    low, high = scale(min(finite)), scale(max(finite))
    top = 4 * rows - 1
    patterns = [[0] * columns for _ in range(rows)]
    before: int | None = None
    for x, value in enumerate(_sampled(steps, last, 2 * columns)):
        if not math.isfinite(value):
            before = None
            continue
        share = (scale(value) - low) / (high - low) if high > low else 0.0
        y = top - round(share * top)
        start = y if before is None else before
        for dot in range(min(start, y), max(start, y) + 1):
            patterns[dot // 4][x // 2] |= _DOTS[x % 2][dot % 4]
        before = y
    return ["".join(chr(_EMPTY + bits) if bits else " " for bits in row) for row in patterns]


def _sampled(steps: Steps, last: int, count: int) -> list[float]:
    """The value at so many places between the first generation and the last."""
    first = steps[0][0]
    values = []
    index = 0
    for place in range(count):
        generation = first + place * (last - first) / max(count - 1, 1)
        while index + 1 < len(steps) and steps[index + 1][0] <= generation:
            index += 1
        values.append(steps[index][1])
    return values
