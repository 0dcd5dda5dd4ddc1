"""A Java package that needs no other."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from dsgec.export.artefact import DTYPES, Artefact, SourceFile
from dsgec.export.statements import LONGEST_FUNCTION, Statement
from dsgec.export.targets.java.language import FLAT, INTEGERS, STORED, SYNTAX
from dsgec.export.targets.language import LanguageView
from dsgec.export.targets.reading import parse_json
from dsgec.export.targets.running import find_command, raw_rows, run_commands
from dsgec.export.targets.target import Array, Files, Target
from dsgec.rendering import Code

_TEXTS = 1000  # of a class
_METADATA = re.compile(
    rb'^    public static String metadata\(\) \{\n        return (?:String\.join\("", )?(.*?)\)?;$',
    re.MULTILINE,
)
_PIECE = re.compile(rb'"((?:[^"\\]|\\[0-7]{3})*)"(?:, )?')
_FILES = {
    "{}/Network.java": "java/Network.java.j2",
    "{}/SelfTest.java": "java/SelfTest.java.j2",
}
_MAIN = """
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

public final class Run {
    public static void main(String[] arguments) throws java.io.IOException {
        ByteBuffer data = ByteBuffer.wrap(Files.readAllBytes(Path.of("rows")));
        data.order(ByteOrder.LITTLE_ENDIAN);
        int features = NAME.Network.FEATURES;
        REAL[][] rows = new REAL[data.capacity() / 8 / (features + 1)][features];
        for (REAL[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                row[i] = (REAL) data.getDouble();
            }
            data.getDouble();
        }
        REAL[][] found = NAME.Network.PREDICT(rows);
        ByteBuffer results = ByteBuffer.allocate(8 * found.length * RESULTS);
        results.order(ByteOrder.LITTLE_ENDIAN);
        for (REAL[] row : found) {
            for (REAL value : row) {
                results.putDouble(value);
            }
        }
        Files.write(Path.of("results"), results.array());
    }
}
"""


@dataclass(frozen=True)
class JavaView(LanguageView):
    """What only the templates of Java see: tables that fit into its classes."""

    @property
    def arithmetic(self) -> Code:
        """Inside of a class."""
        return Code(indent(super().arithmetic, "    "))

    @property
    def box(self) -> Code:
        return Code(self.real.capitalize())

    @property
    def metadata(self) -> str:
        return json.dumps(self.m.metadata)

    @property
    def tables(self) -> list[tuple[str, ...]]:
        """The names of columns, those of classes and the categories, one behind the other."""
        texts = (*self.m.features, *self.m.class_names, *self.m.texts)
        return [texts[i : i + _TEXTS] for i in range(0, len(texts), _TEXTS)]

    @property
    def counts(self) -> str:
        return " ".join(str(len(column.categories)) for column in self.m.columns)

    @property
    def parts(self) -> Iterator[tuple[Statement, ...]]:
        """The statements of each class, with those that assign the outputs."""
        program = self.m.program
        outputs = enumerate(program.outputs)
        last = [Statement(Code(f"y[{number}]"), output) for number, output in outputs]
        yield from program.parts
        for start in range(0, len(last), LONGEST_FUNCTION):
            yield tuple(last[start : start + LONGEST_FUNCTION])

    @property
    def digits(self) -> int:
        """Of the bits of a number."""
        return 16 if self.artefact.dtype == "double" else 8

    @property
    def from_digits(self) -> Code:
        return Code(
            "Double.longBitsToDouble(Long.parseUnsignedLong(digits, 16))"
            if self.artefact.dtype == "double"
            else "Float.intBitsToFloat(Integer.parseUnsignedInt(digits, 16))"
        )


def emit_java(artefact: Artefact) -> Files:
    """A package: `name/Network.java` and `name/SelfTest.java`."""
    flat, syntax = FLAT[artefact.dtype], SYNTAX[artefact.dtype]
    view = JavaView(artefact, flat, syntax, INTEGERS, STORED, bits="{}", between="", numbers=" ")
    return view.render(_FILES)


def read_java(data: bytes) -> Any:
    """The metadata, which are JSON in pieces of strings; None where there are none."""
    found = _METADATA.search(data)
    if found is None:
        return None
    pieces = b"".join(piece[1] for piece in _PIECE.finditer(found[1]))
    return parse_json(re.sub(rb"\\([0-7]{3})", lambda o: bytes([int(o[1], 8) & 127]), pieces))


def run_java(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Probabilities or values, one row after the other."""
    words = {
        "NAME": artefact.name,
        "REAL": SYNTAX[artefact.dtype].real,
        "PREDICT": "predictProbaBatch" if artefact.model.is_classifier else "predictBatch",
        "RESULTS": str(len(artefact.model.classes) or len(artefact.network.outputs)),
    }
    text = _MAIN
    for word, value in words.items():
        text = text.replace(word, value)
    sources = [name.format(artefact.name) for name in _FILES]
    return run_commands(
        (*files, SourceFile("Run.java", text), raw_rows(rows)),
        [find_command("javac"), "-encoding", "US-ASCII", "-d", ".", *sources, "Run.java"],
        [find_command("java"), "-cp", ".", "Run"],
    )


TARGET = Target(
    tuple(_FILES),
    emit_java,
    read_java,
    run_java,
    dtypes=DTYPES,
    # A String.java here comes before that of java.lang, and javac runs the annotation processors
    # that META-INF names in a folder of the class path.
    swept=("*.java", "*.class", "../META-INF"),
)
