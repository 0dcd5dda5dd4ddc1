"""Write and parse network files: `parse_model(model_text(model)) == model`.

Before the equations of the network stand the columns of a row, which define `x_1`, `x_2` …, the
classes, the target, the threshold and the limit of the unknown class. If the columns are features
of a signal, its channels and its windows stand before them:

    x_1 = number("age", missing=38.0, center=38.2, scale=12.1)
    x_2 = boolean("sex", "female", "male")
    x_3, x_4, x_5 = category("port", "C", "Q", missing="Q", marked)
    _ = constant("ship")
    classes = "no", "yes"

    c_1 = channel("ax", scale=0.0078125)
    window = 64
    step = 32
    bits = 13
    rate = 50.0
    x_1 = number("std(ax)", center=310.5, scale=204.2)

Numbers are written so that they read back bit for bit, and texts as JSON strings.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from dsgec.errors import DsgecError
from dsgec.network.decide import DEFAULT_THRESHOLD
from dsgec.network.description import read_column
from dsgec.network.ir import check
from dsgec.network.model import KINDS, Column, Label, Model, check_classes, unnamed_model
from dsgec.network.parse import parse
from dsgec.network.signal_text import SIGNAL_FORM, make_signal, signal_lines
from dsgec.network.simplify import simplify
from dsgec.network.syntax import MOST_INPUTS, Cursor, SourceText, blank_comments, quote
from dsgec.network.text import network_text
from dsgec.network.unknown import can_be_unknown
from dsgec.plain_data import is_number, is_text
from dsgec.signal.description import Signal

MOST_NETWORK_BYTES = 64 << 20
"""The largest network file that is read."""

_STATEMENT = re.compile(
    r"\s*(_|x_\d+(?:\s*,\s*x_\d+)*|c_\d+|classes|target|threshold|unknown|window|step|bits|rate|smooth)\s*=",
    re.ASCII,
)
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>"(?:[^"\\]|\\.)*")
    | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<word>[A-Za-z_]\w*)
    | (?P<sign>[(),=])
    | (?P<end>\Z)
    | (?P<other>.)
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_SCALING_NOTE = "# A number is read as (value - center) / scale."
_LONGEST_WHOLE = 30  # digits of a class that is a whole number
_OPTIONS = ("missing", "center", "scale", "marked")
_CHANNEL_OPTIONS = ("offset", "scale")
_FORM = 'Write a column as `x_1 = number("size", missing=2.0, center=1.0, scale=0.5)`.'
_WRITE_CLASSES = (
    'Write `classes = "no", "yes"`, whole numbers without quotes, or `classes = false, true`.'
)
_BOOLEANS = {"false": False, "true": True}
_ORDER = "Columns, classes, target and threshold stand before the equations."


@dataclass(frozen=True, slots=True)
class ModelHeader:
    """The parts of a model that a text states before its equations; None for those left out."""

    columns: tuple[Column, ...] | None = None
    classes: tuple[Label, ...] | None = None
    target: str | None = None
    threshold: float | None = None
    signal: Signal | None = None
    unknown: float | None = None

    def agrees(self, model: Model) -> bool:
        """Return whether everything that the text states holds for a model."""
        stated = (getattr(self, field.name) for field in fields(self))
        own = (
            *(model.columns, model.classes, model.target, model.threshold),
            *(model.signal, model.unknown),
        )
        return all(a is None or a == b for a, b in zip(stated, own, strict=True))


def model_text(model: Model, *, ascii_only: bool = False) -> str:
    """Return the columns, classes, target and threshold of a model, and its equations.

    With `ascii_only`, other characters of names are escaped.
    """
    lines = [*signal_lines(model.signal, ascii_only)] if model.signal else []
    lines += [_SCALING_NOTE] if any(column.scale != 1.0 for column in model.columns) else []
    lines += _column_lines(model.columns, ascii_only)
    if model.classes:
        lines.append(f"classes = {', '.join(_label(one, ascii_only) for one in model.classes)}")
    if model.target:
        lines.append(f"target = {quote(model.target, ascii_only)}")
    if model.threshold != DEFAULT_THRESHOLD:
        lines.append(f"threshold = {model.threshold!r}")
    if model.unknown is not None:
        lines.append(f"unknown = {model.unknown!r}")
    return "".join(f"{line}\n" for line in lines) + network_text(model.network)


def _column_lines(columns: Sequence[Column], ascii_only: bool) -> Iterator[str]:
    first = 1
    for column in columns:
        count = len(column.features)
        names = ", ".join(f"x_{number}" for number in range(first, first + count)) or "_"
        first += count
        parts = [quote(one, ascii_only) for one in (column.name, *column.categories)]
        if column.fill is not None:
            is_text = bool(column.categories)
            fill = quote(column.categories[int(column.fill)], ascii_only) if is_text else ""
            parts.append(f"missing={fill or repr(column.fill)}")
        if column.center != 0.0:
            parts.append(f"center={column.center!r}")
        if column.scale != 1.0:
            parts.append(f"scale={column.scale!r}")
        if column.marked:
            parts.append("marked")
        yield f"{names} = {column.kind}({', '.join(parts)})"


def _label(label: Label, ascii_only: bool) -> str:
    if isinstance(label, bool):
        return str(label).lower()
    return quote(label, ascii_only) if isinstance(label, str) else str(label)


def parse_model(text: str, *, source: str = "network") -> Model:
    """Parse a network file; without columns in it they are plain numbers."""
    header, rest = read_header(text, source)
    count = None if header.columns is None else sum(len(one.features) for one in header.columns)
    network = check(simplify(parse(rest, inputs=count, source=source)))
    columns = unnamed_model(network).columns if header.columns is None else header.columns
    classes = header.classes or ()
    threshold = DEFAULT_THRESHOLD if header.threshold is None else header.threshold
    try:
        check_classes(len(classes), len(network.outputs))
    except DsgecError as error:
        raise error.of(source) from error
    if threshold != DEFAULT_THRESHOLD and len(classes) != 2:
        raise DsgecError(f"{source} has a threshold, which is for two classes", "Leave it out.")
    if header.unknown is not None and not can_be_unknown(classes, threshold, header.unknown):
        raise DsgecError(
            f"{source} has a limit for the unknown class that it cannot have",
            "Write `unknown = 0.8` with classes of which none has that label, and no threshold.",
        )
    return Model(
        *(network, columns, classes, header.target or "", threshold),
        *(header.signal, header.unknown),
    )


def decode_model(data: bytes, source: str) -> Model:
    """Parse the bytes of a network file."""
    return parse_model(decode_text(data, source), source=source)


def decode_text(data: bytes, source: str) -> str:
    """Return the text of a network file; raise a DsgecError unless it is UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DsgecError(f"{source} is not UTF-8 text") from error


