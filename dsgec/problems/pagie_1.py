"""Pagie-1: 1 / (1 + x⁻⁴) + 1 / (1 + y⁻⁴) on a grid of 26 × 26 points (Pagie and Hogeweg 1997).

The points are from -5 to 5 in steps of 0.4.
"""

import numpy as np

from dsgec.problems.regression import root_mean_square

_axis = np.linspace(-5.0, 5.0, 26)
x, y = (axis.ravel() for axis in np.meshgrid(_axis, _axis))
target = 1.0 / (1.0 + x**-4) + 1.0 / (1.0 + y**-4)
grammar = """
<e>  ::= ( <e> <op> <e> ) | <f> ( <e> ) | <x>
<op> ::= + | - | * | /
<f>  ::= sin | cos | exp | log
<x>  ::= x | y
%max-depth e=8
"""


def fitness(phenotype: str) -> float:
    """Return the root of the mean squared error."""
    return root_mean_square(phenotype, {"x": x, "y": y}, target)
