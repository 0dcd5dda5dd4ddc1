"""A model to the script of its page: the JavaScript export, the values of its neurons, the page's.

It holds names and labels only as escaped literals of data.
"""

import base64
import hashlib
from dataclasses import dataclass
from typing import Any

from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.arithmetic.source import js_source
from dsgec.export.artefact import Artefact
from dsgec.export.statements import JAVASCRIPT, Program, functions_used, program
from dsgec.export.view import view
from dsgec.network.ir import Network
from dsgec.network.model import Model, compose
from dsgec.plain_data import as_plain
from dsgec.rendering import Code, load_template, render
from dsgec.report.nodes import NamedNode, input_positions
from dsgec.run.evidence import Evidence

SCRIPT = "report/script.js.j2"


@dataclass(frozen=True, slots=True)
class Script:
    """A script, and how a Content-Security-Policy names it."""

    text: str
    digest: str


@dataclass(frozen=True, slots=True)
class _Traced:
    program: Program


def page_script(model: Model, name: str, nodes: list[NamedNode], evidence: Evidence) -> Script:
    """Return the script of a page with a network running in it.

    `evidence` has the examples, and the values that each column starts from.
    """
    artefact = Artefact(model, name)
    within = compose(Model(traced(model), model.columns))  # values, and no classes
    used = functions_used(artefact.network, JAVASCRIPT) | functions_used(within, JAVASCRIPT)
    text = render(
        SCRIPT,
        m=view(artefact, JAVASCRIPT),
        traced=_Traced(program(within, JAVASCRIPT)),
        arithmetic=Code(js_source(used)),
        page=_page(model, nodes, evidence),
        body=Code(load_template("report/page.js") or ""),
    )
    return Script(text, digest(text))


def traced(model: Model) -> Network:
    """The network with the value of every feature and neuron as outputs before its own."""
    network = model.network
    neurons = [p for layer in network.layers for p in layer]
    wanted = (*input_positions(network), *neurons, *network.outputs)
    return Network(network.inputs, network.nodes, network.layers, wanted, softmax=False)


def digest(text: str) -> str:
    """The source expression of a policy that allows exactly this text."""
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
    }
