"""The measurements compare exports of the same network."""

import numpy as np
import pytest

from benchmarks import speed_exports as bench
from benchmarks.speed import table_lines
from benchmarks.speed_exports import _bare_onnx, _forward, _layers, _model
from dsgec.network.evaluate import evaluate
from dsgec.network.model import compose


@pytest.mark.parametrize("hidden", [(7,), (32, 32)])
def test_the_measured_model_is_the_one_of_numpy(hidden):
    layers = _layers(hidden)
    rows = np.random.default_rng(5).normal(size=(50, 30))

    outputs = evaluate(compose(_model(layers)), rows)
    assert np.allclose(outputs, _forward(layers, rows), rtol=0, atol=1e-14)


def test_the_bare_graph_is_the_network_too():
    onnxruntime = pytest.importorskip("onnxruntime")
    layers = _layers((32, 32))
    rows = np.random.default_rng(5).normal(size=(50, 30))

    session = onnxruntime.InferenceSession(_bare_onnx(layers), providers=["CPUExecutionProvider"])
    (outputs,) = session.run(["probabilities"], {"rows": rows.astype(np.float32)})
    assert np.allclose(outputs, _forward(layers, rows), rtol=0, atol=1e-5)


def test_what_was_not_measured_is_told_as_text():
    lines = table_lines("a board", {"not measured": "no compiler", "bytes": 1234})

    assert [line.split() for line in lines[2:]] == [
        ["not", "measured", "no", "compiler"],
        ["bytes", "1,234"],
    ]


@pytest.mark.needs_cc
@pytest.mark.campaign
def test_all_of_it_is_measured(monkeypatch):
    for name in ("_ROUNDS", "_CALLS", "_STARTS", "_GENERATIONS"):
        monkeypatch.setattr(bench, name, 1)
    monkeypatch.setattr(bench, "_ROWS", 100)
    monkeypatch.setattr(bench, "_NETWORKS", {"7 hidden neurons": (7,)})
    reports = dict(bench.bench_exports())
    speeds, starts, board = reports.values()

    assert {"cffi, double", "cffi, float", "one row, an array, µs"} <= speeds.keys()
    assert all(value > 0 for value in (*speeds.values(), *starts.values()))
    assert "not measured" in board or board["float, bytes of RAM"] == 0
