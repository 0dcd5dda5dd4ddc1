"""Emit an artefact in fixed point as C99: the module, its header, its self-test and a README.

The weights of longer sums are in tables that one function reads, because that takes a third of the
flash that one statement per product takes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from dsgec.arithmetic.source import integer_source, short_integer_source
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.fixed import ir
from dsgec.export.fixed.cost import reads_table, terms_by_source
from dsgec.export.fixed.ir import is_separate, steps_read
from dsgec.export.fixed.packed import PackedNetwork
from dsgec.export.integers import IntegerSyntax, IntegerWriter, integer_functions
from dsgec.export.statements import FlatProgram, Statement
from dsgec.export.targets.c.names import CNames
from dsgec.export.view import FixedView, TemplateView
from dsgec.program.print_c import SHORT, CPrinter
from dsgec.rendering import Code, render

_LINE = 14  # numbers per line of a table
_FUNCTION = re.compile(r"\bdsgec_(\w+)\(")


def _syntax(prefix: str) -> IntegerSyntax:
    return IntegerSyntax(
        call="dsgec_{}",
        look=f"{prefix}_look{{}}({{}})",
        shift="dsgec_shift({}, {})",
        number="(int32_t){}",  # an int may have 16 bits
    )


class CWriter(IntegerWriter):
    """Writes longer sums as calls; the steps that they read are kept in an array `v`."""

    def __init__(self, source: ir.IntegerProgram, prefix: str) -> None:
        super().__init__(source, _syntax(prefix))
        self.prefix = prefix
        self.sources: list[int] = []
        self.weights: list[int] = []
        self.kept: dict[int, int] = {}
        for step in source.steps:
            for slot, _ in terms_by_source(step)[1] if reads_table(step) else ():
                self.kept.setdefault(slot.number, len(self.kept))

    def step(self, position: int, step: ir.Step) -> None:
        super().step(position, step)
        if position in self.kept:
            name = f"v[{self.kept[position]}]"
            self.statements.append(Statement(Code(name), Code(self.slots[position])))

    def sum(self, step: ir.Sum) -> str:
        if not reads_table(step):
            return super().sum(step)
        total = self.language.number.format(step.bias)
        columns, slots = terms_by_source(step)
        total += self.read_sum("x", [(column.number, weight) for column, weight in columns])
        total += self.read_sum("v", [(self.kept[slot.number], weight) for slot, weight in slots])
        return self.language.shift.format(total, step.shift) if step.shift else total

    def read_sum(self, array: str, terms: Sequence[tuple[int, int]]) -> str:
        """Add indices of an array and their weights to the tables, and return the call for them."""
        if not terms:
            return ""
        call = f" + {self.prefix}_sum({array}, {len(self.weights)}, {len(terms)})"
        for place, weight in terms:
            self.sources.append(place)
            self.weights.append(weight)
        return call


@dataclass(frozen=True)
class FixedCView(CNames):
    """The view of an artefact in fixed point for the templates of C."""

    writer: CWriter
    fixed: FixedView
    rest: FlatProgram | None = None
    packed: PackedNetwork | None = None

    @property
    def refuses(self) -> bool:
        """Return whether loading the columns finds out that a value is missing."""
        return self.packed is not None and self.packed.refuses

    @property
    def packed_source(self) -> Code:
        """Return the tables and procedures of the packed layout."""
        assert self.packed
        return Code(CPrinter(self.packed.program, self.m.prefix).print())

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

    @property
    def later_tables(self) -> list[tuple[int, ir.FunctionTable, bool]]:
        """Return the tables read after the packed neurons, and whether these do not read them."""
        assert self.packed
        steps = self.fixed.program.steps
        later = {s.table for n in self.packed.after if isinstance(s := steps[n], ir.Look)}
        own = {table.name for table in self.packed.program.tables}
        return [(n, self.fixed.tables[n], f"table{n}" not in own) for n in sorted(later)]

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
        return len(self.fixed.program.sums) if self.rest else 0

    @property
    def limit(self) -> int | None:
        return self.fixed.program.limit

    @property
    def number(self) -> Code:
        """Return the type of columns, weights and stored values."""
        return Code(f"int{self.fixed.bits}_t")

    @property
    def kept(self) -> int:
        return len(self.writer.kept)

    @property
    def source_bits(self) -> int:
        return 8 if max(self.writer.sources, default=0) < 256 else 16

    @property
    def source(self) -> Code:
        return Code(f"uint{self.source_bits}_t")

    @property
    def sources(self) -> list[Code]:
        return _lines(self.writer.sources)

    @property
    def weights(self) -> list[Code]:
        return _lines(self.writer.weights)

    @property
    def index_bits(self) -> int:
        return 8 if self.m.inputs <= 256 else 16

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
        return list(map(_line, self.fixed.golden_results(self.m.golden)))


def fixed_view(artefact: Artefact) -> tuple[FixedCView, Code]:
    """Return the view of an artefact in fixed point, and the arithmetic that it needs."""
    fixed = artefact.number_format.fixed
    assert fixed
    writer = CWriter(fixed.program, artefact.name)
    first, rest = _parts(fixed.program, writer)
    m = TemplateView(artefact, first)
    assert m.fixed
    parts = [*first.parts, *(rest.parts if rest else ())]
    shifts = any("dsgec_shift(" in statement.value for part in parts for statement in part)
    functions = integer_functions(fixed.program) | ({"shift"} if shifts else set())
    return FixedCView(m, writer, m.fixed, rest), Code(integer_source("c", functions))


def packed_view(artefact: Artefact, packed: PackedNetwork) -> tuple[FixedCView, Code]:
    """Return the view of an artefact in the packed layout, and the arithmetic that it needs."""
    fixed = artefact.number_format.fixed
    assert fixed
    writer = IntegerWriter(fixed.program, _syntax(artefact.name))
    for index, operand in enumerate(packed.shown):
        if isinstance(operand, ir.Slot):
            writer.slots[operand.number] = f"s[{index}]"
    for position in packed.after:
        writer.step(position, fixed.program.steps[position])
    m = TemplateView(artefact, writer.program())
    assert m.fixed
    view = FixedCView(m, CWriter(fixed.program, artefact.name), m.fixed, writer.program(), packed)
    looks = [f"dsgec_{table.look}(" for _, table, _ in view.later_tables]
    values = [statement.value for statement in writer.statements]
    functions = {*_FUNCTION.findall(" ".join([view.packed_source, *values, *looks]))}
    short = {name for name in functions if name.startswith(SHORT)}
    text = integer_source("c", functions - short)
    if short:
        macro = artefact.name.upper()
        text += f"\n#define DSGEC_READ_8(table, i) ((int8_t){macro}_READ_8(&(table)[i]))\n"
        text += short_integer_source(name.removeprefix(SHORT) for name in short)
    return view, Code(text)


def _parts(program: ir.IntegerProgram, writer: CWriter) -> tuple[FlatProgram, FlatProgram | None]:
    """Return the statements of the sums and those after them, or all and None if not separable."""
    before = steps_read(program, program.sums)
    after = [number for number in range(len(program.steps)) if number not in before]
    is_cut = (
        not writer.array
        and is_separate(program)
        and not any(reads_table(program.steps[number]) for number in after)
    )
    for position in sorted(before) if is_cut else range(len(program.steps)):
        writer.step(position, program.steps[position])
    if not is_cut:
        return writer.program(), None
    sums = writer.program(program.sums)
    writer.statements.clear()
    for index, operand in enumerate(program.sums):
        if isinstance(operand, ir.Slot):
            writer.slots[operand.number] = f"s[{index}]"
    for position in after:
        writer.step(position, program.steps[position])
    return sums, writer.program()


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


def _lines(numbers: list[int]) -> list[Code]:
    return [_line(numbers[start : start + _LINE]) for start in range(0, len(numbers), _LINE)]


def _line(numbers: list[int]) -> Code:
    return Code(", ".join(map(str, numbers)))
