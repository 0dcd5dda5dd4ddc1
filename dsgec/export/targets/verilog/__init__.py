"""A pipeline in Verilog-2001 that takes one row of integers per clock."""

import re
from functools import partial
from typing import Any

import numpy as np

from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.fixed.evaluate import quantise
from dsgec.export.fixed.ir import RESULT_BITS, STORED_BITS
from dsgec.export.targets.running import find_command, run_commands
from dsgec.export.targets.target import Array, Files, Target, parse_json
from dsgec.export.targets.verilog.circuit_view import circuit_view
from dsgec.export.targets.verilog.lower import lower
from dsgec.export.targets.verilog.packed import packed_circuits
from dsgec.export.targets.verilog.view import PackedView, VerilogView
from dsgec.export.view import TemplateView
from dsgec.rendering import render
from dsgec.resources import template

_FILES = {
    "{}.v": "module.v",
    "{}_top.v": "top.v",
    "{}_tb.v": "testbench.v",
    "{}_verilog.md": "README.md",
}
_PACKED = {"module.v": "packed.v", "top.v": "packed_top.v", "run.v": "packed_run.v"}
_SUFFIXES = tuple(name.removeprefix("{}").removesuffix(".v") for name in _FILES if name.count("_"))
_LEAST = -1 << (RESULT_BITS - 1)  # the result of a row that lacks a value


def emit_verilog(artefact: Artefact) -> Files:
    """Return `name.v`, `name_top.v`, `name_tb.v` and `name_verilog.md`."""
    _refuse_name(artefact.name)
    v = verilog_view(artefact)
    return tuple(
        SourceFile(name.format(artefact.name), _render(file, v)) for name, file in _FILES.items()
    )


def _render(file: str, v: VerilogView | PackedView) -> str:
    return render(f"verilog/{_PACKED.get(file, file) if v.packed else file}.j2", m=v.m, v=v)


def verilog_view(artefact: Artefact) -> VerilogView | PackedView:
    """Return the view of an artefact for the templates, in its layout if that is possible."""
    m = TemplateView(artefact)
    assert m.fixed
    program = m.fixed.program
    threshold = m.fixed.threshold if m.has_threshold else None
    if artefact.packed:
        circuits = packed_circuits(
            program, artefact.packed, classes=m.class_count, threshold=threshold
        )
        if circuits:
            return PackedView(m, m.fixed, circuits)
    lowered = lower(program, classes=m.class_count, threshold=threshold)
    return VerilogView(m, m.fixed, circuit_view(lowered))


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
        SourceFile("run.v", _render("run.v", v)),
        SourceFile("rows", "".join(" ".join(map(str, row)) + "\n" for row in wholes.tolist())),
    )
    found = run_commands(
        (*files, *more),
        [compiler, "-g2001", "-o", "run", f"{artefact.name}.v", "run.v"],
        [simulator, "-N", "run"],
        read=partial(np.fromfile, sep=" "),
    )
    return np.where(found == _LEAST, np.nan, found * 2.0**-program.fraction)


def read_verilog(data: bytes) -> Any:
    """Return the metadata, which are JSON in comments, or None."""
    found = re.findall(rb"^// metadata: (.*)$", data, re.MULTILINE)
    return parse_json(b"".join(found)) if found else None


TARGET = Target(tuple(_FILES), emit_verilog, read_verilog, run_verilog, dtypes=tuple(STORED_BITS))
