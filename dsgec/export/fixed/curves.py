"""Functions of one argument, and bounds of their values over intervals."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.functions import ALL_FUNCTIONS, DERIVATIVES
from dsgec.arithmetic.printed import vector

Array = NDArray[np.float64]
Ends = tuple[Array, Array]

_MARGIN = 2.0**-40  # relative: far more than the rounding errors of the functions
_SAMPLES = 1 << 16
_HALVINGS = 60
_FAR = 1e6  # beyond it, sin and cos are constant


@dataclass(frozen=True, slots=True)
class FunctionCurve:
    """A function of one argument: `value` computes it, `ends` bounds it over intervals."""

    key: tuple[Any, ...]
    value: Callable[[Array], Array]
    ends: Callable[[Array, Array], Ends]

    def over(self, low: float, high: float) -> tuple[float, float]:
        """Return bounds of its values over one interval."""
        least, most = self.extremes(np.array([low]), np.array([high]))
        return float(least[0]), float(most[0])

    def extremes(self, low: Array, high: Array) -> Ends:
        """Return bounds of its values over each of several intervals, rounded outwards."""
        with np.errstate(all="ignore"):
            least, most = self.ends(low, high)
            return least - np.abs(least) * _MARGIN, most + np.abs(most) * _MARGIN


def curve(function: str, low: float, high: float) -> FunctionCurve:
    """Return the curve of a function for arguments between `low` and `high`."""
    value = _value(function)
    match function:
        case "sig" | "tanh" | "exp":
            ends = _monotone(value)
        case "sqrt" | "log":
            ends = _even(value, at_zero=-math.inf if function == "log" else 0.0)
        case "sin":
            ends = _wave(value, -0.5)
        case "cos":
            ends = _wave(value, 0.0)
        case _:
            derivative = _derivative(function, value)
            ends = _pieces(value, _turns(derivative, low, high))
    return FunctionCurve((function,), value, ends)


def power_of(exponent: float) -> FunctionCurve:
    """Return the curve x → |x|^exponent."""
    value = _fixed_argument(lambda x, c: vector.power(x, c), exponent)
    return FunctionCurve(
        ("power", "exponent", exponent),
        value,
        _even(value, at_zero=math.inf if exponent < 0 else 0.0),
    )


def power_to(base: float) -> FunctionCurve:
    """Return the curve x → |base|^x for a base other than 0."""
    value = _fixed_argument(lambda x, c: vector.power(c, x), base)
    return FunctionCurve(("power", "base", base), value, _monotone(value))


def _fixed_argument(
    function: Callable[[Array, Array], Array], number: float
) -> Callable[[Array], Array]:
    def value(x: Array) -> Array:
        with np.errstate(all="ignore"):
            return function(x, np.full_like(x, number))

    return value


def _value(function: str) -> Callable[[Array], Array]:
    def value(x: Array) -> Array:
        with np.errstate(all="ignore"):
            found: Array = getattr(vector, ALL_FUNCTIONS[function].symbol)(x)
        return found

    return value


def _monotone(value: Callable[[Array], Array]) -> Callable[[Array, Array], Ends]:
    def ends(low: Array, high: Array) -> Ends:
        a, b = value(low), value(high)
        return np.minimum(a, b), np.maximum(a, b)

    return ends


def _even(value: Callable[[Array], Array], at_zero: float) -> Callable[[Array, Array], Ends]:
    """Bound a monotone function of |x|; `at_zero` is its limit at 0."""

    def ends(low: Array, high: Array) -> Ends:
        a, b = value(low), value(high)
        least, most = np.minimum(a, b), np.maximum(a, b)
        inside = (low <= 0) & (high >= 0)
        zero = value(np.zeros_like(low))  # its defined value, which may differ from the limit
        least = np.where(inside, np.minimum(np.minimum(least, zero), at_zero), least)
        return least, np.where(inside, np.maximum(np.maximum(most, zero), at_zero), most)

    return ends


def _wave(value: Callable[[Array], Array], start: float) -> Callable[[Array, Array], Ends]:
    """Bound cos(x + start · π), which is 1 and −1 in turn at the multiples of π."""

    def ends(low: Array, high: Array) -> Ends:
        a, b = value(low), value(high)
        least, most = np.minimum(a, b), np.maximum(a, b)
        slack = 1e-9  # in half turns: an extreme so close counts as reached
        first = np.ceil(low / math.pi + start - slack)
        last = np.floor(high / math.pi + start + slack)
        some, more = last >= first, last >= first + 1
        is_top = np.mod(first, 2) == 0
        far = (high > _FAR - 1) | (low < 1 - _FAR)
        least = np.where(far | more | (some & ~is_top), -1.0, least)
        return least, np.where(far | more | (some & is_top), 1.0, most)

    return ends


def _derivative(function: str, value: Callable[[Array], Array]) -> Callable[[Array], Array]:
    derivative = getattr(vector, DERIVATIVES[function][0])

    def found(x: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(derivative(x, value(x)), np.float64)

    return found


def _turns(
    derivative: Callable[[Array], Array], low: float, high: float
) -> list[tuple[float, float]]:
    """Return the turning points of a function, where its derivative changes its sign.

    The interval is sampled at 65,537 points, so turning points must be farther apart than these.
    Each comes with a bound of the function's change between it and the exact turning point.
    """
    x = np.linspace(low, high, _SAMPLES + 1)
    signs = np.sign(derivative(x))
    places = np.flatnonzero(signs[1:] != signs[:-1])
    turns = []
    for place in places.tolist():
        a, b = float(x[place]), float(x[place + 1])
        for _ in range(_HALVINGS):
            middle = (a + b) / 2
            if np.sign(derivative(np.array([middle])))[0] == signs[place]:
                a = middle
            else:
                b = middle
        steepest = float(np.abs(derivative(x[place : place + 2])).max())
        turns.append((a, steepest * (b - a)))
    return turns


def _pieces(
    value: Callable[[Array], Array], turns: list[tuple[float, float]]
) -> Callable[[Array, Array], Ends]:
    """Bound a function that is monotone between its turning points."""

    def ends(low: Array, high: Array) -> Ends:
        a, b = value(low), value(high)
        least, most = np.minimum(a, b), np.maximum(a, b)
        for turn, slack in turns:
            inside = (low <= turn) & (turn <= high)
            there = value(np.array([turn]))[0]
            least = np.where(inside, np.minimum(least, there - slack), least)
            most = np.where(inside, np.maximum(most, there + slack), most)
        return least, most

    return ends
