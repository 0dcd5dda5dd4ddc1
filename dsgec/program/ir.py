"""The intermediate representation of programs: typed scalars, tables, arrays and loops.

A program is values: frozen dataclasses of tuples. It has three rules, which `check.py` proves:

- No index leaves its array, no integer leaves its type, and nothing is read before it is written.
- How often a loop runs and whether a branch is taken does not depend on the row: it is known from
  the constants. What depends on the row is a `Select`.
- Arithmetic is exact: an integer operation never wraps.

`interpret.py` runs a program, `text.py` shows it, and there is one printer per language.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, assert_never

Type = Literal["int8", "int16", "int24", "int32", "uint8", "uint16", "bool"]

LIMITS: dict[Type, tuple[int, int]] = {
    "int8": (-(1 << 7), (1 << 7) - 1),
    "int16": (-(1 << 15), (1 << 15) - 1),
    "int24": (-(1 << 23), (1 << 23) - 1),  # of variables: chips of 8 bits have no need of more
    "int32": (-(1 << 31), (1 << 31) - 1),
    "uint8": (0, (1 << 8) - 1),
    "uint16": (0, (1 << 16) - 1),
    "bool": (0, 1),
}
"""The least and the greatest value of each type."""


@dataclass(frozen=True, slots=True)
class Number:
    """A constant."""

    value: int
    type: Type = "int32"


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar variable, or the counter of a loop."""

    name: str
    type: Type = "int32"


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a table, a parameter or an array; the row may decide which one is read."""

    array: str
    index: "Expression"
    type: Type


@dataclass(frozen=True, slots=True)
class Binary:
    """An operation on two values: one of `+ - * & == != < <= > >=`; `&` has no negative operand."""

    operator: str
    left: "Expression"
    right: "Expression"
    type: Type = "int32"


@dataclass(frozen=True, slots=True)
class Select:
    """The value of `yes` where the test holds, otherwise that of `no`."""

    test: "Expression"
    yes: "Expression"
    no: "Expression"
    type: Type = "int32"


@dataclass(frozen=True, slots=True)
class Invoke:
    """A call of a function of `dsgec.arithmetic.integer`, whose first argument may be a table."""

    function: str
    arguments: "tuple[Expression, ...]"
    table: str = ""
    type: Type = "int32"


Expression = Number | Variable | Element | Binary | Select | Invoke


@dataclass(frozen=True, slots=True)
class Declare:
    """The declaration of a variable with its first value."""

    variable: Variable
    value: Expression


@dataclass(frozen=True, slots=True)
class Update:
    """The assignment of another value to a variable."""

    variable: Variable
    value: Expression


@dataclass(frozen=True, slots=True)
class Store:
    """The assignment of a value to an element of a parameter or an array."""

    array: str
    index: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop whose counter runs from 0 to `count` − 1; `count` is at least `least`."""

    counter: Variable
    count: Expression
    body: "tuple[Instruction, ...]"
    least: int = 0


@dataclass(frozen=True, slots=True)
class Branch:
    """Instructions that are done if a test holds, and others that are done otherwise."""

    test: Expression
    yes: "tuple[Instruction, ...]"
    no: "tuple[Instruction, ...]" = ()


Instruction = Declare | Update | Store | Loop | Branch


@dataclass(frozen=True, slots=True)
class ConstantTable:
    """A table of constants."""

    name: str
    type: Type
    values: tuple[int, ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class ArrayParameter:
    """An array of a procedure: `ranges` are those of its first elements, which are given.

    A procedure that writes an array writes all other elements.
    """

    name: str
    type: Type
    size: int
    ranges: tuple[tuple[int, int], ...] = ()
    is_written: bool = False


@dataclass(frozen=True, slots=True)
class Procedure:
    """A function on arrays; its `result`, if it has one, is a scalar."""

    name: str
    about: str
    parameters: tuple[ArrayParameter, ...]
    body: tuple[Instruction, ...]
    result: Expression | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """Constant tables, and the procedures that read them."""

    tables: tuple[ConstantTable, ...]
    procedures: tuple[Procedure, ...]


def narrowest(least: int, most: int, *, signed: bool = False) -> Type:
    """Return the smallest type that has all values of a range, of signed types only if asked."""
    unsigned: tuple[Type, ...] = () if signed else ("uint8",)
    later: tuple[Type, ...] = () if signed else ("uint16",)
    for type_ in (*unsigned, "int8", *later, "int16", "int32"):
        low, high = LIMITS[type_]
        if low <= least and most <= high:
            return type_
    raise ValueError(f"no type has all integers from {least} to {most}")


def instructions(body: tuple[Instruction, ...]) -> Iterator[Instruction]:
    """Yield instructions and all those inside them."""
    for instruction in body:
        yield instruction
        match instruction:
            case Loop(_, _, inner):
                yield from instructions(inner)
            case Branch(_, yes, no):
                yield from instructions((*yes, *no))


def expressions(instruction: Instruction) -> tuple[Expression, ...]:
    """Return the expressions of an instruction, without those of instructions inside it."""
    match instruction:
        case Declare(_, value) | Update(_, value):
            return (value,)
        case Store(_, index, value):
            return index, value
        case Loop(_, count, _):
            return (count,)
        case Branch(test, _, _):
            return (test,)
        case _:
            assert_never(instruction)


def parts(*whole: Expression) -> Iterator[Expression]:
    """Yield expressions and all their parts."""
    for expression in whole:
        yield expression
        match expression:
            case Number() | Variable():
                pass
            case Element(_, index):
                yield from parts(index)
            case Binary(_, left, right):
                yield from parts(left, right)
            case Select(test, yes, no):
                yield from parts(test, yes, no)
            case Invoke(_, arguments):
                yield from parts(*arguments)
            case _:
                assert_never(expression)
