"""Emit an artefact in fixed point as C99: the module, its header, its self-test and a README.

The weights of longer sums are in tables that one function reads, because that takes a third of the
flash that one statement per product takes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from dsgec.arithmetic.source import integer_source
from dsgec.export.artefact import PACKED, Artefact, SourceFile
from dsgec.export.fixed.forest_cost import can_pack
from dsgec.export.fixed.lower import (
    decides_by_trees,
    forest_program,
    program_of_sums,
    row_parameter,
)
from dsgec.export.fixed.packed import PackedNetwork
from dsgec.export.fixed.packed_entry import steps_after
from dsgec.export.targets.c.names import CNames
from dsgec.export.view import FixedView, TemplateView
from dsgec.program.ir import Program
from dsgec.program.print_c import CPrinter
from dsgec.rendering import Code, render

_FUNCTION = re.compile(r"\bdsgec_(\w+)\(")


@dataclass(frozen=True)
class FixedCView(CNames):
    """The view of an artefact in fixed point for the templates of C."""

    fixed: FixedView
    flat: Program | None = None
    packed: PackedNetwork | None = None

    @property
    def network(self) -> Code:
        """Return the tables and procedures of the flat layout."""
        assert self.flat
        return Code(CPrinter(self.flat, self.m.prefix).print().rstrip("\n"))

    @property
    def refuses(self) -> bool:
        """Return whether loading the columns finds out that a value is missing."""
        return self.packed is not None and self.packed.refuses

    @property
    def packed_source(self) -> Code:
        """Return the tables and procedures of the packed layout."""
        assert self.packed
        return Code(CPrinter(self.packed.program, self.m.prefix, is_inlined=True).print())

    @property
    def about_sums(self) -> Code:
        """Return a comment on the values that the packed layout computes."""
        assert self.packed
        about = (
            "Computes what decides between the classes, and returns the class"
            if self.packed.decides
            else "Computes the values that the outputs are made of"
        )
        if not self.refuses:
            return Code(f"{about}.")
        missing = "-1 if a value is missing"
        return Code(
            f"{about} or {missing}." if self.packed.decides else f"{about}. Returns {missing}."
        )

    @property
    def sums_result(self) -> Code:
        """Return the type of what the function of the packed sums returns."""
        assert self.packed
        return Code("int" if self.packed.decides or self.refuses else "void")

    @cached_property
    def after(self) -> Program:
        """Return the program that computes the results from the packed sums."""
        assert self.packed
        return steps_after(self.fixed.program, self.packed)

    @property
    def after_arguments(self) -> Code:
        """Return the arguments of its entry."""
        return Code(", ".join(array.name for array in self.after.entry.arrays))

    @cached_property
    def rest(self) -> Code:
        """Return the code that computes the results from the packed sums."""
        assert self.packed
        program = self.after
        tables = {table.name for table in self.packed.program.tables}
        printer = CPrinter(program, self.m.prefix)
        shared = [*program.tables, *self.packed.program.tables]
        printer.tables = {table.name: table for table in shared}
        lines = [[*printer.table(t)] for t in program.tables if t.name not in tables]
        lines += [[*printer.procedure(procedure)] for procedure in program.procedures]
        return Code("\n\n".join("\n".join(each) for each in lines))

    @property
    def sum_type(self) -> Code:
        """Return the type of the sums that decide: a single one can have more than 16 bits."""
        if self.packed:
            return Code(f"{self.packed.sums.type}_t" if self.sums else "int16_t")
        return Code("int32_t" if self.limit is not None else "int16_t")

    @property
    def sums(self) -> int:
        """Return how many sums decide, if the results are computed from these only, or 0."""
        if self.packed:
            return self.packed.sums.size if self.packed.decides else 0
        assert self.flat
        found = [procedure for procedure in self.flat.procedures if procedure.name == "sums"]
        return len(self.fixed.program.sums) if found else 0

    @property
    def decides(self) -> bool:
        """Return whether a function of its own finds the class by the sums of trees."""
        return decides_by_trees(self.fixed.program)

    @property
    def limit(self) -> int | None:
        return self.fixed.program.limit

    @property
    def number(self) -> Code:
        """Return the type of columns, weights and stored values."""
        return Code(f"int{self.fixed.bits}_t")

    @property
    def result(self) -> Code:
        """Return the type of a result."""
        return Code("int16_t")

    @property
    def value(self) -> Code:
        """Return the type of a physical value."""
        return Code("double")

    @property
    def index(self) -> Code:
        return Code(f"uint{self.index_bits}_t")

    def macro_number(self, value: int) -> Code:
        """Return a number for a macro: in parentheses if negative."""
        return Code(f"({value})" if value < 0 else str(value))

    @cached_property
    def golden_rows(self) -> list[Code]:
        return [_line(row or [0]) for row in self.fixed.golden_rows(self.m.golden)]

    @cached_property
    def golden_results(self) -> list[Code]:
        return list(map(_line, self.fixed.golden_results(self.m.golden.results)))

    @property
    def window_results(self) -> list[Code]:
        """Return the results of the windows of a stream."""
        rows = self.m.stream.recording.results if self.m.stream else ()
        return list(map(_line, self.fixed.golden_results(rows)))


def fixed_view(artefact: Artefact) -> tuple[FixedCView, Code]:
    """Return the view of an artefact in fixed point, and the arithmetic that it needs."""
    fixed = artefact.number_format.fixed
    assert fixed
    m = TemplateView(artefact)
    assert m.fixed
    if fixed.program.forest is not None:
        packs = artefact.layout == PACKED
        packs = packs and can_pack(fixed.program.forest, row_parameter(fixed.program).type)
        flat = forest_program(fixed.program, packed=packs, finds_class=True)
    else:
        flat = program_of_sums(fixed.program)
    network = CPrinter(flat, artefact.name).print()
    return _with_arithmetic(FixedCView(m, m.fixed, flat), network)


def packed_view(artefact: Artefact, packed: PackedNetwork) -> tuple[FixedCView, Code]:
    """Return the view of an artefact in the packed layout, and the arithmetic that it needs."""
    m = TemplateView(artefact)
    assert m.fixed
    view = FixedCView(m, m.fixed, packed=packed)
    return _with_arithmetic(view, f"{view.packed_source}{view.rest}")


def _with_arithmetic(view: FixedCView, text: str) -> tuple[FixedCView, Code]:
    """Return a view, and the arithmetic that its text and its stream need."""
    functions = {*_FUNCTION.findall(text)} | (view.stream.functions if view.stream else set())
    return view, Code(integer_source("c", functions))


def emit_fixed(artefact: Artefact) -> Iterator[SourceFile]:
    """Yield `name.h`, `name.c`, `name_selftest.c` and `name_README.md`, each rendered on demand."""
    packed, name = artefact.packed, artefact.name
    c, arithmetic = packed_view(artefact, packed) if packed else fixed_view(artefact)
    files = (
        (f"{name}.h", "module.h"),
        (f"{name}.c", "module.c"),
        (f"{name}_selftest.c", "selftest.c"),
        (f"{name}_README.md", "README.md"),
    )
    for file, template in files:
        path = f"c/fixed/{template}.j2"
        yield SourceFile(file, render(path, m=c.m, c=c, arithmetic=arithmetic))


def _line(numbers: list[int]) -> Code:
    return Code(", ".join(map(str, numbers)))
