"""Make the page of a study: tables, box plots, curves, and the tests behind the signs."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dsgec.errors import DsgecError
from dsgec.folder import Folder
from dsgec.plain_data import expect, from_plain, read_json
from dsgec.rendering import render_markup
from dsgec.report.chart import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Chart,
    DataTable,
    Scale,
    Series,
    generation_scale,
    line_path,
    linear_scale,
)
from dsgec.report.format import format_number, shorten
from dsgec.report.page import page_style, report_page
from dsgec.report.search_page import search_page
from dsgec.run.folder import has_record
from dsgec.run.text_result import is_text_run, read_text_result
from dsgec.study.evidence import FILE, DrawnCurves, DrawnSample, StudyEvidence
from dsgec.study.outputs import COMPARISONS, RESULTS
from dsgec.study.table_text import PRINTED

_COMPARED = ("table", "measure", "data", "row", "against", "u", "p", "z", "r", "mark")
_MOST_BYTES, _MOST_COMPARISONS, _STYLES = 64 << 20, 2000, 6


@dataclass(frozen=True, slots=True)
class Box:
    """The box of a sample: quartiles, whiskers to the last value within 1.5 boxes, and outliers."""

    label: str
    short_label: str
    style: int
    x: float
    places: tuple[float, float, float, float, float]
    """Lower whisker, quartiles, upper whisker."""
    outside: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class BoxPlot:
    """The boxes of several samples side by side."""

    key: str
    title: str
    description: str
    up: Scale
    up_label: str
    boxes: tuple[Box, ...]
    table: DataTable
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    right: float = RIGHT
    top: float = TOP
    bottom: float = BOTTOM


def folder_page(folder: Folder) -> str:
    """Return the page of a folder, which is a run's or a study's."""
    if is_text_run(folder):
        return search_page(read_text_result(folder))
    if has_record(folder):
        return report_page(folder)
    if folder.has(RESULTS):
        return study_page(folder)
    raise DsgecError(
        f"{folder.path} is neither the folder of a finished run nor of a study",
        "`dsgec evolve` and `dsgec study` make one.",
    )


def study_page(folder: Folder) -> str:
    """Return the page of a study's folder."""
    path = folder.path / FILE
    if not folder.has(FILE):
        raise DsgecError(
            f"{path} is not there",
            "Start the study again: what has finished is not run again, and the file is written.",
        )
    try:
        found = from_plain(StudyEvidence, read_json(folder, FILE))
    except ValueError:
        expect(False, path, "what the report of a study draws")
        raise
    compared = _comparisons(folder)
    parts = [
        {
            "table": table,
            "boxes": [
                plot
                for index, sample in enumerate(table.samples)
                if (plot := box_plot(f"box-{number}-{index}", sample)) is not None
            ],
            "curves": [
                chart
                for index, curves in enumerate(table.curves)
                if (chart := _curves_chart(f"curves-{number}-{index}", curves)) is not None
            ],
            "compared": [row for row in compared if row["table"] == table.name],
        }
        for number, table in enumerate(found.tables, 1)
    ]
    return render_markup(
        "report/study.html.j2",
        study=found.study,
        parts=parts,
        printed=PRINTED,
        style=page_style(),
    )


def box_plot(key: str, sample: DrawnSample) -> BoxPlot | None:
    """Return the box plot of one measure on one data set; None if no run has the measure."""
    rows = [(i, row.label, row.values) for i, row in enumerate(sample.rows)]
    rows = [row for row in rows if row[2]]
    if not rows:
        return None
    up = linear_scale([v for _, _, values in rows for v in values], BOTTOM, TOP)
    step = (RIGHT - LEFT) / len(rows)
    boxes, lines = [], []
    for place, (number, label, values) in enumerate(rows):
        five, outside = quartiles(values)
        low, first, median, third, high = map(up.place, five)
        boxes.append(
            Box(
                label,
                shorten(label, max(5, int(step / 6.5))),
                number % _STYLES,
                round(LEFT + (place + 0.5) * step, 1),
                (low, first, median, third, high),
                tuple(map(up.place, outside)),
            )
        )
        figures = map(format_number, (min(values), *five[1:4], max(values)))
        lines.append((label, str(len(values)), *figures))
    what = f"{sample.measure}, {sample.data}"
    return BoxPlot(
        key,
        what,
        f"Box plots of {sample.measure} over the runs: "
        + "; ".join(f"{line[0]}: median {line[4]} of {line[1]} runs" for line in lines),
        up,
        sample.measure,
        tuple(boxes),
        DataTable(
            ("row", "runs", "least", "first quartile", "median", "third quartile", "most"),
            tuple(lines),
        ),
    )


def quartiles(values: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return lower whisker, quartiles and upper whisker (Tukey's), and the values beyond them."""
    first, median, third = (float(q) for q in np.quantile(values, (0.25, 0.5, 0.75)))
    reach = 1.5 * (third - first)
    inside = [v for v in values if first - reach <= v <= third + reach]
    low, high = min(*inside, first), max(*inside, third)
    outside = tuple(sorted(v for v in values if v < low or v > high))
    return (low, first, median, third, high), outside


def _curves_chart(key: str, drawn: DrawnCurves) -> Chart | None:
    curves = drawn.curves
    if not curves:
        return None
    last = max(curve.generations[-1] for curve in curves)
    across = generation_scale(0.0, last)
    edges = [
        value
        for curve in curves
        for m, d in zip(curve.mean, curve.deviation, strict=True)
        for value in (m - d, m + d)
    ]
    up = linear_scale(edges, BOTTOM, TOP)
    series = []
    for style, curve in enumerate(curves):
        x, mean, deviation = curve.generations, curve.mean, curve.deviation
        upper = [(g, m + d) for g, m, d in zip(x, mean, deviation, strict=True)]
        lower = [(g, m - d) for g, m, d in zip(x, mean, deviation, strict=True)]
        band = line_path([*upper, *reversed(lower)], across, up)
        line = line_path(list(zip(x, mean, strict=True)), across, up)
        series.append(Series(curve.label, style % _STYLES, line, (), f"{band} Z"))
    table = tuple(
        (
            curve.label,
            str(curve.runs),
            format_number(curve.mean[0]),
            format_number(curve.mean[-1]),
        )
        for curve in curves
    )
    return Chart(
        key,
        f"Fitness over the generations, {drawn.data}",
        "A line chart of the best fitness, mean of the runs, with a band of one standard"
        " deviation; less is better.",
        across,
        up,
        "generation",
        "fitness of the best",
        tuple(series),
        DataTable(("row", "runs", "mean at first", "mean in the end"), table),
    )


def _comparisons(folder: Folder) -> list[dict[str, str]]:
    """Return the rows of comparisons.csv as texts."""
    path = folder.path / COMPARISONS
    try:
        text = folder.read_text(COMPARISONS, _MOST_BYTES)
        rows = list(csv.DictReader(text.splitlines(), strict=True))
    except csv.Error as error:
        raise DsgecError(f"cannot read {path}: {error}") from error
    good = all(all(isinstance(row.get(name), str) for name in _COMPARED) for row in rows)
    expect(good, path, "the comparisons of a study")
    return rows[:_MOST_COMPARISONS]
