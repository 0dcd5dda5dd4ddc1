"""The view of a stream for the templates of C: a struct of fixed size, and functions on it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from dsgec.export.streams.narrow import narrowed
from dsgec.export.streams.view import StreamView
from dsgec.literals import float_number, number
from dsgec.program.ir import Type
from dsgec.program.print_c import CPrinter
from dsgec.rendering import Code

_FUNCTION = re.compile(r"\bdsgec_(\w+)\(")


@dataclass(frozen=True, slots=True)
class StructMember:
    """An array in a struct: its type in C, its name, its size, and the bytes of an element."""

    type: Code
    name: str
    size: int
    width: int

    @property
    def bytes(self) -> int:
        return self.size * self.width


@dataclass(frozen=True)
class CStream:
    """A stream in C. A struct ends in padding, so that it has one size on all machines."""

    stream: StreamView
    prefix: str
    has_rows: bool = True  # of integers, in fixed point

    @cached_property
    def printed(self) -> Code:
        """Return the tables and the procedures of the stream."""
        own = self.stream.program if self.has_rows else self.stream.program_of_features
        own = narrowed(own, self.stream.window)
        text = CPrinter(own, self.prefix).print().rstrip("\n")
        # The network may have this type, too, and C99 has no second definition of one.
        return Code(text.replace(f"{self.prefix}_int24", f"{self.prefix}_stream_int24"))

    @property
    def functions(self) -> set[str]:
        """Return the functions of the arithmetic that it calls."""
        return {*_FUNCTION.findall(self.printed)}

    @cached_property
    def state(self) -> tuple[StructMember, ...]:
        """Return the members of the state of a window."""
        arrays = self.stream.state
        members = [_member(a.type, a.name, a.size) for a in arrays if a.size]
        return _padded(members or [_member("uint8", "nothing", 1)])

    @cached_property
    def members(self) -> tuple[StructMember, ...]:
        """Return the members of a stream, those of the widest elements first."""
        overlap = self.stream.overlap
        window = sum(member.bytes for member in self.state)
        states = StructMember(Code(f"{self.prefix}_window"), "windows", overlap, window)
        counts = _member(self.stream.count_type, "counts", overlap)
        found = [states, counts]
        if self.alignment < counts.width:
            found.reverse()
        if overlap > 1:
            found.append(_member("uint8" if overlap <= 256 else "uint16", "complete", 1))
        if found[-1].width == 2 and counts.width == 1:
            found.reverse()
        if self.stream.votes:
            found.append(_member("int8", "votes", self.stream.votes))
        return _padded(found, max(self.alignment, counts.width))

    @property
    def alignment(self) -> int:
        """Return the bytes of the widest element of the state of a window."""
        return max(member.width for member in self.state)

    @property
    def bytes(self) -> int:
        """Return the bytes of RAM of a stream."""
        return sum(member.bytes for member in self.members)

    @property
    def arguments(self) -> Code:
        """Return the arrays of a state `w` as arguments."""
        return Code("".join(f", w->{name}" for name in self.names))

    @property
    def features_arguments(self) -> Code:
        """Return the arrays of a state `w` as arguments in front of another one."""
        return Code("".join(f"w->{name}, " for name in self.names))

    @property
    def names(self) -> list[str]:
        """Return the names of the arrays of a state, in the order of parameters."""
        return [array.name for array in self.stream.arrays]

    @property
    def formats(self) -> list[tuple[Code, int]]:
        """Return the literal of the factor of each channel, and its zero."""
        return [(self._real(factor), zero) for factor, zero in self.stream.formats]

    @property
    def half(self) -> Code:
        return self._real(0.5)

    @property
    def least(self) -> Code:
        return self._real(-self.stream.widest)

    @property
    def most(self) -> Code:
        return self._real(self.stream.widest)

    @property
    def stored(self) -> list[Code]:
        return list(map(_line, self.stream.recording.stored))

    @property
    def windows(self) -> list[Code]:
        """Return the features of the windows of the self-test."""
        return [_line(row or (0,)) for row in self.stream.recording.features]

    @property
    def ends(self) -> Code:
        return _line(self.stream.recording.ends)

    def _real(self, value: float) -> Code:
        literal = float_number if self.stream.artefact.dtype == "float" else number
        return Code(literal(value))


def _line(numbers: Iterable[int]) -> Code:
    return Code(", ".join(map(str, numbers)))


def _member(type_: Type, name: str, size: int) -> StructMember:
    width = {"int32": 4, "int16": 2, "uint16": 2}.get(type_, 1)
    return StructMember(Code(f"{type_}_t"), name, size, width)


def _padded(members: list[StructMember], alignment: int = 0) -> tuple[StructMember, ...]:
    """Return members with padding behind them, as all compilers would add it."""
    alignment = alignment or max(member.width for member in members)
    rest = -sum(member.bytes for member in members) % alignment
    return (*members, _member("uint8", "padding", rest)) if rest else tuple(members)
