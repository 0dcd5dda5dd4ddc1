"""The intermediate representation of the arithmetic: functions of typed assignments."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal as OneOf
from typing import assert_never

Kind = OneOf["real", "word", "wide", "truth", "whole", "table"]
"""A float, as many bits as a float has, 64 bits, and the result of a comparison; in fixed point, a
signed integer of 32 bits, and a list of those."""

Dtype = OneOf["double", "float"]
Arithmetic = Dtype | OneOf["whole"]
"""The arithmetic of doubles, of floats, or of the integers of fixed point."""


@dataclass(frozen=True, slots=True)
class Name:
    """A parameter or a variable."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Literal:
    """A number as written in the source."""

    text: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator, its one or two operands, and the text before, between and after them."""

    operator: str
    operands: "tuple[Expression, ...]"
    around: tuple[str, ...]
    kind: Kind


@dataclass(frozen=True, slots=True)
class Choose:
    """The value of `yes` where the test holds, otherwise that of `no`."""

    test: "Expression"
    yes: "Expression"
    no: "Expression"
    kind: Kind


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function of the arithmetic, or of a primitive that each language has."""

    function: str
    arguments: "tuple[Expression, ...]"
    kind: Kind


Expression = Name | Literal | Operation | Choose | Call


@dataclass(frozen=True, slots=True)
class Assign:
    """The assignment of a value to a variable."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Definition:
    """A function: its steps, and its result or the variables that are its `outputs`.

    A function outside the subset has no steps, but the lines of its `body` in Python.
    """

    name: str
    parameters: tuple[Name, ...]
    steps: tuple[Assign, ...]
    result: Expression | None
    doc: str
    comment: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()

    @property
    def expressions(self) -> list[Expression]:
        """Return all values that it computes, in order."""
        return [*(step.value for step in self.steps), *([self.result] if self.result else [])]


def rewrite(
    expression: Expression, change: Callable[[Expression], Expression | None]
) -> Expression:
    """Replace parts of an expression, the outermost first, where `change` returns one."""
    changed = change(expression)
    if changed is not None:
        return changed
    match expression:
        case Name() | Literal():
            return expression
        case Operation(_, operands):
            return replace(expression, operands=tuple(rewrite(e, change) for e in operands))
        case Choose(test, yes, no, kind):
            new = [rewrite(e, change) for e in (test, yes, no)]
            return Choose(new[0], new[1], new[2], kind)
        case Call(_, arguments):
            return replace(expression, arguments=tuple(rewrite(e, change) for e in arguments))
        case _:
            assert_never(expression)


def walk(*expressions: Expression) -> list[Expression]:
    """Return expressions and all their parts."""
    found: list[Expression] = []
    for expression in expressions:
        rewrite(expression, found.append)
    return found


def names(*expressions: Expression) -> dict[str, Name]:
    """Return the variables that expressions read, by name."""
    return {part.name: part for part in walk(*expressions) if isinstance(part, Name)}