def read_header(text: str, source: str) -> tuple[ModelHeader, str]:
    """Parse the statements before the equations, and return the text with blanks for them."""
    return _HeaderReader(blank_comments(text), source).read()


class _HeaderReader(SourceText):
    """A parser of the statements before the equations, line by line."""

    def __init__(self, text: str, source: str) -> None:
        super().__init__(text, source)
        self.columns: list[Column] = []
        self.names: set[str] = set()
        self.features = 0
        self.stated: dict[str, Any] = {}
        self.channels: list[dict[str, object]] = []
        self.windows: dict[str, float] = {}

    def read(self) -> tuple[ModelHeader, str]:
        """Return the header, and the text with blanks for its statements."""
        kept: list[str] = []
        offset = 0
        has_equations = False
        for line in self.text.splitlines(keepends=True):
            statement = _STATEMENT.match(line)
            if statement is None:
                kept.append(line)
                has_equations |= bool(line.strip()) and not line.lstrip().startswith("inputs")
            else:
                if has_equations:
                    raise self.fail(offset, "this line comes too late", _ORDER)
                body = line.rstrip()
                self.statement(statement, offset, offset + len(body))
                kept.append(" " * len(body) + line[len(body) :])
            offset += len(line)
        columns = tuple(self.columns) or None
        return ModelHeader(columns, **self.stated, signal=self.signal()), "".join(kept)

    def statement(self, statement: re.Match[str], start: int, end: int) -> None:
        name = statement[1]
        line = _Line(self, _TOKEN, start + statement.end(), end)
        if name in self.stated:
            raise self.fail(start, f"`{name}` is given twice")
        match name:
            case "classes":
                self.stated[name] = self.labels(line)
            case "target":
                self.stated[name] = line.text()
            case "threshold" | "unknown":
                self.stated[name] = line.number()
            case "window" | "step" | "bits" | "rate" | "smooth":
                if name in self.windows:
                    raise self.fail(start, f"`{name}` is given twice")
                self.windows[name] = line.number()
            case _ if name.startswith("c_"):
                self.channel(name, start, line)
            case _:
                self.column([part.strip() for part in name.split(",")], start, line)
        line.expect_end()

    def labels(self, line: "_Line") -> tuple[Label, ...]:
        labels: list[Label] = []
        while not labels or line.takes(","):
            token = line.next()
            if token["text"]:
                labels.append(line.unquote(token))
            elif _is_whole(token["number"]):
                labels.append(int(token["number"]))
            elif token["word"] in _BOOLEANS:
                labels.append(_BOOLEANS[token["word"]])
            else:
                raise line.unexpected(token, "a class", _WRITE_CLASSES)
        if any(isinstance(label, bool) for label in labels) and labels != [False, True]:
            raise self.fail(line.at, "Boolean classes are `false, true`", _WRITE_CLASSES)
        if len(set(labels)) < len(labels) or len(labels) < 2:
            raise self.fail(line.at, "there must be two or more different classes", _WRITE_CLASSES)
        return tuple(labels)

    def channel(self, name: str, start: int, line: "_Line") -> None:
        kind = line.next()
        if kind["word"] != "channel" or name != f"c_{len(self.channels) + 1}":
            raise self.fail(
                start, f"expected `c_{len(self.channels) + 1} = channel(…)`", SIGNAL_FORM
            )
        self.channels.append(line.arguments("channel", _CHANNEL_OPTIONS))

    def signal(self) -> Signal | None:
        """Return the signal whose features the columns are, if the text has one."""
        if not self.channels and not self.windows:
            return None
        try:
            return make_signal(self.channels, self.windows, self.columns)
        except ValueError as error:
            message = f"the signal is not complete or wrong: {error}"
            raise self.fail(0, message, SIGNAL_FORM) from None

    def column(self, names: list[str], start: int, line: "_Line") -> None:
        kind = line.next()
        if kind["word"] not in KINDS:
            raise line.unexpected(kind, f"a kind of column ({', '.join(KINDS)})", _FORM)
        described = {"kind": kind["word"], **line.arguments(kind["word"])}
        try:
            column = read_column(described)
        except ValueError:
            raise self.fail(
                start,
                f"a {kind['word']} column cannot be like this",
                "A category has different texts, a boolean two; `missing` is one of them or, of a"
                " number, a number; `scale` is not 0; only numbers have `center` and `scale`;"
                " `marked` needs `missing`.",
            ) from None
        if column.name in self.names:
            raise self.fail(start, f"there are two columns {quote(column.name)}")
        count = len(column.features)
        expected = [f"x_{self.features + number}" for number in range(1, count + 1)] or ["_"]
        if names != expected:
            shown = expected if count <= 3 else [*expected[:2], "…", expected[-1]]
            raise self.fail(
                start,
                f"expected `{', '.join(shown)} = {column.kind}(…)`",
                "Features are numbered in the order of the columns: one for a number or a boolean,"
                " one for each text of a category, one more if it is `marked`, none (`_`) for a"
                " constant.",
            )
        self.features += count
        if self.features > MOST_INPUTS:
            raise self.fail(start, f"there can be {MOST_INPUTS} features at most")
        self.columns.append(column)
        self.names.add(column.name)


