"""Emit an artefact as C99: the module, its header, its self-test and a README."""

import re
import struct
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from dsgec.arithmetic.source import c_source, integer_source
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.lower_rows import block_procedure, softmax_of_rows
from dsgec.export.targets.c.fixed import emit_fixed
from dsgec.export.targets.c.names import CNames
from dsgec.export.view import TemplateView
from dsgec.literals import float_number, number, number_bits
from dsgec.network.decide import Decision, split_decision, split_values
from dsgec.program.ir import Program, Real, functions_called
from dsgec.program.print_c import CBlockPrinter, CPrinter
from dsgec.rendering import Code, render

_BLOCK_BYTES = 4 << 10  # on the stack, which is small on a board


@dataclass(frozen=True, slots=True)
class FloatType:
    """The syntax of C for double or single precision."""

    real: Real
    word: str
    format: str  # for struct
    largest: str

    def bits(self, value: float) -> Code:
        """Return the literal of the bits of a number; all NaNs have the same bits."""
        digits = struct.calcsize(self.format) * 2
        return Code(f"UINT{digits * 4}_C(0x{number_bits(value, self.real):0{digits}x})")

    def literal(self, value: float) -> Code:
        return Code(number(value) if self.real == "double" else float_number(value))


TYPES = {
    "double": FloatType("double", "uint64_t", ">d", "DBL_MAX"),
    "float": FloatType("float", "uint32_t", ">f", "FLT_MAX"),
}


