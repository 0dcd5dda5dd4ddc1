"""Every function is as accurate as its entry states, compared with mpmath."""

import math

import mpmath as mp
import numpy as np
import pytest
from mpmath import mpf

from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.arithmetic.printed import vector
from tests.support.exact_functions import EXACT, PRECISION, points_of, ulp_error, worst_error

ROUNDED = tuple(EXACT)


def check(name: str, count: int, seed: int) -> float:
    """Assert the stated error on about `count` points, and return the largest error."""
    function = FUNCTIONS[name]
    points = points_of(name, np.random.default_rng(seed), count)
    with np.errstate(all="ignore"):
        got = getattr(vector, function.symbol)(*points)
    worst, where = worst_error(name, got, *points)
    assert worst <= function.ulp, f"{name}{where}: {worst:.3f} ulp"
    return worst


def check_softmax(count: int, seed: int) -> float:
    """Assert the stated error of softmax on two to six values, after rounding z − max."""
    random = np.random.default_rng(seed)
    worst = 0.0
    for size in range(2, 7):
        z = [random.normal(0, 10.0 ** random.uniform(-1, 2), count // 15) for _ in range(size)]
        with np.errstate(all="ignore"):
            got = vector.softmax(*z)
        down = [v - np.max(z, axis=0) for v in z]
        with mp.workprec(PRECISION):
            for i in range(count // 15):
                e = [mp.exp(mpf(float(v[i]))) for v in down]
                total = mp.fsum(e)
                for value, part in zip(got, e, strict=True):
                    worst = max(worst, ulp_error(float(value[i]), part / total))
    assert worst <= FUNCTIONS["softmax"].ulp
    return worst


@pytest.mark.parametrize("name", ROUNDED)
def test_the_error_is_within_the_bound_of_the_table(name: str):
    check(name, 2500, seed=1)


def test_the_error_of_softmax_is_within_the_bound_of_the_table():
    check_softmax(3000, seed=1)


@pytest.mark.campaign
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ROUNDED)
def test_the_error_is_within_the_bound_on_many_points(name: str):
    print(name, f"{check(name, 300_000, seed=2):.4f}")


@pytest.mark.campaign
@pytest.mark.timeout(1800)
def test_the_error_of_softmax_is_within_the_bound_on_many_points():
    print("softmax", f"{check_softmax(200_000, seed=2):.4f}")


def test_the_oracle_knows_every_function():
    assert {name for name, function in FUNCTIONS.items() if function.arity} == set(EXACT)


def test_the_oracle_counts_ulps_as_they_are_defined():
    with mp.workprec(PRECISION):
        assert ulp_error(1.0, mpf(1) + mpf(2) ** -53) == 0.5
        assert ulp_error(1.0, mpf(1) - mpf(2) ** -53) == 1.0
        assert ulp_error(0.0, mpf(2) ** -1075) == 0.5
        assert ulp_error(math.inf, mpf(2) ** 1024) == 0.0
        assert ulp_error(math.inf, mpf(2) ** 1023) == math.inf
