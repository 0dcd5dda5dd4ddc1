"""Cells of networks on an FPGA, as yosys counts them: `python -m benchmarks.verilog [LIMIT]`.

The first network has seven neurons, each of which reads eight of 30 columns, as the grammar
one_layer makes them. The others are dense, and are synthesised in both layouts. LIMIT is the most
minutes that one synthesis may take; default: 30.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from dsgec.export.artefact import LAYOUTS, QUICK, Artefact
from dsgec.export.targets.verilog import emit_verilog, verilog_view
from dsgec.folder import write_whole
from dsgec.network.model import Model, plain_columns
from dsgec.network.parse import parse

NEURONS, CONNECTIONS, COLUMNS = 7, 8, 30
DENSE = {20: (4, 4), 200: (19, 10), 1600: (31, 50)}  # connections: columns and neurons
COUNTED = ("SB_LUT4", "SB_CARRY", "SB_DFF", "SB_RAM40_4K")


def model(columns: int, neurons: int, connections: int) -> Model:
    """Sigmoids into one, each of which reads some of the columns."""
    rng = np.random.RandomState(4)
    found = []
    for _ in range(neurons):
        chosen = rng.choice(columns, connections, replace=False) + 1
        weights = rng.uniform(-9, 9, connections)
        terms = [f"({w:.2f}) * x_{c}" for w, c in zip(weights, chosen, strict=True)]
        found.append(f"({rng.uniform(-9, 9):.2f}) * sig({' + '.join(terms)} + 0.5)")
    names = tuple(f"c{i}" for i in range(columns))
    network = parse(f"sig({' + '.join(found)})", inputs=columns)
    return Model(network, plain_columns(names), ("benign", "malignant"))


def main() -> int:
    yosys = shutil.which("yosys")
    if yosys is None:
        print("there is no yosys here")
        return 1
    limit = 60 * int(sys.argv[1]) if len(sys.argv) > 1 else 1800
    for dtype in ("q7", "q15"):
        artefact = made(model(COLUMNS, NEURONS, CONNECTIONS), dtype)
        print(f"{dtype}: {verilog_view(artefact).clocks} clocks")
        for top in ("seven", "seven_top"):
            show(top, cells(yosys, artefact, top, limit))
    for connections, (columns, neurons) in DENSE.items():
        for dtype in ("q7", "q15"):
            flat = made(model(columns, neurons, columns), dtype)
            for layout in LAYOUTS:
                artefact = replace(flat, layout=layout)
                clocks = verilog_view(artefact).clocks
                print(f"{connections:,} connections, {dtype}, {layout}: {clocks:,} clocks")
                show("seven_top", cells(yosys, artefact, "seven_top", limit))
    return 0


def made(source: Model, dtype: str) -> Artefact:
    """Return the artefact of a model whose columns go from -3 to 3."""
    ranges = ((-3.0, 3.0),) * len(source.columns)
    return Artefact(source, "seven", dtype, selftest=QUICK, ranges=ranges)


def show(top: str, found: dict[str, int] | None) -> None:
    """Print the cells of a module; None if synthesis took too long."""
    listed = ", ".join(f"{found[n]:>6,} {n}" for n in COUNTED) if found else "it took too long"
    print(f"  {top:<10}{listed}", flush=True)


def cells(yosys: str, artefact: Artefact, top: str, limit: int) -> dict[str, int] | None:
    """How many cells of each kind synthesis for an iCE40 makes; None after so many seconds."""
    script = f"read_verilog seven.v seven_top.v; synth_ice40 -top {top}; tee -o stat stat"
    with tempfile.TemporaryDirectory() as folder:
        for file in emit_verilog(artefact):
            write_whole(Path(folder, file.name), file.text)
        command = [yosys, "-q", "-p", script]
        try:
            subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=limit)  # noqa: S603
        except subprocess.TimeoutExpired:
            return None
        report = Path(folder, "stat").read_text(encoding="utf-8")
    # The counts of the whole design come last, after those of each module.
    counts = re.findall(r"(SB_\w+) +(\d+)", report.split("=== design hierarchy ===")[-1])
    return {n: sum(int(count) for kind, count in counts if kind.startswith(n)) for n in COUNTED}


if __name__ == "__main__":
    sys.exit(main())
