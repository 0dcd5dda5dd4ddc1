"""The quartic polynomial x⁴ + x³ + x² + x on 20 points of [-1, 1] (Koza 1992).

The fitness is the sum of absolute errors; a hit is a point with an error below 0.01.
"""

import numpy as np

from dsgec.problems.expressions import evaluate_numbers

x = np.linspace(-1.0, 1.0, 20)
target = x**4 + x**3 + x**2 + x
grammar = """
<e>  ::= ( <e> <op> <e> ) | <f> ( <e> ) | x
<op> ::= + | - | * | /
<f>  ::= sin | cos | exp | log
%max-depth e=7
"""
settings = {"stop_at": 0.01}


def fitness(phenotype: str) -> float:
    """Return the sum of the absolute errors."""
    with np.errstate(all="ignore"):
        return float(np.sum(np.abs(evaluate_numbers(phenotype, {"x": x}) - target)))
