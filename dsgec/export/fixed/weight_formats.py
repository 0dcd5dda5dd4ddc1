"""The formats of tables with the weights of neurons, and the bytes that they take."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import assert_never

Row = list[tuple[int, int]]
"""The sources of a neuron with their weights, in ascending order of the sources."""

BYTE = 8  # bits
MOST_BYTE = 255
_WORD = 2  # bytes
_CODES = (2, 4)  # bits of a code
_LONGEST_BOOK = 16
_BOOK_BYTES = 4  # of code that reads a weight from a list
_CODE_BYTES = 10  # of code that takes codes from a byte
_CYCLES = 25  # that are worth a byte of flash, on a Cortex-M0+
_CODE_CYCLES, _USED_CYCLES = 6, 11  # to read a code, and to use a weight of a bitmap
_VARYING_CYCLES = 2  # of a turn, if not all neurons take as many


class Way(Enum):
    """A way to encode the sources that a neuron reads; bytes of code and cycles of a turn, about.

    `LISTED` has each source before its weight, `RELATIVE` its distance from the source before. A
    `WINDOW` has a weight for each source from the first to the last, some of them 0, a `BITMAP`
    a bit for each of these sources and only the weights that are not 0. A `GAP` is a byte with
    the distance and the code of a weight.
    """

    LISTED = 4, 15
    RELATIVE = 6, 17
    WINDOW = 0, 13
    BITMAP = 22, 14
    GAP = 8, 18


@dataclass(frozen=True, slots=True)
class WeightFormat:
    """The format in which the weights of some neurons are stored.

    A weight is a number of its own or, if it has `bits`, a code of so many bits: of `least` + code
    or, if there is a `book`, of the weight at this place in it. Windows that are `alike` all begin
    and end with the same sources.
    """

    way: Way
    bits: int = 0
    least: int = 0
    book: tuple[int, ...] = ()
    alike: bool = False

    @property
    def has_window(self) -> bool:
        """Return whether a neuron has a first source, from which it reads one after the other."""
        return self.way in (Way.WINDOW, Way.BITMAP)

    @property
    def code_bytes(self) -> int:
        """Return how many bytes the loop takes more than that of a window of numbers, about."""
        packs = self.bits > 0 and self.way != Way.GAP
        return self.way.value[0] + _CODE_BYTES * packs + _BOOK_BYTES * bool(self.book)

    def code(self, weight: int) -> int:
        """Return the code of a weight."""
        return self.book.index(weight) if self.book else weight - self.least

    def has(self, weights: Sequence[int]) -> bool:
        """Return whether each of some weights has a code."""
        if not self.bits or not weights:
            return True
        if self.book:
            return {*weights} <= {*self.book}
        return min(weights) >= self.least and max(weights) - self.least < 1 << self.bits


@dataclass(frozen=True)
class WeightGroup:
    """Consecutive neurons whose weights have one format.

    A neuron's row has a term for each turn of its loop: its sources or the distances between them,
    with weights of 0 where there is none.
    """

    format: WeightFormat
    rows: tuple[Row, ...]

    @classmethod
    def make(
        cls, format_: WeightFormat, rows: Sequence[Row], split: int = 0
    ) -> "WeightGroup | None":
        """Return neurons in a format, or None if it has not all of their weights.

        Windows that are alike are those of the first `split` neurons, and those of the others.
        """
        wide = [*_align_rows(rows[:split]), *_align_rows(rows[split:])] if format_.alike else rows
        group = cls(format_, tuple(_arrange_terms(format_, row) for row in wide))
        return group if format_.has(group.stored) else None

    @cached_property
    def counts(self) -> list[int]:
        """Return how many turns the loop of each neuron takes."""
        return [*map(len, self.rows)]

    @cached_property
    def firsts(self) -> list[int]:
        """Return the first source of each neuron that has a window."""
        return [row[0][0] if row else 0 for row in self.rows if self.format.has_window]

    @cached_property
    def stored(self) -> list[int]:
        """Return the weights to store, row by row; a bitmap leaves out those that are 0."""
        is_bitmap = self.format.way == Way.BITMAP
        return [weight for row in self.rows for _, weight in row if weight or not is_bitmap]

    @cached_property
    def numbers(self) -> list[int]:
        """Return the weights that are stored as numbers of their own."""
        return [] if self.format.bits else self.stored

    @cached_property
    def elements(self) -> list[list[int]]:
        """Return the bytes that each neuron has besides weights that are numbers of their own."""
        return [[*self._elements(row)] for row in self.rows]

    def _elements(self, row: Row) -> Iterator[int]:
        own = self.format
        match own.way:
            case Way.LISTED | Way.RELATIVE:
                yield from (place for place, _ in row)
            case Way.GAP:
                yield from (place << own.bits | own.code(weight) for place, weight in row)
            case Way.WINDOW:
                if own.bits:
                    yield from _in_bytes([own.code(weight) for _, weight in row], own.bits)
            case Way.BITMAP:
                yield from self._bitmap(row)
            case _:
                assert_never(own.way)

    def _bitmap(self, row: Row) -> Iterator[int]:
        """Yield a bitmap before each eight sources, and codes where the loop needs them."""
        own, found = self.format, 0
        codes = [own.code(weight) for _, weight in row if weight and own.bits]
        packed = _in_bytes(codes, own.bits) if own.bits else []
        for start in range(0, len(row), BYTE):
            used = [weight != 0 for _, weight in row[start : start + BYTE]]
            yield sum(bit << at for at, bit in enumerate(used))
            later = found + sum(used)
            if own.bits:
                yield from packed[_bytes_of(found, own.bits) : _bytes_of(later, own.bits)]
            found = later

    @cached_property
    def size(self) -> float:
        """Return the bytes of its tables and its code, and what its cycles are worth in bytes."""
        size: float = sum(map(len, self.elements)) + len(self.format.book)
        words = any(not -128 <= weight < 128 for weight in self.numbers)
        size += len(self.numbers) * (_WORD if words else 1) + self.format.code_bytes
        return size + self.cycles / _CYCLES

    @property
    def cycles(self) -> int:
        """Return how many cycles the loops take for a row, about."""
        own, used = self.format, len(self.stored)
        turns = own.way.value[1] * sum(self.counts) + _CODE_CYCLES * used * bool(own.bits)
        turns += _VARYING_CYCLES * sum(self.counts) * (len({*self.counts}) > 1)
        return turns + _USED_CYCLES * used * (own.way == Way.BITMAP)


def _bytes_of(count: int, bits: int) -> int:
    return -(-count * bits // BYTE)


def _in_bytes(codes: Sequence[int], bits: int) -> list[int]:
    """Return codes of so many bits as bytes, the first ones in the lowest bits."""
    each = BYTE // bits
    return [
        sum(code << bits * at for at, code in enumerate(codes[start : start + each]))
        for start in range(0, len(codes), each)
    ]


def _align_rows(rows: Sequence[Row]) -> list[Row]:
    """Return rows that begin and end with the same sources, with weights of 0 if need be."""
    read = [source for row in rows for source, _ in row]
    ends = {min(read): 0, max(read): 0} if read else {}
    return [sorted((ends | dict(row)).items()) for row in rows]


def _arrange_terms(format_: WeightFormat, row: Row) -> Row:
    """Return the terms of a neuron as its loop takes them."""
    match format_.way:
        case Way.LISTED:
            return row
        case Way.RELATIVE | Way.GAP:
            return _distances(row, MOST_BYTE >> format_.bits)
        case Way.WINDOW | Way.BITMAP:
            weights, ends = dict(row), [source for source, _ in row]
            inside = range(min(ends), max(ends) + 1) if ends else ()
            return [(source, weights.get(source, 0)) for source in inside]
        case _:
            assert_never(format_.way)


def _distances(row: Row, longest: int) -> Row:
    """Return the distances between sources; a long one takes several steps of the weight 0."""
    found: Row = []
    at = 0
    for source, weight in row:
        while source - at > longest:
            found.append((longest, 0))
            at += longest
        found.append((source - at, weight))
        at = source
    return found


def possible_groups(
    rows: Sequence[Row], split: int = 0, *, alike: bool = False
) -> list[WeightGroup]:
    """Return neurons in all formats that have their weights.

    The first `split` ones may have other windows than the others; all may be `alike`, if the
    sources between those that neurons read are known before.
    """
    most = max((source for row in rows for source, _ in row), default=0)
    formats = [
        WeightFormat(Way.RELATIVE if most > MOST_BYTE else Way.LISTED),
        WeightFormat(Way.WINDOW),
    ]
    formats.append(WeightFormat(Way.BITMAP))
    weights = sorted({0, *(weight for row in rows for _, weight in row)})
    for way in (Way.WINDOW, Way.BITMAP, Way.GAP):
        formats += _coded(way, weights)
    if alike:
        formats += [replace(format_, alike=True) for format_ in formats if format_.has_window]
    made = (WeightGroup.make(format_, rows, split) for format_ in formats)
    return [group for group in made if group is not None]


def _coded(way: Way, weights: Sequence[int]) -> Iterator[WeightFormat]:
    """Yield the formats with codes; a gap has the more bits, the fewer those of a weight are."""
    chosen = weights if way != Way.BITMAP else [weight for weight in weights if weight]
    if not chosen:
        return
    for bits in _CODES:
        if chosen[-1] - chosen[0] < 1 << bits:
            yield WeightFormat(way, bits, chosen[0])
    if len(chosen) <= _LONGEST_BOOK:
        yield WeightFormat(way, 2 if len(chosen) <= 4 else 4, 0, tuple(chosen))
