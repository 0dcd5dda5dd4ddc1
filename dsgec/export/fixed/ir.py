"""What an integer network is: columns as integers, and a flat list of steps over 32 bits."""

from dataclasses import dataclass

STORED_BITS = {"q15": 16, "q7": 8}
"""The bits of a column, of a weight and of a value that is kept, with the sign."""

RESULT_BITS = 16
"""The bits of a result, of an entry of a table and of its argument."""


def largest(bits: int) -> int:
    """Numbers are from −largest to largest: what is one less stands for a missing value."""
    return (1 << (bits - 1)) - 1


@dataclass(frozen=True, slots=True)
class Format:
    """How a column becomes an integer q: x is (q + zero) / 2^fraction.

    q is rounded to even from the middle between two, and saturates at `least` and `most`. A
    category is its number, so its fraction and zero are 0.
    """

    fraction: int
    zero: int
    least: int
    most: int

    @property
    def low(self) -> float:
        """The least number that is not saturated."""
        return (self.least + self.zero) * 2.0**-self.fraction

    @property
    def high(self) -> float:
        return (self.most + self.zero) * 2.0**-self.fraction


@dataclass(frozen=True, slots=True)
class ColumnValue:
    """The integer of a column of the raw row."""

    number: int


@dataclass(frozen=True, slots=True)
class Slot:
    """The result of an earlier step."""

    number: int


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A number as it is."""

    value: int


Varying = ColumnValue | Slot
"""What differs from row to row."""

Operand = Varying | WholeNumber


@dataclass(frozen=True, slots=True)
class Sum:
    """(bias + Σ weight · operand) / 2^shift, rounded down: the half that rounds is in the bias.

    A term that is the same in every row is part of the bias, too.
    """

    terms: tuple[tuple[Varying, int], ...]
    bias: int
    shift: int


@dataclass(frozen=True, slots=True)
class IntegerCall:
    """A function of `dsgec.arithmetic.integer`."""

    function: str
    arguments: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """The value of a table at its argument."""

    table: int
    argument: Operand


Step = Sum | IntegerCall | Look


@dataclass(frozen=True, slots=True)
class FunctionTable:
    """The entries of a function, 2^shift apart from `first` on; its arguments end at `last`.

    `look` is how it is read: by `look`, or by `look_odd` or `look_even`, whose entries begin at 0;
    of an odd one f(−a) is total − f(a).
    """

    entries: tuple[int, ...]
    look: str
    first: int
    last: int
    shift: int
    total: int = 0

    @property
    def limits(self) -> tuple[int, ...]:
        """What the function of the arithmetic takes behind the table and the argument."""
        match self.look:
            case "look":
                return self.first, self.last, self.shift
            case "look_odd":
                return self.last, self.shift, self.total
            case _:
                return self.last, self.shift


@dataclass(frozen=True, slots=True)
class IntegerProgram:
    """A row of integers in, one for each column; results out, each of them q / 2^fraction.

    A value of `missing` stands for a missing one. `names` are what some slots are called. If there
    are `sums`, they decide between the classes as the results do: the class is that of the largest
    or, with a `limit`, the second where the one sum reaches it.
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

    @property
    def missing(self) -> int:
        return -largest(self.bits) - 1


@dataclass(frozen=True, slots=True)
class Fixed:
    """A program, and for each result the greatest difference to the double network on any row.

    The double network is given the row with its values saturated as the columns' formats have it.
    """

    program: IntegerProgram
    bounds: tuple[float, ...]
