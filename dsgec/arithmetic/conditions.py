"""Comparisons, logical functions and the choice between two numbers, as in `scalar.py`.

A number is true if it is greater than 0; results are 1 and 0.
"""

from dsgec.arithmetic.entry import condition, function


@condition("1 where a < b, otherwise 0, also at NaN; written `a < b`.")
def lt(a: float, b: float) -> float:
    """1 where a is less than b, otherwise 0."""
    return 1.0 if a < b else 0.0


@condition("1 where a ≤ b, otherwise 0, also at NaN; written `a <= b`.")
def le(a: float, b: float) -> float:
    """1 where a is at most b, otherwise 0."""
    return 1.0 if a <= b else 0.0


@condition("1 where a > b, otherwise 0, also at NaN; written `a > b`.")
def gt(a: float, b: float) -> float:
    """1 where a is greater than b, otherwise 0."""
    return 1.0 if a > b else 0.0


@condition("1 where a ≥ b, otherwise 0, also at NaN; written `a >= b`.")
def ge(a: float, b: float) -> float:
    """1 where a is at least b, otherwise 0."""
    return 1.0 if a >= b else 0.0


@condition("1 where a equals b, otherwise 0, also at NaN; written `a = b`.")
def eq(a: float, b: float) -> float:
    """1 where a equals b, otherwise 0."""
    return 1.0 if a == b else 0.0


@condition("0 where a equals b, otherwise 1, also at NaN; written `a != b`.")
def ne(a: float, b: float) -> float:
    """0 where a equals b, otherwise 1."""
    return 0.0 if a == b else 1.0


@condition("1 where x is not greater than 0, otherwise 0; 1 at NaN.", name="not")
def negation(x: float) -> float:
    """0 where x is true, otherwise 1."""
    return 0.0 if x > 0.0 else 1.0


@condition("1 where a and b are greater than 0, otherwise 0; NaN is not.", name="and")
def both(a: float, b: float) -> float:
    """1 where a and b are true, otherwise 0."""
    t = 1.0 if b > 0.0 else 0.0
    return t if a > 0.0 else 0.0


@condition("1 where a or b is greater than 0, otherwise 0; NaN is not.", name="or")
def either(a: float, b: float) -> float:
    """1 where a or b is true, otherwise 0."""
    t = 1.0 if b > 0.0 else 0.0
    return 1.0 if a > 0.0 else t


@condition("1 where exactly one of a and b is greater than 0, otherwise 0; NaN is not.")
def xor(a: float, b: float) -> float:
    """1 where one of a and b is true and the other is not, otherwise 0."""
    t = 1.0 if b > 0.0 else 0.0
    return 1.0 - t if a > 0.0 else t


@condition("0 where a and b are greater than 0, otherwise 1; NaN is not.")
def nand(a: float, b: float) -> float:
    """0 where a and b are true, otherwise 1."""
    t = 0.0 if b > 0.0 else 1.0
    return t if a > 0.0 else 1.0


@condition("0 where a or b is greater than 0, otherwise 1; NaN is not.")
def nor(a: float, b: float) -> float:
    """0 where a or b is true, otherwise 1."""
    t = 0.0 if b > 0.0 else 1.0
    return 0.0 if a > 0.0 else t


@function(
    "a where c is greater than 0, otherwise b, also where c is NaN.",
    lambda c, a, b, y: 0.0,
    lambda c, a, b, y: 1.0 if c > 0.0 else 0.0,
    lambda c, a, b, y: 0.0 if c > 0.0 else 1.0,
    name="if",
    ulp=0.0,
)
def choice(c: float, a: float, b: float) -> float:
    """a where c is true, otherwise b."""
    return a if c > 0.0 else b
