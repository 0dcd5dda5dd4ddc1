"""Artefact to Verilog-2001: the pipeline, a top level, a test bench and a page about them."""

from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.statements import JAVASCRIPT
from dsgec.export.targets.verilog.build import build
from dsgec.export.targets.verilog.schedule import schedule
from dsgec.export.targets.verilog.view import VerilogView
from dsgec.export.targets.verilog.words import WORDS
from dsgec.export.view import view
from dsgec.rendering import render

FILES = {
    "{}.v": "module.v",
    "{}_top.v": "top.v",
    "{}_tb.v": "testbench.v",
    "{}_verilog.md": "README.md",
}
_ENDS = tuple(name.removeprefix("{}").removesuffix(".v") for name in FILES if name.count("_"))


def emit_verilog(artefact: Artefact) -> tuple[SourceFile, ...]:
    """`name.v`, `name_top.v`, `name_tb.v` and `name_verilog.md`."""
    _refuse_name(artefact.name)
    v = verilog_view(artefact)
    return tuple(
        SourceFile(name.format(artefact.name), render(f"verilog/{template}.j2", m=v.m, v=v))
        for name, template in FILES.items()
    )


def verilog_view(artefact: Artefact) -> VerilogView:
    """What the templates see."""
    fixed = artefact.number_format.fixed
    assert fixed
    m = view(artefact, JAVASCRIPT)
    assert m.fixed
    threshold = m.fixed.threshold if m.has_threshold else None
    built = build(fixed.program, classes=m.class_count, threshold=threshold)
    outputs = [*built.results, *([] if built.class_ is None else [built.class_])]
    return VerilogView(m, m.fixed, built, schedule(built.circuit, outputs))


def _refuse_name(name: str) -> None:
    if name in WORDS or name.endswith(_ENDS):
        what = "is a word of Verilog" if name in WORDS else "would be taken for a file beside it"
        raise DsgecError(f"a module of Verilog cannot be called `{name}`: it {what}", "Use --name.")
