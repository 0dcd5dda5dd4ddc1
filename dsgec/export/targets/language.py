"""The view of an artefact for templates of languages of flat statements: Rust, Java, Go."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from dsgec.arithmetic.print_flat import FlatLanguage, print_flat
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.fixed.ir import STORED_BITS, FunctionTable
from dsgec.export.integers import INTEGERS, IntegerSyntax
from dsgec.export.statements import Syntax
from dsgec.export.targets.target import Files
from dsgec.export.view import TemplateView, functions_called, view
from dsgec.literals import number_bits
from dsgec.rendering import Code, render
from dsgec.resources import template

_NAME = re.compile(r"[A-Za-z_]\w*")

Value = TypeVar("Value")


def by_dtype(double: Value, single: Value, fixed: Value) -> dict[str, Value]:
    """Return what a language uses for each dtype of an artefact."""
    return {"double": double, "float": single, **dict.fromkeys(STORED_BITS, fixed)}


def handwritten(*files: str) -> dict[str, str]:
    """Return functions that a language has by hand: `softmax` from the file `go/softmax.go`."""
    names = (re.split(r"[/.]", file)[1] for file in files)
    return {
        name: template(file).read_text(encoding="utf-8")
        for name, file in zip(names, files, strict=True)
    }


@dataclass(frozen=True)
class LanguageView:
    """An artefact in one language.

    In fixed point the network is printed with `flat` and `integers`, and `syntax` is for the raw
    values around it. A target without fixed point leaves `integers` and `stored` out.
    """

    artefact: Artefact
    flat: FlatLanguage
    syntax: Syntax
    integers: IntegerSyntax = INTEGERS
    stored: Mapping[int, str] = field(default_factory=dict)  # types of integers of 8 and 16 bits
    bits: str = "0x{}"  # the pattern of the bits of a float in a table
    bits_separator: str = ", "
    separator: str = ", "  # between other numbers of a table

    def render(self, templates: Mapping[str, str]) -> Files:
        """Render one file per template, by names in which `{}` is the artefact's name.

        In fixed point, a template of the same name in the folder `fixed` takes precedence.
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
        """Return the view that templates of all targets have."""
        return view(self.artefact, self.syntax, self.integers)

    @cached_property
    def arithmetic(self) -> Code:
        """Return the functions of the arithmetic that the network calls."""
        names = functions_called(self.artefact, self.syntax)
        if self.m.fixed:
            names = {name for name in names if name in self._called}
            names |= {table.look for _, table in self.function_tables}
        return Code(print_flat(names, self.flat))

    @property
    def function_tables(self) -> list[tuple[int, FunctionTable]]:
        """Return the numbers and the tables of functions that are read."""
        found = enumerate(self.m.fixed.tables if self.m.fixed else ())
        return [(number, table) for number, table in found if f"look{number}" in self._called]

    @cached_property
    def _called(self) -> set[str]:
        return set(_NAME.findall(self.values))

    @cached_property
    def values(self) -> str:
        """Return all expressions of the network."""
        program = self.m.program
        values = [statement.value for part in program.parts for statement in part]
        return "\n".join([*values, *program.outputs])

    @property
    def real(self) -> Code:
        """Return the type of raw values and of predictions."""
        return Code(self.syntax.real)

    @property
    def word(self) -> Code:
        """Return the type of the bits of a float."""
        return Code(self.flat.types["word"])

    @property
    def integer(self) -> Code:
        """Return the type of the elements of a row of integers."""
        assert self.m.fixed
        return Code(self.stored[self.m.fixed.bits])

    @property
    def element(self) -> Code:
        """Return the type of the elements of a row that the network reads."""
        return self.integer if self.m.fixed else self.real

    def look(self, table: FunctionTable) -> Code:
        """Return the name of the function that reads a table."""
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
        """Return the integers of a table."""
        return Code(self.separator.join(map(str, numbers)))

    @property
    def golden_rows(self) -> list[Code]:
        if self.m.fixed:
            return [self.listed(row) for row in self.m.fixed.golden_rows(self.m.golden)]
        return [self._bits(row) for row in self.m.golden.rows]

    @property
    def golden_results(self) -> list[Code]:
        if self.m.fixed:
            return [self.listed(row) for row in self.m.fixed.golden_results(self.m.golden)]
        return [self._bits(row) for row in self.m.golden.results]

    @property
    def golden_classes(self) -> Code:
        return self.listed(self.m.golden.classes)

    def _bits(self, row: tuple[float, ...]) -> Code:
        dtype = self.artefact.dtype
        digits = 16 if dtype == "double" else 8
        words = (f"{number_bits(value, dtype):0{digits}x}" for value in row)
        return Code(self.bits_separator.join(map(self.bits.format, words)))
