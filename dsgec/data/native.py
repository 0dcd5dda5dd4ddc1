"""Blocks of lines to rows in native code: what Python would read, twenty times as fast."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from dsgec.arithmetic.source import c_source
from dsgec.data.dialect import Dialect
from dsgec.data.gather import Gatherer
from dsgec.native.library import Library, load
from dsgec.native.toolchain import CompileError, find_toolchain
from dsgec.resources import TEMPLATES

_PARTS = ("engine/digits.h", "engine/number.c", "reader/rows.c")
DECLARATIONS = """
typedef struct { int64_t row, column, start, length, doubled; } dsgec_cell;
typedef struct {
    const char *text;
    size_t length;
    char separator, quote;
    int64_t columns, most_rows, most_cells;
    double *numbers;
    int32_t *lines;
    dsgec_cell *cells;
    int64_t rows, cell_count, line_count;
    size_t used;
} dsgec_rows;
int dsgec_read_rows(dsgec_rows *);
"""
_FULL, _CAREFUL = 1, 2
_LEAST_CELLS = 1 << 16


@dataclass(frozen=True, slots=True)
class Part:
    """How much of a block was read: bytes, and the lines in them."""

    used: int
    lines: int


@cache
def _library() -> Library | str:
    """The compiled reader, or why there is none."""
    toolchain = find_toolchain()
    if toolchain is None:
        return "there is no C compiler"
    try:
        return load(reader_source(), DECLARATIONS, toolchain)
    except (CompileError, OSError) as error:
        return " ".join(str(error).split()) or type(error).__name__


def why_not() -> str:
    """Why Python reads every table here; nothing if native code reads large ones."""
    library = _library()
    return library if isinstance(library, str) else ""


def reader_source() -> str:
    """The C of the reader."""
    arithmetic = c_source(["bits", "from_bits"], hosted=True)
    parts = [TEMPLATES.joinpath(name).read_text(encoding="utf-8") for name in _PARTS]
    return "\n".join(["#include <stddef.h>", "#include <string.h>", arithmetic, *parts])


def can_read(dialect: Dialect) -> bool:
    """Whether native code knows such tables; without a compiler it knows none."""
    plain = dialect.separator != " " and dialect.decimal == "." and not dialect.escape
    return plain and not why_not()


def read_block(block: bytes, dialect: Dialect, rows: Gatherer, line: int) -> Part:
    """Append the rows of a block that begins with `line`, up to one that needs more care."""
    library = _library()
    assert isinstance(library, Library)
    ffi = library.ffi
    if b"\r" in block and block.count(b"\r") != block.count(b"\r\n"):
        return Part(0, 0)  # a line may end there, too
    cells = np.empty((max(_LEAST_CELLS, rows.columns), 5), dtype=np.int64)
    text = ffi.from_buffer(block)
    call = ffi.new("dsgec_rows *")
    call.separator, call.quote = dialect.separator.encode(), dialect.quote.encode()
    call.columns, call.most_cells = rows.columns, len(cells)
    call.cells = ffi.cast("dsgec_cell *", cells.ctypes.data)
    used = lines = 0
    while used < len(block):
        call.text, call.length = text + used, len(block) - used
        call.most_rows = call.length // rows.columns + 1  # a cell takes a byte, with what ends it
        rows.reserve(call.most_rows)
        call.numbers = _at(ffi, "double *", rows.numbers[rows.rows :])
        call.lines = _at(ffi, "int32_t *", rows.lines[rows.rows :])
        outcome = library.functions.dsgec_read_rows(call)
        found = cells[: call.cell_count]
        _add_texts(rows, found, block, used, dialect.quote)
        rows.lines[rows.rows : rows.rows + call.rows] += line + lines
        rows.rows += call.rows
        used += call.used
        lines += call.line_count
        if outcome == _CAREFUL:
            break
    return Part(used, lines)


def _at(ffi: Any, kind: str, array: Any) -> Any:
    return ffi.cast(kind, array.ctypes.data)


def _add_texts(rows: Gatherer, cells: Any, block: bytes, offset: int, quote: str) -> None:
    for column in np.unique(cells[:, 1]).tolist():
        row, _, start, length, doubled = cells[cells[:, 1] == column].T
        start = start + offset
        texts = [
            block[begin:end]
            for begin, end in zip(start.tolist(), (start + length).tolist(), strict=True)
        ]
        for place in np.flatnonzero(doubled).tolist():
            texts[place] = texts[place].replace(2 * quote.encode(), quote.encode())
        rows.add_bytes(column, rows.rows + row, texts)
