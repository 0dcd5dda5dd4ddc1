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

_BYTE = 8  # bits
_MOST_BYTE = 255
_ONLY_WEIGHTS = {(True, True): "its weights", (False, True): "its weights", (True, False): ""}
_CONTENT = {
    (False, False): _ONLY_WEIGHTS,
    (True, False): {
        **_ONLY_WEIGHTS,
        (True, True): "its sources, each before its weight",
        (True, False): "its sources",
    },
    (True, True): {
        **_ONLY_WEIGHTS,
        (True, True): "its sources, each before its weight, or the weights of a window",
        (True, False): "its sources, unless it has a window",
    },
}
"""What lists have, by whether sources are listed and whether some are not; and by what it holds."""

LOOP_BYTES = 40  # what a second loop takes on a Cortex-M0+, about
_ZERO_BYTES = 0.5  # of flash that a product with the weight 0 is worth not to be computed


class ProgramTables(list[ConstantTable]):
    """The tables of a program while it is built."""

    def element(
        self, name: str, values: Sequence[int], index: Expression, about: str = "", *, signed: bool
    ) -> Expression:
        """Return an element of a new table, or a constant if all elements are equal."""
        if len({*values}) == 1:
            return constant(values[0])
        type_ = narrowest(min(values), max(values), signed=signed)
        self.append(ConstantTable(name, type_, tuple(values), about))
        return Element(name, index, type_)


def constant(value: int) -> Number:
    """Return a constant of a narrow type."""
    return Number(value, "int16" if abs(value) < 1 << 15 else "int32")


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
    """Return the addition of a product to a sum."""
    return Update(total, Binary("+", total, Binary("*", weight, value)))


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

    def size(self, bits: int) -> float:
        """Return the bytes of its tables, of a second loop, and what needless products cost."""
        size: float = len(self.weights) * bits // 8 + len(self.sources) + LOOP_BYTES * self.is_mixed
        size += _ZERO_BYTES * self.weights.count(0)
        for column in (self.counts, self.firsts):
            if len({*column}) > 1:
                size += len(column) * (1 + (max(column) > _MOST_BYTE))
        return size


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


