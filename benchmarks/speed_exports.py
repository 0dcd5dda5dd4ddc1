"""Exports beside what others make of the same network, measured in turns in one process."""

import importlib
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.files import export
from dsgec.export.targets.c.image import COMPILERS, measure_image
from dsgec.export.targets.onnx import emit_onnx
from dsgec.grammar.load import load_grammar
from dsgec.network.model import Model, plain_columns
from dsgec.network.parse import parse
from dsgec.network.structure import measure_size
from dsgec.search.choose import choose_evolver
from dsgec.search.models import make_model
from dsgec.search.problem import make_problem
from dsgec.search.settings import Settings

Array = NDArray[Any]
Layers = list[tuple[Array, Array]]
Report = dict[str, Any]

_ROWS, _FEATURES, _BLOCK = 10_000, 30, 1024
_ROUNDS, _CALLS, _STARTS = 40, 300, 15
_GENERATIONS = 60
_BOARD = "cortex-m4f"
_OUR_ONNX, _BARE_ONNX = "onnxruntime, float", "onnxruntime, a bare graph"
_NETWORKS = {"7 hidden neurons": (7,), "32 and 32 hidden neurons": (32, 32)}


def bench_exports() -> Iterator[tuple[str, Report]]:
    """The measurements one by one: a name, and figures by their names."""
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        try:
            for title, hidden in _NETWORKS.items():
                layers = _layers(hidden)
                yield (
                    f"dense, {_FEATURES} features, {title}: ns a row in a batch of {_ROWS:,}",
                    _speeds(layers, f"bench{len(hidden)}", Path(folder)),
                )
            yield "importing the package, ms", _import_times(Path(folder))
        finally:
            sys.path.remove(folder)
    yield "a network that evolved on wdbc, as C on a Cortex-M4", _embedded()


def _layers(hidden: tuple[int, ...]) -> Layers:
    """Weights and biases of a random dense network of sigmoids with one output."""
    rng = np.random.default_rng(1)
    widths = (_FEATURES, *hidden, 1)
    return [
        (rng.normal(size=(into, of)) / np.sqrt(of), rng.normal(size=into))
        for of, into in itertools.pairwise(widths)
    ]


def _model(layers: Layers) -> Model:
    names = [f"x_{i}" for i in range(1, _FEATURES + 1)]
    lines = []
    before = names
    for number, (weights, biases) in enumerate(layers, 1):
        last = number == len(layers)
        made = ["y_1"] if last else [f"h_{number}_{i}" for i in range(1, len(biases) + 1)]
        for name, row, bias in zip(made, weights.tolist(), biases.tolist(), strict=True):
            terms = [f"({w!r}) * {source}" for w, source in zip(row, before, strict=True)]
            lines.append(f"{name} = sig({' + '.join(terms)} + ({bias!r}))")
        before = made
    return Model(parse("\n".join(lines), inputs=_FEATURES), plain_columns(tuple(names)), (0, 1))


def _speeds(layers: Layers, name: str, folder: Path) -> Report:
    model = _model(layers)
    table = np.random.default_rng(2).normal(size=(_ROWS, _FEATURES))
    single = table.astype(np.float32)
    blocks = [table[i : i + _BLOCK] for i in range(0, _ROWS, _BLOCK)]
    works: dict[str, Callable[[], Any]] = {}
    modules = {}
    for dtype, rows in (("double", table), ("float", single)):
        export(model, ["cffi"], f"{name}_{dtype}", folder, dtype)
        modules[dtype] = importlib.import_module(f"{name}_{dtype}")
        works[f"cffi, {dtype}"] = partial(modules[dtype].predict_proba, rows)
    works["numpy + BLAS"] = partial(_forward, layers, table)
    works["numpy + BLAS, blocks of 1,024"] = lambda: [_forward(layers, rows) for rows in blocks]
    works["numpy + BLAS, float"] = partial(
        _forward, [(w.astype("f"), b.astype("f")) for w, b in layers], single
    )
    works |= _others(layers, model, table, single)
    with _one_thread():
        found = _in_turns(works, _ROUNDS, 1)
    report: Report = {key: _round(seconds / _ROWS * 1e9) for key, seconds in found.items()}
    blas = min(seconds for key, seconds in found.items() if "BLAS" in key and "float" not in key)
    report["cffi / the faster numpy + BLAS"] = _round(found["cffi, double"] / blas)
    for other in (_OUR_ONNX, _BARE_ONNX):
        if {"cffi, float", other} <= found.keys():
            report[f"cffi, float / {other}"] = _round(found["cffi, float"] / found[other])
    return report | _one_row(modules["double"], table)


def _one_row(module: Any, table: Array) -> Report:
    row, whole = table[0].copy(), table[:1].copy()
    works = {
        "one row, an array, µs": partial(module.predict_proba, row),
        "one row, an array of one row, µs": partial(module.predict_proba, whole),
        "one row, a list, µs": partial(module.predict_proba, row.tolist()),
    }
    found = _in_turns(works, _ROUNDS * 5, _CALLS)
    return {key: _round(seconds * 1e6) for key, seconds in found.items()}


