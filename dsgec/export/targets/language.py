"""What the templates of languages that compile flat statements see: Rust, Java, Go."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from dsgec.arithmetic.print_flat import FlatLanguage, print_flat
from dsgec.export.artefact import Artefact, SourceFile, TemplateView, functions_called, view
from dsgec.export.fixed.ir import FunctionTable
from dsgec.export.integers import INTEGERS, IntegerSyntax
from dsgec.export.statements import Syntax
from dsgec.export.targets.target import Files
from dsgec.literals import number_bits
from dsgec.rendering import Code, render
from dsgec.resources import template

_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class LanguageView:
    """An artefact in one language; `bits` is the pattern of a number's bits in a table.

    In fixed point `flat` and `integers` are what the network is printed with, and `syntax` is that
    of the raw numbers around it. A target without fixed point names neither `integers` nor
    `stored`.
    """

    artefact: Artefact
    flat: FlatLanguage
    syntax: Syntax
    integers: IntegerSyntax = INTEGERS
    stored: Mapping[int, str] = field(default_factory=dict)  # types of integers of 8 and 16 bits
    bits: str = "0x{}"
    between: str = ", "  # the bits
    numbers: str = ", "  # between other numbers

    def render(self, templates: Mapping[str, str]) -> Files:
        """The files of these names, `{}` being the artefact's, each printed by its template.

        One of fixed point can have a template of its own, in a folder `fixed`.
        """
        return tuple(
            SourceFile(
                file.format(self.artefact.name), render(self._template(name), m=self.m, v=self)
            )
            for file, name in templates.items()
        )

    def _template(self, name: str) -> str:
        own = name.replace("/", "/fixed/")
        return own if self.m.fixed and template(own).is_file() else name

    @cached_property
    def m(self) -> TemplateView:
        """What the templates of all targets see."""
        return view(self.artefact, self.syntax, self.integers)

    @cached_property
    def arithmetic(self) -> Code:
        names = functions_called(self.artefact, self.syntax)
        if self.m.fixed:
            names = {name for name in names if name in self._called}
            names |= {table.look for _, table in self.function_tables}
        return Code(print_flat(names, self.flat))

    @property
    def function_tables(self) -> list[tuple[int, FunctionTable]]:
        """Those that something reads, with their numbers."""
        found = enumerate(self.m.fixed.tables if self.m.fixed else ())
        return [(number, table) for number, table in found if f"look{number}" in self._called]

    @cached_property
    def _called(self) -> set[str]:
        """Names in the statements."""
        program = self.m.program
        values = [statement.value for part in program.parts for statement in part]
        return set(_NAME.findall(" ".join([*values, *program.outputs])))

    @property
    def real(self) -> Code:
        """The type of raw numbers, and of what is predicted."""
        return Code(self.syntax.real)

    @property
    def word(self) -> Code:
        """The type of the bits of a number."""
        return Code(self.flat.types["word"])

    @property
    def integer(self) -> Code:
        """The type of what a row of integers has."""
        assert self.m.fixed
        return Code(self.stored[self.m.fixed.bits])

    @property
    def element(self) -> Code:
        """The type of what the network reads."""
        return self.integer if self.m.fixed else self.real

    def look(self, table: FunctionTable) -> Code:
        """The function of the arithmetic that reads a table."""
        return Code(self.flat.spell(table.look))

    @property
    def threshold(self) -> Code:
        return Code(self.syntax.literal(self.m.threshold))

    @property
    def one(self) -> Code:
        return Code(self.syntax.literal(1.0))

    @property
    def required(self) -> Code:
        return self.listed(self.m.required)

    def listed(self, numbers: Iterable[int]) -> Code:
        """Integers of a table."""
        return Code(self.numbers.join(map(str, numbers)))

    @property
    def golden_rows(self) -> list[Code]:
        if self.m.fixed:
            return [self.listed(row) for row in self.m.fixed.golden_rows(self.m.golden)]
        return [self._row(row) for row in self.m.golden.rows]

    @property
    def golden_results(self) -> list[Code]:
        if self.m.fixed:
            return [self.listed(row) for row in self.m.fixed.golden_results(self.m.golden)]
        return [self._row(row) for row in self.m.golden.results]

    @property
    def golden_classes(self) -> Code:
        return self.listed(self.m.golden.classes)

    def _row(self, row: tuple[float, ...]) -> Code:
        dtype = self.artefact.dtype
        digits = 16 if dtype == "double" else 8
        words = (f"{number_bits(value, dtype):0{digits}x}" for value in row)
        return Code(self.between.join(map(self.bits.format, words)))
