"""Vladislavleva-4: 10 / (5 + Σ (xᵢ - 3)²) of five variables (Vladislavleva and others 2009).

1,024 training points in [0.05, 6.05]⁵ and 5,000 test points in [-0.25, 6.35]⁵, drawn here from
dsgec's own random stream, so that they are the same everywhere.
"""

import numpy as np
from numpy.typing import NDArray

from dsgec.problems.regression import root_mean_square
from dsgec.random import Stream

_NAMES = ("x1", "x2", "x3", "x4", "x5")


def _points(count: int, low: float, high: float, seed: int) -> NDArray[np.float64]:
    stream = Stream(4, seed, 0)
    words = [stream.word() >> 11 for _ in range(count * len(_NAMES))]
    return low + (high - low) * np.array(words).reshape(count, -1) * 2.0**-53


def _target(points: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = 10.0 / (5.0 + ((points - 3.0) ** 2).sum(axis=1))
    return found


_train, _test = _points(1024, 0.05, 6.05, 1), _points(5000, -0.25, 6.35, 2)
columns = dict(zip(_NAMES, _train.T.copy(), strict=True))
target = _target(_train)
grammar = """
<e>  ::= ( <e> <op> <e> ) | ( <e> * <e> ) | ( - <e> ) | <x> | <c>
<op> ::= + | - | * | /
<x>  ::= x1 | x2 | x3 | x4 | x5
<c>  ::= <d> . <d> <d>
<d>  ::= 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9
%max-depth e=8
"""


def fitness(phenotype: str) -> float:
    """Return the root of the mean squared error on the training points."""
    return root_mean_square(phenotype, columns, target)


def test_error(phenotype: str) -> float:
    """Return the root of the mean squared error on the test points."""
    test = dict(zip(_NAMES, _test.T, strict=True))
    return root_mean_square(phenotype, test, _target(_test))
