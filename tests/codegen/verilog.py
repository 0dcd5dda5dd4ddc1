"""Exported Verilog, used as an engineer would use it."""

import shutil
import subprocess

import numpy as np

from dsgec.codegen.artefact import Artefact
from dsgec.errors import DsgecError
from dsgec.fixed.evaluate import dequantise
from dsgec.targets.verilog.emit import emit_verilog
from tests.codegen.artefacts import random_model

IVERILOG = shutil.which("iverilog")
SOURCES = ("net.v", "net_top.v")


def fixed_artefact(model, dtype, reach=4.0):
    """The model in fixed point, every column of which has the same range."""
    ranges = tuple(None if c.categories else (-reach, reach) for c in model.columns)
    return Artefact(model, "net", dtype, ranges=ranges)


def random_artefacts(seeds):
    """Random networks in turns of both types, but for those that fixed point cannot hold."""
    for seed in seeds:
        try:
            yield seed, fixed_artefact(random_model(seed), ("q15", "q7")[seed % 2])
        except DsgecError:
            continue


def extreme_rows(artefact, seed, count):
    """Raw rows of integers of all sizes: ends of columns, missing values, numbers beyond."""
    program, columns = artefact.numbers.fixed.program, artefact.model.columns
    rng = np.random.default_rng(seed)
    most = 2 ** (program.bits - 1) - 1
    wholes = rng.integers(-most, most + 1, size=(count, len(columns)))
    wholes >>= rng.integers(0, program.bits, size=wholes.shape)
    special = rng.random(wholes.shape) < 0.3
    wholes[special] = rng.choice([0, 1, -1, most, -most], size=int(special.sum()))
    for number, column in enumerate(columns):
        if column.categories:
            wholes[:, number] = rng.integers(-1, len(column.categories), size=count)
    wholes[rng.random(wholes.shape) < 0.03] = program.missing
    rows = dequantise(program, wholes.astype(np.int32))
    for number, column in enumerate(columns):
        if not column.categories:
            rows[rng.random(count) < 0.05, number] = rng.choice([1e300, -1e300, 1e-300])
    return rows


def write_verilog(artefact, folder):
    for file in emit_verilog(artefact):
        (folder / file.name).write_text(file.text, encoding="ascii")


def simulate(folder, *flags):
    """What the compiler says, what the test bench prints, and its exit code."""
    command = [IVERILOG, "-g2001", "-Wall", *flags, "-o", "test", *SOURCES, "net_tb.v"]
    compiled = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    run = ["vvp", "-N", "test"]
    answer = subprocess.run(run, cwd=folder, check=False, capture_output=True, text=True)
    return compiled.stderr, answer.stdout.splitlines(), answer.returncode
