"""The intermediate representation of programs: typed scalars, tables, arrays and loops.

A program is values: frozen dataclasses of tuples. It has three rules, which `check.py` proves:

- No index leaves its array, no integer leaves its type, and nothing is read before it is written.
- How often a loop runs and whether a branch is taken does not depend on the row: it is known from
  the constants. What depends on the row is a `Select`, and how far a `While` walks down a tree.
- Each operation of floats is rounded once, in its own type. Arithmetic of integers is exact: it
  never wraps, except that of the words uint32 and uint64, which hold the bits of floats.

State that lives between calls is an array that a procedure both reads and writes; its caller keeps
it. `interpret.py` runs a program, `text.py` shows it, and there is one printer per language.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, assert_never

Real = Literal["double", "float"]
Word = Literal["uint32", "uint64"]
Type = Real | Word | Literal["int8", "int16", "int24", "int32", "uint8", "uint16", "bool", "size"]
"""A `size` counts rows, and is an index among them."""

REALS: tuple[Type, ...] = ("double", "float")
WORDS: tuple[Type, ...] = ("uint32", "uint64")
NARROW: tuple[Type, ...] = ("int8", "int16", "uint8", "uint16")

LIMITS: dict[Type, tuple[int, int]] = {
    "int8": (-(1 << 7), (1 << 7) - 1),
    "int16": (-(1 << 15), (1 << 15) - 1),
    "int24": (-(1 << 23), (1 << 23) - 1),  # of variables: chips of 8 bits have no need of more
    "int32": (-(1 << 31), (1 << 31) - 1),
    "uint8": (0, (1 << 8) - 1),
    "uint16": (0, (1 << 16) - 1),
    "bool": (0, 1),
    "size": (0, (1 << 31) - 1),
}
"""The least and the greatest value of each type of exact integers."""


@dataclass(frozen=True, slots=True)
class Number:
    """A constant."""

    value: int | float
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
class Negative:
    """A float with its sign flipped."""

    operand: "Expression"
    type: Type


@dataclass(frozen=True, slots=True)
class Binary:
    """An operation on two values of one type: one of `+ - * / << >> & | == != < <= > >=`.

    `/` is for floats. `<<`, `&` and `|` are for words, and for integers that are not negative or
    are known, and any integer has a mask of 2^n − 1; `>>` also divides any integer, rounded down.
    """

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
    """A call of a function of the arithmetic, whose first argument may be a table.

    Or of what every language has: `bits` of a float, the float `from_bits`, `math.fabs`,
    `math.sqrt`, `math.copysign` of a number that is not negative, `wide` (a uint32 as a uint64) and
    `signed` (a uint64, read as a two's complement integer, as a float).
    """

    function: str
    arguments: "tuple[Expression, ...]"
    table: str = ""
    type: Type = "int32"


COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")

PRIMITIVES = ("bits", "from_bits", "math.fabs", "math.sqrt", "math.copysign", "wide", "signed")
"""The functions that every language has by itself."""

Expression = Number | Variable | Element | Negative | Binary | Select | Invoke


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
class While:
    """Assignments that are done again while a test holds, which may depend on the row.

    The body consists of updates. The checker follows all ways through it, and so proves its end.
    """

    test: Expression
    body: "tuple[Update, ...]"


@dataclass(frozen=True, slots=True)
class Branch:
    """Instructions that are done if a test holds, and others that are done otherwise."""

    test: Expression
    yes: "tuple[Instruction, ...]"
    no: "tuple[Instruction, ...]" = ()


@dataclass(frozen=True, slots=True)
class LocalArray:
    """The declaration of an array whose elements have no values yet."""

    name: str
    type: Type
    size: int


@dataclass(frozen=True, slots=True)
class Perform:
    """A call of another procedure of the program on arrays, by their names."""

    procedure: str
    arguments: tuple[str, ...]


Instruction = Declare | Update | Store | Loop | While | Branch | LocalArray | Perform


@dataclass(frozen=True, slots=True)
class ConstantTable:
    """A table of constants."""

    name: str
    type: Type
    values: tuple[int | float, ...]
    about: str = ""


@dataclass(frozen=True, slots=True)
class ArrayParameter:
    """An array of a procedure: `ranges` are those of its first elements, which are given.

    All elements of an array of floats that is not written are given. A procedure that writes an
    array writes all other elements. A function of the arithmetic takes tables of any size, 0.
    """

    name: str
    type: Type
    size: int
    ranges: tuple[tuple[int, int], ...] = ()
    is_written: bool = False


Parameter = Variable | ArrayParameter


@dataclass(frozen=True, slots=True)
class Procedure:
    """A function on scalars and arrays; its `result`, if it has one, is a scalar.

    `about` is a sentence on it, and `comment` has lines for those who read its steps.
    """

    name: str
    about: str
    parameters: tuple[Parameter, ...]
    body: tuple[Instruction, ...]
    result: Expression | None = None
    comment: tuple[str, ...] = ()

    @property
    def arrays(self) -> tuple[ArrayParameter, ...]:
        return tuple(p for p in self.parameters if isinstance(p, ArrayParameter))

    @property
    def scalars(self) -> tuple[Variable, ...]:
        return tuple(p for p in self.parameters if isinstance(p, Variable))

    @property
    def expressions(self) -> Iterator[Expression]:
        """Yield all expressions and their parts."""
        for instruction in instructions(self.body):
            yield from parts(*expressions(instruction))
        if self.result is not None:
            yield from parts(self.result)

    @property
    def calls(self) -> tuple[str, ...]:
        """Return the functions of the arithmetic that it calls."""
        called = (part.function for part in self.expressions if isinstance(part, Invoke))
        return tuple(dict.fromkeys(name for name in called if name not in PRIMITIVES))

    @property
    def names(self) -> frozenset[str]:
        """Return the variables that it reads, and the arrays and tables that it uses."""
        found: set[str] = set()
        for part in self.expressions:
            match part:
                case Variable(name) | Element(name):
                    found.add(name)
                case Invoke(_, _, table):
                    found.add(table)
        for instruction in instructions(self.body):
            match instruction:
                case Store(array):
                    found.add(array)
                case Perform(_, arguments):
                    found |= {*arguments}
        return frozenset(found)

    @property
    def updated(self) -> frozenset[str]:
        """Return the variables that get another value after their declaration."""
        found = instructions(self.body)
        return frozenset(i.variable.name for i in found if isinstance(i, Update))


@dataclass(frozen=True, slots=True)
class Program:
    """Constant tables, and the procedures that read them; the last one is the entry."""

    tables: tuple[ConstantTable, ...]
    procedures: tuple[Procedure, ...]

    @property
    def entry(self) -> Procedure:
        """Return the procedure that is called from outside."""
        return self.procedures[-1]

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the functions of the arithmetic that it calls, without its own procedures."""
        own = {procedure.name for procedure in self.procedures}
        called = (name for procedure in self.procedures for name in procedure.calls)
        return tuple(dict.fromkeys(name for name in called if name not in own))


def functions_called(program: Program) -> set[str]:
    """Return the functions of the arithmetic that a program calls."""
    own = {procedure.name for procedure in program.procedures}
    return {name for procedure in program.procedures for name in procedure.calls} - own


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
            case Loop(_, _, inner) | While(_, inner):
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
        case Branch(test) | While(test):
            return (test,)
        case LocalArray() | Perform():
            return ()
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
            case Negative(operand):
                yield from parts(operand)
            case Binary(_, left, right):
                yield from parts(left, right)
            case Select(test, yes, no):
                yield from parts(test, yes, no)
            case Invoke(_, arguments):
                yield from parts(*arguments)
            case _:
                assert_never(expression)


def rewrite(
    expression: Expression, change: Callable[[Expression], Expression | None]
) -> Expression:
    """Replace parts of an expression, the outermost first, where `change` returns one."""
    changed = change(expression)
    if changed is not None:
        return changed
    match expression:
        case Number() | Variable():
            return expression
        case Element(_, index):
            return replace(expression, index=rewrite(index, change))
        case Negative(operand):
            return replace(expression, operand=rewrite(operand, change))
        case Binary(_, left, right):
            return replace(expression, left=rewrite(left, change), right=rewrite(right, change))
        case Select(test, yes, no, type_):
            new = [rewrite(part, change) for part in (test, yes, no)]
            return Select(new[0], new[1], new[2], type_)
        case Invoke(_, arguments):
            return replace(expression, arguments=tuple(rewrite(a, change) for a in arguments))
        case _:
            assert_never(expression)
