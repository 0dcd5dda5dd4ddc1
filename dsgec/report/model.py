"""A model without a run to its page: the network drawn, and running in the browser."""

from dataclasses import asdict

from dsgec import __version__
from dsgec.errors import DsgecError
from dsgec.export.artefact import model_id
from dsgec.network.model import Column, Model
from dsgec.network.notation import formula_text, missing_text
from dsgec.network.structure import measure_size
from dsgec.rendering import render_markup
from dsgec.report.layout import draw
from dsgec.report.nodes import named_nodes
from dsgec.report.script import page_script
from dsgec.report.style import page_style
from dsgec.report.tables import MOST_BARS, MOST_FIELDS, fields
from dsgec.report.written import Written
from dsgec.run.evidence import ColumnValues, Evidence

MOST_CONNECTIONS = 20_000
"""Of a network on a page, which holds it twice: as code, and as the formulas of its neurons."""

_SPREAD = 3.0  # scales of a column to both sides of its center
_NOTHING_DROPPED = Written((), ())


def model_page(model: Model, name: str, agreement: str = "") -> str:
    """The page of a model; `agreement` says how it compares with what it was made of."""
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
        style=page_style(),
        script=page_script(model, name, nodes, evidence),
        version=__version__,
        name=name,
        agreement=agreement,
        tiles=[(f"{number:,}", what) for what, number in asdict(measure).items()],
        model_id=model_id(model),
        drawing=draw(model, nodes),
        written=_NOTHING_DROPPED,
        kind="network",
        headline="",
        readable=formula_text(model),
        missing=missing_text(model),
        formulas=[node for node in nodes if node.kind != "feature"],
        scaled=any((column.center, column.scale) != (0.0, 1.0) for column in model.columns),
        fields=fields(model, evidence.columns),
        most_fields=MOST_FIELDS,
        columns=len(model.columns),
        outputs=len(model.network.outputs),
        examples=(),
        sliders="three scales to both sides of the center of a column",
        start="centers",
        classes=[str(label) for label in model.classes],
        bars=min(len(model.classes), MOST_BARS),
        target=model.target,
    )


def _start_values(column: Column) -> ColumnValues:
    """Return values to start from: of a table, nothing is known but how its columns are scaled."""
    if column.categories:
        return ColumnValues(counts=(1,) * len(column.categories), missing=0)
    least, most = sorted(column.center + side * _SPREAD * column.scale for side in (-1.0, 1.0))
    return ColumnValues(least=least, median=column.center, most=most, missing=0)
