"""The pages of a run and of a model: one HTML file each, the same bytes for the same input."""

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dsgec import __version__
from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.arithmetic.source import js_source
from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact, model_id
from dsgec.export.files import run_artefact
from dsgec.export.lower import network_program
from dsgec.export.printed import printed_network
from dsgec.export.targets.js import emit_js
from dsgec.export.view import TemplateView
from dsgec.folder import Folder, open_folder, write_whole
from dsgec.manifest import EVIDENCE, PAGE, write_files
from dsgec.network.ir import Network
from dsgec.network.model import Column, Model, compose
from dsgec.network.notation import formula_text, missing_text
from dsgec.network.structure import measure_size
from dsgec.plain_data import as_plain
from dsgec.program.print_js import JavaScriptPrinter
from dsgec.rendering import (
    Code,
    code_environment,
    compile_template,
    load_template,
    markup_environment,
    render,
    render_markup,
)
from dsgec.report.chart import Chart
from dsgec.report.facts import commands, facts, other_settings
from dsgec.report.format import metric_label
from dsgec.report.hall_charts import front_chart, hall_chart, hall_rows, minimised_cost
from dsgec.report.history_charts import fitness_chart, fitness_label, size_chart
from dsgec.report.network_drawing import (
    NamedNode,
    PhenotypeLayers,
    compare_phenotype,
    draw_network,
    input_positions,
    named_nodes,
)
from dsgec.report.quality_charts import calibration_chart, roc_chart, value_charts
from dsgec.report.summary import (
    MOST_BARS,
    MOST_CLASSES,
    MOST_FIELDS,
    confusions,
    importances,
    input_fields,
    metric_table,
    read_columns,
    rivals,
    tiles,
    verdict,
)
from dsgec.run.evidence import ColumnValues, Evidence
from dsgec.run.result import Result
from dsgec.run.result_folder import read_result

_CHART, _PAGE = "report/chart.css", "report/style.css"
SCRIPT = "report/script.js.j2"
_TEMPLATE = "report/run.html.j2"
_MOST_FORMULAS, _MOST_HALL = 2000, 500
_LONGEST_FORMULA = 100_000
MOST_CONNECTIONS = 20_000
"""The most for a page, which holds a network twice: as code, and as formulas of its neurons."""

_SPREAD = 3.0  # scales of a column to both sides of its center


def page_style() -> str:
    """Return the style sheet of a page."""
    return f"{load_template(_CHART)}{load_template(_PAGE)}"


def chart_picture(chart: Chart) -> str:
    """Return a chart as an SVG file, with the style that it needs."""
    return render_markup("svg/chart.svg.j2", c=chart, style=load_template(_CHART))


@dataclass(frozen=True, slots=True)
class Script:
    """A script, and its hash for a Content-Security-Policy."""

    text: str
    digest: str


def page_script(model: Model, name: str, nodes: list[NamedNode], evidence: Evidence) -> Script:
    """Return the script of a page with a network running in it.

    `evidence` has the examples, and the values that each column starts from.
    """
    artefact = Artefact(model, name)
    within = compose(Model(trace_network(model), model.columns))  # values, and no classes
    network = printed_network(JavaScriptPrinter(artefact.program), name)
    traced = printed_network(JavaScriptPrinter(network_program(within, "double")), name)
    text = render(
        SCRIPT,
        m=TemplateView(artefact),
        network=network,
        traced=traced,
        arithmetic=Code(js_source(network.functions | traced.functions)),
        page=_page(model, nodes, evidence),
        body=Code(load_template("report/page.js") or ""),
        **_played_script(model, name, evidence),
    )
    return Script(text, digest(text))


def _played_script(model: Model, name: str, evidence: Evidence) -> dict[str, Code]:
    """Return the exported module, whose stream a page runs, and the script that does so."""
    if evidence.played is None:
        return {"exported": Code(), "signal": Code()}
    module, *_ = emit_js(run_artefact(model, name))
    text = re.sub(r"^export (?=const|class|function)", "", str(module.text), flags=re.MULTILINE)
    return {"exported": Code(text), "signal": Code(load_template("report/signal.js") or "")}


def trace_network(model: Model) -> Network:
    """Return the network with the values of all features and neurons as outputs before its own."""
    network = model.network
    neurons = [p for layer in network.layers for p in layer]
    wanted = (*input_positions(network), *neurons, *network.outputs)
    return Network(network.inputs, network.nodes, network.layers, wanted, softmax=False)


def digest(text: str) -> str:
    """Return the source expression of a policy that allows exactly this text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _page(model: Model, nodes: list[NamedNode], evidence: Evidence) -> dict[str, Any]:
    return {
        "examples": as_plain(evidence.examples),
        "start": [
            float(values.mode) if column.categories else values.range[1]  # the median
            for values, column in zip(evidence.columns, model.columns, strict=True)
        ],
        "nodes": [
            {"name": node.name, "kind": node.kind, "formula": node.formula} for node in nodes
        ],
        "bounded": [f"{name}(" for name, function in FUNCTIONS.items() if function.is_bounded],
        "labels": [str(label) for label in model.classes],
        **_recording_data(model, evidence),
    }


def _recording_data(model: Model, evidence: Evidence) -> dict[str, Any]:
    """Return the recording that a page plays, and what its samples stand for."""
    signal = model.signal
    if evidence.played is None or signal is None:
        return {}
    return {
        "played": as_plain(evidence.played),
        "channels": [{"offset": one.offset, "scale": one.scale} for one in signal.channels],
        "window": signal.window,
        "step": signal.step,
        "rate": signal.rate,
    }


def prepare_page() -> None:
    """Compile the templates of a run's page ahead of time."""
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


