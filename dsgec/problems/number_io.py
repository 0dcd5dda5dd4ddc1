"""Number IO: print the sum of a whole number and a real number (Helmuth and Spector 2015).

25 training cases in ±100, and 1,000 test cases. The error of a case is the distance of the number
that is printed from the sum, at most 1,000; it is 1,000 if no number is printed.
"""

import numpy as np
from numpy.typing import NDArray

from dsgec.problems.programs import Cases, draw_integers, format_number, make_cases, run_program

grammar = """
<program> ::= <line> | <line> {::} <program>
<line>    ::= print(<n>) | <v> " = " <n>
<n>       ::= (<n> + <n>) | (<n> - <n>) | (<n> * <n>) | <x> | <c>
<x>       ::= in1 | in2 | <v>
<v>       ::= a | b
<c>       ::= 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9
%indent python
%max-depth program=3 n=4
"""
settings = {"stop_at": 0.0}
_MOST = 1000.0


def _draw(count: int, seed: int) -> Cases:
    rows: NDArray[np.float64] = draw_integers(count, 2, -100, 100, seed).astype(np.float64)
    rows[:, 1] += draw_integers(count, 1, 0, 999, seed + 1)[:, 0] / 1000.0 - 0.5
    return make_cases(rows, map(format_number, rows.sum(axis=1).tolist()))


cases, test_cases = _draw(25, 1), _draw(1000, 3)


def fitness(phenotype: str) -> list[float]:
    """Return for each case how far the number that is printed is from the sum."""
    printed = run_program(phenotype, cases.inputs)
    return [_error(own, wanted) for own, wanted in zip(printed, cases.expected, strict=True)]


def _error(printed: str, expected: str) -> float:
    try:
        return min(abs(float(printed) - float(expected)), _MOST)
    except ValueError:
        return _MOST


def test_error(phenotype: str) -> float:
    """Return the share of the test cases in which something wrong is printed."""
    return test_cases.share_wrong(phenotype)
