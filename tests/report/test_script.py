"""The values of all neurons that the page computes are those of the interpreter, bit for bit."""

import subprocess

import numpy as np
import pytest

from dsgec.network.evaluate import node_values
from dsgec.network.model import unnamed_model
from dsgec.network.simplify import simplify
from dsgec.report.network_drawing import draw_network, named_nodes
from dsgec.report.page import page_script
from dsgec.run.evidence import ColumnValues, Evidence
from tests.support.javascript import NODE, SHARED
from tests.support.random_networks import random_network

DRIVER = """
import { table, hex } from "./shared.mjs";
for (const line of RUNS) {
  const { trace } = await import(`./net${line.number}.mjs`);
  console.log(hex(table(line.rows, line.columns).flatMap((row) => trace(row))));
}
"""


@pytest.mark.skipif(NODE is None, reason="no node")
def test_neurons_have_the_interpreters_bits(tmp_path):
    rng = np.random.default_rng(3)
    cases = []
    for number in range(25):
        model = unnamed_model(simplify(random_network(number)))
        nodes = named_nodes(model)
        zeros = ColumnValues(least=0.0, median=0.0, most=0.0, missing=0)
        evidence = Evidence(columns=(zeros,) * len(model.columns), examples=())
        text = page_script(model, "net", nodes, evidence).text.split("/* What the page shows. */")[
            0
        ]
        ending = "export const trace = (row) => activations(Array.from(row));\n"
        (tmp_path / f"net{number}.mjs").write_text(text + ending)
        rows = rng.normal(0, 3, (7, max(len(model.columns), 1)))
        cases.append((model, nodes, rows))
    runs = [
        {"number": i, "rows": rows.astype("<f8").tobytes().hex(), "columns": rows.shape[1]}
        for i, (_, _, rows) in enumerate(cases)
    ]
    (tmp_path / "shared.mjs").write_text(SHARED)
    (tmp_path / "driver.mjs").write_text(DRIVER.replace("RUNS", repr(runs)))
    command = [NODE, str(tmp_path / "driver.mjs")]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)

    compared = 0
    for (model, nodes, rows), line in zip(cases, answer.stdout.splitlines(), strict=True):
        found = np.frombuffer(bytes.fromhex(line), "<f8").reshape(len(rows), -1)
        with np.errstate(all="ignore"):
            values = node_values(model.network, rows)
        for node in nodes:
            wanted = np.broadcast_to(values[node.position], len(rows))
            assert np.array_equal(found[:, node.place], wanted, equal_nan=True)
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("seed", range(30))
def test_random_networks_are_drawn_within_limits(seed):
    model = unnamed_model(simplify(random_network(seed)))
    drawing = draw_network(model, named_nodes(model), None)

    for dot in drawing.dots:
        assert 0 < dot.x < drawing.width
        assert 0 < dot.y < drawing.height
    assert len({(dot.x, dot.y) for dot in drawing.dots}) == len(drawing.dots)
