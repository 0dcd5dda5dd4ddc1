"""Smallest: print the smallest of four whole numbers (Helmuth and Spector 2015).

100 training cases in ±100, and 1,000 test cases. The error of a case is 1 if it is wrong.
"""

from dsgec.problems.programs import Cases, draw_integers, make_cases

grammar = """
<program> ::= <line> | <line> {::} <program>
<line>    ::= print(<n>) | <v> " = " <n> | "if " <b> : {: <program> :} else: {: <program> :}
<b>       ::= <n> < <n> | <n> <= <n> | <n> == <n> | (<b> " and " <b>) | (<b> " or " <b>)
<n>       ::= min(<n>, <n>) | max(<n>, <n>) | (<n> + <n>) | (<n> - <n>) | <x>
<x>       ::= in1 | in2 | in3 | in4 | <v>
<v>       ::= a | b
%indent python
%max-depth program=3 line=3 b=2 n=3
"""
settings = {"stop_at": 0.0}


def _draw(count: int, seed: int) -> Cases:
    # In a tenth of the cases the numbers are small, so that some are equal.
    few = count // 10
    rows = draw_integers(count, 4, -100, 100, seed)
    rows[:few] = draw_integers(few, 4, 0, 2, seed + 1)
    return make_cases(rows, map(str, rows.min(axis=1).tolist()))


cases, test_cases = _draw(100, 1), _draw(1000, 3)


def fitness(phenotype: str) -> list[float]:
    """Return for each case whether something wrong is printed."""
    return cases.count_wrong(phenotype)


def test_error(phenotype: str) -> float:
    """Return the share of the test cases in which something wrong is printed."""
    return test_cases.share_wrong(phenotype)
