"""11-bit multiplexer: three address inputs choose one of eight data inputs (Koza 1992).

The functions are and, or, not and if. All 2,048 rows are computed at once, as the bits of whole
numbers. The fitness is the number of wrong rows.
"""

from dsgec.problems.expressions import evaluate_bits, table_columns

_ROWS = 2048
_NAMES = ("a0", "a1", "a2", "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7")
columns = dict(zip(_NAMES, table_columns(11), strict=True))
target = sum((row >> 3 + (row & 7) & 1) << row for row in range(_ROWS))
grammar = """
<b> ::= "(" <b> " and " <b> ")" | "(" <b> " or " <b> ")" | "not " <b>
    | "(" <b> " if " <b> " else " <b> ")" | <x>
<x> ::= a0 | a1 | a2 | d0 | d1 | d2 | d3 | d4 | d5 | d6 | d7
%max-depth b=8
"""
settings = {"stop_at": 0.0}


def fitness(phenotype: str) -> float:
    """Return the number of wrong rows of the table."""
    return float((evaluate_bits(phenotype, columns, _ROWS) ^ target).bit_count())
