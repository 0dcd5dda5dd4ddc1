"""Specialise procedures to constants: loops are unrolled, and choices are made."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import assert_never

from dsgec.program.ir import (
    COMPARISONS,
    Binary,
    Branch,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    LocalArray,
    Loop,
    Negative,
    Number,
    Perform,
    Procedure,
    Select,
    Store,
    Update,
    Variable,
    While,
)

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

Known = Mapping[str, Number]


def specialise(procedure: Procedure, **values: int) -> Procedure:
    """Return a procedure that computes with these values of its integer parameters."""
    known = {p.name: Number(values[p.name], p.type) for p in procedure.scalars if p.name in values}
    return replace(
        procedure,
        parameters=tuple(p for p in procedure.parameters if p.name not in values),
        body=_body(procedure.body, known, set()),
        result=None if procedure.result is None else _value(procedure.result, known),
    )


def fold(expression: Expression) -> Expression:
    """Return an expression in which operations on constants are done, and known choices made."""
    return _value(expression, {})


def _body(
    body: tuple[Instruction, ...], known: Known, declared: set[str]
) -> tuple[Instruction, ...]:
    found: list[Instruction] = []
    for instruction in body:
        match instruction:
            case Declare(variable, value):
                # An unrolled loop declares its variables once.
                kind = Update if variable.name in declared else Declare
                declared.add(variable.name)
                found.append(kind(variable, _value(value, known)))
            case Update(variable, value):
                found.append(Update(variable, _value(value, known)))
            case Store(array, index, value):
                found.append(Store(array, _value(index, known), _value(value, known)))
            case Loop(counter, count, inner):
                count = _value(count, known)
                if isinstance(count, Number):
                    for turn in range(int(count.value)):
                        own = {**known, counter.name: Number(turn, counter.type)}
                        found += _body(inner, own, declared)
                else:
                    found.append(Loop(counter, count, _body(inner, known, {*declared})))
            case Branch(test, yes, no):
                test = _value(test, known)
                if isinstance(test, Number):
                    found += _body(yes if test.value else no, known, declared)
                else:
                    chosen = (_body(part, known, {*declared}) for part in (yes, no))
                    found.append(Branch(test, *chosen))
            case LocalArray() | Perform() | While():
                found.append(instruction)
            case _:
                assert_never(instruction)
    return tuple(found)


def _value(expression: Expression, known: Known) -> Expression:
    match expression:
        case Number():
            return expression
        case Variable(name):
            return known.get(name, expression)
        case Element(_, index):
            return replace(expression, index=_value(index, known))
        case Negative(operand):
            return replace(expression, operand=_value(operand, known))
        case Binary(operator, left, right, type_):
            a, b = _value(left, known), _value(right, known)
            if isinstance(a, Number) and isinstance(b, Number) and a.type == b.type == "int32":
                type_ = "bool" if operator in COMPARISONS else "int32"
                return Number(int(_OPERATIONS[operator](a.value, b.value)), type_)
            return Binary(operator, a, b, type_)
        case Select(test, yes, no, type_):
            decided = _value(test, known)
            if isinstance(decided, Number):
                return _value(yes if decided.value else no, known)
            return Select(decided, _value(yes, known), _value(no, known), type_)
        case Invoke(_, arguments):
            return replace(expression, arguments=tuple(_value(a, known) for a in arguments))
        case _:
            assert_never(expression)
