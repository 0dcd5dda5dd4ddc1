"""Write what a study leaves: results.csv, tables, statistical tests and figures."""

import re
from collections.abc import Container, Iterator, Sequence
from itertools import chain, count
from typing import Any

from dsgec.folder import Folder
from dsgec.plain_data import as_plain, csv_text, to_json
from dsgec.report.curve_figure import figure_png, figure_svg
from dsgec.study.definition import Study, TablePlan, default_tables
from dsgec.study.evidence import FILE, make_evidence, make_figure
from dsgec.study.results import Results, results_text
from dsgec.study.statistics import compare, mark, normality
from dsgec.study.table_text import latex, markdown, plain_text
from dsgec.study.tables import choose_runs, figures, make_table, measures_of

RESULTS, COMPARISONS = "results.csv", "comparisons.csv"


def write_outputs(study: Study, results: Results, folder: Folder) -> tuple[str, list[str]]:
    """Write all files of a study; return the tables as text, and the names of the files."""
    plans = study.tables or default_tables(study.parts)
    tables = [make_table(study, plan, results) for plan in plans]
    text = plain_text(tables)
    files: dict[str, str | bytes] = {
        RESULTS: results_text(results),
        "tables.txt": text,
        "tables.md": markdown(tables),
        "tables.tex": latex(tables),
        COMPARISONS: comparisons_text(plans, results),
        "normality.csv": normality_text(plans, results),
        FILE: to_json(as_plain(make_evidence(study, plans, tables, results))),
    }
    for plan in plans:
        for data in plan.data:
            if data.name not in plan.figures:
                continue
            figure = make_figure(plan, data, results, "A quick look." if study.shortened else "")
            if figure is not None:
                name = _file_name(f"{plan.name}-{data.name}", files)
                files[f"{name}.svg"] = figure_svg(figure)
                files[f"{name}.png"] = figure_png(figure)
    for name, content in files.items():
        folder.write(name, content)
    return text, list(files)


def _file_name(text: str, taken: Container[str]) -> str:
    """Return a name for a figure that resembles `text` and is not taken."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", text)[:80].strip("_") or "figure"
    numbered = (f"{name}_{number}" for number in count(2))
    return next(n for n in chain([name], numbered) if f"{n}.svg" not in taken)


def comparisons_text(plans: Sequence[TablePlan], results: Results) -> str:
    """Return comparisons.csv: each row of a table against each row above it, by Mann-Whitney U."""
    head = ["table", "measure", "data", "row", "against", "u", "p", "z", "r", "mark"]
    return csv_text(head, (line for plan in plans for line in _comparisons(plan, results)))


def normality_text(plans: Sequence[TablePlan], results: Results) -> str:
    """Return normality.csv: the p-values of two tests of normality for each sample."""
    head = ["table", "measure", "data", "row", "runs", "kolmogorov_smirnov_p", "shapiro_wilk_p"]
    return csv_text(head, (line for plan in plans for line in _normality(plan, results)))


def _comparisons(plan: TablePlan, results: Results) -> Iterator[list[Any]]:
    chosen = choose_runs(plan, results)
    for measure in measures_of(chosen):
        for data in plan.data if measure.better else ():
            for number, row in enumerate(plan.rows):
                for other in plan.rows[:number]:
                    answer = compare(
                        figures(chosen[row, data], measure), figures(chosen[other, data], measure)
                    )
                    if answer is not None:
                        numbers = map(_six_digits, (answer.u, answer.p, answer.z, answer.r))
                        place = [plan.name, measure.name, data.name, row.label, other.label]
                        yield [*place, *numbers, mark(answer, measure.better)]


def _normality(plan: TablePlan, results: Results) -> Iterator[list[Any]]:
    chosen = choose_runs(plan, results)
    for measure in measures_of(chosen):
        for data in plan.data:
            for row in plan.rows:
                values = figures(chosen[row, data], measure)
                if values:
                    answer = normality(values)
                    chances = map(_six_digits, (answer.kolmogorov_smirnov, answer.shapiro_wilk))
                    place = [plan.name, measure.name, data.name, row.label]
                    yield [*place, len(values), *chances]


def _six_digits(number: float | None) -> str:
    return "" if number is None else f"{number:.6g}"
