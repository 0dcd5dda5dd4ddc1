"""5-bit parity: true if an even number of five inputs are true (Koza 1992).

The functions are and, or and not. The fitness has a case for each of the 32 rows of the table: 0 if
the row is right, 1 if it is wrong.
"""

from dsgec.problems.expressions import evaluate_bits, table_columns

_ROWS = 32
columns = dict(zip(("b0", "b1", "b2", "b3", "b4"), table_columns(5), strict=True))
target = sum((row.bit_count() % 2 == 0) << row for row in range(_ROWS))
grammar = """
<b> ::= "(" <b> " and " <b> ")" | "(" <b> " or " <b> ")" | "not " <b> | <x>
<x> ::= b0 | b1 | b2 | b3 | b4
%max-depth b=9
"""
settings = {"stop_at": 0.0}


def fitness(phenotype: str) -> list[float]:
    """Return for each row of the table whether it is wrong."""
    wrong = evaluate_bits(phenotype, columns, _ROWS) ^ target
    return [float(wrong >> row & 1) for row in range(_ROWS)]