def elements_of(values: Sequence[int], bits: int, *, signed: bool) -> int:
    """Return how many elements of so many bits each of some numbers takes."""
    widest = max(
        (value if value >= 0 else -1 - value).bit_length() + signed for value in (0, *values)
    )
    return max(1, -(-widest // bits))


class NumberList:
    """A list of numbers that a program reads one after the other while it is built.

    A number that a single element cannot have takes several, the highest digits first.
    """

    def __init__(self, name: str, bits: int, at: str, most: int) -> None:
        self.name, self.bits = name, bits
        self.type: Type = "int8" if bits == _BYTE else "int16"
        self.values: list[int] = []
        self.at = place_in(at, most)
        self.step = next_one(self.at)
        self.next = Element(name, self.at, self.type)
        self.unsigned = Binary("&", self.next, Number((1 << bits) - 1), "int32")

    def read(
        self, name: str, values: Sequence[int], *, signed: bool
    ) -> tuple[Expression, list[Instruction]]:
        """Return one of some numbers, and how it is read if they are not all the same."""
        if len({*values}) <= 1:
            return constant(values[0] if values else 0), []
        type_: Type = "int32" if signed else "uint16"
        length = self.length(values, signed=signed)
        if length == 1 and not signed:
            type_ = "uint8"
        variable = Variable(name, type_)
        found: list[Instruction] = [
            Declare(variable, self.next if signed else self.unsigned),
            self.step,
        ]
        for _ in range(length - 1):
            higher = Binary("*", variable, Number(1 << self.bits))
            found += [Update(variable, Binary("+", higher, self.unsigned)), self.step]
        return variable, found

    def length(self, values: Sequence[int], *, signed: bool) -> int:
        """Return how many elements each of some numbers takes."""
        return elements_of(values, self.bits, signed=signed)

    def add(self, number: int, length: int = 1) -> None:
        """Append the elements of a number."""
        for place in reversed(range(length)):
            digits = number >> (self.bits * place) & ((1 << self.bits) - 1)
            self.values.append(digits - (digits >> (self.bits - 1) << self.bits))

    def add_one_of(self, number: int, values: Sequence[int], *, signed: bool) -> None:
        """Append one of some numbers, unless they are all the same."""
        if len({*values}) > 1:
            self.add(number, self.length(values, signed=signed))


class PackedLists:
    """Everything about the neurons as a list of bytes, which is read in order.

    A neuron has its bias, how many weights it has, its first source, or its sources each before its
    weight, and how far its sum is shifted. What is the same for all neurons is left out. Weights
    that are no bytes are in a list of their own, with the biases.
    """

    def __init__(self, rows: WeightRows, biases: list[int], shifts: list[int]) -> None:
        self.rows, self.biases, self.shifts = rows, biases, shifts
        most = len(rows.weights) + len(rows.sources) + 10 * len(rows.counts)  # at least its length
        self.bytes = NumberList("packed", _BYTE, "at", most)
        self.weights = self.bytes
        if not all(-128 <= weight < 128 for weight in rows.weights):
            self.weights = NumberList("weights", 2 * _BYTE, "weight", most)

    def add(self, k: Variable, total: Variable, v: Type) -> list[Instruction]:
        """Return how the weights of the neuron k are added to its bias."""
        rows = self.rows
        bias, begin = self.weights.read("bias", self.biases, signed=True)
        count, head = self.bytes.read("count", rows.counts, signed=False)
        i, source = counter("i", max(rows.counts)), Variable("source", "uint16")
        weighted = (
            add_product(total, self.weights.next, Element("v", source, v)),
            self.weights.step,
        )
        least = min(rows.counts)
        if rows.is_relative:
            further = Update(source, Binary("+", source, self.bytes.unsigned, "uint16"))
            inner = Loop(i, count, (further, self.bytes.step, *weighted), least)
            listed: list[Instruction] = [Declare(source, ZERO), inner]
        else:
            read = Declare(source, self.bytes.unsigned)
            listed = [Loop(i, count, (read, self.bytes.step, *weighted), least)]
        first, windows = self.bytes.read("first", rows.firsts, signed=False)
        windows += [Declare(source, first), Loop(i, count, (*weighted, next_one(source)), least)]
        return [*begin, Declare(total, bias), *head, *either(rows, k, listed, windows)]

    def shift(self) -> tuple[Expression, list[Instruction]]:
        """Return how far the sum of the neuron is shifted, and the step after reading it."""
        if len({*self.shifts}) == 1:
            return Number(self.shifts[0], "int16"), []
        return self.bytes.next, [self.bytes.step]

    def tables(self) -> list[ConstantTable]:
        """Return the lists that are not empty."""
        rows, at = self.rows, 0
        for number, (count, shift) in enumerate(zip(rows.counts, self.shifts, strict=True)):
            self.weights.add_one_of(self.biases[number], self.biases, signed=True)
            self.bytes.add_one_of(count, rows.counts, signed=False)
            if number >= rows.split:
                first = rows.firsts[number - rows.split]
                self.bytes.add_one_of(first, rows.firsts, signed=False)
            for place in range(at, at + count):
                if number < rows.split:
                    self.bytes.add(rows.sources[place])
                self.weights.add(rows.weights[place])
            at += count
            self.bytes.add_one_of(shift, self.shifts, signed=True)
        lists = dict.fromkeys((self.bytes, self.weights))
        return [
            ConstantTable(each.name, each.type, (*each.values,), self.about(each))
            for each in lists
            if each.values
        ]

    @property
    def begin(self) -> list[Instruction]:
        """Return the declarations of the places in the lists."""
        lists = dict.fromkeys((self.bytes, self.weights))
        return [Declare(each.at, ZERO) for each in lists if each.values]

    def about(self, own: NumberList) -> str:
        """Return the comment on a list."""
        rows = self.rows
        has_bytes, has_weights = own is self.bytes, own is self.weights
        content = _CONTENT[rows.split > 0, rows.is_mixed][has_bytes, has_weights]
        heads = [
            *(["its bias"] if has_weights and len({*self.biases}) > 1 else []),
            *(["how many weights it has"] if has_bytes and len({*rows.counts}) > 1 else []),
            *(["its first source"] if has_bytes and len({*rows.firsts}) > 1 else []),
            *([content] if content else []),
            *(
                ["by how many bits its sum is shifted"]
                if has_bytes and len({*self.shifts}) > 1
                else []
            ),
        ]
        return f"For each neuron: {', '.join(heads)}."


def either(
    rows: WeightRows, k: Variable, listed: list[Instruction], windows: list[Instruction]
) -> list[Instruction]:
    """Return what adds up the neuron k: that of lists, that of windows, or a branch with both."""
    if not rows.is_mixed:
        return listed if rows.split else windows
    test = Binary("<", k, Number(rows.split, "int16"), "bool")
    return [Branch(test, tuple(listed), tuple(windows))]
