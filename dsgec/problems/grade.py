"""Grade: print "Student has a B grade." from four thresholds and points (Helmuth and Spector 2015).

The thresholds of A, B, C and D fall from in1 to in4; in5 are the points, and F is below all. 200
training cases in 0 to 100, and 1,000 test cases. The error of a case is the edit distance of what
is printed.
"""

import numpy as np

from dsgec.problems.programs import Cases, draw_integers, make_cases

grammar = """
<program> ::= <line> | <line> {::} <program>
<line>    ::= print(<text>) | "if " <b> : {: <program> :} else: {: <program> :}
<text>    ::= "'Student has a '" | "' grade.'" | "'A'" | "'B'" | "'C'" | "'D'" | "'F'"
<b>       ::= <n> < <n> | <n> <= <n> | (<b> " and " <b>) | (<b> " or " <b>) | "not " <b>
<n>       ::= in1 | in2 | in3 | in4 | in5
%indent python
%max-depth program=4 line=4 b=2
"""
settings = {"stop_at": 0.0}


def _answer(row: list[int]) -> str:
    *limits, points = row
    letter = next((own for own, limit in zip("ABCD", limits, strict=True) if points >= limit), "F")
    return f"Student has a {letter} grade."


def _draw(count: int, seed: int) -> Cases:
    # Four different numbers: distances from one to the next, in rising order.
    steps = np.sort(draw_integers(count, 4, 0, 97, seed), axis=1) + np.arange(4)
    rows = np.column_stack([steps[:, ::-1], draw_integers(count, 1, 0, 100, seed + 1)])
    return make_cases(rows, map(_answer, rows.tolist()))


cases, test_cases = _draw(200, 1), _draw(1000, 3)


def fitness(phenotype: str) -> list[float]:
    """Return for each case the edit distance of what is printed from the answer."""
    return cases.text_errors(phenotype)


def test_error(phenotype: str) -> float:
    """Return the share of the test cases in which something wrong is printed."""
    return test_cases.share_wrong(phenotype)
