"""The weights of the neurons of the packed layout as tables, and how a loop adds them up."""

from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.program.ir import (
    Binary,
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
    return Variable(name, "uint8" if count < 256 else "uint16")


def next_one(variable: Variable) -> Instruction:
    return Update(variable, Binary("+", variable, Number(1, "int16"), variable.type))


def add_product(total: Variable, weight: Expression, value: Element) -> Instruction:
    is_short = (weight.type, value.type) == ("int8", "int8")
    product = Binary("*", weight, value, "int16" if is_short else "int32")
    return Update(total, Binary("+", total, product))


def fits_bytes(rows: "WeightRows", bits: int) -> bool:
    """Return whether all numbers of neurons but the biases have 8 bits."""
    return bits == 8 and max(rows.counts) < 256 and max(rows.firsts or [0]) < 256


class PackedBytes:
    """Everything about the neurons but their biases as one list of bytes, which is read in order.

    A neuron has how many weights it has and its first source, or its sources each before its
    weight, and how far its sum is shifted. What is the same for all neurons is left out.
    """

    def __init__(self, rows: "WeightRows", shifts: list[int]) -> None:
        self.rows, self.shifts = rows, shifts
        self.at = Variable("at", "uint16")
        self.step = next_one(self.at)
        self.next = Element("packed", self.at, "int8")
        self.unsigned = Binary("&", self.next, Number(255, "int16"), "int16")

    def add(
        self, total: Variable, v: Type
    ) -> tuple[list[Instruction], list[Instruction], Expression]:
        """Return how the weights of a neuron are added, and its shift."""
        rows = self.rows
        begin: list[Instruction] = []
        count = self._head("count", rows.counts, begin)
        place = Variable("source", "uint16")
        weighted = add_product(total, self.next, Element("v", place, v))
        if rows.firsts is not None:
            begin.append(Declare(place, self._head("first", rows.firsts, begin)))
            step = [weighted, self.step, next_one(place)]
        elif rows.is_relative:
            begin.append(Declare(place, ZERO))
            further = Update(place, Binary("+", place, self.unsigned, "uint16"))
            step = [further, self.step, weighted, self.step]
        else:
            step = [Declare(place, self.unsigned), self.step, weighted, self.step]
        loop = Loop(counter("i", max(rows.counts)), count, tuple(step))
        shift = self.next if len({*self.shifts}) > 1 else Number(self.shifts[0], "int16")
        return [Declare(self.at, ZERO)], [*begin, loop], shift

    def _head(self, name: str, values: list[int], begin: list[Instruction]) -> Expression:
        """Read a number of a neuron into a variable, unless it is the same for all neurons."""
        if len({*values}) == 1:
            return Number(values[0], "int16")
        variable = Variable(name, "uint8")
        begin += [Declare(variable, self.unsigned), self.step]
        return variable

    def table(self, shift: Expression) -> ConstantTable:
        """Return the list of bytes."""
        rows, found, at = self.rows, [], 0
        for number, (count, own) in enumerate(zip(rows.counts, self.shifts, strict=True)):
            found += [count] if len({*rows.counts}) > 1 else []
            if rows.firsts is not None and len({*rows.firsts}) > 1:
                found.append(rows.firsts[number])
            for place in range(at, at + count):
                found += [rows.sources[place]] if rows.firsts is None else []
                found.append(rows.weights[place])
            at += count
            found += [own] if isinstance(shift, Element) else []
        signed = tuple(byte - 256 if byte > 127 else byte for byte in found) or (0,)
        heads = [
            *(["how many weights it has"] if len({*rows.counts}) > 1 else []),
            *(["its first source"] if rows.firsts is not None and len({*rows.firsts}) > 1 else []),
            "its weights" if rows.firsts is not None else "sources and weights",
            *(["by how many bits its sum is shifted"] if isinstance(shift, Element) else []),
        ]
        return ConstantTable("packed", "int8", signed, f"For each neuron: {', '.join(heads)}.")


@dataclass(frozen=True, slots=True)
class WeightRows:
    """The weights of all neurons, and where they read: lists of sources, or windows of them.

    Relative sources are distances from the source before, and 0 is the first source.
    """

    counts: list[int]
    weights: list[int]
    sources: list[int]
    firsts: list[int] | None
    is_relative: bool = False

    @classmethod
    def choose(cls, rows: list[list[tuple[int, int]]], bits: int) -> "WeightRows":
        """Return the smaller of lists and windows."""
        return min(cls.listed(rows), cls.windows(rows), key=lambda each: each.size(bits))

    def size(self, bits: int) -> int:
        """Return the bytes of its tables."""
        size = len(self.weights) * bits // 8 + len(self.sources)
        for column in (self.counts, self.firsts or [0]):
            size += len(column) * (1 + (max(column) > 255)) if len({*column}) > 1 else 0
        return size

    @classmethod
    def listed(cls, rows: list[list[tuple[int, int]]]) -> "WeightRows":
        """List the sources; distances of at most 255 take one byte each, however many there are."""
        most = max((source for row in rows for source, _ in row), default=0)
        if most <= 255:
            sources = [source for row in rows for source, _ in row]
            listed = [weight for row in rows for _, weight in row]
            return cls([*map(len, rows)], listed, sources, None)
        counts: list[int] = []
        weights: list[int] = []
        gaps: list[int] = []
        for row in rows:
            at, begin = 0, len(gaps)
            for source, weight in row:
                while source - at > 255:
                    gaps.append(255)
                    weights.append(0)
                    at += 255
                gaps.append(source - at)
                weights.append(weight)
                at = source
            counts.append(len(gaps) - begin)
        return cls(counts, weights, gaps, None, is_relative=True)

    @classmethod
    def windows(cls, rows: list[list[tuple[int, int]]]) -> "WeightRows":
        """Let each neuron read all sources from its first to its last, some with the weight 0."""
        counts, weights, firsts = [], [], []
        for row in rows:
            first = row[0][0] if row else 0
            last = row[-1][0] + 1 if row else 0
            window = [0] * (last - first)
            for source, weight in row:
                window[source - first] = weight
            firsts.append(first)
            counts.append(len(window))
            weights += window
        return cls(counts, weights, [], firsts)
