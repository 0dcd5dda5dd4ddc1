"""The weights of the neurons of the packed layout as tables, and how a loop adds them up."""

from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.program.ir import (
    Binary,
    Branch,
    ConstantTable,
    Declare,
    Element,
    Expression,
    Instruction,
    Loop,
    Number,
    Type,
    Update,
    Variable,
    narrowest,
)

ZERO = Number(0, "int16")

Row = list[tuple[int, int]]
"""The sources of a neuron with their weights, in ascending order of the sources."""

_MOST_BYTE = 255
_CONTENT = {
    (False, False): "its weights",
    (True, False): "its sources and weights",
    (True, True): "its sources and weights or, from the first source on, its weights",
}
LOOP_BYTES = 40  # what a second loop takes on a Cortex-M0+, about


class ProgramTables(list[ConstantTable]):
    """The tables of a program while it is built."""

    def element(
        self, name: str, values: Sequence[int], index: Expression, about: str = "", *, signed: bool
    ) -> Expression:
        """Return an element of a new table, or a constant if all elements are equal."""
        if len({*values}) == 1:
            return Number(values[0], "int16" if abs(values[0]) < 1 << 15 else "int32")
        type_ = narrowest(min(values), max(values), signed=signed)
        self.append(ConstantTable(name, type_, tuple(values), about))
        return Element(name, index, type_)


def counter(name: str, count: int) -> Variable:
    """Return the counter of a loop of at most so many turns."""
    return Variable(name, "uint8" if count < 256 else "uint16")


def place_in(name: str, size: int) -> Variable:
    """Return a variable that steps through a table of at most so many elements."""
    return Variable(name, "uint16" if size < 1 << 16 else "int32")


def next_one(variable: Variable) -> Instruction:
    """Return the increment of a variable."""
    return Update(variable, Binary("+", variable, Number(1, "int16"), variable.type))


def add_product(total: Variable, weight: Expression, value: Element) -> Instruction:
    """Return the addition of a product to a sum; that of two bytes has 16 bits."""
    is_short = (weight.type, value.type) == ("int8", "int8")
    product = Binary("*", weight, value, "int16" if is_short else "int32")
    return Update(total, Binary("+", total, product))


@dataclass(frozen=True, slots=True)
class WeightRows:
    """The weights of all neurons, and where they read.

    The first `split` neurons list their sources; each of the others reads a window, all sources
    from its first to its last, some with the weight 0. Relative sources are distances from the
    source before, and 0 is the first source.
    """

    counts: list[int]
    weights: list[int]
    sources: list[int]
    firsts: list[int]
    split: int
    is_relative: bool

    @classmethod
    def choose(cls, rows: list[Row], bits: int, hidden: int) -> "WeightRows":
        """Return the smallest; the first `hidden` neurons and the others may differ."""
        made = (cls.make(rows, split) for split in dict.fromkeys((0, len(rows), hidden)))
        return min(made, key=lambda each: each.size(bits))

    @classmethod
    def make(cls, rows: list[Row], split: int) -> "WeightRows":
        """Return the weights of neurons, of which the first ones list their sources."""
        most = max((source for row in rows[:split] for source, _ in row), default=0)
        is_relative = most > _MOST_BYTE
        listed = [_relative(row) if is_relative else row for row in rows[:split]]
        found = [*listed, *map(_window, rows[split:])]
        return cls(
            [*map(len, found)],
            [weight for row in found for _, weight in row],
            [source for row in listed for source, _ in row],
            [row[0][0] if row else 0 for row in rows[split:]],
            split,
            is_relative,
        )

    @property
    def is_mixed(self) -> bool:
        """Return whether some neurons list their sources and others have windows."""
        return 0 < self.split < len(self.counts)

    def size(self, bits: int) -> int:
        """Return the bytes of its tables, and of a second loop if it needs one."""
        size = len(self.weights) * bits // 8 + len(self.sources) + LOOP_BYTES * self.is_mixed
        for column in (self.counts, self.firsts):
            if len({*column}) > 1:
                size += len(column) * (1 + (max(column) > _MOST_BYTE))
        return size

    def fits_bytes(self, bits: int) -> bool:
        """Return whether all its numbers have 8 bits."""
        is_small = max([*self.counts, *self.firsts, *self.sources]) <= _MOST_BYTE
        return bits == 8 and is_small and all(-128 <= weight < 128 for weight in self.weights)


