"""The data that the page and the figures of a study draw: samples, curves and `report.json`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dsgec.report.curve_figure import Curve, Figure, draw_curves
from dsgec.study.definition import Data, Row, Study, TablePlan
from dsgec.study.results import CellResult, Results
from dsgec.study.tables import Chosen, ResultTable, TableBlock, choose_runs, figures, measures_of

FILE = "report.json"
_DRAWN = ("fitness", "test accuracy", "test rmse")


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """The name of a study, and the number of its runs of each kind."""

    name: str
    runs: int
    seed: int
    shortened: str


@dataclass(frozen=True, slots=True)
class SampleRow:
    """The figures of all runs of a row."""

    label: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class DrawnSample:
    """The figures of all runs on one data set."""

    measure: str
    data: str
    rows: tuple[SampleRow, ...]


@dataclass(frozen=True, slots=True)
class DrawnCurve:
    """The best fitness over the generations: mean and deviation of some runs."""

    label: str
    runs: int
    generations: tuple[float, ...]
    mean: tuple[float, ...]
    deviation: tuple[float, ...]

    def validate(self) -> None:
        """Raise a ValueError unless there is a mean and a deviation for each generation."""
        lengths = {len(self.generations), len(self.mean), len(self.deviation)}
        if len(lengths) != 1 or not self.mean:
            raise ValueError("a curve has lists of different lengths")


@dataclass(frozen=True, slots=True)
class DrawnCurves:
    """The curves of one data set."""

    data: str
    curves: tuple[DrawnCurve, ...]


@dataclass(frozen=True, slots=True)
class DrawnTable:
    """A table of the study, with the samples and curves that are drawn beneath it."""

    name: str
    title: str
    columns: tuple[str, ...]
    printed: bool
    notes: tuple[str, ...]
    blocks: tuple[TableBlock, ...]
    samples: tuple[DrawnSample, ...]
    curves: tuple[DrawnCurves, ...]

    def validate(self) -> None:
        """Raise a ValueError unless every line has an entry for each column."""
        lines = (line for block in self.blocks for line in block.lines)
        if any(len(line.entries) != len(self.columns) for line in lines):
            raise ValueError("a line has not one entry for each column")


@dataclass(frozen=True, slots=True)
class StudyEvidence:
    """The content of report.json."""

    study: StudyFacts
    tables: tuple[DrawnTable, ...]


def make_evidence(
    study: Study, plans: Sequence[TablePlan], tables: Sequence[ResultTable], results: Results
) -> StudyEvidence:
    """Return the content of report.json: for each table its fields, samples and curves."""
    return StudyEvidence(
        StudyFacts(study.name, study.runs, study.seed, study.shortened),
        tuple(
            DrawnTable(
                plan.name,
                table.title,
                table.columns,
                table.has_printed,
                table.notes,
                table.blocks,
                _samples(plan, choose_runs(plan, results)),
                tuple(_curves(plan, data, results) for data in plan.data),
            )
            for plan, table in zip(plans, tables, strict=True)
        ),
    )


def _samples(plan: TablePlan, chosen: Chosen) -> tuple[DrawnSample, ...]:
    """Return the figures of every run for two measures: fitness, and one on the test rows."""
    there = {measure.name: measure for measure in measures_of(chosen)}
    drawn = [there[name] for name in _DRAWN if name in there][:2]
    return tuple(
        DrawnSample(
            f"{measure.group} {measure.label}".strip(),
            data.label,
            tuple(SampleRow(row.label, figures(chosen[row, data], measure)) for row in plan.rows),
        )
        for measure in drawn
        for data in plan.data
    )


def _curves(plan: TablePlan, data: Data, results: Results) -> DrawnCurves:
    curves = (
        DrawnCurve(
            curve.label,
            curve.runs,
            tuple(curve.generations.tolist()),
            tuple(curve.mean.tolist()),
            tuple(curve.deviation.tolist()),
        )
        for curve in make_curves(plan, data, results)
    )
    return DrawnCurves(data.label, tuple(curves))


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
