"""Read blocks of lines to rows in native code: several times as fast as Python, same results."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from dsgec.arithmetic.source import arithmetic_header
from dsgec.data.dialect import Dialect
from dsgec.data.table import TableBuilder
from dsgec.engine.library import Library, load, resolve_includes, without_directives
from dsgec.engine.toolchain import CompileError, Toolchain, find_toolchain
from dsgec.resources import TEMPLATES

_OWN = ("rows.c", "rows.h")
_LEAST_CELLS = 1 << 16
_ROWS_AT_ONCE = 32
"""For wide tables: the cost of a column does not depend on how few cells are read at once."""


@dataclass(frozen=True, slots=True)
class FilePart:
    """The number of bytes and of lines of a block that were read."""

    used: int
    lines: int


@cache
def _library() -> Library | str:
    """Return the compiled reader, or why there is none."""
    toolchain = find_toolchain()
    if toolchain is None:
        return "there is no C compiler"
    try:
        return load_reader(toolchain)
    except (CompileError, OSError) as error:
        return " ".join(str(error).split()) or type(error).__name__


def why_not() -> str:
    """Return why only Python reads tables here, or an empty text if native code does, too."""
    library = _library()
    return library if isinstance(library, str) else ""


def load_reader(toolchain: Toolchain) -> Library:
    """Return the reader, compiled now or before."""
    return load(reader_source(), without_directives(_read("rows.h")), toolchain)


def reader_source() -> str:
    """Return the C source of the reader."""
    return resolve_includes("rows.c", _read, set())


def _read(name: str) -> str:
    if name == "arithmetic.h":
        return arithmetic_header(["bits", "from_bits"])
    folder = "reader" if name in _OWN else "engine"
    return TEMPLATES.joinpath(f"{folder}/{name}").read_text(encoding="utf-8")


def can_read(dialect: Dialect) -> bool:
    """Return whether native code can read this dialect; without a compiler it cannot."""
    plain = dialect.separator != " " and dialect.decimal == "." and not dialect.escape
    return plain and not why_not()


def read_block(block: bytes, dialect: Dialect, rows: TableBuilder, line: int) -> FilePart:
    """Append the rows of a block that begins with `line`, up to one that needs more care."""
    library = _library()
    assert isinstance(library, Library)
    if b"\r" in block and block.count(b"\r") != block.count(b"\r\n"):
        return FilePart(0, 0)  # a lone carriage return may end a line, too
    room = min(_ROWS_AT_ONCE * rows.columns, len(block))  # a cell takes at least one byte
    cells = np.empty(max(_LEAST_CELLS, rows.columns, room), library.dtype("dsgec_cell"))
    text = library.ffi.from_buffer(block)
    used = lines = 0
    while used < len(block):
        length = len(block) - used
        most_rows = length // rows.columns + 1
        rows.reserve(most_rows)
        call = library.struct(
            "dsgec_rows",
            text=text + used,
            length=length,
            separator=dialect.separator.encode(),
            quote=dialect.quote.encode(),
            columns=rows.columns,
            most_rows=most_rows,
            most_cells=len(cells),
            numbers=rows.numbers[rows.rows :],
            lines=rows.lines[rows.rows :],
            cells=cells,
            rows=0,
            cell_count=0,
            line_count=0,
            used=0,
        )
        outcome = library.functions.dsgec_read_rows(call)
        found = cells[: call.cell_count]
        _add_texts(rows, found, block, used, dialect.quote)
        rows.lines[rows.rows : rows.rows + call.rows] += line + lines
        rows.rows += call.rows
        used += call.used
        lines += call.line_count
        if outcome == library.functions.CAREFUL:
            break
    return FilePart(used, lines)


def _add_texts(rows: TableBuilder, cells: Any, block: bytes, offset: int, quote: str) -> None:
    cells = cells[np.argsort(cells["column"], kind="stable")]
    columns, firsts, counts = np.unique(cells["column"], return_index=True, return_counts=True)
    for column, first, count in np.transpose([columns, firsts, counts]).tolist():
        own = cells[first : first + count]
        start = own["start"] + offset
        texts = [
            block[begin:end]
            for begin, end in zip(start.tolist(), (start + own["length"]).tolist(), strict=True)
        ]
        for place in np.flatnonzero(own["doubled"]).tolist():
            texts[place] = texts[place].replace(2 * quote.encode(), quote.encode())
        rows.add_bytes(column, rows.rows + own["row"], texts)
