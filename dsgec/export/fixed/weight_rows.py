"""The weights of the neurons of the packed layout as tables, and how a loop adds them up."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

from dsgec.export.fixed.number_lists import ZERO, NumberList, Storage, counter, next_one
from dsgec.export.fixed.weight_formats import (
    BYTE,
    Row,
    Way,
    WeightFormat,
    WeightGroup,
    possible_groups,
)
from dsgec.program import ir

LOOP_BYTES = 40  # what a second loop takes on a Cortex-M0+, about
_CONSTANT_BYTES = 8  # of a choice between two constants
_ITS = {
    Way.LISTED: "its sources, each before its weight",
    Way.RELATIVE: "the distances of its sources, each before the weight",
    Way.WINDOW: "its weights",
    Way.BITMAP: "for each eight sources the bits of those that it reads, with their weights",
    Way.GAP: "the distance of each source with the code of its weight",
}
_PLACES = {
    Way.LISTED: "its sources",
    Way.RELATIVE: "the distances of its sources",
    Way.WINDOW: "",
    Way.BITMAP: "for each eight sources the bits of those that it reads",
}
"""What lists have of the terms of neurons, and what is left if the weights are in another list."""


@dataclass(frozen=True)
class WeightRows:
    """The weights of all neurons in one group or two, and where they read."""

    groups: tuple[WeightGroup, ...]
    hidden: int

    @classmethod
    def choose(cls, rows: Sequence[Row], hidden: int, given: int) -> "WeightRows":
        """Return the smallest; the first `hidden` neurons and the others may differ.

        The first `given` sources are known before, the others are hidden neurons.
        """
        return min(cls.possible(rows, hidden, given), key=lambda each: each.size)

    @classmethod
    def possible(cls, rows: Sequence[Row], hidden: int, given: int) -> "list[WeightRows]":
        """Return the weights in all formats, the same for all neurons or one for each part."""
        parts = [part for part in (rows[:hidden], rows[hidden:]) if part]
        alike = all(source < given for row in rows[:hidden] for source, _ in row)
        found = [cls((group,), hidden) for group in possible_groups(rows, hidden, alike=alike)]
        if len(parts) > 1:
            pairs = itertools.product(*(possible_groups(part, alike=alike) for part in parts))
            found += [cls(pair, hidden) for pair in pairs if pair[0].format != pair[1].format]
        return found

    @property
    def split(self) -> int:
        """Return how many neurons differ from the others in what they have alike, or 0."""
        return self.hidden if len(self.groups) == 1 else 0

    @cached_property
    def numbers(self) -> list[int]:
        """Return the weights that are stored as numbers of their own."""
        return [weight for group in self.groups for weight in group.numbers]

    @cached_property
    def size(self) -> float:
        """Return the bytes of its tables and its loops, and what its cycles are worth in bytes."""
        size = sum(group.size for group in self.groups) + LOOP_BYTES * (len(self.groups) - 1)
        for group in self.groups:
            for column in (group.counts, group.firsts):
                stored = Storage.choose(column, BYTE, self.split, signed=False)
                size += len(column) * stored.length
                size += _CONSTANT_BYTES * (not stored.length and len({*column}) > 1)
        return size


class PackedLists:
    """Everything about the neurons as a list of bytes, which is read in order.

    A neuron has its bias, how many turns its loop takes, its first source if it has a window, its
    sources and weights, and how far its sum is shifted. What is the same for all neurons, or for
    the hidden ones and for the others, is left out. Weights that are no bytes are in a list of
    their own, with the biases.
    """

    def __init__(self, rows: WeightRows, biases: list[int], shifts: list[int]) -> None:
        self.rows, self.biases, self.shifts = rows, biases, shifts
        turns = sum(sum(group.counts) for group in rows.groups)
        most = 2 * turns + 10 * len(biases)  # at least its length
        self.bytes = NumberList("packed", BYTE, "at", most)
        self.weights = self.bytes
        if not all(-128 <= weight < 128 for weight in rows.numbers):
            self.weights = NumberList("weights", 2 * BYTE, "weight", most)

    def add(self, k: ir.Variable, total: ir.Variable, v: ir.Type) -> list[ir.Instruction]:
        """Return how the weights of the neuron k are added to its bias."""
        rows = self.rows
        bias, begin = self.weights.read("bias", self.biases, k, rows.hidden, signed=True)
        loops = [
            WeightLoop(self, at, group, k).instructions(total, v)
            for at, group in enumerate(rows.groups)
        ]
        begin.append(ir.Declare(total, bias))
        if len(loops) == 1:
            return [*begin, *loops[0]]
        test = ir.Binary("<", k, ir.Number(rows.hidden, "int16"), "bool")
        return [*begin, ir.Branch(test, *loops)]

    def shift(self, k: ir.Variable) -> tuple[ir.Expression, list[ir.Instruction]]:
        """Return how far the sum of the neuron k is shifted, and the step after reading it."""
        stored = Storage.choose(self.shifts, BYTE, self.rows.hidden, signed=True)
        if stored == Storage(1):
            return self.bytes.next, [self.bytes.step]
        return self.bytes.read("shift", self.shifts, k, self.rows.hidden, signed=True)

    def tables(self) -> list[ir.ConstantTable]:
        """Return the lists that are not empty."""
        rows, number = self.rows, 0
        own = self.bytes
        for group in rows.groups:
            for at, (elements, row) in enumerate(zip(group.elements, group.rows, strict=True)):
                self.weights.add_one_of(number, self.biases, rows.hidden, signed=True)
                own.add_one_of(at, group.counts, rows.split, signed=False)
                if group.firsts:
                    own.add_one_of(at, group.firsts, rows.split, signed=False)
                self._add_terms(group, elements, row)
                own.add_one_of(number, self.shifts, rows.hidden, signed=True)
                number += 1
        lists = dict.fromkeys((self.bytes, self.weights))
        found = [
            ir.ConstantTable(each.name, each.type, (*each.values,), self.about(each))
            for each in lists
            if each.values
        ]
        for at, group in enumerate(rows.groups):
            if book := group.format.book:
                type_ = ir.narrowest(min(book), max(book), signed=True)
                found.append(
                    ir.ConstantTable(f"book{at}", type_, book, "The weights of the codes.")
                )
        return found

    def _add_terms(self, group: WeightGroup, elements: list[int], row: Row) -> None:
        """Append the sources and weights of a neuron as its loop reads them."""
        if group.format.bits:
            for element in elements:
                self.bytes.add(element)
            return
        places = iter(elements)
        for turn, (_, weight) in enumerate(row):
            match group.format.way:
                case Way.LISTED | Way.RELATIVE:
                    self.bytes.add(next(places))
                case Way.BITMAP if turn % BYTE == 0:
                    self.bytes.add(next(places))
            if weight or group.format.way != Way.BITMAP:
                self.weights.add(weight)

    @property
    def begin(self) -> list[ir.Instruction]:
        """Return the declarations of the places in the lists."""
        lists = dict.fromkeys((self.bytes, self.weights))
        return [ir.Declare(each.at, ZERO) for each in lists if each.values]

    def about(self, own: NumberList) -> str:
        """Return the comment on a list."""
        groups, hidden, split = self.rows.groups, self.rows.hidden, self.rows.split
        has_bytes, has_weights = own is self.bytes, own is self.weights
        terms = dict.fromkeys(_content(each.format, has_bytes, has_weights) for each in groups)

        def has(columns: Iterable[list[int]], split: int) -> bool:
            return any(Storage.choose(each, BYTE, split, signed=True).length for each in columns)

        heads = (
            "its bias" if has_weights and has([self.biases], hidden) else "",
            "how many turns its loop takes"
            if has_bytes and has((each.counts for each in groups), split)
            else "",
            "its first source"
            if has_bytes and has((each.firsts for each in groups), split)
            else "",
            " or ".join(filter(None, terms)),
            "by how many bits its sum is shifted"
            if has_bytes and has([self.shifts], hidden)
            else "",
        )
        return f"For each neuron: {', '.join(filter(None, heads))}."


def _content(format_: WeightFormat, has_bytes: bool, has_weights: bool) -> str:
    """Return what a list has of the terms of neurons."""
    if format_.bits:
        return _ITS[format_.way] if has_bytes else ""
    if has_weights:
        return _ITS[format_.way] if has_bytes else "its weights"
    return _PLACES[format_.way]


class WeightLoop:
    """The loop that adds the weighted sources of a neuron of a group."""

    def __init__(self, lists: PackedLists, at: int, group: WeightGroup, k: ir.Variable) -> None:
        self.lists, self.group, self.k = lists, group, k
        self.format, self.book = group.format, f"book{at}"
        self.number = f"{at + 1}" if at else ""  # names of groups differ
        self.i = counter(f"i{self.number}", max(group.counts))
        self.source = ir.Variable(f"source{self.number}", "uint16")
        self.codes = ir.Variable(f"codes{self.number}", "uint8")
        self.used = ir.Variable(f"used{self.number}", "uint8")
        self.found = counter(f"found{self.number}", max(group.counts))

    def instructions(self, total: ir.Variable, v: ir.Type) -> tuple[ir.Instruction, ...]:
        """Return the loop, after what it needs."""
        counts, firsts = self.group.counts, self.group.firsts
        count, begin = self._read(f"count{self.number}", counts)
        if not isinstance(count, (ir.Number, ir.Variable)):
            variable = counter(f"count{self.number}", max(counts))
            begin.append(ir.Declare(variable, count))
            count = variable
        if firsts:
            first, read = self._read(f"first{self.number}", firsts)
            begin += [*read, ir.Declare(self.source, first)]
        elif self.format.way != Way.LISTED:
            begin.append(ir.Declare(self.source, ZERO))
        if self.format.bits and self.format.way != Way.GAP:
            begin.append(ir.Declare(self.codes, ZERO))
        value = ir.Element("v", self.source, v)
        if self.format.way == Way.BITMAP:
            begin.append(ir.Declare(self.used, ZERO))
            if self.format.bits:
                begin.append(ir.Declare(self.found, ZERO))
        body = tuple(self._body(total, value))
        return (*begin, ir.Loop(self.i, count, body, min(counts)))

    def _read(self, name: str, values: list[int]) -> tuple[ir.Expression, list[ir.Instruction]]:
        split = self.lists.rows.split
        return self.lists.bytes.read(name, values, self.k, split, signed=False)

    def _body(self, total: ir.Variable, value: ir.Element) -> Iterator[ir.Instruction]:
        """Yield what a turn does."""
        given, weights = self.lists.bytes, self.lists.weights
        plain = (_add(total, weights.next, value), weights.step)
        match self.format.way:
            case Way.LISTED:
                yield from (ir.Declare(self.source, given.unsigned), given.step, *plain)
            case Way.RELATIVE:
                yield from (self._move(given.unsigned), given.step, *plain)
            case Way.GAP:
                code = ir.Variable(f"code{self.number}", "uint8")
                distance = ir.Invoke("shifted", (code, ir.Number(self.format.bits)))
                yield from (ir.Declare(code, given.unsigned), given.step, self._move(distance))
                yield _add(total, self._weight(code), value)
            case Way.WINDOW:
                yield from self._from_codes(self.i, total, value) if self.format.bits else plain
                yield next_one(self.source)
            case Way.BITMAP:
                yield self._refill(self.used, self.i, BYTE)
                inner: tuple[ir.Instruction, ...] = plain
                if self.format.bits:
                    inner = (*self._from_codes(self.found, total, value), next_one(self.found))
                is_used = ir.Binary("==", _masked(self.used, 1), ir.Number(1, "int16"), "bool")
                yield ir.Branch(is_used, inner)
                yield ir.Update(self.used, ir.Invoke("shifted", (self.used, ir.Number(1))))
                yield next_one(self.source)
            case _:
                assert_never(self.format.way)

    def _from_codes(
        self, number: ir.Variable, total: ir.Variable, value: ir.Element
    ) -> tuple[ir.Instruction, ...]:
        """Return the addition of a product whose weight is the code of this number."""
        return (
            self._refill(self.codes, number, BYTE // self.format.bits),
            _add(total, self._weight(self.codes), value),
            ir.Update(self.codes, ir.Invoke("shifted", (self.codes, ir.Number(self.format.bits)))),
        )

    def _refill(self, variable: ir.Variable, number: ir.Variable, each: int) -> ir.Instruction:
        """Return the reading of a byte before each of so many turns."""
        is_first = ir.Binary("==", _masked(number, each - 1), ir.Number(0, "int16"), "bool")
        given = self.lists.bytes
        return ir.Branch(is_first, (ir.Update(variable, given.unsigned), given.step))

    def _weight(self, codes: ir.Variable) -> ir.Expression:
        """Return the weight of a code."""
        own = self.format
        code = _masked(codes, (1 << own.bits) - 1)
        if own.book:
            return ir.Element(
                self.book, code, ir.narrowest(min(own.book), max(own.book), signed=True)
            )
        return ir.Binary("-", code, ir.Number(-own.least)) if own.least else code

    def _move(self, distance: ir.Expression) -> ir.Instruction:
        return ir.Update(self.source, ir.Binary("+", self.source, distance, "uint16"))


def _masked(variable: ir.Variable, mask: int) -> ir.Binary:
    return ir.Binary("&", variable, ir.Number(mask, "int16"), "int16")


def _add(total: ir.Variable, weight: ir.Expression, value: ir.Element) -> ir.Instruction:
    """Return the addition of a product to a sum."""
    return ir.Update(total, ir.Binary("+", total, ir.Binary("*", weight, value)))
