"""Floats to their sum, from left to right: the built-in `sum` does so only before Python 3.12."""

from collections.abc import Iterable


def total(values: Iterable[float]) -> float:
    """The sum, with one rounding for each addition."""
    found = 0.0
    for value in values:
        found += value
    return found
