"""A table as it was read: its cells as numbers and texts, and the builder that collects them."""

import difflib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError, Fault, Span
from dsgec.network.model import BLANK_WORDS, MISSING_WORDS, NOTHING_WORDS

MOST_TEXTS = 10_000
_MISSING, _NUMBER, _NEW = -1, -2, -3


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """The texts of a column: `codes` has the place of each row's text, -1 where it has none.

    A column of very many distinct texts keeps only the first of them and is `overflowed`: the code
    of all other texts is the number of those kept.
    """

    codes: NDArray[np.int32]
    texts: tuple[str, ...]
    overflowed: bool = False

    @classmethod
    def limit(cls, codes: NDArray[np.integer], texts: Iterable[str]) -> "TextColumn":
        """Return a column that keeps at most `MOST_TEXTS` of the texts."""
        every = tuple(texts)
        kept = np.minimum(codes, MOST_TEXTS).astype(np.int32)
        return cls(kept, every[:MOST_TEXTS], len(every) > MOST_TEXTS)

    def has_text(self, *, may_be_class: bool = False) -> NDArray[np.bool_]:
        """Return which rows have a text other than a word for a missing value."""
        is_text = [not is_missing(text, may_be_class=may_be_class) for text in self.texts]
        return np.array([*is_text, self.overflowed, False])[self.codes]


