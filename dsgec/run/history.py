"""history.csv: a row for each generation of a run."""

import csv
import io
from collections.abc import Sequence
from dataclasses import fields

from dsgec.errors import DsgecError
from dsgec.plain_data import csv_text, is_count
from dsgec.search.evolver import Generation, HistoryRow

_ADVICE = "Has it been changed, or written by an earlier version? `dsgec evolve` writes it again."
_COLUMNS = tuple(field.name for field in fields(HistoryRow))


def history_row(state: Generation) -> HistoryRow:
    """Return the row of a generation."""
    return HistoryRow(*(getattr(state, name) for name in _COLUMNS))


def history_text(history: Sequence[HistoryRow]) -> str:
    """Return the text of history.csv."""
    return csv_text(_COLUMNS, ([getattr(row, name) for name in _COLUMNS] for row in history))


def parse_history(text: str, source: str) -> tuple[HistoryRow, ...]:
    """Return the rows of history.csv; raise a DsgecError if it is not the history of a run."""
    try:
        names, *lines = csv.reader(io.StringIO(text), strict=True)
        rows = tuple(
            HistoryRow(int(number), float(best), float(mean), *map(int, counts))
            for number, best, mean, *counts in lines
        )
    except (ValueError, TypeError, csv.Error) as error:
        raise DsgecError(f"{source} is not the history of a run", _ADVICE) from error
    numbers = [row.generation for row in rows]
    is_increasing = numbers == sorted(set(numbers)) and bool(rows)
    counts = (
        count
        for row in rows
        for count in (row.generation, row.invalid, row.evaluations, row.reused, row.size)
    )
    if tuple(names) != _COLUMNS or not is_increasing or not all(map(is_count, counts)):
        raise DsgecError(f"{source} is not the history of a run", _ADVICE)
    return rows