@dataclass(frozen=True)
class CView(CNames):
    """The view of an artefact in floating point for the templates of C."""

    type: FloatType
    decided: Decision
    program: Program

    @property
    def real(self) -> Code:
        """Return the C type of its floats: `double` or `float`."""
        return Code(self.type.real)

    value = real  # of a physical value

    @property
    def number(self) -> Code:
        """Return the type of a value of a row."""
        return Code(f"{self.m.prefix}_real")

    result = number

    @cached_property
    def network(self) -> Code:
        """Return the functions that compute a row."""
        return Code(CPrinter(self.program, self.m.prefix).print().rstrip("\n"))

    @cached_property
    def rows(self) -> Code:
        """Return the functions that compute a block of rows."""
        places = [self.place(output) for output in range(self.m.outputs)]
        procedure = block_procedure(
            self.decided.network, self.type.real, self.m.used, places, self.m.results
        )
        printer = CBlockPrinter(self.m.prefix)
        procedures = [] if self.is_plain or self.is_packed else [procedure]
        if self.decided.finish == "softmax" and not self.is_lone:
            procedures.append(softmax_of_rows(self.m.outputs, self.type.real))
        return Code("".join("\n".join(printer.procedure(p)) + "\n\n" for p in procedures))

    @cached_property
    def slots(self) -> int:
        """Return how many arrays of a block there are, for columns and kept values."""
        return len(set(re.findall(r"^    \w+ ([cv]\d+)\[", self.rows, re.MULTILINE)))

    @property
    def finish(self) -> Code:
        """Return the name of the last step, which the choice of a class does not need."""
        return Code(self.decided.finish)

    @property
    def is_lone(self) -> bool:
        """Return whether the only output is the probability of the second of two classes."""
        return self.m.class_count == 2 and self.m.outputs == 1

    def place(self, output: int) -> int:
        """Return the index of an output in the results of a row."""
        return self.m.results - self.m.outputs + output

    @property
    def limit(self) -> Code | None:
        """Return the value that the last output must reach for the second of two classes."""
        limit = self.decided.limit
        return None if limit is None else self.type.literal(limit)

    @property
    def why(self) -> Code:
        """Return a comment on the limit."""
        if self.decided.finish == "sig":
            return Code("The least sum whose sigmoid reaches the threshold decides.")
        return Code("The second class is chosen where its output reaches this.")

    @property
    def is_plain(self) -> bool:
        """Return whether nothing is computed."""
        return len(self.program.procedures[-1].body) == self.m.outputs

    @property
    def is_packed(self) -> bool:
        """Return whether tables and a loop compute a row."""
        return bool(self.program.tables)

    @property
    def has_flash(self) -> bool:
        """Return whether tables are where an AVR has its program.

        Then all are: gcc makes one of two tables with the same bytes, wherever each is to be.
        """
        return self.is_packed or self.stream is not None

    @property
    def row_bytes(self) -> int:
        """Return the stack bytes per row of a block: columns, slots and probabilities."""
        words = self.slots + self.m.class_count
        return words * struct.calcsize(self.type.format)

    @property
    def block(self) -> int:
        """Return the rows per block: whole vectors, if they fit on the stack."""
        fitting = min(64, _BLOCK_BYTES // max(self.row_bytes, 1))
        return max(fitting // 8 * 8 or fitting, 1)

    @property
    def block_bytes(self) -> int:
        return self.block * self.row_bytes

    @property
    def word(self) -> Code:
        return Code(self.type.word)

    @property
    def largest(self) -> Code:
        return Code(self.type.largest)

    @property
    def zero(self) -> Code:
        return self.type.literal(0.0)

    @property
    def one(self) -> Code:
        return self.type.literal(1.0)

    @property
    def nan(self) -> Code:
        return self.type.bits(float("nan"))

    @property
    def infinity(self) -> Code:
        return self.type.bits(float("inf"))

    @property
    def magnitude(self) -> Code:
        """Return the mask of all bits but the sign."""
        return Code(f"{self.infinity[:8]}(0x7f{'ff' * (struct.calcsize(self.type.format) - 1)})")

    @property
    def golden_rows(self) -> list[Code]:
        return [self._bits(row or (0.0,)) for row in self.m.golden.rows]

    @property
    def golden_results(self) -> list[Code]:
        return [self._bits(row) for row in self.m.golden.results]

    @property
    def window_results(self) -> list[Code]:
        """Return the results of the windows of a stream."""
        return [self._bits(row) for row in self.m.stream.recording.results] if self.m.stream else []

    @property
    def golden_has_nan(self) -> bool:
        windows = self.m.stream.recording.results if self.m.stream else ()
        return any(value != value for row in (*self.m.golden.results, *windows) for value in row)

    def _bits(self, row: tuple[float, ...]) -> Code:
        return Code(", ".join(map(self.type.bits, row)))


def emit_c(artefact: Artefact) -> tuple[SourceFile, ...]:
    """Return `name.h`, `name.c`, `name_selftest.c` and `name_README.md`."""
    if artefact.number_format.fixed:
        return tuple(emit_fixed(artefact))
    name, c = artefact.name, _view(artefact)
    return (
        *_module(artefact, c),
        SourceFile(f"{name}_selftest.c", render("c/selftest.c.j2", m=c.m, c=c)),
        SourceFile(f"{name}_README.md", render("c/README.md.j2", m=c.m, c=c)),
    )


def emit_module(artefact: Artefact) -> tuple[SourceFile, ...]:
    """Return only `name.h` and `name.c`, for which no self-test has to be found."""
    if artefact.number_format.fixed:
        return tuple(islice(emit_fixed(artefact), 2))
    return _module(artefact, _view(artefact))


def _module(artefact: Artefact, c: CView) -> tuple[SourceFile, ...]:
    """Return `name.h` and `name.c`."""
    name, m = artefact.name, c.m
    functions = functions_called(c.program)
    functions |= {c.decided.finish} - {""}
    functions |= {"bits"} if m.required or m.classes else set()
    functions |= {"from_bits"} if m.required else set()
    more = integer_source("c", c.stream.functions, guarded=False) if c.stream else ""
    arithmetic = Code(c_source(functions, artefact.dtype) + more)
    return (
        SourceFile(f"{name}.h", render("c/module.h.j2", m=m, c=c)),
        SourceFile(f"{name}.c", render("c/module.c.j2", m=m, c=c, arithmetic=arithmetic)),
    )


def _view(artefact: Artefact) -> CView:
    kind = TYPES[artefact.dtype]
    model, network = artefact.model, artefact.network
    decided = (
        split_decision(network, model.threshold, artefact.dtype)
        if model.is_classifier
        else split_values(network)
    )
    return CView(TemplateView(artefact), kind, decided, artefact.program_of(decided.network))
