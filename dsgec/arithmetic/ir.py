"""What the one arithmetic is to its printers: functions of typed assignments."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal as OneOf
from typing import assert_never

Kind = OneOf["real", "word", "wide", "truth", "whole", "table"]
"""A float, as many bits as a float has, 64 bits, and what a comparison gives; in fixed point, an
integer of 32 bits with its sign, and a list of such."""

Dtype = OneOf["double", "float"]


@dataclass(frozen=True, slots=True)
class Name:
    """A parameter or a variable."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Literal:
    """A number as it is written."""

    text: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Operation:
    """One or two operands, and what is written before, between and after them."""

    operator: str
    operands: "tuple[Expression, ...]"
    around: tuple[str, ...]
    kind: Kind


@dataclass(frozen=True, slots=True)
class Choose:
    """`yes` where the test holds, otherwise `no`."""

    test: "Expression"
    yes: "Expression"
    no: "Expression"
    kind: Kind


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the arithmetic, or one that each language writes in its own way."""

    function: str
    arguments: "tuple[Expression, ...]"
    kind: Kind


Expression = Name | Literal | Operation | Choose | Call


@dataclass(frozen=True, slots=True)
class Assign:
    """`name` becomes a value."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Definition:
    """A function: steps and what they come to, or the variables that are its `outputs`.

    One that is outside of the subset has no steps, and the lines of its `body` in Python.
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
        """All that it computes, in order."""
        return [*(step.value for step in self.steps), *([self.result] if self.result else [])]


def rewrite(
    expression: Expression, change: Callable[[Expression], Expression | None]
) -> Expression:
    """The expression with its parts changed, the outermost first; None changes nothing."""
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
    """Expressions and all that is in them."""
    found: list[Expression] = []
    for expression in expressions:
        rewrite(expression, found.append)
    return found


def names(*expressions: Expression) -> dict[str, Name]:
    """The variables of expressions."""
    return {part.name: part for part in walk(*expressions) if isinstance(part, Name)}
