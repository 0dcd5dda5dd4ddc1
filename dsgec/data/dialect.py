"""Detect the dialect of a CSV file (separator, quotes, decimal sign, header), and read records."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from dsgec.data.options import ReadingOptions
from dsgec.data.table import is_missing, looks_numeric
from dsgec.errors import DsgecError, Fault, Span, mention

_SEPARATORS = "\t;|, "  # the surest first: a comma can be a decimal sign, a blank anything
LONGEST_CELL = 1 << 20
_SAMPLE_LINES, _SAMPLE_BYTES = 200, 1 << 18
_SEPARATOR_LINE = re.compile(rb'"?sep=([^\w\r\n"])"?[,;\t]*(?:\r\n|\n|\r)', re.IGNORECASE)
_COMMENT = b"#"
_OTHER_QUOTE = f"Name another with {mention('quote')}."
_WITH_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_WITH_POINT = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The signs of a CSV file. A blank as the separator stands for any number of blanks."""

    separator: str
    quote: str
    decimal: str
    escape: str = ""
    comment: str = ""


def read_records(
    lines: Iterator[str], dialect: Dialect, source: str, before: int = 0
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the stripped cells of each record that is not blank.

    `before` is the number of lines that come before these.
    """
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
        span = Span(source, before + start, 1)
        raise _quoting_error(str(error), reader.line_num - start, span) from error
    finally:
        csv.field_size_limit(previous)


def _quoting_error(text: str, lines: int, span: Span) -> DsgecError:
    if "field larger" in text or "unexpected end" in text:
        if "field larger" in text and lines < 1:
            return DsgecError(Fault(f"a cell is longer than {LONGEST_CELL >> 20} MB", "", span))
        return DsgecError(
            Fault(f"{text}: a quote is opened here and not closed", _OTHER_QUOTE, span)
        )
    return DsgecError(
        Fault(text, f"Name others with {mention('separator')} and {mention('quote')}.", span)
    )


def find_preamble(head: bytes, given: ReadingOptions, source: str) -> tuple[bytes, ReadingOptions]:
    """Return the lines before the table (Excel's `sep=;`, or comments) and the completed options.

    A line that starts like a comment but has as many cells as the rows belongs to the table.
    """
    named = _SEPARATOR_LINE.match(head)
    if named:
        separator = given.separator or named[1].decode("latin-1")
        return named[0], replace(given, separator=separator)
    if not head.startswith(_COMMENT):
        return b"", given
    lines = head.splitlines(keepends=True)
    comments = list(takewhile(lambda line: line.startswith(_COMMENT), lines))
    rest = b"".join(lines[len(comments) :])
    if not rest.strip():
        return b"", given
    dialect, rows = detect_dialect(rest, given, source)

    def is_comment(line: bytes) -> bool:
        cells = _sample([line.decode("utf-8", "replace")], dialect, source)
        return [len(one) for one in cells] != [len(one) for one in rows[:1]]

    before = list(takewhile(is_comment, comments))
    return b"".join(before), given


def detect_dialect(
    head: bytes, given: ReadingOptions, source: str
) -> tuple[Dialect, list[list[str]]]:
    """Return the dialect of a table that starts with `head`, and its first records.

    Options that are given are not detected.
    """
    text = head[:_SAMPLE_BYTES].decode("utf-8", "replace")
    lines = list(io.StringIO(text, newline=""))
    if len(lines) > 1 and len(head) > _SAMPLE_BYTES:
        del lines[-1]  # it may be incomplete
    quote = given.quote or _quote(lines[:_SAMPLE_LINES])
    found: list[tuple[int, Dialect, list[list[str]]]] = []
    if quote == given.separator:
        raise DsgecError("the separator cannot be the quote", _OTHER_QUOTE)
    for separator in given.separator or _SEPARATORS.replace(quote, ""):
        dialect = Dialect(separator, quote, ".")
        sample = _sample(lines, dialect, source)
        widths = set(map(len, sample[1:] or sample))
        if len(widths) == 1 and len(sample[-1]) > 1 and len(sample[-1]) - len(sample[0]) in (0, 1):
            break
        # If no separator divides all lines alike, choose the one that is used most often.
        found.append((len(sample[0]) if sample and separator != " " else 0, dialect, sample))
    else:
        _, dialect, sample = max(found, key=lambda one: one[0])
    decimal = given.decimal or _decimal(dialect.separator, sample)
    return Dialect(dialect.separator, quote, decimal), sample


def _sample(lines: Sequence[str], dialect: Dialect, source: str) -> list[list[str]]:
    """Return the cells of the first records, up to an error, which is reported by the reader."""
    sample: list[list[str]] = []
    with suppress(DsgecError):
        for _, cells in islice(read_records(iter(lines), dialect, source), _SAMPLE_LINES):
            sample.append(cells)
    return sample


def _quote(lines: Sequence[str]) -> str:
    """Return an apostrophe if cells are quoted by it and there is no double quote."""
    text = "".join(lines)
    pairs = re.findall(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|\r\n]|$)", text, re.MULTILINE)
    return "'" if len(pairs) >= 2 and '"' not in text else '"'


def _decimal(separator: str, sample: Sequence[Sequence[str]]) -> str:
    if separator == ",":
        return "."
    cells = [cell for record in sample for cell in record]
    with_comma = sum(_WITH_COMMA.fullmatch(cell) is not None for cell in cells)
    return "," if with_comma and not any(map(_WITH_POINT.fullmatch, cells)) else "."


def has_header(sample: Sequence[Sequence[str]], decimal: str) -> bool:
    """Return whether the first of these records is a header.

    It is one if it has a text in a column that continues with numbers; if its last text, the name
    of the labels, is not repeated while the labels are; or if this holds for all columns whose
    texts are repeated.
    """

    def is_value(cell: str) -> bool:
        return looks_numeric(cell, decimal) or is_missing(cell)

    if len(sample) < 2:
        return not any(looks_numeric(cell, decimal) for record in sample for cell in record)
    first, *rest = sample
    # If rows have one cell more than the header, it is the row's name in front, or empty.
    width = min(len(first), *map(len, rest))
    columns = list(zip(*(record[-width:] for record in rest), strict=True))
    first = first[-width:]
    if not columns:
        return not any(map(is_value, first))
    named = list(zip(first, columns, strict=True))
    for name, cells in named:
        first_cell = next((cell for cell in cells if not is_missing(cell)), "")
        if not is_value(name) and looks_numeric(first_cell, decimal):
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
        not looks_numeric(name, decimal) and name not in cells for name, cells in repeating
    )