def _relative(row: Row) -> Row:
    """Return the distances between sources; a long one takes several steps of the weight 0."""
    found: Row = []
    at = 0
    for source, weight in row:
        while source - at > _MOST_BYTE:
            found.append((_MOST_BYTE, 0))
            at += _MOST_BYTE
        found.append((source - at, weight))
        at = source
    return found


def _window(row: Row) -> Row:
    """Return all sources from the first to the last."""
    weights = dict(row)
    if not row:
        return []
    return [(source, weights.get(source, 0)) for source in range(row[0][0], row[-1][0] + 1)]


class PackedBytes:
    """Everything about the neurons but their biases as one list of bytes, which is read in order.

    A neuron has how many weights it has and its first source, or its sources each before its
    weight, and how far its sum is shifted. What is the same for all neurons is left out.
    """

    def __init__(self, rows: WeightRows, shifts: list[int]) -> None:
        self.rows, self.shifts = rows, shifts
        self.at = place_in("at", len(rows.weights) + len(rows.sources) + 3 * len(rows.counts))
        self.step = next_one(self.at)
        self.next = Element("packed", self.at, "int8")
        self.unsigned = Binary("&", self.next, Number(_MOST_BYTE, "int16"), "int16")

    def add(
        self, k: Variable, total: Variable, v: Type
    ) -> tuple[list[Instruction], list[Instruction], Expression]:
        """Return how the weights of the neuron k are added, and its shift."""
        rows = self.rows
        count, begin = self._head("count", rows.counts)
        i, source = counter("i", max(rows.counts)), Variable("source", "uint16")
        weighted = add_product(total, self.next, Element("v", source, v))
        listed: list[Instruction]
        if rows.is_relative:
            further = Update(source, Binary("+", source, self.unsigned, "uint16"))
            listed = [
                Declare(source, ZERO),
                Loop(i, count, (further, self.step, weighted, self.step)),
            ]
        else:
            read = Declare(source, self.unsigned)
            listed = [Loop(i, count, (read, self.step, weighted, self.step))]
        first, windows = self._head("first", rows.firsts)
        windows += [
            Declare(source, first),
            Loop(i, count, (weighted, self.step, next_one(source))),
        ]
        shift = self.next if len({*self.shifts}) > 1 else Number(self.shifts[0], "int16")
        return [Declare(self.at, ZERO)], [*begin, *either(rows, k, listed, windows)], shift

    def _head(self, name: str, values: list[int]) -> tuple[Expression, list[Instruction]]:
        """Return a number of a neuron, and how it is read if it is not the same for all."""
        if len({*values}) <= 1:
            return Number(values[0] if values else 0, "int16"), []
        variable = Variable(name, "uint8")
        return variable, [Declare(variable, self.unsigned), self.step]

    def table(self) -> ConstantTable:
        """Return the list of bytes."""
        rows, found, at = self.rows, [], 0
        has_counts, has_firsts = len({*rows.counts}) > 1, len({*rows.firsts}) > 1
        has_shifts = len({*self.shifts}) > 1
        for number, (count, shift) in enumerate(zip(rows.counts, self.shifts, strict=True)):
            found += [count] if has_counts else []
            if number >= rows.split and has_firsts:
                found.append(rows.firsts[number - rows.split])
            for place in range(at, at + count):
                found += [rows.sources[place]] if number < rows.split else []
                found.append(rows.weights[place])
            at += count
            found += [shift] if has_shifts else []
        signed = tuple(byte - 256 if byte > 127 else byte for byte in found) or (0,)
        heads = [
            *(["how many weights it has"] if has_counts else []),
            *(["its first source"] if has_firsts else []),
            _CONTENT[rows.split > 0, rows.is_mixed],
            *(["by how many bits its sum is shifted"] if has_shifts else []),
        ]
        return ConstantTable("packed", "int8", signed, f"For each neuron: {', '.join(heads)}.")


def either(
    rows: WeightRows, k: Variable, listed: list[Instruction], windows: list[Instruction]
) -> list[Instruction]:
    """Return what adds up the neuron k: that of lists, that of windows, or a branch with both."""
    if not rows.is_mixed:
        return listed if rows.split else windows
    test = Binary("<", k, Number(rows.split, "int16"), "bool")
    return [Branch(test, tuple(listed), tuple(windows))]
