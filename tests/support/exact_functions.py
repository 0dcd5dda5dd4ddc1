"""Exact functions by mpmath, errors in ulp, and points where errors are likely."""

import math
from collections.abc import Callable, Sequence

import mpmath as mp
import numpy as np
from mpmath import mpf

from dsgec.arithmetic.functions import ALL_FUNCTIONS

PRECISION = 160
MAX = np.finfo(np.float64).max
TINY = np.finfo(np.float64).tiny
LEAST = 5e-324
# fmt: off
EDGES = np.array(
    [
        0.0, LEAST, 1e-310, np.nextafter(TINY, 0.0), TINY, 1e-300, 2.0**-1000, 1e-20, 2.0**-54,
        2.0**-53, 2.0**-28, 2.0**-27, 1e-5, 0.1, math.log(2) / 2, 0.5, math.sqrt(0.5),
        np.nextafter(1.0, 0.0), 1.0, np.nextafter(1.0, 2.0), math.sqrt(2), math.pi / 4,
        math.pi / 2, 2.0, math.pi, 19.0, 20.0, 40.0, 708.0, 709.0, 709.782712893384, 710.0,
        709.7827128933841, 744.0, 745.1332191019411, 745.1332191019412, 745.2, 746.0, 747.0, 1000.0,
        999999.9999999999, 1e6, 1000000.0000000001, 2.0**31, 2.0**52, 2.0**53, 2.0**63, 2.0**65,
        1e100, 1e300, 2.0**1023, MAX, math.inf, math.nan,
    ]
)
# fmt: on
EDGES = np.concatenate([EDGES, -EDGES])

Exact = Callable[..., mpf]

# Every function of the table, as it is defined; its derivative is found from this too.
EXACT: dict[str, Exact] = {
    "div": lambda a, b: a / b if b else mpf(1),
    "neg": lambda x: -x,
    "abs": abs,
    "min": min,
    "max": max,
    "relu": lambda x: max(x, mpf(0)),
    "clip": lambda x: min(max(x, mpf(0)), mpf(4)),
    "sqrt": lambda x: mp.sqrt(abs(x)),
    "exp": mp.exp,
    "sig": lambda x: 1 / (1 + mp.exp(-x)),
    "tanh": mp.tanh,
    "log": lambda x: mp.log(abs(x)) if x else mpf(0),
    "sin": lambda x: mp.sin(x) if abs(x) <= 1000000 else mpf(0),
    "cos": lambda x: mp.cos(x) if abs(x) <= 1000000 else mpf(1),
    "power": lambda a, b: _power(abs(a), b),
    "lt": lambda a, b: mpf(a < b),
    "le": lambda a, b: mpf(a <= b),
    "gt": lambda a, b: mpf(a > b),
    "ge": lambda a, b: mpf(a >= b),
    "eq": lambda a, b: mpf(a == b),
    "ne": lambda a, b: mpf(a != b),
    "not": lambda x: mpf(x <= 0),
    "and": lambda a, b: mpf(min(a, b) > 0),
    "or": lambda a, b: mpf(max(a, b) > 0),
    "xor": lambda a, b: mpf((a > 0) != (b > 0)),
    "nand": lambda a, b: mpf(min(a, b) <= 0),
    "nor": lambda a, b: mpf(max(a, b) <= 0),
    "if": lambda c, a, b: a if c > 0 else b,
}


def _power(a: mpf, b: mpf) -> mpf:
    if a == 0:
        return mpf(b == 0)
    # Beyond 2^±1100 the result is 0 or infinity all the same; mpmath would spend hours on it.
    exponent = b * mp.log(a)
    return mp.exp(min(max(exponent, mpf(-800)), mpf(800)))


def ulp_error(got: float, exact: mpf) -> float:
    """Return the error of `got`, in units in the last place of the exact value."""
    if math.isinf(got):
        return 0.0 if exact * mp.sign(got) >= mpf(2) ** 1024 * (1 - mpf(2) ** -54) else math.inf
    if exact == 0:
        return 0.0 if got == 0 else math.inf
    unit = max(mp.frexp(exact)[1] - 53, -1074)
    return float(mp.ldexp(abs(mpf(got) - exact), -unit))


