"""Small functions of `dsgec.arithmetic.integer` as instructions of a program.

So each of their numbers gets a type as narrow as its values allow.
"""

from collections.abc import Sequence

from dsgec.program.ir import (
    Binary,
    Expression,
    Instruction,
    Invoke,
    Number,
    Select,
    Update,
    Variable,
)

_ZERO = Number(0)


def call(function: str, y: Variable, others: Sequence[Expression]) -> list[Instruction]:
    """Return the assignment of a function of a variable to that variable."""
    match function, others:
        case "clamp", (least, most):
            return [*call("maximum", y, [least]), *call("minimum", y, [most])]
        case "maximum", (least,):
            return [Update(y, Select(Binary("<", y, least, "bool"), least, y))]
        case "minimum", (most,):
            return [Update(y, Select(Binary(">", y, most, "bool"), most, y))]
        case "absolute", ():
            return [Update(y, _absolute(y))]
        case "fill", (missing, other):
            return [Update(y, Select(Binary("==", y, missing, "bool"), other, y))]
        case _:
            return [Update(y, Invoke(function, (y, *others)))]


def _absolute(y: Variable) -> Expression:
    return Select(Binary("<", y, _ZERO, "bool"), Binary("-", _ZERO, y), y)
