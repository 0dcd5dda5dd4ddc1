"""Exported Verilog on rows: simulated by Icarus Verilog."""

from functools import partial

import numpy as np

from dsgec.export.artefact import Artefact, SourceFile
from dsgec.export.fixed.evaluate import quantise
from dsgec.export.fixed.ir import RESULT_BITS
from dsgec.export.targets.running import find_command, run_commands
from dsgec.export.targets.target import Array, Files
from dsgec.export.targets.verilog.emit import verilog_view
from dsgec.rendering import render

_LEAST = -1 << (RESULT_BITS - 1)  # of a row that lacks a value


def run_verilog(artefact: Artefact, files: Files, rows: Array) -> Array:
    """Probabilities or values, a row each."""
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
