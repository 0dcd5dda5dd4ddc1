"""Small or large: print "small" below 1,000 and "large" from 2,000 on (Helmuth and Spector 2015).

Between the two, nothing is printed. 100 training cases in ±10,000, of which 27 are the limits and
numbers near them, and 1,000 test cases. The error of a case is the edit distance of what is printed
from the answer.
"""

import numpy as np

from dsgec.problems.programs import Cases, draw_integers, make_cases

grammar = """
<program> ::= <line> | <line> {::} <program>
<line>    ::= print(<text>) | "if " <b> : {: <program> :} else: {: <other> :}
<other>   ::= <program> | pass
<text>    ::= "'small'" | "'large'"
<b>       ::= <n> < <n> | <n> <= <n> | (<b> " and " <b>) | (<b> " or " <b>) | "not " <b>
<n>       ::= in1 | in1 | <c>
<c>       ::= 0 | <p> | <p> 0 | <p> 00 | <p> 000 | <p> <d> <d> <d>
<p>       ::= 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9
<d>       ::= 0 | <p>
%indent python
%max-depth program=3 line=3 b=2
"""
settings = {"stop_at": 0.0}
_EDGES = [-10_000, 0, *range(980, 1020, 20), *range(995, 1006), *range(1995, 2006), 10_000]


def _answer(number: int) -> str:
    return "small" if number < 1000 else "large" if number >= 2000 else ""


def _draw(count: int, seed: int, edges: list[int]) -> Cases:
    drawn = draw_integers(count - len(edges), 1, -10_000, 10_000, seed)[:, 0].tolist()
    numbers = [*edges, *drawn]
    return make_cases(np.array(numbers)[:, None], map(_answer, numbers))


cases, test_cases = _draw(100, 1, _EDGES), _draw(1000, 3, [])


def fitness(phenotype: str) -> list[float]:
    """Return for each case the edit distance of what is printed from the answer."""
    return cases.text_errors(phenotype)


def test_error(phenotype: str) -> float:
    """Return the share of the test cases in which something wrong is printed."""
    return test_cases.share_wrong(phenotype)
