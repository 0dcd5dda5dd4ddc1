"""A Java package that needs no other: strict since Java 17, and without unsigned integers."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from textwrap import indent
from typing import Any

from dsgec.export.artefact import DTYPES, Artefact
from dsgec.export.targets.language import LanguageView
from dsgec.export.targets.running import find_command, raw_rows, run_commands
from dsgec.export.targets.target import Array, Files, Target, parse_json
from dsgec.program.ir import Number
from dsgec.program.print_java import JavaPrinter
from dsgec.program.printer import camel
from dsgec.rendering import Code

_TEXTS = 1000  # the most texts of a class
_LONGEST = 300  # statements of a method: one takes at most 180 bytes, and a method has 64 KB
_METADATA = re.compile(
    rb'^    public static String metadata\(\) \{\n        return (?:String\.join\("", )?(.*?)\)?;$',
    re.MULTILINE,
)
_PIECE = re.compile(rb'"((?:[^"\\]|\\[0-7]{3})*)"(?:, )?')
_FILES = {
    "{}/Network.java": "java/Network.java.j2",
    "{}/SelfTest.java": "java/SelfTest.java.j2",
}


@dataclass(frozen=True, slots=True)
class StateArray:
    """An array of the state of a window: the type of its elements, its name and its size."""

    kind: Code
    name: str
    size: int


@dataclass(frozen=True)
class JavaView(LanguageView):
    """The view of an artefact for the templates of Java: tables that fit into classes."""

    @property
    def program(self) -> Code:
        """Return the tables and the procedures, indented as members of a class."""
        return Code(indent(super().program, "    "))

    @property
    def arithmetic(self) -> Code:
        """Return the functions of the arithmetic, indented as members of a class."""
        return Code(indent(super().arithmetic, "    "))

    @cached_property
    def stream(self) -> Code:
        """Return the procedures of a stream, indented as members of a class."""
        return Code(indent(super().stream, "    "))

    @property
    def state(self) -> list[StateArray]:
        """Return the arrays of the state of a window."""
        assert self.m.stream
        arrays = self.m.stream.arrays
        return [StateArray(self.element(a), camel(a.name), a.size) for a in arrays]

    def stream_arguments(self, window: str) -> Code:
        """Return the arrays of a window as the last arguments of a method."""
        return Code("".join(f", {array.name}[{window}]" for array in self.state))

    @property
    def features_arguments(self) -> Code:
        """Return the arrays of the complete window as the first arguments of a method."""
        return Code("".join(f"{array.name}[complete], " for array in self.state))

    def doubles(self, values: Iterable[float]) -> Code:
        return Code(", ".join(self.printer.number(Number(value, "double")) for value in values))

    @property
    def has_parts(self) -> bool:
        return "class Part0" in self.program

    @property
    def has_reals(self) -> bool:
        return "reals(" in self.program

    @property
    def box(self) -> Code:
        return Code(self.real.capitalize())

    @property
    def metadata(self) -> str:
        return json.dumps(self.m.metadata)

    @property
    def tables(self) -> list[tuple[str, ...]]:
        """Return the names of columns, classes and categories, a table for each Java class."""
        texts = (*self.m.features, *self.m.class_names, *self.m.texts)
        return [texts[i : i + _TEXTS] for i in range(0, len(texts), _TEXTS)]

    @property
    def counts(self) -> str:
        return " ".join(str(len(column.categories)) for column in self.m.columns)

    @property
    def digits(self) -> int:
        """Return the hexadecimal digits of a float."""
        return 16 if self.dtype == "double" else 8

    @property
    def from_digits(self) -> Code:
        return Code(
            "Double.longBitsToDouble(Long.parseUnsignedLong(digits, 16))"
            if self.dtype == "double"
            else "Float.intBitsToFloat(Integer.parseUnsignedInt(digits, 16))"
        )


def _view(artefact: Artefact) -> JavaView:
    plain = {"bits": "{}", "bits_separator": "", "separator": " "}
    return JavaView(artefact, JavaPrinter, longest_integers=_LONGEST, **plain)


def emit_java(artefact: Artefact) -> Files:
    """Return a package: `name/Network.java` and `name/SelfTest.java`."""
    return _view(artefact).render(_FILES)


def read_java(data: bytes) -> Any:
    """Return the metadata, which is JSON in pieces of strings, or None."""
    found = _METADATA.search(data)
    if found is None:
        return None
    pieces = b"".join(piece[1] for piece in _PIECE.finditer(found[1]))
    return parse_json(re.sub(rb"\\([0-7]{3})", lambda o: bytes([int(o[1], 8) & 127]), pieces))


def run_java(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Compile the package and return its probabilities or values, row after row."""
    more = (*_view(artefact).render({"Run.java": "java/Run.java.j2"}), raw_rows(rows))
    sources = [name.format(artefact.name) for name in _FILES]
    return run_commands(
        (*files, *more),
        [find_command("javac"), "-encoding", "US-ASCII", "-d", ".", *sources, "Run.java"],
        [find_command("java"), "-cp", ".", "Run"],
    )


TARGET = Target(
    tuple(_FILES),
    emit_java,
    read_java,
    run_java,
    dtypes=DTYPES,
    # A String.java in the folder precedes that of java.lang, and javac runs the annotation
    # processors that META-INF names in a folder of the class path.
    swept=("*.java", "*.class", "../META-INF"),
)
