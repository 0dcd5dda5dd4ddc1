"""The view of an artefact for templates of compiled languages: Rust, Java, Go."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from dsgec.arithmetic.procedures import procedures
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.lower import LONGEST_FUNCTION, with_softmax
from dsgec.export.targets.target import Files
from dsgec.export.view import TemplateView
from dsgec.literals import number_bits
from dsgec.program.ir import ArrayParameter, Number, Program, Real
from dsgec.program.printer import Printer
from dsgec.rendering import Code, render
from dsgec.resources import template


@dataclass(frozen=True)
class LanguageView:
    """An artefact in one language.

    In fixed point the network is a program of integers, and raw values around it are doubles.
    """

    artefact: Artefact
    print_with: Callable[[Program], Printer]
    longest_integers: int = LONGEST_FUNCTION  # statements of a function of fixed point
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
        return TemplateView(self.artefact)

    @cached_property
    def printer(self) -> Printer:
        """Return the printer of the network's program."""
        program = self.artefact.split_program(self.longest_integers)
        return self.print_with(with_softmax(program))

    @cached_property
    def program(self) -> Code:
        """Return the tables and the procedures of the network."""
        return Code(self.printer.print())

    @cached_property
    def arithmetic(self) -> Code:
        """Return the functions of the arithmetic that the network calls."""
        library = procedures("whole" if self.m.fixed else self.dtype)
        called = self.printer.functions(library)
        return Code("\n".join("\n".join([*self.printer.procedure(p), ""]) for p in called))

    @cached_property
    def stream(self) -> Code:
        """Return the tables and the procedures of a stream; none for a model of a table."""
        return self.m.stream.printed(self.print_with) if self.m.stream else Code()

    def element(self, array: ArrayParameter) -> Code:
        """Return the type of an element of an array."""
        return Code(self.printer.elements[array.type])

    def reals(self, values: Iterable[float]) -> Code:
        """Return the literals of raw values."""
        return Code(", ".join(self.printer.number(Number(value, self.dtype)) for value in values))

    @property
    def window_results(self) -> list[Code]:
        """Return the results of the windows of the self-test of a stream."""
        assert self.m.stream
        rows = self.m.stream.recording.results
        if self.m.fixed:
            return [self.listed(row) for row in self.m.fixed.golden_results(rows)]
        return [self._bits(row) for row in rows]

    @property
    def window_bits(self) -> list[Code]:
        """Return the bits of the results of the windows, as raw values, in every type."""
        assert self.m.stream
        return [self._bits(row) for row in self.m.stream.recording.results]

    @property
    def result_type(self) -> Code:
        """Return the type of an element of `window_results`."""
        return Code(self.printer.elements["int16"]) if self.m.fixed else self.word

    @property
    def dtype(self) -> Real:
        """Return the type of raw values and of predictions."""
        return "float" if self.artefact.dtype == "float" else "double"

    @property
    def real(self) -> Code:
        """Return the name of the type of raw values and of predictions."""
        return Code(self.printer.types[self.dtype])

    @property
    def word(self) -> Code:
        """Return the name of the type of the bits of a float."""
        return Code(self.printer.types["uint64" if self.dtype == "double" else "uint32"])

    @property
    def integer(self) -> Code:
        """Return the name of the type of the elements of a row of integers."""
        assert self.m.fixed
        return Code(self.printer.elements["int8" if self.m.fixed.bits == 8 else "int16"])

    @property
    def format(self) -> Code:
        """Return the name that the standard of floats has for their format."""
        return Code("binary64" if self.dtype == "double" else "binary32")

    @property
    def threshold(self) -> Code:
        return Code(self.printer.number(Number(self.m.threshold, self.dtype)))

    @property
    def one(self) -> Code:
        return Code(self.printer.number(Number(1.0, self.dtype)))

    @property
    def required(self) -> Code:
        return self.listed(self.m.required)

    def listed(self, numbers: Iterable[int]) -> Code:
        """Return integers as the elements of a table."""
        return Code(self.separator.join(map(str, numbers)))

    @property
    def golden_rows(self) -> list[Code]:
        if self.m.fixed:
            return [self.listed(row) for row in self.m.fixed.golden_rows(self.m.golden)]
        return [self._bits(row) for row in self.m.golden.rows]

    @property
    def golden_results(self) -> list[Code]:
        if self.m.fixed:
            return [self.listed(row) for row in self.m.fixed.golden_results(self.m.golden.results)]
        return [self._bits(row) for row in self.m.golden.results]

    @property
    def golden_classes(self) -> Code:
        return self.listed(self.m.golden.classes)

    def _bits(self, row: tuple[float, ...]) -> Code:
        digits = 16 if self.dtype == "double" else 8
        words = (f"{number_bits(value, self.dtype):0{digits}x}" for value in row)
        return Code(self.bits_separator.join(map(self.bits.format, words)))
