"""Read a table: CSV and its relatives here, other formats and folders by their own readers."""

import io
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path

from dsgec.data import parquet
from dsgec.data.dialect import Dialect, detect_dialect, find_preamble, has_header, read_records
from dsgec.data.formats import detect_arff_dialect, is_arff, read_arff_header, refuse_other_formats
from dsgec.data.native import can_read, read_block
from dsgec.data.options import ReadingOptions
from dsgec.data.recordings import read_recordings
from dsgec.data.source import BLOCK, LineReader, TableSource, is_shipped, open_source
from dsgec.data.table import Table, TableBuilder
from dsgec.data.ts_files import is_ts, read_ts
from dsgec.errors import MOST_ALIKE, DsgecError, Fault, Span, and_more, mention

_CELLS_AT_ONCE = 100_000
_SEPARATOR_NAMES = {"\t": "tabs", " ": "blanks"}


def read_table(name: str, options: ReadingOptions | None = None) -> Table:
    """Read the file or the shipped table of this name, or standard input if it is `-`."""
    options = options or ReadingOptions()
    if name != "-" and Path(name).is_dir() and not is_shipped(name):
        read = partial(_read_source, options=options)
        table = read_recordings(Path(name), name, read, options.encoding)
        return replace(table, reading=options.explicit)
    with closing(open_source(name, options.encoding)) as source:
        return replace(_read_source(source, options), reading=options.explicit)


def parse_table(
    data: bytes, source: str, name: str, options: ReadingOptions | None = None
) -> Table:
    """Return the table in the bytes of a file, which messages call `source`."""
    options = options or ReadingOptions()
    return _read_source(TableSource(io.BytesIO(data), source, name, options.encoding), options)


def _read_source(source: TableSource, options: ReadingOptions) -> Table:
    if parquet.is_parquet(source.head):
        return parquet.read_parquet(source)
    refuse_other_formats(source.head, source.shown)
    blocks = source.blocks()
    head = next(blocks, b"")
    lines = LineReader(chain([head], blocks))
    if is_ts(head):
        return read_ts(source, lines)
    if is_arff(head):
        columns = _refuse_duplicates(read_arff_header(lines, source.shown), source.shown, 1)
        dialect = detect_arff_dialect(lines, source.shown)
        rows = _read_rows(lines, dialect, len(columns), source.shown)
        return _make_table(source, rows, columns, True, "ARFF")
    return _read_csv(source, head, lines, options)


def _read_csv(
    source: TableSource, head: bytes, lines: LineReader, options: ReadingOptions
) -> Table:
    preamble, options = find_preamble(head, options, source.shown)
    head = head.removeprefix(preamble)
    if not head.strip():
        raise DsgecError(f"{source.shown} is empty", "A table needs a line for each row.")
    if lines.has_more():
        lines.skip(len(preamble), len(preamble.splitlines()))
    dialect, sample = detect_dialect(head, options, source.shown)
    header = options.header
    if header is None:
        is_named = bool(options.names and sample) and set(options.names) <= set(sample[0])
        header = is_named or has_header(sample, dialect.decimal)
    if header:
        records = read_records(lines.lines(), dialect, source.shown, lines.line)
        line, names = next(records, (1, []))
        columns = _refuse_duplicates(_complete_header(names, sample[1:]), source.shown, line)
    else:
        columns = tuple(f"x_{i}" for i in range(1, max(map(len, sample[:1]), default=1) + 1))
    fast = len(head) > BLOCK // 2 and can_read(dialect)
    rows = _read_rows(lines, dialect, len(columns), source.shown, fast=fast)
    if preamble.startswith(b"#"):
        count = len(preamble.splitlines())
        source.notes.append(f"{count} lines of comments before the table are left out")
    return _make_table(source, rows, columns, header, _describe_format(dialect, source))


def _read_rows(
    lines: LineReader, dialect: Dialect, columns: int, source: str, *, fast: bool = False
) -> TableBuilder:
    """Read all rows: in native code if `fast`, except for the lines that it leaves to Python."""
    rows = TableBuilder(columns, dialect.decimal)
    faults: list[Fault] = []
    count = 0
    while lines.has_more():
        if fast:
            part = read_block(lines.rest, dialect, rows, lines.line + 1)
            lines.skip(part.used, part.lines)
            if not lines.rest:
                continue
        records = read_records(lines.lines(), dialect, source, lines.line)
        chunk = list(islice(records, max(_CELLS_AT_ONCE // columns, 1)))
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


def _make_table(
    source: TableSource, rows: TableBuilder, columns: tuple[str, ...], header: bool, described: str
) -> Table:
    if not rows.rows:
        raise DsgecError(
            f"{source.shown} has a header but no rows",
            f"If it has no header, use {mention('header', False)}.",
        )
    place = (source.name, source.shown, source.digest)
    return Table(*place, columns, header, *rows.finish(), described, tuple(source.notes))


def _complete_header(names: list[str], sample: Sequence[Sequence[str]]) -> list[str]:
    """Return the names with an empty one added if every row has one cell more than the header.

    That cell is the row's name in front or an empty one at the end.
    """
    if not sample or any(len(record) != len(names) + 1 for record in sample):
        return names
    return [*names, ""] if not any(record[-1] for record in sample) else ["", *names]


def _refuse_duplicates(columns: Sequence[str], source: str, line: int) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    for number, column in enumerate(columns, 1):
        if column and column in seen:
            message = f"columns {seen[column]} and {number} are both called `{column}`"
            raise DsgecError(Fault(message, "Rename one of them.", Span(source, line, number)))
        seen[column] = number
    return tuple(columns)


def _describe_format(dialect: Dialect, source: TableSource) -> str:
    separator = _SEPARATOR_NAMES.get(dialect.separator, f"`{dialect.separator}`")
    comma = ", decimal comma" if dialect.decimal == "," else ""
    encoding = source.encoding.removesuffix("-sig")
    return f"CSV, separated by {separator}{comma}, {encoding}"
