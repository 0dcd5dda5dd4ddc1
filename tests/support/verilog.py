"""Exported Verilog, used as an engineer would use it."""

import shutil
import subprocess

from dsgec.export.targets.verilog import emit_verilog

IVERILOG = shutil.which("iverilog")
SOURCES = ("net.v", "net_top.v")


def write_verilog(artefact, folder):
    for file in emit_verilog(artefact):
        (folder / file.name).write_text(file.text, encoding="ascii")


def simulate(folder, *flags):
    """Return the compiler's messages, the output of the test bench, and its exit code."""
    command = [IVERILOG, "-g2001", "-Wall", *flags, "-o", "test", *SOURCES, "net_tb.v"]
    compiled = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    run = ["vvp", "-N", "test"]
    answer = subprocess.run(run, cwd=folder, check=False, capture_output=True, text=True)
    return compiled.stderr, answer.stdout.splitlines(), answer.returncode