def worst_error(name: str, got: Sequence[float], *points: np.ndarray) -> tuple[float, tuple]:
    """Return the largest error of the values `got` at `points`, and its point."""
    exact = EXACT[name]
    with mp.workprec(PRECISION):
        errors = (
            (ulp_error(float(value), exact(*map(mpf, map(float, point)))), point)
            for value, point in zip(got, zip(*points, strict=True), strict=True)
        )
        return max(errors, key=lambda pair: pair[0])


def spread(random: np.random.Generator, count: int) -> np.ndarray:
    """Return finite doubles of random bits: of every size, both signs, also subnormal."""
    words = random.integers(-(2**63), 2**63 - 1, 2 * count, dtype=np.int64, endpoint=True)
    values = words.view(np.float64)
    return values[np.isfinite(values)][:count]


def common(random: np.random.Generator, count: int) -> np.ndarray:
    """Return doubles of common sizes: log-uniform from 1e-8 to 1e3, of both signs."""
    return 10.0 ** random.uniform(-8, 3, count) * random.choice([-1.0, 1.0], count)


def points_of(name: str, random: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Return about `count` points for each argument of a function, hard cases among them."""
    part = count // 5
    u = random.uniform
    finite = EDGES[np.isfinite(EDGES)]
    hard = {
        "exp": [u(-750, 712, part), u(-1, 1, part), u(-745.2, -708, part), u(708, 709.9, part)],
        "sig": [u(-750, 50, part), u(-1, 1, part), u(-40, 40, part), u(-745.2, -700, part)],
        "tanh": [u(-1, 1, part), u(0.17, 0.25, part), u(0.3, 0.6, part), u(-22, 22, part)],
        "log": [u(0.5, 2, part), 1 + u(-1e-3, 1e-3, part), 1 + u(-1e-9, 1e-9, part)],
    }.get(name, [])
    if name == "sig":  # e^x just over a power of two and its quotient below: the worst rounding
        j = random.integers(1, 30, part)
        hard.append(-j * math.log(2) + np.log1p(u(0, 2.0**-j)))
    if name in ("sin", "cos"):
        turns = np.floor(u(-636619, 636619, part)) * (math.pi / 2)
        small = np.floor(u(-40, 40, part)) * (math.pi / 2)
        hard = [u(-1e6, 1e6, part), u(-1, 1, part), turns, small + u(-1e-6, 1e-6, part)]
    if name == "power":
        return _power_points(random, count, finite)
    arity = ALL_FUNCTIONS[name].arity or 1
    if arity > 1:
        own = [np.concatenate([spread(random, count), common(random, count)]) for _ in range(arity)]
        pairs = np.array([(p, q) for p in finite for q in finite])
        return tuple(np.concatenate([x, pairs[:, i % 2]]) for i, x in enumerate(own))
    return (np.concatenate([finite, common(random, part), spread(random, part), *hard]),)


def _power_points(
    random: np.random.Generator, count: int, finite: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return bases and exponents whose powers are mostly in range, or at its ends."""
    part = count // 4
    pairs = np.array([(p, q) for p in finite[::2] for q in finite[1::2]])
    near = 1 + random.uniform(-1, 1, part) * 10.0 ** random.uniform(-12, -0.5, part)
    wide = np.abs(spread(random, part))
    wide[wide == 1.0] = 2.0
    reach = [random.uniform(-745, 710, part) / np.log(v) for v in (near, wide)]
    ends = random.choice([709.5, -708.5, -744.0], part) / np.log(wide)
    a = [pairs[:, 0], near, wide, wide, common(random, part)]
    b = [pairs[:, 1], *reach, ends, random.uniform(-5, 5, part)]
    return np.concatenate(a), np.concatenate(b)
