"""A model to the script of its page: the JavaScript export, the values of its neurons, the page's.

It holds names and labels only as escaped literals of data.
"""

import base64
import hashlib
from dataclasses import dataclass
from typing import Any, Protocol

from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.arithmetic.source import js_source
from dsgec.export.artefact import Artefact
from dsgec.export.statements import JAVASCRIPT, Program, functions_used, program
from dsgec.export.view import view
from dsgec.network.ir import Network
from dsgec.network.model import Model, compose
from dsgec.rendering import Code, load_template, render
from dsgec.report.nodes import NamedNode, input_positions

SCRIPT = "report/script.js.j2"


@dataclass(frozen=True, slots=True)
class Script:
    """A script, and how a Content-Security-Policy names it."""

    text: str
    digest: str


class Shown(Protocol):
    """What is shown running: a run's result, or a network alone.

    `evidence` has at least `columns`, the values that each column starts from, and `examples`.
    """

    @property
    def model(self) -> Model: ...
    @property
    def name(self) -> str: ...
    @property
    def evidence(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class _Traced:
    program: Program


def page_script(run: Shown, nodes: list[NamedNode]) -> Script:
    """The script of a page with a network running in it."""
    model = run.model
    artefact = Artefact(model, run.name)
    within = compose(Model(traced(model), model.columns))  # values, and no classes
    used = functions_used(artefact.network, JAVASCRIPT) | functions_used(within, JAVASCRIPT)
    text = render(
        SCRIPT,
        m=view(artefact, JAVASCRIPT),
        traced=_Traced(program(within, JAVASCRIPT)),
        arithmetic=Code(js_source(used)),
        page=_page(run, nodes),
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


def _page(run: Shown, nodes: list[NamedNode]) -> dict[str, Any]:
    return {
        "examples": run.evidence["examples"],
        "start": [
            _start(values, is_text=bool(column.categories))
            for values, column in zip(run.evidence["columns"], run.model.columns, strict=True)
        ],
        "nodes": [
            {"name": node.name, "kind": node.kind, "formula": node.formula} for node in nodes
        ],
        "bounded": [f"{name}(" for name, function in FUNCTIONS.items() if function.is_bounded],
        "labels": [str(label) for label in run.model.classes],
    }


def _start(values: dict[str, Any], *, is_text: bool) -> float:
    """The median, or the most frequent text."""
    if not is_text:
        return float(values["median"])
    counts = values["counts"]
    return float(counts.index(max(counts)))
