"""What the templates of languages that compile flat statements see: Rust, Java, Go."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from dsgec.arithmetic.print_flat import FlatLanguage, print_flat
from dsgec.codegen.artefact import Artefact, SourceFile, TemplateView, view
from dsgec.codegen.environment import Code, render
from dsgec.codegen.literals import number_bits
from dsgec.codegen.statements import Program, Statement, Syntax, functions_used
from dsgec.targets.target import Files

_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class LanguageView:
    """An artefact in one language; `bits` is the pattern of a number's bits in a table."""

    artefact: Artefact
    flat: FlatLanguage
    syntax: Syntax
    bits: str = "0x{}"
    between: str = ", "  # the bits
    numbers: str = ", "  # between other numbers

    def render(self, templates: Mapping[str, str]) -> Files:
        """The files of these names, `{}` being the artefact's, each printed by its template."""
        return tuple(
            SourceFile(file.format(self.artefact.name), render(template, m=self.m, v=self))
            for file, template in templates.items()
        )

    @cached_property
    def m(self) -> TemplateView:
        """What the templates of all targets see; what nothing reads is not computed."""
        seen = view(self.artefact, self.syntax)
        return replace(seen, program=_alive(seen.program))

    @cached_property
    def arithmetic(self) -> Code:
        return Code(print_flat(functions_used(self.artefact.network, self.syntax), self.flat))

    @property
    def word(self) -> Code:
        """The type of the bits of a number."""
        return Code(self.flat.types["word"])

    @property
    def threshold(self) -> Code:
        return Code(self.syntax.literal(self.m.threshold))

    @property
    def one(self) -> Code:
        return Code(self.syntax.literal(1.0))

    @property
    def required(self) -> Code:
        return Code(self.numbers.join(map(str, self.m.required)))

    @property
    def golden_rows(self) -> list[Code]:
        return [self._row(row) for row in self.m.golden.rows]

    @property
    def golden_results(self) -> list[Code]:
        return [self._row(row) for row in self.m.golden.results]

    @property
    def golden_classes(self) -> Code:
        return Code(self.numbers.join(map(str, self.m.golden.classes)))

    def _row(self, row: tuple[float, ...]) -> Code:
        dtype = self.artefact.dtype
        digits = 16 if dtype == "double" else 8
        words = (f"{number_bits(value, dtype):0{digits}x}" for value in row)
        return Code(self.between.join(map(self.bits.format, words)))


def _alive(program: Program) -> Program:
    """The program without variables that nothing reads, which compilers refuse or warn about."""
    if program.is_split:
        return program
    read = set(_NAME.findall(" ".join(program.outputs)))
    kept: list[Statement] = []
    for statement in reversed(program.parts[0]):
        if statement.name in read:
            read.update(_NAME.findall(statement.value))
            kept.append(statement)
    return replace(program, parts=(tuple(reversed(kept)),))
