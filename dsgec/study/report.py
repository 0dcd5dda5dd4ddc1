"""Results to what a study leaves: results.csv, tables, tests and figures."""

import re
from collections.abc import Container
from itertools import chain, count

from dsgec.folder import Folder
from dsgec.plain_data import to_json
from dsgec.report.curve_figure import figure_png, figure_svg
from dsgec.study.comparisons import comparisons_text, normality_text
from dsgec.study.evidence import FILE, evidence
from dsgec.study.figure import make_figure
from dsgec.study.ir import Study
from dsgec.study.plans import usual_plans
from dsgec.study.results import Results, results_text
from dsgec.study.tables import make_table
from dsgec.study.text import latex, markdown, plain_text

RESULTS, COMPARISONS = "results.csv", "comparisons.csv"


def write_report(study: Study, results: Results, folder: Folder) -> tuple[str, list[str]]:
    """Write everything; the tables as text, and what was written."""
    plans = study.tables or usual_plans(study.parts)
    tables = [make_table(study, plan, results) for plan in plans]
    text = plain_text(tables)
    files: dict[str, str | bytes] = {
        RESULTS: results_text(results),
        "tables.txt": text,
        "tables.md": markdown(tables),
        "tables.tex": latex(tables),
        COMPARISONS: comparisons_text(plans, results),
        "normality.csv": normality_text(plans, results),
        FILE: to_json(evidence(study, plans, tables, results)),
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
    """A name for a figure that resembles `text`, and that no other has."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", text)[:80].strip("_") or "figure"
    numbered = (f"{name}_{number}" for number in count(2))
    return next(n for n in chain([name], numbered) if f"{n}.svg" not in taken)
