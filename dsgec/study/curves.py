"""Draw the best fitness over the generations, as the mean of the runs of each row of a table."""

import math
from collections.abc import Sequence

import numpy as np

from dsgec.report.curve_figure import Curve, Figure, draw_curves
from dsgec.study.definition import Data, Row, TablePlan
from dsgec.study.results import CellResult, Results
from dsgec.study.tables import choose_runs

_MOST_POINTS = 300


def make_figure(plan: TablePlan, data: Data, results: Results, note: str = "") -> Figure | None:
    """Return the figure of a table's rows on one data set; None if there is nothing to draw."""
    curves = make_curves(plan, data, results)
    if not curves:
        return None
    runs = max(curve.runs for curve in curves)
    title = f"{data.label}: fitness of the best network"
    subtitle = f"Mean of {runs} runs, ± one standard deviation; less is better. {note}".rstrip()
    return draw_curves(curves, title, subtitle)


def make_curves(plan: TablePlan, data: Data, results: Results) -> list[Curve]:
    """Return the curves of a table's rows on one data set."""
    chosen = choose_runs(plan, results)
    # A row of some runs only would begin with others than it ends with.
    rows = [row for row in plan.rows if not row.layers and chosen[row, data]]
    last = {row: _last_generation(row, data, results) for row in rows}
    curves = [_curve(row.label, chosen[row, data], last[row]) for row in rows]
    return [curve for curve in curves if len(curve.mean)]


def _last_generation(row: Row, data: Data, results: Results) -> int:
    return max(
        cell.settings.generations
        for cell in results
        if (cell.part, cell.settings.representation, cell.grammar.name, cell.data.name)
        == (row.part, row.representation, row.grammar, data.name)
    )


def _curve(label: str, outcomes: Sequence[CellResult], last: int) -> Curve:
    """Return the mean curve of some runs; the best fitness of a run holds until it changes."""
    at = np.unique(np.linspace(0, last, min(last + 1, _MOST_POINTS)).round())
    values = np.empty((len(outcomes), len(at)))
    for row, outcome in zip(values, outcomes, strict=True):
        starts = [generation for generation, _ in outcome.changes]
        best = np.array([math.nan if b is None else b for _, b in outcome.changes])
        row[:] = best[np.searchsorted(starts, at, side="right") - 1]
    kept = ~np.isnan(values).any(axis=0)  # a generation without a valid network has no fitness
    values, at = values[:, kept], at[kept]
    deviation = values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(len(at))
    return Curve(label, len(outcomes), at, values.mean(axis=0), deviation)
