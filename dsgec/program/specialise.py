"""Specialise procedures to constants: loops are unrolled, and choices are made."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import assert_never

from dsgec.program import ir

_OPERATIONS: Mapping[str, Callable[[int | float, int | float], int]] = {
    "+": lambda a, b: int(a + b),
    "-": lambda a, b: int(a - b),
    "*": lambda a, b: int(a * b),
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
"""The operations of exact integers that are known."""

Known = Mapping[str, ir.Number]


def specialise(procedure: ir.Procedure, **values: int) -> ir.Procedure:
    """Return a procedure that computes with these values of its integer parameters."""
    known = {
        p.name: ir.Number(values[p.name], p.type) for p in procedure.scalars if p.name in values
    }
    return replace(
        procedure,
        parameters=tuple(p for p in procedure.parameters if p.name not in values),
        body=_body(procedure.body, known, set()),
        result=None if procedure.result is None else _value(procedure.result, known),
    )


def fold(expression: ir.Expression) -> ir.Expression:
    """Return an expression in which operations on constants are done, and known choices made."""
    return _value(expression, {})


def _body(
    body: tuple[ir.Instruction, ...], known: Known, declared: set[str]
) -> tuple[ir.Instruction, ...]:
    found: list[ir.Instruction] = []
    for instruction in body:
        match instruction:
            case ir.Declare(variable, value):
                # An unrolled loop declares its variables once.
                kind = ir.Update if variable.name in declared else ir.Declare
                declared.add(variable.name)
                found.append(kind(variable, _value(value, known)))
            case ir.Update(variable, value):
                found.append(ir.Update(variable, _value(value, known)))
            case ir.Store(array, index, value):
                found.append(ir.Store(array, _value(index, known), _value(value, known)))
            case ir.Loop(counter, count, inner):
                count = _value(count, known)
                if isinstance(count, ir.Number):
                    for turn in range(int(count.value)):
                        own = {**known, counter.name: ir.Number(turn, counter.type)}
                        found += _body(inner, own, declared)
                else:
                    found.append(ir.Loop(counter, count, _body(inner, known, {*declared})))
            case ir.Branch(test, yes, no):
                test = _value(test, known)
                if isinstance(test, ir.Number):
                    found += _body(yes if test.value else no, known, declared)
                else:
                    chosen = (_body(part, known, {*declared}) for part in (yes, no))
                    found.append(ir.Branch(test, *chosen))
            case ir.LocalArray() | ir.Perform() | ir.While():
                found.append(instruction)
            case _:
                assert_never(instruction)
    return tuple(found)


def _value(expression: ir.Expression, known: Known) -> ir.Expression:
    match expression:
        case ir.Number():
            return expression
        case ir.Variable(name):
            return known.get(name, expression)
        case ir.Element(_, index):
            return replace(expression, index=_value(index, known))
        case ir.Negative(operand):
            return replace(expression, operand=_value(operand, known))
        case ir.Binary(operator, left, right, type_):
            a, b = _value(left, known), _value(right, known)
            if (
                isinstance(a, ir.Number)
                and isinstance(b, ir.Number)
                and a.type == b.type == "int32"
            ):
                type_ = "bool" if operator in ir.COMPARISONS else "int32"
                return ir.Number(int(_OPERATIONS[operator](a.value, b.value)), type_)
            return ir.Binary(operator, a, b, type_)
        case ir.Select(test, yes, no, type_):
            decided = _value(test, known)
            if isinstance(decided, ir.Number):
                return _value(yes if decided.value else no, known)
            return ir.Select(decided, _value(yes, known), _value(no, known), type_)
        case ir.Invoke(_, arguments):
            return replace(expression, arguments=tuple(_value(a, known) for a in arguments))
        case _:
            assert_never(expression)
