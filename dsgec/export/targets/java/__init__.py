"""A Java package that needs no other: strict since Java 17, and without unsigned integers."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from textwrap import indent
from typing import Any

from dsgec.arithmetic.ir import Dtype, Literal
from dsgec.arithmetic.print_flat import FlatLanguage, camel
from dsgec.arithmetic.write import Language
from dsgec.export.artefact import DTYPES, Artefact
from dsgec.export.integers import IntegerSyntax
from dsgec.export.statements import LONGEST_FUNCTION, Statement, Syntax
from dsgec.export.targets.language import LanguageView, by_dtype, handwritten
from dsgec.export.targets.running import find_command, raw_rows, run_commands
from dsgec.export.targets.target import Array, Files, Target, parse_json
from dsgec.literals import float_number, number
from dsgec.rendering import Code

_TEXTS = 1000  # the most texts of a class
_METADATA = re.compile(
    rb'^    public static String metadata\(\) \{\n        return (?:String\.join\("", )?(.*?)\)?;$',
    re.MULTILINE,
)
_PIECE = re.compile(rb'"((?:[^"\\]|\\[0-7]{3})*)"(?:, )?')
_FILES = {
    "{}/Network.java": "java/Network.java.j2",
    "{}/SelfTest.java": "java/SelfTest.java.j2",
}


def _flat(dtype: Dtype) -> FlatLanguage:
    is_double = dtype == "double"
    word = "long" if is_double else "int"

    def literal(literal: Literal) -> str:
        text = literal.text.lower()
        if literal.kind == "real":
            return text if is_double else f"{text}f"
        return f"{text}L" if "x" in text and (is_double or literal.kind == "wide") else text

    sqrt = "Math.sqrt({0})"
    patterns = {
        "bits": "Double.doubleToRawLongBits({0})" if is_double else "Float.floatToRawIntBits({0})",
        "from_bits": "Double.longBitsToDouble({0})" if is_double else "Float.intBitsToFloat({0})",
        "is_nan": f"{dtype.capitalize()}.isNaN({{0}})",
        "math.fabs": "Math.abs({0})",
        "math.sqrt": sqrt if is_double else f"(float) {sqrt}",
        "math.copysign": "Math.copySign({0}, {1})",
        "signed": "(float) {0}",
        "wide": "Integer.toUnsignedLong({0})",
        "word >>": "{0} >>> {1}",
        "wide >>": "{0} >>> {1}",
    }
    return FlatLanguage(
        dtype,
        expressions=Language(literal, lambda _: "", patterns),
        types={"real": dtype, "word": word, "wide": "long"},
        function="private static {type} {name}({parameters}) {{",
        parameter="{type} {name}",
        declare="{type} {name} = {value};",
        return_value="return {value};",
        choice="{} {} = {} ? {} : {};".format,
        return_choice="return {test} ? {yes} : {no};",
        spell=camel,
        by_hand=handwritten("java/softmax.java"),
    )


_WHOLE = replace(
    _flat("double"),
    arithmetic="whole",
    expressions=Language(lambda literal: literal.text, lambda _: "", {"at": "{0}[{1}]"}),
    types={"whole": "int", "table": "int[]"},
)
_DOUBLE = Syntax(call=camel, literal=number, real="double")
_FLOAT = Syntax(call=camel, literal=float_number, real="float")
_FLAT = by_dtype(_flat("double"), _flat("float"), _WHOLE)
_SYNTAX = by_dtype(_DOUBLE, _FLOAT, _DOUBLE)
# An inner class has a method `equals` of its own. A statement takes at most 180 bytes, and a method
# has at most 64 KB.
_INTEGERS = IntegerSyntax(call="Network.{}", type="int", longest=300)
_STORED = {8: "byte", 16: "short"}


@dataclass(frozen=True)
class JavaView(LanguageView):
    """The view of an artefact for the templates of Java: tables that fit into classes."""

    @property
    def arithmetic(self) -> Code:
        """Return the functions of the arithmetic, indented as members of a class."""
        return Code(indent(super().arithmetic, "    "))

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
    def parts(self) -> Iterator[tuple[Statement, ...]]:
        """Yield the statements of each class, the last of which assign the outputs."""
        program = self.m.program
        outputs = enumerate(program.outputs)
        last = [Statement(Code(f"y[{number}]"), output) for number, output in outputs]
        yield from program.parts
        for start in range(0, len(last), LONGEST_FUNCTION):
            yield tuple(last[start : start + LONGEST_FUNCTION])

    @property
    def digits(self) -> int:
        """Return the hexadecimal digits of a float."""
        return 16 if self.artefact.dtype == "double" else 8

    @property
    def from_digits(self) -> Code:
        return Code(
            "Double.longBitsToDouble(Long.parseUnsignedLong(digits, 16))"
            if self.artefact.dtype == "double"
            else "Float.intBitsToFloat(Integer.parseUnsignedInt(digits, 16))"
        )


def _view(artefact: Artefact) -> JavaView:
    flat, syntax = _FLAT[artefact.dtype], _SYNTAX[artefact.dtype]
    plain = {"bits": "{}", "bits_separator": "", "separator": " "}
    return JavaView(artefact, flat, syntax, _INTEGERS, _STORED, **plain)


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
