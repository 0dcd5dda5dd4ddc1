"""A pipeline in Verilog-2001 that takes one row of integers per clock."""

import re
from functools import partial

import numpy as np

from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.fixed.evaluate import quantise
from dsgec.export.fixed.ir import RESULT_BITS, STORED_BITS
from dsgec.export.statements import JAVASCRIPT
from dsgec.export.targets.running import find_command, run_commands
from dsgec.export.targets.target import Array, Files, Target, metadata_reader
from dsgec.export.targets.verilog.circuit import schedule
from dsgec.export.targets.verilog.lower import lower
from dsgec.export.targets.verilog.view import VerilogView
from dsgec.export.view import view
from dsgec.rendering import render
from dsgec.resources import template

_FILES = {
    "{}.v": "module.v",
    "{}_top.v": "top.v",
    "{}_tb.v": "testbench.v",
    "{}_verilog.md": "README.md",
}
_SUFFIXES = tuple(name.removeprefix("{}").removesuffix(".v") for name in _FILES if name.count("_"))
_LEAST = -1 << (RESULT_BITS - 1)  # the result of a row that lacks a value


def emit_verilog(artefact: Artefact) -> Files:
    """Return `name.v`, `name_top.v`, `name_tb.v` and `name_verilog.md`."""
    _refuse_name(artefact.name)
    v = verilog_view(artefact)
    return tuple(
        SourceFile(name.format(artefact.name), render(f"verilog/{file}.j2", m=v.m, v=v))
        for name, file in _FILES.items()
    )


def verilog_view(artefact: Artefact) -> VerilogView:
    """Return the view of an artefact for the templates."""
    m = view(artefact, JAVASCRIPT)
    assert m.fixed
    threshold = m.fixed.threshold if m.has_threshold else None
    lowered = lower(m.fixed.program, classes=m.class_count, threshold=threshold)
    outputs = [*lowered.results, *([] if lowered.class_ is None else [lowered.class_])]
    return VerilogView(m, m.fixed, lowered, schedule(lowered.circuit, outputs))


def _refuse_name(name: str) -> None:
    reserved = template("verilog/reserved_words.txt").read_text(encoding="ascii").split()
    if name in reserved or name.endswith(_SUFFIXES):
        what = "is a word of Verilog" if name in reserved else "would be taken for a file beside it"
        raise DsgecError(f"a module of Verilog cannot be called `{name}`: it {what}", "Use --name.")


def run_verilog(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Simulate the pipeline by Icarus Verilog and return its probabilities or values."""
    v = verilog_view(artefact)
    program = v.fixed.program
    compiler, simulator = find_command("iverilog"), find_command("vvp")
    wholes = quantise(program, rows) if rows.shape[1] else np.zeros((len(rows), 1), np.int32)
    more = (
        SourceFile("run.v", render("verilog/run.v.j2", m=v.m, v=v)),
        SourceFile("rows", "".join(" ".join(map(str, row)) + "\n" for row in wholes.tolist())),
    )
    found = run_commands(
        (*files, *more),
        [compiler, "-g2001", "-o", "run", f"{artefact.name}.v", "run.v"],
        [simulator, "-N", "run"],
        read=partial(np.fromfile, sep=" "),
    )
    return np.where(found == _LEAST, np.nan, found * 2.0**-program.fraction)


read_verilog = metadata_reader(re.compile(rb"^// metadata: (.*)$", re.MULTILINE))
TARGET = Target(tuple(_FILES), emit_verilog, read_verilog, run_verilog, dtypes=tuple(STORED_BITS))
