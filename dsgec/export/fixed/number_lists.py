"""Lists of numbers that a program reads one after the other, and the tables that hold them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.program import ir

BYTE = 8  # bits
ZERO = ir.Number(0, "int16")
FEW = 8
"""The most neurons of which each has a number of its own rather than one for a group."""


class ProgramTables(list[ir.ConstantTable]):
    """The tables of a program while it is built."""

    def element(
        self,
        name: str,
        values: Sequence[int],
        index: ir.Expression,
        about: str = "",
        *,
        signed: bool,
    ) -> ir.Expression:
        """Return an element of a new table, or a constant if all elements are equal."""
        if len({*values}) == 1:
            return constant(values[0])
        type_ = ir.narrowest(min(values), max(values), signed=signed)
        self.append(ir.ConstantTable(name, type_, tuple(values), about))
        return ir.Element(name, index, type_)


def constant(value: int) -> ir.Number:
    """Return a literal of 16 bits, or of 32 if it needs them."""
    return ir.Number(value, "int16" if abs(value) < 1 << 15 else "int32")


def counter(name: str, count: int) -> ir.Variable:
    """Return the counter of a loop of at most so many turns."""
    return ir.Variable(name, "uint8" if count < 256 else "uint16")


def place_in(name: str, size: int) -> ir.Variable:
    """Return a variable that steps through a table of at most so many elements."""
    return ir.Variable(name, "uint16" if size < 1 << 16 else "int32")


def next_one(variable: ir.Variable) -> ir.Instruction:
    """Return the increment of a variable."""
    return ir.Update(variable, ir.Binary("+", variable, ir.Number(1, "int16"), variable.type))


def elements_of(values: Sequence[int], bits: int, *, signed: bool) -> int:
    """Return how many elements of so many bits each of some numbers takes."""
    widest = max(
        (value if value >= 0 else -1 - value).bit_length() + signed for value in (0, *values)
    )
    return max(1, -(-widest // bits))


@dataclass(frozen=True, slots=True)
class Storage:
    """The way to store one number for each neuron: `length` elements of start + number · 2^digits.

    There are no elements if all numbers are equal, or those before and those from `split` on.
    """

    length: int
    start: int = 0
    digits: int = 0

    @classmethod
    def choose(cls, values: Sequence[int], bits: int, split: int, *, signed: bool) -> "Storage":
        """Return the way that takes the fewest elements of so many bits."""
        parts = [{*values}] if len(values) <= FEW else [{*values[:split]}, {*values[split:]}]
        if all(len(part) <= 1 for part in parts):
            return cls(0)
        plain = cls(elements_of(values, bits, signed=signed))
        if not signed:
            return plain
        step = math.gcd(*(value - values[0] for value in values))
        digits = (step & -step).bit_length() - 1
        start = values[0] % (1 << digits)
        wholes = [(value - start) >> digits for value in values]
        middle = (min(wholes) + max(wholes) + 1) // 2
        for begin in (0, middle):
            moved = [whole - begin for whole in wholes]
            found = cls(elements_of(moved, bits, signed=True), start + (begin << digits), digits)
            if found.length < plain.length:
                return found
        return plain


class NumberList:
    """A list of numbers that a program reads one after the other while it is built.

    A number that a single element cannot have takes several, the highest digits first.
    """

    def __init__(self, name: str, bits: int, at: str, most: int) -> None:
        self.name, self.bits = name, bits
        self.type: ir.Type = "int8" if bits == BYTE else "int16"
        self.values: list[int] = []
        self.at = place_in(at, most)
        self.step = next_one(self.at)
        self.next = ir.Element(name, self.at, self.type)
        self.unsigned = ir.Binary("&", self.next, ir.Number((1 << bits) - 1), "int32")

    def read(
        self, name: str, values: Sequence[int], k: ir.Variable, split: int, *, signed: bool
    ) -> tuple[ir.Expression, list[ir.Instruction]]:
        """Return the number of the neuron k, and how it is read unless it is a constant."""
        stored = Storage.choose(values, self.bits, split, signed=signed)
        if not stored.length:
            ends = [constant(value) for value in (*values[:1], *values[-1:])] or [ZERO]
            if len({*ends}) == 1:
                return ends[0], []
            test = ir.Binary("<", k, ir.Number(split, "int16"), "bool")
            return ir.Select(test, ends[0], ends[1]), []
        type_: ir.Type = "int32" if signed else "uint16"
        if stored.length == 1 and not signed:
            type_ = "uint8"
        variable = ir.Variable(name, type_)
        found: list[ir.Instruction] = [
            ir.Declare(variable, self.next if signed else self.unsigned),
            self.step,
        ]
        for _ in range(stored.length - 1):
            higher = ir.Binary("*", variable, ir.Number(1 << self.bits))
            found += [ir.Update(variable, ir.Binary("+", higher, self.unsigned)), self.step]
        whole: ir.Expression = variable
        if stored.digits:
            whole = ir.Binary("*", whole, ir.Number(1 << stored.digits))
        if stored.start:
            whole = ir.Binary("+", whole, ir.Number(stored.start))
        return whole, found

    def add(self, number: int, length: int = 1) -> None:
        """Append the elements of a number."""
        for place in reversed(range(length)):
            digits = number >> (self.bits * place) & ((1 << self.bits) - 1)
            self.values.append(digits - (digits >> (self.bits - 1) << self.bits))

    def add_one_of(self, at: int, values: Sequence[int], split: int, *, signed: bool) -> None:
        """Append the number of a neuron, unless it is a constant."""
        stored = Storage.choose(values, self.bits, split, signed=signed)
        if stored.length:
            self.add((values[at] - stored.start) >> stored.digits, stored.length)
