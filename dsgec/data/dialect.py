"""The first lines of a table to how it is written: separator, quotes, decimal sign, header."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from dsgec.data.cells import is_missing, reads_as_number
from dsgec.data.plan import Reading
from dsgec.errors import DsgecError, Fault, Span, mention

SEPARATORS = "\t;|, "
"""What is looked for, the surest first: a comma can be a decimal sign, a blank anything."""
LONGEST_CELL = 1 << 20
_SAMPLE_LINES, _SAMPLE_BYTES = 200, 1 << 18
_SAID = re.compile(rb'"?sep=([^\w\r\n"])"?[,;\t]*(?:\r\n|\n|\r)', re.IGNORECASE)
_COMMENT = b"#"
_OTHER_QUOTE = f"Name another with {mention('quote')}."
_WITH_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_WITH_POINT = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a table is written. A blank as the separator stands for any number of them."""

    separator: str
    quote: str
    decimal: str
    escape: str = ""
    comment: str = ""


def records(
    lines: Iterator[str], dialect: Dialect, source: str, before: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """The cells of each record that is not blank, without blanks around, and its first line."""
    if dialect.separator == " ":
        lines = (line.strip(" \r\n") for line in lines)
    if dialect.comment:
        lines = ("" if line.startswith(dialect.comment) else line for line in lines)
    reader = csv.reader(
        lines,
        delimiter=dialect.separator,
        quotechar=dialect.quote,
        escapechar=dialect.escape or None,
        skipinitialspace=dialect.separator == " ",
        strict=True,
    )
    start = 1
    previous = csv.field_size_limit(LONGEST_CELL)
    try:
        for record in reader:
            cells = [cell.strip() for cell in record]
            if any(cells):
                yield before + start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise _quotes(error, reader.line_num - start, Span(source, before + start, 1)) from error
    finally:
        csv.field_size_limit(previous)


def _quotes(error: csv.Error, lines: int, span: Span) -> DsgecError:
    text = str(error)
    if "field larger" in text or "unexpected end" in text:
        if "field larger" in text and lines < 1:
            return DsgecError(Fault(f"a cell is longer than {LONGEST_CELL >> 20} MB", "", span))
        return DsgecError(
            Fault(f"{text}: a quote is opened here and not closed", _OTHER_QUOTE, span)
        )
    return DsgecError(
        Fault(text, f"Name others with {mention('separator')} and {mention('quote')}.", span)
    )


def preamble(head: bytes, given: Reading, source: str) -> tuple[bytes, Reading]:
    """The lines before the table, and what is known by them: Excel's `sep=;`, or comments.

    A line that begins as a comment but has as many cells as the rows is one of the table.
    """
    said = _SAID.match(head)
    if said:
        separator = given.separator or said[1].decode("latin-1")
        return said[0], replace(given, separator=separator)
    if not head.startswith(_COMMENT):
        return b"", given
    lines = head.splitlines(keepends=True)
    comments = list(takewhile(lambda line: line.startswith(_COMMENT), lines))
    rest = b"".join(lines[len(comments) :])
    if not rest.strip():
        return b"", given
    dialect, rows = recognise(rest, given, source)

    def is_comment(line: bytes) -> bool:
        cells = _sample([line.decode("utf-8", "replace")], dialect, source)
        return [len(one) for one in cells] != [len(one) for one in rows[:1]]

    before = list(takewhile(is_comment, comments))
    return b"".join(before), given


def recognise(head: bytes, given: Reading, source: str) -> tuple[Dialect, list[list[str]]]:
    """How the table that begins with `head` is written, and its first records."""
    text = head[:_SAMPLE_BYTES].decode("utf-8", "replace")
    lines = list(io.StringIO(text, newline=""))
    if len(lines) > 1 and len(head) > _SAMPLE_BYTES:
        del lines[-1]  # it may have been cut
    quote = given.quote or _quote(lines[:_SAMPLE_LINES])
    found: list[tuple[int, Dialect, list[list[str]]]] = []
    if quote == given.separator:
        raise DsgecError("the separator cannot be the quote", _OTHER_QUOTE)
    for separator in given.separator or SEPARATORS.replace(quote, ""):
        dialect = Dialect(separator, quote, ".")
        sample = _sample(lines, dialect, source)
        widths = set(map(len, sample[1:] or sample))
        if len(widths) == 1 and len(sample[-1]) > 1 and len(sample[-1]) - len(sample[0]) in (0, 1):
            break
        # Of the separators that do not cut every line alike, the one that is there most often.
        found.append((len(sample[0]) if sample and separator != " " else 0, dialect, sample))
    else:
        _, dialect, sample = max(found, key=lambda one: one[0])
    decimal = given.decimal or _decimal(dialect.separator, sample)
    return Dialect(dialect.separator, quote, decimal), sample


def _sample(lines: Sequence[str], dialect: Dialect, source: str) -> list[list[str]]:
    sample = []
    try:
        for _, cells in records(iter(lines), dialect, source):
            sample.append(cells)
            if len(sample) == _SAMPLE_LINES:
                break
    except DsgecError:
        pass  # reported when the table is read
    return sample


def _quote(lines: Sequence[str]) -> str:
    """An apostrophe, if cells begin and end with one and nothing with the usual quote."""
    text = "".join(lines)
    pairs = re.findall(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|\r\n]|$)", text, re.MULTILINE)
    return "'" if len(pairs) >= 2 and '"' not in text else '"'


def _decimal(separator: str, sample: Sequence[Sequence[str]]) -> str:
    if separator == ",":
        return "."
    cells = [cell for record in sample for cell in record]
    with_comma = sum(_WITH_COMMA.fullmatch(cell) is not None for cell in cells)
    return "," if with_comma and not any(map(_WITH_POINT.fullmatch, cells)) else "."


def is_header(sample: Sequence[Sequence[str]], decimal: str) -> bool:
    """A first line with text in a column which goes on with numbers is a header.

    So is one that ends in a text which never comes again, where texts do: the name of the labels;
    and one of texts of which none comes again, in columns of texts that do.
    """

    def is_value(cell: str) -> bool:
        return reads_as_number(cell, decimal) or is_missing(cell)

    if len(sample) < 2:
        return not any(reads_as_number(cell, decimal) for record in sample for cell in record)
    first, *rest = sample
    # Where rows have a cell more than the header, it is a name of the row in front, or nothing.
    width = min(len(first), *map(len, rest))
    columns = list(zip(*(record[-width:] for record in rest), strict=True))
    first = first[-width:]
    if not columns:
        return not any(map(is_value, first))
    named = list(zip(first, columns, strict=True))
    for name, cells in named:
        first_cell = next((cell for cell in cells if not is_missing(cell)), "")
        if not is_value(name) and reads_as_number(first_cell, decimal):
            return True
    last, cells = named[-1]
    if not is_value(last) and last not in cells and len(set(cells)) < len(cells):
        return True
    repeating = [
        (name, cells)
        for name, cells in named
        if len(set(cells)) < len(cells) and not is_missing(name)
    ]
    return bool(repeating) and all(
        not reads_as_number(name, decimal) and name not in cells for name, cells in repeating
    )
