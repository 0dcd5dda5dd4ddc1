"""Cells of a network on an FPGA, as yosys counts them: `python -m benchmarks.verilog`.

The network has seven neurons, each of which reads eight of 30 columns, as the grammar one_layer
makes them.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from dsgec.export.artefact import QUICK, Artefact
from dsgec.export.targets.verilog import emit_verilog, verilog_view
from dsgec.folder import write_whole
from dsgec.network.model import Model, plain_columns
from dsgec.network.parse import parse

NEURONS, CONNECTIONS, COLUMNS = 7, 8, 30
COUNTED = ("SB_LUT4", "SB_CARRY", "SB_DFF", "SB_RAM40_4K")


def model() -> Model:
    """Seven sigmoids into one."""
    rng = np.random.RandomState(4)
    neurons = []
    for _ in range(NEURONS):
        columns = rng.choice(COLUMNS, CONNECTIONS, replace=False) + 1
        weights = rng.uniform(-9, 9, CONNECTIONS)
        terms = [f"({w:.2f}) * x_{c}" for w, c in zip(weights, columns, strict=True)]
        neurons.append(f"({rng.uniform(-9, 9):.2f}) * sig({' + '.join(terms)} + 0.5)")
    names = tuple(f"c{i}" for i in range(COLUMNS))
    network = parse(f"sig({' + '.join(neurons)})", inputs=COLUMNS)
    return Model(network, plain_columns(names), ("benign", "malignant"))


def main() -> int:
    yosys = shutil.which("yosys")
    if yosys is None:
        print("there is no yosys here")
        return 1
    for dtype in ("q7", "q15"):
        artefact = Artefact(
            model(), "seven", dtype, selftest=QUICK, ranges=((-3.0, 3.0),) * COLUMNS
        )
        print(f"{dtype}: {verilog_view(artefact).latency} clocks")
        for top in ("seven", "seven_top"):
            found = cells(yosys, artefact, top)
            print(f"  {top:<10}" + ", ".join(f"{found[n]:>6,} {n}" for n in COUNTED), flush=True)
    return 0


def cells(yosys: str, artefact: Artefact, top: str) -> dict[str, int]:
    """How many cells of each kind synthesis for an iCE40 makes."""
    script = f"read_verilog seven.v seven_top.v; synth_ice40 -top {top}; tee -o stat stat"
    with tempfile.TemporaryDirectory() as folder:
        for file in emit_verilog(artefact):
            write_whole(Path(folder, file.name), file.text)
        command = [yosys, "-q", "-p", script]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)  # noqa: S603
        report = Path(folder, "stat").read_text(encoding="utf-8")
    counts = re.findall(r"(SB_\w+) +(\d+)", report)
    return {n: sum(int(count) for kind, count in counts if kind.startswith(n)) for n in COUNTED}


if __name__ == "__main__":
    sys.exit(main())
