"""The intermediate representation of fixed point: integer columns and steps over 32 bits."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from dsgec.network.trees import Forest

STORED_BITS = {"q15": 16, "q7": 8}
"""The bits, with the sign, of a column, of a weight and of a stored value, by dtype."""

RESULT_BITS = 16
"""The bits of a result, of a table entry and of the argument of a table."""


def largest(bits: int) -> int:
    """Return the largest value of so many bits; −largest − 1 stands for a missing value."""
    return (1 << (bits - 1)) - 1


@dataclass(frozen=True, slots=True)
class Format:
    """The format of a column as an integer q, with x = (q + zero) / 2^fraction.

    q is rounded half to even and saturates at `least` and `most`. A category is its number, so its
    fraction and zero are 0.
    """

    fraction: int
    zero: int
    least: int
    most: int

    @property
    def low(self) -> float:
        """Return the least number that does not saturate."""
        return (self.least + self.zero) * 2.0**-self.fraction

    @property
    def high(self) -> float:
        """Return the greatest number that does not saturate."""
        return (self.most + self.zero) * 2.0**-self.fraction


@dataclass(frozen=True, slots=True)
class ColumnValue:
    """The integer of a column of the row."""

    number: int


@dataclass(frozen=True, slots=True)
class Slot:
    """The result of an earlier step."""

    number: int


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A constant."""

    value: int


@dataclass(frozen=True, slots=True)
class TreeSum:
    """A sum of the program's decision trees."""

    number: int


Varying = ColumnValue | Slot | TreeSum
"""An operand that differs from row to row."""

Operand = Varying | WholeNumber


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum (bias + Σ weight · operand) / 2^shift, rounded down.

    The bias includes the half that makes it round to nearest, and all constant terms.
    """

    terms: tuple[tuple[Varying, int], ...]
    bias: int
    shift: int


@dataclass(frozen=True, slots=True)
class IntegerCall:
    """A call of a function of `dsgec.arithmetic.integer`."""

    function: str
    arguments: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """A lookup in a function table."""

    table: int
    argument: Operand


Step = Sum | IntegerCall | Look


@dataclass(frozen=True, slots=True)
class FunctionTable:
    """Samples of a function at arguments 2^shift apart, from `first` to `last`.

    `look` is the function that reads it: `look`, or for a symmetric function, whose entries start
    at 0, `look_odd` (f(−a) = total − f(a)) or `look_even`.
    """

    entries: tuple[int, ...]
    look: str
    first: int
    last: int
    shift: int
    total: int = 0

    @property
    def limits(self) -> tuple[int, ...]:
        """Return the arguments of the reading function after the table and the argument."""
        match self.look:
            case "look":
                return self.first, self.last, self.shift
            case "look_odd":
                return self.last, self.shift, self.total
            case _:
                return self.last, self.shift


@dataclass(frozen=True, slots=True)
class IntegerProgram:
    """A program from a row of integers, one per column, to results q that mean q / 2^fraction.

    `missing` stands for a missing value. `names` are names of some slots. If there are `sums`, they
    decide between the classes as the results do: the class is that of the largest sum or, with a
    `limit`, the second one if the only sum reaches it. The trees of the `forest` compare integers
    of columns, and are added up before all steps.
    """

    bits: int
    columns: tuple[Format, ...]
    steps: tuple[Step, ...]
    tables: tuple[FunctionTable, ...]
    results: tuple[Operand, ...]
    fraction: int
    names: tuple[tuple[int, str], ...] = ()
    sums: tuple[Operand, ...] = ()
    limit: int | None = None
    forest: Forest | None = None

    @property
    def missing(self) -> int:
        return -largest(self.bits) - 1


@dataclass(frozen=True, slots=True)
class Fixed:
    """A program and, for each result, a bound of its difference from the double network on any row.

    The double network is evaluated on the row with its values saturated to the columns' formats.
    """

    program: IntegerProgram
    bounds: tuple[float, ...]


def trimmed(program: IntegerProgram) -> IntegerProgram:
    """Remove the steps and tables that no result depends on, and renumber the others.

    A weight that rounds to 0 leaves such steps behind.
    """
    read = steps_read(program, (*program.results, *program.sums))
    place = {number: at for at, number in enumerate(sorted(read))}
    steps = [program.steps[number] for number in sorted(read)]
    looked = sorted({step.table for step in steps if isinstance(step, Look)})

    return replace(
        program,
        steps=tuple(_renumber(step, place, looked.index) for step in steps),
        tables=tuple(program.tables[table] for table in looked),
        results=tuple(_move_operand(operand, place) for operand in program.results),
        sums=tuple(_move_operand(operand, place) for operand in program.sums),
        names=tuple((place[slot], name) for slot, name in program.names if slot in place),
    )


def steps_read(program: IntegerProgram, wanted: Iterable[Operand]) -> set[int]:
    """Return the numbers of the steps that operands depend on."""
    read = {operand.number for operand in wanted if isinstance(operand, Slot)}
    for number in reversed(range(len(program.steps))):
        if number in read:
            read |= {o.number for o in operands(program.steps[number]) if isinstance(o, Slot)}
    return read


def operands(step: Step) -> tuple[Operand, ...]:
    """Return the operands of a step."""
    match step:
        case Sum(terms):
            return tuple(operand for operand, _ in terms)
        case IntegerCall(_, arguments):
            return arguments
        case Look(_, argument):
            return (argument,)
        case _:
            assert_never(step)


def _renumber(step: Step, place: Mapping[int, int], table: Callable[[int], int]) -> Step:
    """Return a step with its operands and its table in new places."""
    match step:
        case Sum(terms):
            return replace(step, terms=tuple((_move_term(o, place), w) for o, w in terms))
        case IntegerCall(function, arguments):
            return IntegerCall(function, tuple(_move_operand(a, place) for a in arguments))
        case Look(number, argument):
            return Look(table(number), _move_operand(argument, place))
        case _:
            assert_never(step)


def _move_operand(operand: Operand, place: Mapping[int, int]) -> Operand:
    return operand if isinstance(operand, WholeNumber) else _move_term(operand, place)


def _move_term(operand: Varying, place: Mapping[int, int]) -> Varying:
    match operand:
        case ColumnValue() | TreeSum():
            return operand
        case Slot(number):
            return Slot(place[number])
        case _:
            assert_never(operand)


def is_separate(program: IntegerProgram) -> bool:
    """Return whether the steps after the sums read no step before them except the sums."""
    before = steps_read(program, program.sums)
    hidden = {Slot(number) for number in before} - {*program.sums}
    behind = (step for number, step in enumerate(program.steps) if number not in before)
    read = {operand for step in behind for operand in operands(step)}
    return bool(program.sums) and hidden.isdisjoint({*read, *program.results})
