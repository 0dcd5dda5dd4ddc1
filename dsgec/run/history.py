"""How a run went: a row for each generation."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.evolution.evolver import Generation

HISTORY_COLUMNS = ("generation", "best", "mean", "invalid", "evaluations", "reused", "size")


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One generation; `evaluations` and `reused` count from the start of the run.

    `size` is the number of connections of the best, as its text has them.
    """

    generation: int
    best: float
    mean: float
    invalid: int
    evaluations: int
    reused: int
    size: int


def history_row(state: Generation) -> HistoryRow:
    """What is kept of a generation."""
    return HistoryRow(
        state.generation,
        state.best,
        state.mean,
        state.invalid,
        state.evaluations,
        state.reused,
        state.size,
    )


def history_text(history: Sequence[HistoryRow]) -> str:
    """history.csv."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HISTORY_COLUMNS)
    writer.writerows([getattr(row, name) for name in HISTORY_COLUMNS] for row in history)
    return out.getvalue()
