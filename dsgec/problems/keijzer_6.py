"""Keijzer-6: the harmonic numbers, the sum of 1/i up to x, for x from 1 to 50 (Keijzer 2003).

The functions are those that McDermott and others (2012) give. The test points are 1 to 120.
"""

import numpy as np

from dsgec.problems.regression import root_mean_square

x = np.arange(1.0, 51.0)
target = np.cumsum(1.0 / x)
test_x = np.arange(1.0, 121.0)
test_target = np.cumsum(1.0 / test_x)
grammar = """
<e> ::= ( <e> + <e> ) | ( <e> * <e> ) | ( 1.0 / <e> ) | ( - <e> ) | sqrt ( <e> ) | x | <c>
<c> ::= <d> . <d> <d>
<d> ::= 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9
%max-depth e=7
"""


def fitness(phenotype: str) -> float:
    """Return the root of the mean squared error on the training points."""
    return root_mean_square(phenotype, {"x": x}, target)


def test_error(phenotype: str) -> float:
    """Return the root of the mean squared error on the test points."""
    return root_mean_square(phenotype, {"x": test_x}, test_target)
