"""A CSV file to a Table: named columns of text, with the line that each row stood on."""

import csv
import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dsgec.data import paper
from dsgec.errors import DsgecError, Fault, Span
from dsgec.resources import TABLES, find, read_bytes

_SEPARATORS = ",;\t"
_LONGEST_CELL = 1 << 20
_MOST_BYTES = 4 << 30


@dataclass(frozen=True, slots=True)
class Table:
    """Row i stood on line `lines[i]` of the file; with `has_header`, the names are the file's."""

    name: str
    source: str
    digest: str
    columns: tuple[str, ...]
    has_header: bool
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]

    def fault(self, row: int, column: int, message: str, advice: str = "") -> Fault:
        """A fault at one cell, which is shown as it is."""
        span = Span(self.source, self.lines[row], column + 1)
        cell = self.rows[row][column]
        where = f"column {column + 1} (`{self.columns[column]}`)"
        return Fault(f"{message}: `{cell[:60]}` in {where}", advice, span)


def read_table(name: str) -> Table:
    """The table in the file `name`, or the shipped table or the paper's table of that name."""
    if name in paper.NAMES and not Path(name).exists():
        return parse_table(paper.paper_table(name), name, name)
    path = find(name, TABLES, ".csv", "table", paper.more_tables())
    stem = path.name.split(".")[0] or "table"
    return parse_table(read_bytes(path, name, _MOST_BYTES), name, stem)


def parse_table(data: bytes, source: str, name: str) -> Table:
    """The table that the bytes of a CSV file describe."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DsgecError(
            Fault("this is not UTF-8 text", "Save the table as UTF-8.", Span(source, line, 1))
        ) from error
    if "\0" in text:
        raise DsgecError(f"{source} is not a text file: it holds NUL characters")
    records, lines = _records(text, source)
    if not records:
        raise DsgecError(f"{source} is empty", "A table needs a line for each row.")
    header = records[0] if _is_header(records) else None
    if header is not None:
        records, lines = records[1:], lines[1:]
    width = len(header) if header is not None else len(records[0])
    faults = [
        Fault(f"{len(record)} cells where {width} were expected", "", Span(source, line, 1))
        for record, line in zip(records, lines, strict=True)
        if len(record) != width
    ]
    if faults:
        raise DsgecError(_first(faults))
    if not records:
        raise DsgecError(f"{source} has a header but no rows")
    columns = header if header is not None else [f"x_{i}" for i in range(1, width + 1)]
    return Table(
        name,
        source,
        hashlib.sha256(data).hexdigest(),
        _distinct(columns, source),
        header is not None,
        tuple(records),
        tuple(lines),
    )


def is_number(cell: str) -> bool:
    """Whether a cell is a number; `1_000` is one to Python but to nobody else."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def _records(text: str, source: str) -> tuple[list[tuple[str, ...]], list[int]]:
    first_line = text[: text.find("\n")] if "\n" in text else text
    separator = max(_SEPARATORS, key=first_line.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    records, lines = [], []
    previous = csv.field_size_limit(_LONGEST_CELL)
    try:
        before = 0
        for record in reader:
            if record and any(cell.strip() for cell in record):
                records.append(tuple(cell.strip() for cell in record))
                lines.append(before + 1)
            before = reader.line_num
    except csv.Error as error:
        raise DsgecError(Fault(str(error), "", Span(source, reader.line_num, 1))) from error
    finally:
        csv.field_size_limit(previous)
    return records, lines


def _is_header(records: Sequence[tuple[str, ...]]) -> bool:
    """A first line with text in a column in which the next line has a number is a header.

    So is one that ends in a text which never comes again, where texts do: the name of the labels.
    """
    if len(records) == 1:
        return not any(map(is_number, records[0]))
    labels = [record[-1] for record in records]
    if not is_number(labels[0]) and labels[0] not in labels[1:] and len(set(labels)) < len(labels):
        return True
    return any(
        not is_number(first) and is_number(second)
        for first, second in zip(records[0], records[1], strict=False)
    )


def _distinct(columns: Sequence[str], source: str) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    for number, column in enumerate(columns, 1):
        if not column:
            message = f"column {number} has no name"
            raise DsgecError(Fault(message, "Name it in the header.", Span(source, 1, number)))
        if column in seen:
            message = f"columns {seen[column]} and {number} are both called `{column}`"
            raise DsgecError(Fault(message, "Rename one of them.", Span(source, 1, number)))
        seen[column] = number
    return tuple(columns)


def _first(faults: list[Fault], most: int = 10) -> list[Fault]:
    rest = len(faults) - most
    return [*faults[:most], Fault(f"and {rest} more like these")] if rest > 0 else faults
