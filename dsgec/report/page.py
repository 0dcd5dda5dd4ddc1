"""A folder to its page: one HTML file with all that it needs, the same bytes for the same run."""

from pathlib import Path

from dsgec.errors import DsgecError
from dsgec.folder import Folder, open_folder, write_whole
from dsgec.manifest import EVIDENCE, PAGE, write_files
from dsgec.network.notation import formula_text, missing_text
from dsgec.rendering import (
    code_environment,
    compile_template,
    markup_environment,
    render_markup,
)
from dsgec.report.facts import commands, facts, other_settings
from dsgec.report.figures import calibration_chart, metric_label, roc_chart, value_charts
from dsgec.report.hall import front_chart, hall_chart, hall_rows, minimised
from dsgec.report.headline import rivals, tiles, verdict
from dsgec.report.layout import draw
from dsgec.report.nodes import named_nodes
from dsgec.report.progress import fitness_chart, fitness_label, size_chart
from dsgec.report.script import SCRIPT, page_script
from dsgec.report.style import page_style
from dsgec.report.tables import (
    MOST_BARS,
    MOST_CLASSES,
    MOST_FIELDS,
    columns_read,
    confusions,
    fields,
    importances,
    metric_table,
)
from dsgec.report.written import as_written
from dsgec.run.folder import read_result
from dsgec.run.result import Result

_TEMPLATE = "report/run.html.j2"
_MOST_FORMULAS, _MOST_HALL = 2000, 500
_LONGEST_FORMULA = 100_000


def prepare_page() -> None:
    """Compile what a run's page is made of, so that it is there when the page is wanted."""
    compile_template(markup_environment(), _TEMPLATE)
    compile_template(code_environment(), SCRIPT)


def report_page(folder: Folder) -> str:
    """Return the page of a run's folder."""
    result = read_result(folder)
    if not result.evidence:
        raise DsgecError(
            f"{folder.path / EVIDENCE} is not there",
            "Runs of earlier versions and of estimators lack it: use `dsgec evolve`.",
        )
    return run_page(result)


def write_page(folder: Folder, result: Result | None = None) -> Path:
    """Write the page into the folder itself; gives where it is.

    `result` is what the folder holds, if it is known: reading it again takes a while.
    """
    page = report_page(folder) if result is None else run_page(result)
    write_files(folder, {PAGE: page})
    return folder.path / PAGE


def write_report(path: Path, out: Path | None = None) -> Path:
    """Write the page of a run into its folder or to `out`, and return where it is."""
    with open_folder(path) as folder:
        if out is None:
            return write_page(folder)
        write_whole(out, report_page(folder))
        return out


def run_page(run: Result) -> str:
    """Return the page of a run that has evidence."""
    assert run.evidence is not None
    model = run.model
    nodes = named_nodes(model)
    written = as_written(run.result.phenotype, model, run.record.network_scale)
    script = page_script(model, run.name, nodes, run.evidence)
    read = {*columns_read(model)}
    baselines, metrics = metric_table(run)
    values = [] if model.classes else value_charts(run)
    curves = [roc_chart(run, part) for part in ("train", "test")] if model.classes else []
    return render_markup(
        _TEMPLATE,
        style=page_style(),
        script=script,
        tiles=tiles(run, len(read)),
        rivals=rivals(run),
        verdict=verdict(run),
        warnings=run.result.warnings or (),
        record=run.record,
        facts=facts(run.record),
        settings=other_settings(run.record),
        commands=commands(run.record),
        baselines=baselines,
        metrics=metrics,
        charts=[fitness_chart(run.history, fitness_label(run)), size_chart(run.history)],
        hall=hall_chart(run),
        front=front_chart(run),
        minimised=minimised(run),
        objective=run.result.objective,
        hall_rows=hall_rows(run)[:_MOST_HALL],
        metric=metric_label(run.metrics[0]),
        curves=[chart for chart in curves if chart is not None],
        calibration=calibration_chart(run),
        confusions=confusions(run),
        most_classes=MOST_CLASSES,
        values=values,
        drawing=draw(model, nodes, written),
        written=written,
        kind=run.result.kind,
        headline=run.result.formula or "",
        readable=formula_text(model, run.record.ranges)[:_LONGEST_FORMULA],
        missing=missing_text(model),
        formulas=[node for node in nodes if node.kind != "feature"][:_MOST_FORMULAS],
        scaled=any((column.center, column.scale) != (0.0, 1.0) for column in model.columns),
        importance=run.evidence.importance,
        importances=importances(run),
        read=[column.name for i, column in enumerate(model.columns) if i in read],
        unread=[column.name for i, column in enumerate(model.columns) if i not in read],
        fields=fields(model, run.evidence.columns),
        most_fields=MOST_FIELDS,
        columns=len(model.columns),
        examples=run.evidence.examples,
        sliders="from the least to the largest value of the training rows, and start at the median",
        start="medians",
        classes=[str(label) for label in model.classes],
        bars=min(len(model.classes), MOST_BARS),
        target=model.target,
    )
