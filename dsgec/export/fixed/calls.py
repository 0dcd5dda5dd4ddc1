"""Small functions of `dsgec.arithmetic.integer` as instructions of a program.

So each of their numbers gets a type as narrow as its values allow.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace

from dsgec.export.fixed.ir import FunctionTable
from dsgec.program.ir import (
    LIMITS,
    Binary,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    Number,
    Select,
    Update,
    Variable,
)

_ZERO = Number(0)
_PARTS = 8  # binary digits of a place between two entries


def call(function: str, y: Variable, others: Sequence[Expression]) -> list[Instruction]:
    """Return the assignment of a function of a variable to that variable.

    A limit is in it twice, as two objects: `narrow` sees by the second whether it is ever taken.
    """
    match function, others:
        case "clamp", (least, most):
            return [*call("maximum", y, [least]), *call("minimum", y, [most])]
        case "maximum", (least,):
            return [Update(y, Select(Binary("<", y, replace(least), "bool"), least, y))]
        case "minimum", (most,):
            return [Update(y, Select(Binary(">", y, replace(most), "bool"), most, y))]
        case "absolute", ():
            return [Update(y, _absolute(y))]
        case "fill", (missing, other):
            return [Update(y, Select(Binary("==", y, missing, "bool"), other, y))]
        case _:
            return [Update(y, Invoke(function, (y, *others)))]


def is_curve(table: FunctionTable) -> bool:
    """Return whether `read_curve` can read a table: its entries and their differences are bytes."""
    low, high = LIMITS["int8"]
    steepest = max(abs(b - a) for a, b in itertools.pairwise(table.entries))
    is_byte = low <= min(table.entries) and max(table.entries) <= high and steepest <= high
    return is_byte and table.shift <= _PARTS


def read_curve(
    table: FunctionTable, name: str, number: int, y: Variable, reach: int
) -> tuple[list[Instruction], Variable]:
    """Return instructions that read the value of a table at y, and the variable that has it.

    The variable y is within ±`reach`. Where the table ends with two equal entries, the number of
    the entry is limited instead of the place: the values beyond are the same.
    """
    d, near, z = (Variable(f"{letter}{number}") for letter in ("d", "near", "z"))
    e, low = Variable(f"e{number}", "uint8"), Variable(f"low{number}", "int16")
    last = len(table.entries) - 2
    lift = _PARTS - table.shift
    if table.look == "look":
        first = Number(table.first)
        place: Expression = Binary("-", Select(Binary("<", y, first, "bool"), first, y), first)
        span, reach = table.last - table.first, reach - table.first
    else:
        place, span = _absolute(y), table.last
    is_flat = table.entries[-1] == table.entries[-2] and reach << lift <= LIMITS["int16"][1]
    found: list[Instruction] = [Declare(d, place)]
    if not is_flat or table.shift == 0:
        found += call("minimum", d, [Number(span)])
    if table.shift == 0:
        value: Expression = Element(name, d, "int8")
    else:
        if lift:
            found.append(Update(d, Binary("*", d, Number(1 << lift))))
        found.append(Declare(e, Invoke("shifted", (d, Number(_PARTS)), type="uint8")))
        if is_flat:
            found += call("minimum", e, [Number(last, "uint8")])
        found.append(Declare(low, Element(name, e, "int8")))
        above = Element(name, Binary("+", e, Number(1, "uint8"), "uint8"), "int8")
        value = Invoke("between", (low, above, Binary("&", d, Number((1 << _PARTS) - 1))))
    if table.look == "look_odd":
        found.append(Declare(near, value))
        value = _mirrored(y, near, table.total)
    return [*found, Declare(z, value)], z


def _mirrored(y: Variable, value: Variable, total: int) -> Expression:
    """Return the value of an odd function at y, given that at |y|."""
    return Select(Binary("<", y, _ZERO, "bool"), Binary("-", Number(total), value), value)


def _absolute(y: Variable) -> Expression:
    return Select(Binary("<", y, _ZERO, "bool"), Binary("-", _ZERO, y), y)