class _Line(Cursor):
    """The tokens of one statement."""

    def takes(self, sign: str) -> bool:
        """Return whether a sign comes next; if so, move behind it."""
        token = self.peek()
        if token["sign"] == sign:
            self.at = token.end()
        return token["sign"] == sign

    def expect(self, sign: str) -> None:
        token = self.next()
        if token["sign"] != sign:
            raise self.unexpected(token, f"`{sign}`", _FORM)

    def expect_end(self) -> None:
        token = self.next()
        if token.lastgroup != "end":
            raise self.unexpected(token, "the end of the line")

    def text(self) -> str:
        token = self.next()
        if token["text"] is None:
            raise self.unexpected(token, "a text in quotes")
        return self.unquote(token)

    def number(self) -> float:
        token = self.next()
        if token["number"] is None or not is_number(float(token["number"])):
            raise self.unexpected(token, "a number")
        return float(token["number"])

    def unquote(self, token: re.Match[str]) -> str:
        """Return the text of a JSON string."""
        try:
            value = json.loads(token["text"])
        except ValueError:
            value = None
        if not is_text(value):
            raise self.source.fail(
                token.start("text"), "this text is not a JSON string", r"Write `\"` and `\\`."
            )
        found: str = value
        return found

    def arguments(self, kind: str, known: Sequence[str] = _OPTIONS) -> dict[str, object]:
        """Parse the name, the categories and the options of a column into plain data."""
        self.expect("(")
        texts = [self.text()]
        options: dict[str, object] = {}
        while self.takes(","):
            token = self.peek()
            if token["text"] and not options:
                texts.append(self.text())
                continue
            name = self.next()["word"]
            if name not in known or name in options:
                raise self.unexpected(token, f"an option ({', '.join(known)})", _FORM)
            options[name] = name == "marked" or self.option(name, kind, texts[1:])
        self.expect(")")
        if "missing" in options:
            options["fill"] = options.pop("missing")
        return {"name": texts[0], "categories": texts[1:], **options}

    def option(self, name: str, kind: str, categories: list[str]) -> float:
        self.expect("=")
        if name != "missing" or kind not in ("boolean", "category"):
            return self.number()
        start = self.at
        value = self.text()
        if value not in categories:
            raise self.source.fail(start, f"{quote(value)} is not one of its texts")
        return float(categories.index(value))


def _is_whole(digits: str | None) -> bool:
    if not digits or len(digits) > _LONGEST_WHOLE:
        return False
    return digits.lstrip("+-").isdecimal()
