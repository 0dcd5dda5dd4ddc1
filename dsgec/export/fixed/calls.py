"""Small functions of `dsgec.arithmetic.integer` as instructions of a program.

So each of their numbers gets a type as narrow as its values allow.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace

from dsgec.export.fixed.ir import FunctionTable
from dsgec.program import ir

_ZERO = ir.Number(0)
_PARTS = 8  # binary digits of a place between two entries


def call(function: str, y: ir.Variable, others: Sequence[ir.Expression]) -> list[ir.Instruction]:
    """Return the assignment of a function of a variable to that variable.

    A limit is in it twice, as two objects: `narrow` sees by the second whether it is ever taken.
    """
    match function, others:
        case "clamp", (least, most):
            return [*call("maximum", y, [least]), *call("minimum", y, [most])]
        case "maximum", (least,):
            return [ir.Update(y, ir.Select(ir.Binary("<", y, replace(least), "bool"), least, y))]
        case "minimum", (most,):
            return [ir.Update(y, ir.Select(ir.Binary(">", y, replace(most), "bool"), most, y))]
        case "absolute", ():
            return [ir.Update(y, _absolute(y))]
        case "fill", (missing, other):
            return [ir.Update(y, ir.Select(ir.Binary("==", y, missing, "bool"), other, y))]
        case _:
            return [ir.Update(y, ir.Invoke(function, (y, *others)))]


def is_curve(table: FunctionTable) -> bool:
    """Return whether `read_curve` can read a table: its entries and their differences are bytes."""
    low, high = ir.LIMITS["int8"]
    steepest = max(abs(b - a) for a, b in itertools.pairwise(table.entries))
    is_byte = low <= min(table.entries) and max(table.entries) <= high and steepest <= high
    return is_byte and table.shift <= _PARTS


def read_curve(
    table: FunctionTable, name: str, number: int, y: ir.Variable, reach: int
) -> tuple[list[ir.Instruction], ir.Variable]:
    """Return instructions that read the value of a table at y, and the variable that has it.

    The variable y is within ±`reach`. Where the table ends with two equal entries, the number of
    the entry is limited instead of the place: the values beyond are the same.
    """
    d, near, z = (ir.Variable(f"{letter}{number}") for letter in ("d", "near", "z"))
    e, low = ir.Variable(f"e{number}", "uint8"), ir.Variable(f"low{number}", "int16")
    last = len(table.entries) - 2
    lift = _PARTS - table.shift
    if table.look == "look":
        first = ir.Number(table.first)
        place: ir.Expression = ir.Binary(
            "-", ir.Select(ir.Binary("<", y, first, "bool"), first, y), first
        )
        span, reach = table.last - table.first, reach - table.first
    else:
        place, span = _absolute(y), table.last
    is_flat = table.entries[-1] == table.entries[-2] and reach << lift <= ir.LIMITS["int16"][1]
    found: list[ir.Instruction] = [ir.Declare(d, place)]
    if not is_flat or table.shift == 0:
        found += call("minimum", d, [ir.Number(span)])
    if table.shift == 0:
        value: ir.Expression = ir.Element(name, d, "int8")
    else:
        if lift:
            found.append(ir.Update(d, ir.Binary("*", d, ir.Number(1 << lift))))
        found.append(ir.Declare(e, ir.Invoke("shifted", (d, ir.Number(_PARTS)), type="uint8")))
        if is_flat:
            found += call("minimum", e, [ir.Number(last, "uint8")])
        found.append(ir.Declare(low, ir.Element(name, e, "int8")))
        above = ir.Element(name, ir.Binary("+", e, ir.Number(1, "uint8"), "uint8"), "int8")
        value = ir.Invoke("between", (low, above, ir.Binary("&", d, ir.Number((1 << _PARTS) - 1))))
    if table.look == "look_odd":
        found.append(ir.Declare(near, value))
        value = _mirrored(y, near, table.total)
    return [*found, ir.Declare(z, value)], z


def _mirrored(y: ir.Variable, value: ir.Variable, total: int) -> ir.Expression:
    """Return the value of an odd function at y, given that at |y|."""
    return ir.Select(
        ir.Binary("<", y, _ZERO, "bool"), ir.Binary("-", ir.Number(total), value), value
    )


def _absolute(y: ir.Variable) -> ir.Expression:
    return ir.Select(ir.Binary("<", y, _ZERO, "bool"), ir.Binary("-", _ZERO, y), y)
