"""Results to what a study leaves: results.csv, tables, tests and figures."""

from pathlib import Path

from dsgec.run.files import write_whole
from dsgec.study.comparisons import comparisons_text, normality_text
from dsgec.study.figure import make_figure, svg
from dsgec.study.ir import Study
from dsgec.study.picture import png
from dsgec.study.plans import usual_plans
from dsgec.study.results import Results, results_text
from dsgec.study.tables import make_table
from dsgec.study.text import latex, markdown, plain_text


def write_report(study: Study, results: Results, folder: Path) -> tuple[str, list[Path]]:
    """Write everything; the tables as text, and what was written."""
    plans = study.tables or usual_plans(study.parts)
    tables = [make_table(study, plan, results) for plan in plans]
    text = plain_text(tables)
    files: dict[str, str | bytes] = {
        "results.csv": results_text(results),
        "tables.txt": text,
        "tables.md": markdown(tables),
        "tables.tex": latex(tables),
        "comparisons.csv": comparisons_text(plans, results),
        "normality.csv": normality_text(plans, results),
    }
    for plan in plans:
        for data in plan.data:
            if data.name not in plan.figures:
                continue
            figure = make_figure(plan, data, results, "A quick look." if study.shortened else "")
            if figure is not None:
                name = f"{plan.name}-{data.name}".replace(" ", "_")
                files[f"{name}.svg"] = svg(figure)
                files[f"{name}.png"] = png(figure)
    for name, content in files.items():
        write_whole(folder / name, content)
    return text, [folder / name for name in files]