def write_page(folder: Folder, page: str) -> Path:
    """Write a page into the folder of its run or study, and return its path."""
    write_files(folder, {PAGE: page})
    return folder.path / PAGE


def write_report(
    path: Path, out: Path | None = None, make_page: Callable[[Folder], str] = report_page
) -> Path:
    """Write the page that `make_page` returns into its folder or to `out`; return its path."""
    with open_folder(path) as folder:
        page = make_page(folder)
        if out is None:
            return write_page(folder, page)
        write_whole(out, page)
        return out


def run_page(run: Result) -> str:
    """Return the page of a run that has evidence."""
    assert run.evidence is not None
    model = run.model
    nodes = named_nodes(model)
    written = compare_phenotype(run.result.phenotype, model, run.record.network_scale)
    read = {*read_columns(model)}
    baselines, metrics = metric_table(run)
    curves = [roc_chart(run, part) for part in ("train", "test")] if model.classes else []
    return render_markup(
        _TEMPLATE,
        **_network_view(model, run.name, nodes, run.evidence),
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
        minimised=minimised_cost(run),
        objective=run.result.objective,
        hall_rows=hall_rows(run)[:_MOST_HALL],
        metric=metric_label(run.metrics[0]),
        curves=[chart for chart in curves if chart is not None],
        calibration=calibration_chart(run),
        confusions=confusions(run),
        most_classes=MOST_CLASSES,
        values=[] if model.classes else value_charts(run),
        drawing=draw_network(model, nodes, written),
        written=written,
        kind=run.result.kind,
        headline=run.result.formula or "",
        readable=formula_text(model, run.record.ranges)[:_LONGEST_FORMULA],
        formulas=[node for node in nodes if node.kind != "feature"][:_MOST_FORMULAS],
        importance=run.evidence.importance,
        importances=importances(run),
        read=[column.name for i, column in enumerate(model.columns) if i in read],
        unread=[column.name for i, column in enumerate(model.columns) if i not in read],
        sliders="from the least to the largest value of the training rows, and start at the median",
        start="medians",
    )


def _network_view(
    model: Model, name: str, nodes: list[NamedNode], evidence: Evidence
) -> dict[str, Any]:
    """Return the values for a template that both kinds of pages share."""
    return {
        "style": page_style(),
        "script": page_script(model, name, nodes, evidence),
        "missing": missing_text(model),
        "scaled": any((column.center, column.scale) != (0.0, 1.0) for column in model.columns),
        "fields": input_fields(model, evidence.columns),
        "most_fields": MOST_FIELDS,
        "columns": len(model.columns),
        "examples": evidence.examples,
        "classes": [str(label) for label in model.classes],
        "bars": min(len(model.classes), MOST_BARS),
        "target": model.target,
        "signal": model.signal,
        "played": evidence.played,
        "votes": model.signal.smooth if model.signal and model.signal.smooth > 1 else 0,
    }


def model_page(model: Model, name: str, agreement: str = "") -> str:
    """Return the page of a model without a run.

    `agreement` is a sentence that compares it with the file that it was made from.
    """
    measure = measure_size(model.network)
    if measure.connections > MOST_CONNECTIONS:
        raise DsgecError(
            f"the network has {measure.connections:,} connections, and a page holds at most"
            f" {MOST_CONNECTIONS:,}",
            "Export it as code instead.",
        )
    evidence = Evidence(columns=tuple(map(_start_values, model.columns)), examples=())
    nodes = named_nodes(model)
    return render_markup(
        "report/model.html.j2",
        **_network_view(model, name, nodes, evidence),
        version=__version__,
        name=name,
        agreement=agreement,
        tiles=[(f"{number:,}", what) for what, number in asdict(measure).items()],
        model_id=model_id(model),
        drawing=draw_network(model, nodes),
        written=PhenotypeLayers((), ()),
        kind="network",
        headline="",
        readable=formula_text(model),
        formulas=[node for node in nodes if node.kind != "feature"],
        outputs=len(model.network.outputs),
        sliders="three scales to both sides of the center of a column",
        start="centers",
    )


def _start_values(column: Column) -> ColumnValues:
    """Return values to start from: of a table, nothing is known but how its columns are scaled."""
    if column.categories:
        return ColumnValues(counts=(1,) * len(column.categories), missing=0)
    least, most = sorted(column.center + side * _SPREAD * column.scale for side in (-1.0, 1.0))
    return ColumnValues(least=least, median=column.center, most=most, missing=0)