@dataclass(frozen=True, slots=True)
class RecordingColumns:
    """The roles of the columns of samples that were read from recordings.

    `recording` and `target` are columns; `window` is the length of all recordings, 0 if they are
    not equally long.
    """

    recording: str
    target: str
    window: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Named columns of numbers and texts.

    `numbers` has a NaN for every cell that is not a number: a text, which is in `texts`, or a
    missing value. Row i is on line `lines[i]` of the file; with `has_header`, the names are the
    file's. `source` is what messages call the table, `format` describes the file, and `reading`
    has the options that were given to read it. `row_weights` and `groups` have a value for each
    row, if a user gave some; their digests are of all values given. `kinds` has what a data frame,
    a file or a user declares a column to be: `category` (also of numbers), `boolean` or `duration`.
    A column that is declared as text has no numbers. If it is `recorded`, a row is a sample.
    """

    name: str
    source: str
    digest: str
    columns: tuple[str, ...]
    has_header: bool
    numbers: NDArray[np.float64]
    texts: Mapping[int, TextColumn]
    lines: NDArray[np.int32]
    format: str = ""
    notes: tuple[str, ...] = ()
    reading: tuple[tuple[str, str | bool], ...] = ()
    row_weights: NDArray[np.float64] | None = None
    weights_digest: str = ""
    groups: NDArray[np.intp] | None = None
    groups_digest: str = ""
    kinds: Mapping[int, str] = field(default_factory=dict)
    recorded: RecordingColumns | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def cell(self, row: int, column: int) -> str:
        """Return a cell as text, empty for a missing value."""
        texts = self.texts.get(column)
        if texts is not None and texts.codes[row] >= 0:
            code = int(texts.codes[row])
            return texts.texts[code] if code < len(texts.texts) else "…"
        value = float(self.numbers[row, column])
        return "" if np.isnan(value) else number_label(value)

    def fault(self, row: int, column: int, message: str, advice: str = "") -> Fault:
        """Return a fault that shows one cell."""
        span = Span(self.source, int(self.lines[row]), column + 1)
        where = f"column {column + 1} (`{self.columns[column]}`)"
        return Fault(f"{message}: `{self.cell(row, column)[:60]}` in {where}", advice, span)

    def find_column(self, wanted: str) -> int:
        """Return the place of the column of this name or number; the number -1 is the last."""
        for name in (wanted, wanted.strip()):  # names in a table are stripped
            if name in self.columns:
                return self.columns.index(name)
        digits = wanted.removeprefix("-")
        if digits.isdecimal() and digits.isascii() and len(wanted) < 10:
            number = int(wanted)
            column = number - 1 if number > 0 else len(self.columns) + number
            if number and 0 <= column < len(self.columns):
                return column
        near = difflib.get_close_matches(wanted, self.columns, 1)
        columns = ", ".join(self.columns[:40])
        raise DsgecError(
            f"{self.source} has no column `{wanted[:60]}`",
            f"Did you mean `{near[0]}`?" if near else f"Its columns: {columns}.",
        )

    def take(self, rows: NDArray[np.intp]) -> "Table":
        """Return a table of these rows."""
        weights, groups = self.row_weights, self.groups
        return replace(
            self,
            numbers=self.numbers[rows],
            texts={place: replace(one, codes=one.codes[rows]) for place, one in self.texts.items()},
            lines=self.lines[rows],
            row_weights=None if weights is None else weights[rows],
            groups=None if groups is None else np.unique(groups[rows], return_inverse=True)[1],
        )


def is_missing(text: str, *, may_be_class: bool = False) -> bool:
    """Return whether a text stands for a missing value; `none` does not if it may be a class."""
    word = text.lower()
    return word in MISSING_WORDS and not (may_be_class and word in NOTHING_WORDS)


def parse_number(cell: str, decimal: str = ".") -> float:
    """Return a cell as a finite number, or NaN if it is none.

    Only plain ASCII digits count: `1_000` is a number to Python but not in a table.
    """
    cell = cell.strip()
    try:
        value = float(_with_point(cell) if decimal == "," else cell)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) and cell.isascii() and "_" not in cell else math.nan


def looks_numeric(cell: str, decimal: str = ".") -> bool:
    """Return whether a cell is meant as a number, also one that `parse_number` refuses."""
    try:
        return not math.isnan(float(_with_point(cell) if decimal == "," else cell))
    except ValueError:
        return False


def category_label(text: str) -> str:
    """Return the label of a category: a number in its canonical form, any other text as it is."""
    value = parse_number(text)
    return text if math.isnan(value) else number_label(value)


def number_label(value: float) -> str:
    """Return the canonical text of a number: `1`, `1.0` and `01` have one label."""
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(value)


def encode_texts(cells: Iterable[str]) -> tuple[list[int], dict[str, int]]:
    """Return the code of each cell, -1 if it is missing, and the codes of the distinct texts."""
    known: dict[str, int] = {}
    codes = [-1 if cell in BLANK_WORDS else known.setdefault(cell, len(known)) for cell in cells]
    return codes, known


def _parse_numbers(cells: Sequence[str], decimal: str) -> NDArray[np.float64] | None:
    """Return all cells as numbers, or None if one of them may be no plain number."""
    text = "".join(cells)
    if decimal == ",":
        cells = [_with_point(cell) for cell in cells]
    try:
        values = np.array(list(map(float, cells)))
    except ValueError:
        return None
    return values if text.isascii() and "_" not in text and np.isfinite(values).all() else None


def _with_point(cell: str) -> str:
    """Return a number with a decimal comma as Python reads it; one with a point becomes invalid."""
    return cell.replace(".", "!").replace(",", ".")


class TableBuilder:
    """The rows of a table while they are read; the arrays grow in place."""

    def __init__(self, columns: int, decimal: str = ".") -> None:
        self.columns, self.decimal = columns, decimal
        self.rows = 0
        self.numbers = np.empty((0, columns))
        self.lines = np.empty(0, dtype=np.int32)
        self._texts: dict[int, _TextColumnBuilder] = {}

    def reserve(self, rows: int) -> None:
        """Make room for this many more rows."""
        needed = self.rows + rows
        if needed > len(self.numbers):
            capacity = max(needed, len(self.numbers) + len(self.numbers) // 2)
            # In place: a copy would need the memory twice. Nobody else holds a view of it.
            self.numbers.resize((capacity, self.columns), refcheck=False)
            self.lines.resize(capacity, refcheck=False)

    def add_records(self, lines: Sequence[int], records: Sequence[Sequence[str]]) -> None:
        """Append records, each with a cell for every column."""
        self.reserve(len(records))
        end = self.rows + len(records)
        self.lines[self.rows : end] = lines
        for column, cells in enumerate(zip(*records, strict=True)):
            values = _parse_numbers(cells, self.decimal)
            if values is None:
                self.numbers[self.rows : end, column] = math.nan
                self.add_texts(column, np.arange(self.rows, end), cells)
            else:
                self.numbers[self.rows : end, column] = values
        self.rows = end

    def add_texts(self, column: int, rows: NDArray[np.intp], cells: Sequence[str]) -> None:
        """Store cells, of which some are not plain numbers, in reserved rows of a column."""
        known = self._texts.setdefault(column, _TextColumnBuilder()).known
        codes = [known.get(cell, _NEW) for cell in cells]
        self._store(column, rows, codes, lambda place: cells[place])

    def add_bytes(self, column: int, rows: NDArray[np.intp], cells: Sequence[bytes]) -> None:
        """Store cells like `add_texts`, without decoding bytes again that were seen before."""
        seen = self._texts.setdefault(column, _TextColumnBuilder()).seen
        codes = [seen.get(cell, _NEW) for cell in cells]
        new = self._store(column, rows, codes, lambda place: cells[place].decode("utf-8").strip())
        for place in new:
            if _NUMBER < codes[place] < MOST_TEXTS and len(seen) < MOST_TEXTS:
                seen[cells[place]] = codes[place]

    def _store(
        self,
        column: int,
        rows: NDArray[np.intp],
        codes: list[int],
        text: Callable[[int], str],
    ) -> list[int]:
        """Store codes after replacing the `_NEW` ones, and return the places of those."""
        texts = self._texts[column]
        new: list[int] = np.flatnonzero(np.array(codes, dtype=np.int32) == _NEW).tolist()
        for place in new:
            cell = text(place)
            value = parse_number(cell, self.decimal)
            codes[place] = texts.add(cell) if math.isnan(value) else _NUMBER
            if codes[place] == _NUMBER:
                self.numbers[rows[place], column] = value
        texts.put(rows, np.maximum(np.array(codes, dtype=np.int32), _MISSING))
        return new

    def finish(self) -> tuple[NDArray[np.float64], dict[int, TextColumn], NDArray[np.int32]]:
        """Return the numbers, the columns that have texts, and the line of each row."""
        self.numbers.resize((self.rows, self.columns), refcheck=False)
        self.lines.resize(self.rows, refcheck=False)
        texts = {
            column: builder.finish(self.rows)
            for column, builder in sorted(self._texts.items())
            if builder.known
        }
        return self.numbers, texts, self.lines


class _TextColumnBuilder:
    """The texts of one column while they are read."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.seen: dict[bytes, int] = {}
        self.overflowed = False
        self._codes = np.empty(0, dtype=np.int32)

    def put(self, rows: NDArray[np.intp], codes: NDArray[np.int32]) -> None:
        if len(rows) and rows[-1] >= len(self._codes):
            old = len(self._codes)
            self._codes.resize(max(int(rows[-1]) + 1, old + old // 2), refcheck=False)
            self._codes[old:] = _MISSING
        self._codes[rows] = codes

    def finish(self, rows: int) -> TextColumn:
        old = len(self._codes)
        self._codes.resize(rows, refcheck=False)
        self._codes[old:] = _MISSING
        return TextColumn(self._codes, tuple(self.known), self.overflowed)

    def add(self, cell: str) -> int:
        """Return the code of a text, which may be new or missing."""
        if cell in BLANK_WORDS:
            return _MISSING
        code = self.known.get(cell, len(self.known))
        if code == MOST_TEXTS:
            self.overflowed = True
        else:
            self.known[cell] = code
        return code
