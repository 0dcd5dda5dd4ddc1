"""Cells to arrays: numbers as they come, texts by their numbers."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dsgec.data.cells import BLANK_WORDS, number, numbers
from dsgec.data.ir import Texts

MOST_TEXTS = 10_000
_MISSING, _NUMBER, _NEW = -1, -2, -3


class Gatherer:
    """Rows of a table, appended to; the array grows in its place."""

    def __init__(self, columns: int, decimal: str = ".") -> None:
        self.columns, self.decimal = columns, decimal
        self.rows = 0
        self.numbers = np.empty((0, columns))
        self.lines = np.empty(0, dtype=np.int32)
        self._texts: dict[int, _Gathered] = {}

    def reserve(self, rows: int) -> None:
        """Make room for so many rows more."""
        needed = self.rows + rows
        if needed > len(self.numbers):
            capacity = max(needed, len(self.numbers) + len(self.numbers) // 2)
            # In place: a copy would need the memory twice. Nobody else holds a view of it.
            self.numbers.resize((capacity, self.columns), refcheck=False)
            self.lines.resize(capacity, refcheck=False)

    def add_records(self, lines: Sequence[int], records: Sequence[Sequence[str]]) -> None:
        """Append records, all as long as the table is wide."""
        self.reserve(len(records))
        end = self.rows + len(records)
        self.lines[self.rows : end] = lines
        for column, cells in enumerate(zip(*records, strict=True)):
            values = numbers(cells, self.decimal)
            if values is None:
                rows = np.arange(self.rows, end)
                self.numbers[self.rows : end, column] = math.nan
                self.add_texts(column, rows, cells)
            else:
                self.numbers[self.rows : end, column] = values
        self.rows = end

    def add_texts(self, column: int, rows: NDArray[np.intp], cells: Sequence[str]) -> None:
        """Put cells of which some are no plain numbers into rows that there is room for."""
        gathered = self._texts.setdefault(column, _Gathered())
        known = gathered.known
        codes = [known.get(cell, _NEW) for cell in cells]
        self._put(column, rows, codes, lambda place: cells[place])

    def add_bytes(self, column: int, rows: NDArray[np.intp], cells: Sequence[bytes]) -> None:
        """As `add_texts`; bytes that were seen before are not decoded again."""
        gathered = self._texts.setdefault(column, _Gathered())
        seen = gathered.seen
        codes = [seen.get(cell, _NEW) for cell in cells]
        new = self._put(column, rows, codes, lambda place: cells[place].decode("utf-8").strip())
        for place in new:
            if _NUMBER < codes[place] < MOST_TEXTS and len(seen) < MOST_TEXTS:
                seen[cells[place]] = codes[place]

    def _put(
        self,
        column: int,
        rows: NDArray[np.intp],
        codes: list[int],
        text: Callable[[int], str],
    ) -> list[int]:
        """Learn what is new, in its place in `codes`, and keep it all; gives those places."""
        gathered = self._texts[column]
        new: list[int] = np.flatnonzero(np.array(codes, dtype=np.int32) == _NEW).tolist()
        for place in new:
            cell = text(place)
            value = number(cell, self.decimal)
            codes[place] = gathered.learn(cell) if math.isnan(value) else _NUMBER
            if codes[place] == _NUMBER:
                self.numbers[rows[place], column] = value
        gathered.put(rows, np.maximum(np.array(codes, dtype=np.int32), _MISSING))
        return new

    def finish(self) -> tuple[NDArray[np.float64], dict[int, Texts], NDArray[np.int32]]:
        """The numbers, the texts of the columns that have any, and the lines."""
        self.numbers.resize((self.rows, self.columns), refcheck=False)
        self.lines.resize(self.rows, refcheck=False)
        texts = {
            column: gathered.finish(self.rows)
            for column, gathered in sorted(self._texts.items())
            if gathered.known
        }
        return self.numbers, texts, self.lines


class _Gathered:
    """The texts of one column, so far."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.seen: dict[bytes, int] = {}
        self.overflowed = False
        self._codes = np.empty(0, dtype=np.int32)

    def put(self, rows: NDArray[np.intp], codes: NDArray[np.int32]) -> None:
        """Keep the numbers of the texts of some rows."""
        if len(rows) and rows[-1] >= len(self._codes):
            old = len(self._codes)
            self._codes.resize(max(int(rows[-1]) + 1, old + old // 2), refcheck=False)
            self._codes[old:] = _MISSING
        self._codes[rows] = codes

    def finish(self, rows: int) -> Texts:
        """What was found, for so many rows."""
        old = len(self._codes)
        self._codes.resize(rows, refcheck=False)
        self._codes[old:] = _MISSING
        return Texts(self._codes, tuple(self.known), self.overflowed)

    def learn(self, cell: str) -> int:
        """The number of a text, or that it is missing."""
        if cell in BLANK_WORDS:
            return _MISSING
        code = self.known.get(cell, len(self.known))
        if code == MOST_TEXTS:
            self.overflowed = True
        else:
            self.known[cell] = code
        return code
