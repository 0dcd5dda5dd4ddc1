"""A file to a Table: CSV and its relatives here, ARFF and Parquet by readers of their own."""

import io
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice

from dsgec.data import arff, parquet
from dsgec.data.dialect import Dialect, is_header, preamble, recognise, records
from dsgec.data.formats import refuse_other_formats
from dsgec.data.gather import Gatherer
from dsgec.data.ir import Table
from dsgec.data.native import can_read, read_block
from dsgec.data.plan import Reading
from dsgec.data.source import BLOCK, TableSource, open_source
from dsgec.data.stream import TextStream
from dsgec.errors import MOST_ALIKE, DsgecError, Fault, Span, and_more, mention

__all__ = ["Table", "parse_table", "read_table"]

_CELLS_AT_ONCE = 100_000
_NAMES = {"\t": "tabs", " ": "blanks"}


def read_table(name: str, reading: Reading | None = None) -> Table:
    """The table in the file `name`, the shipped table of that name, or with `-` standard input."""
    reading = reading or Reading()
    with closing(open_source(name, reading.encoding)) as source:
        return replace(read_source(source, reading), reading=reading.said)


def parse_table(data: bytes, source: str, name: str, reading: Reading | None = None) -> Table:
    """The table that the bytes of a file describe."""
    reading = reading or Reading()
    return read_source(TableSource(io.BytesIO(data), source, name, reading.encoding), reading)


def read_source(source: TableSource, reading: Reading) -> Table:
    """The table that a source holds, whatever its format."""
    if parquet.recognises(source.head):
        return parquet.read_parquet(source)
    refuse_other_formats(source.head, source.shown)
    blocks = source.blocks()
    head = next(blocks, b"")
    stream = TextStream(chain([head], blocks))
    if arff.recognises(head):
        columns = _distinct(arff.read_header(stream, source.shown), source.shown, 1)
        dialect = arff.look_at_rows(stream, source.shown)
        rows = _read_rows(stream, dialect, len(columns), source.shown)
        return _made(source, rows, columns, True, "ARFF")
    before, reading = preamble(head, reading, source.shown)
    head = head.removeprefix(before)
    if not head.strip():
        raise DsgecError(f"{source.shown} is empty", "A table needs a line for each row.")
    if stream.more():
        stream.skip(len(before), len(before.splitlines()))
    dialect, sample = recognise(head, reading, source.shown)
    header = reading.header
    if header is None:
        named = bool(reading.names and sample) and set(reading.names) <= set(sample[0])
        header = named or is_header(sample, dialect.decimal)
    if header:
        line, names = next(records(stream.lines(), dialect, source.shown, stream.line), (1, []))
        columns = _distinct(_as_wide_as(sample[1:], names), source.shown, line)
    else:
        columns = tuple(f"x_{i}" for i in range(1, max(map(len, sample[:1]), default=1) + 1))
    fast = len(head) > BLOCK // 2 and can_read(dialect)
    rows = _read_rows(stream, dialect, len(columns), source.shown, fast=fast)
    if before.startswith(b"#"):
        count = len(before.splitlines())
        source.notes.append(f"{count} lines of comments before the table are left out")
    return _made(source, rows, columns, header, _told(dialect, source))


def _read_rows(
    stream: TextStream, dialect: Dialect, columns: int, source: str, *, fast: bool = False
) -> Gatherer:
    """All rows: in native code where that may be, and the lines that it leaves with care."""
    rows = Gatherer(columns, dialect.decimal)
    faults: list[Fault] = []
    count = 0
    while stream.more():
        if fast:
            part = read_block(stream.rest, dialect, rows, stream.line + 1)
            stream.skip(part.used, part.lines)
            if not stream.rest:
                continue
        read = records(stream.lines(), dialect, source, stream.line)
        chunk = list(islice(read, max(_CELLS_AT_ONCE // columns, 1)))
        ragged = [(line, cells) for line, cells in chunk if len(cells) != columns]
        count += len(ragged)
        for line, cells in ragged[: MOST_ALIKE - len(faults)]:
            message = f"{len(cells)} cells where {columns} were expected"
            faults.append(Fault(message, "", Span(source, line, 1)))
        if not count:
            rows.add_records([line for line, _ in chunk], [cells for _, cells in chunk])
    if count > len(faults):
        faults.append(Fault(and_more(count - len(faults))))
    if faults:
        advice = "Every line must have as many cells; text with a separator in it is quoted."
        raise DsgecError([*faults, Fault("the lines are not equally long", advice)])
    return rows


def _made(
    source: TableSource, rows: Gatherer, columns: tuple[str, ...], has_header: bool, written: str
) -> Table:
    if not rows.rows:
        raise DsgecError(
            f"{source.shown} has a header but no rows",
            f"If it has no header, use {mention('header', False)}.",
        )
    numbers, texts, lines = rows.finish()
    return Table(
        source.name,
        source.shown,
        source.digest,
        columns,
        has_header,
        numbers,
        texts,
        lines,
        written,
        tuple(source.notes),
    )


def _as_wide_as(sample: Sequence[Sequence[str]], names: list[str]) -> list[str]:
    """The names, with an empty one where every row has a cell more: names of rows, or nothing."""
    if not sample or any(len(record) != len(names) + 1 for record in sample):
        return names
    return [*names, ""] if not any(record[-1] for record in sample) else ["", *names]


def _distinct(columns: Sequence[str], source: str, line: int) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    for number, column in enumerate(columns, 1):
        if column and column in seen:
            message = f"columns {seen[column]} and {number} are both called `{column}`"
            raise DsgecError(Fault(message, "Rename one of them.", Span(source, line, number)))
        seen[column] = number
    return tuple(columns)


def _told(dialect: Dialect, source: TableSource) -> str:
    separator = _NAMES.get(dialect.separator, f"`{dialect.separator}`")
    comma = ", decimal comma" if dialect.decimal == "," else ""
    encoding = source.encoding.removesuffix("-sig")
    return f"CSV, separated by {separator}{comma}, {encoding}"
