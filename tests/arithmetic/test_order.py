"""exp and sig are monotone, as far as their rounding allows."""

import numpy as np
import pytest

from tests.support.arithmetic import in_numpy

COUNT = 20_000


def neighbours(start: float) -> np.ndarray:
    """Return `COUNT` consecutive doubles around `start`."""
    word = int(np.float64(start).view(np.int64))
    words = np.arange(word - COUNT // 2, word + COUNT // 2, dtype=np.int64)
    return np.sort(words.view(np.float64))


def falls(name: str, x: np.ndarray) -> np.ndarray:
    """Return by how many units in the last place the function falls from point to point."""
    (y,) = in_numpy(name, x)
    return -np.diff(y.view(np.int64))  # results are not negative: their bits are in their order


def starts() -> list[float]:
    """Return random points, and the borders between two k, where two polynomials meet."""
    random = np.random.default_rng(6)
    borders = (random.integers(-1000, 1000, 12) + 0.5) * np.log(2)
    near = (np.arange(-4, 4) + 0.5) * np.log(2)
    return [*random.uniform(-700, 700, 12), *random.uniform(-3, 3, 8), *borders, *near, -1.0, 1.0]


@pytest.mark.parametrize("name", ["exp", "sig"])
def test_points_apart_by_more_than_rounding_never_fall(name: str):
    random = np.random.default_rng(5)
    high = 709.0 if name == "exp" else 30.0
    x = np.sort(
        np.concatenate([random.uniform(-745, high, 200_000), random.uniform(-2, 2, 200_000)])
    )
    x = x[np.append(True, np.diff(x) > 1e-13)]
    assert falls(name, x).max() <= 0


def test_neighbours_never_fall_in_exp():
    assert max(falls("exp", neighbours(start)).max() for start in starts()) <= 0


def test_neighbours_fall_by_one_unit_at_most_in_sig():
    # Its quotient of two rounded numbers is not monotone to the last place, and need not be.
    assert max(falls("sig", neighbours(start)).max() for start in starts()) <= 1