def _forward(layers: Layers, rows: Array) -> Array:
    """What one writes with numpy: not the bits of the one arithmetic."""
    for weights, biases in layers:
        rows = 1.0 / (1.0 + np.exp(-(rows @ weights.T + biases)))
    return rows


def _others(
    layers: Layers, model: Model, table: Array, single: Array
) -> dict[str, Callable[[], Any]]:
    """Those of scikit-learn and onnxruntime that are installed."""
    works: dict[str, Callable[[], Any]] = {}
    try:
        from sklearn.neural_network import MLPClassifier
    except ImportError:
        pass
    else:
        hidden = tuple(len(biases) for _, biases in layers[:-1])
        peer = MLPClassifier(hidden, activation="logistic", max_iter=1)
        peer.partial_fit(table[:50], np.arange(50) % 2, classes=[0, 1])
        peer.coefs_ = [weights.T.copy() for weights, _ in layers]
        peer.intercepts_ = [biases for _, biases in layers]
        works["scikit-learn, MLPClassifier"] = partial(peer.predict_proba, table)
    try:
        import onnxruntime

        (file,) = emit_onnx(Artefact(model, "net", "float"))
    except (ImportError, DsgecError):
        return works
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    for name, graph in ((_OUR_ONNX, file.text), (_BARE_ONNX, _bare_onnx(layers))):
        session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        works[name] = partial(session.run, ["probabilities"], {"rows": single})
    return works


def _bare_onnx(layers: Layers) -> bytes:
    """The network as others would export it: a Gemm and a Sigmoid for each layer, one output."""
    from onnx import TensorProto, helper, numpy_helper

    nodes, numbers = [], []
    before = "rows"
    for number, (weights, biases) in enumerate(layers, 1):
        made = "probabilities" if number == len(layers) else f"h{number}"
        for name, values in ((f"w{number}", weights), (f"b{number}", biases)):
            numbers.append(numpy_helper.from_array(values.astype(np.float32), name))
        nodes += [
            helper.make_node(
                "Gemm", [before, f"w{number}", f"b{number}"], [f"s{number}"], transB=1
            ),
            helper.make_node("Sigmoid", [f"s{number}"], [made]),
        ]
        before = made
    into = helper.make_tensor_value_info("rows", TensorProto.FLOAT, ["n", _FEATURES])
    out = helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["n", 1])
    graph = helper.make_graph(nodes, "bare", [into], [out], numbers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    result: bytes = model.SerializeToString()
    return result


def _one_thread() -> Any:
    """BLAS on one thread, as all the others are, where threadpoolctl is there to say so."""
    from contextlib import nullcontext

    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return nullcontext()
    return threadpool_limits(1)


def _in_turns(works: Mapping[str, Callable[[], Any]], rounds: int, calls: int) -> dict[str, float]:
    """The least seconds of a call, each in its turn so that all meet the same disturbances."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            start = time.perf_counter()
            for _ in range(calls):
                work()
            best[name] = min(best[name], (time.perf_counter() - start) / calls)
    return best


def _import_times(folder: Path) -> Report:
    """In a fresh Python that keeps what it compiled, and what of it is the package's own."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    script = (
        "import time; a = time.perf_counter(); import _cffi_backend; b = time.perf_counter();"
        "import bench1_double; c = time.perf_counter(); print((c - a) * 1e3, (c - b) * 1e3)"
    )
    command = [sys.executable, "-c", script]
    times = []
    for _ in range(_STARTS):
        # An argument list without a shell, of our own text.
        answer = subprocess.run(  # noqa: S603
            command, cwd=folder, env=environment, capture_output=True, text=True, check=True
        )
        times.append([float(part) for part in answer.stdout.split()])
    whole, own = (min(column) for column in zip(*times, strict=True))
    return {"with cffi": _round(whole), "after cffi": _round(own)}


def _embedded() -> Report:
    compiler = COMPILERS[_BOARD]
    if compiler.path is None:
        return {"not measured": f"{compiler.command} is not installed"}
    grammar = load_grammar("one_layer").grammar
    settings = Settings(generations=_GENERATIONS)
    problem = make_problem(grammar, make_dataset(read_table("wdbc")), settings)
    *_, last = choose_evolver(problem, settings, "auto").generations()
    model = make_model(problem, last.phenotype)
    report: Report = {"neurons": measure_size(model.network).neurons}
    for dtype in ("float", "double"):
        image = measure_image(Artefact(model, "wdbc", dtype), _BOARD)
        if image is not None:
            report[f"{dtype}, bytes of flash"] = image.flash
            report[f"{dtype}, bytes of RAM"] = image.ram
            report[f"{dtype}, bytes of stack of its own functions"] = image.stack
    return report


def _round(value: float) -> float:
    return float(f"{value:.3g}")
