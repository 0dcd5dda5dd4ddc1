"""Each operator of ONNX computes what onnxruntime computes."""

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.network.evaluate import evaluate
from dsgec.network.model import compose
from dsgec.network.parse import parse
from dsgec.network.readers.foreign import measure_agreement, plausible_rows
from dsgec.network.readers.onnx.read import OPERATORS, read_onnx
from dsgec.network.simplify import simplify
from dsgec.network.text import network_text
from tests.support.foreign_models import graph

W = np.array([[0.5, -1.25], [2.0, 0.75], [-0.3, 1.5]])
V = [0.25, -1.5, 2.0]
FLAT = ("Reshape", ["x", "s"], "y", {})
UNARY = [
    *("Relu", "Sigmoid", "Tanh", "Exp", "Abs", "Neg", "Softplus", "Softsign", "HardSigmoid"),
    *("HardSwish", "LeakyRelu", "Elu", "Selu", "Softmax", "LogSoftmax", "Erf", "Gelu", "Mish"),
    *("Identity", "Dropout", "Flatten"),
]
GRAPHS = {
    **{name: ([(name, ["x"], "y", {})], {}) for name in UNARY},
    "Gemm": (
        [("Gemm", ["x", "w", "b"], "y", {"alpha": 0.5, "beta": 2.0})],
        {"w": W, "b": [1, 2.0]},
    ),
    "Gemm, transposed, without a bias": ([("Gemm", ["x", "w"], "y", {"transB": 1})], {"w": W.T}),
    "MatMul": ([("MatMul", ["x", "w"], "y", {})], {"w": W}),
    "Add": ([("Add", ["x", "v"], "y", {})], {"v": V}),
    "Sub": ([("Sub", ["v", "x"], "y", {})], {"v": V}),
    "Mul": ([("Mul", ["x", "v"], "z", {}), ("Mul", ["z", "x"], "y", {})], {"v": [V]}),
    "Div": ([("Div", ["x", "v"], "z", {}), ("Div", ["v", "z"], "y", {})], {"v": V}),
    "Pow": ([("Pow", ["x", "e"], "y", {})], {"e": 3.0}),
    "Min": ([("Min", ["x", "v"], "y", {})], {"v": V}),
    "Max": ([("Max", ["x", "v", "u"], "y", {})], {"v": V, "u": [0.5]}),
    "Sqrt": ([("Abs", ["x"], "z", {}), ("Sqrt", ["z"], "y", {})], {}),
    "Reciprocal": ([("Exp", ["x"], "z", {}), ("Reciprocal", ["z"], "y", {})], {}),
    "Clip": ([("Clip", ["x", "a", "b"], "y", {})], {"a": -1.0, "b": 0.5}),
    "PRelu": ([("PRelu", ["x", "v"], "y", {})], {"v": V}),
    "BatchNormalization": (
        [("BatchNormalization", ["x", "s", "b", "m", "v"], "y", {"epsilon": 0.01})],
        {"s": [1.5, 1.0, -2.0], "b": V, "m": [0.5, 1.0, 2.0], "v": [1.0, 4.0, 0.0]},
    ),
    "ReduceSum": ([("ReduceSum", ["x", "a"], "y", {})], {"a": [1]}),
    "ReduceMean": ([("ReduceMean", ["x"], "y", {"axes": [-1]})], {}),
    "ReduceMin": ([("ReduceMin", ["x"], "y", {"axes": [1]})], {}),
    "LayerNormalization": (
        [("LayerNormalization", ["x", "s", "b"], "y", {"epsilon": 0.01})],
        {"s": [1.5, 1.0, -2.0], "b": V},
    ),
    "ReduceMax": ([("ReduceMax", ["x"], "y", {"axes": [-1]})], {}),
    "ReduceSumSquare": ([("ReduceSumSquare", ["x"], "y", {"axes": [1]})], {}),
    "Cast": ([("Cast", ["x"], "y", {"to": 11})], {}),
    "Reshape": ([FLAT], {"s": [-1, 3]}),
    "Transpose": ([("Transpose", ["w"], "t", {}), ("MatMul", ["x", "t"], "y", {})], {"w": W.T}),
    "Squeeze": (
        [("ReduceSum", ["x", "a"], "z", {}), ("Squeeze", ["z", "a"], "y", {})],
        {"a": [1]},
    ),
    "Unsqueeze": (
        [
            ("ReduceSum", ["x", "a"], "z", {}),
            ("Squeeze", ["z", "a"], "u", {}),
            ("Unsqueeze", ["u", "a"], "y", {}),
        ],
        {"a": [1]},
    ),
    "Concat": ([("Tanh", ["x"], "z", {}), ("Concat", ["z", "x"], "y", {"axis": 1})], {}),
    "Constant": (
        [
            ("Constant", [], "c", {"value_floats": [1.5]}),
            ("Cast", ["c"], "d", {"to": 11}),
            ("Add", ["x", "d"], "y", {}),
        ],
        {},
    ),
    "Gather": ([("Gather", ["x", "i"], "y", {"axis": 1})], {"i": [2, 0]}),
    "a softmax between": (
        [("Softmax", ["x"], "z", {}), ("MatMul", ["z", "w"], "y", {})],
        {"w": W},
    ),
    "the same table twice": ([("Relu", ["x"], "z", {}), ("Add", ["z", "x"], "y", {})], {}),
    "a scaler, read twice": (
        [("Sub", ["x", "v"], "z", {}), ("Relu", ["z"], "u", {}), ("Add", ["z", "u"], "y", {})],
        {"v": V},
    ),
}
SINGLE = {
    "ai.onnx.ml.Scaler": {"offset": V, "scale": [0.5, 2.0, 1.5]},
    "ai.onnx.ml.Normalizer": {"norm": "L2"},
    "ai.onnx.ml.LinearRegressor": {"coefficients": W.T.ravel(), "intercepts": V[:2], "targets": 2},
}


def agreement(data):
    """Return the greatest difference from onnxruntime, and the network, checked by its text."""
    pytest.importorskip("onnxruntime")
    foreign = read_onnx(data, "it")
    nodes = foreign.model.network
    assert simplify(parse(network_text(nodes), inputs=nodes.inputs)) == nodes
    return measure_agreement(foreign), foreign


@pytest.mark.parametrize("name", GRAPHS)
def test_an_operator_computes_what_onnxruntime_computes(name):
    nodes, constants = GRAPHS[name]
    opset = 20 if name in ("Gelu", "Mish") else 17
    try:
        found, _ = agreement(graph(nodes, constants, opset=opset))
        limit = 1e-12
    except DsgecError as error:  # it has not every operator for doubles
        assert "NOT_IMPLEMENTED" in str(error)
        found, _ = agreement(graph(nodes, constants, double=False, opset=opset))
        limit = 1e-5

    assert found.rows == 1000
    assert found.worst <= limit


@pytest.mark.parametrize("name", SINGLE)
def test_an_operator_of_classical_models_computes_what_onnxruntime_computes(name):
    found, _ = agreement(graph([(name, ["x"], "y", SINGLE[name])], double=False))

    assert found.worst <= 1e-5


@pytest.mark.parametrize("after", ["LOGISTIC", "SOFTMAX"])
def test_a_linear_classifier_with_its_labels(after):
    pytest.importorskip("onnxruntime")
    given = {
        "coefficients": np.vstack([W.T, [[1.0, 2.0, 3.0]]]).ravel(),
        "intercepts": V,
        "classlabels_strings": ["a", "b", "c"],
        "post_transform": after,
    }
    nodes = [
        ("ai.onnx.ml.LinearClassifier", ["x"], ["l", "s"], given),
        ("ai.onnx.ml.Normalizer", ["s"], "p", {"norm": "L1"}),
        ("ai.onnx.ml.ZipMap", ["p"], "z", {"classlabels_strings": ["a", "b", "c"]}),
    ]
    found, foreign = agreement(graph(nodes, outputs=("l", "z"), double=False))

    assert foreign.model.classes == ("a", "b", "c")
    assert found.worst <= 1e-5
    assert found.labels <= 1  # sums that are equal in single precision


def test_a_norm_that_onnx_does_not_define_is_refused():
    nodes = [("ai.onnx.ml.Normalizer", ["x"], "p", {"norm": "L3"})]
    with pytest.raises(DsgecError, match="norm='L3' is not supported"):
        read_onnx(graph(nodes, outputs=("p",), double=False), "it")


def test_every_operator_is_tested():
    tested = {name for nodes, _ in GRAPHS.values() for name, *_ in nodes} | {*SINGLE}
    labels = {"ArgMax", "ai.onnx.ml.ArrayFeatureExtractor", "ai.onnx.ml.ZipMap"}

    assert {*OPERATORS} == tested | labels | {"ai.onnx.ml.LinearClassifier"}


def test_a_picture_is_flattened_and_a_batch_of_one_is_run_row_by_row():
    nodes = [("Flatten", ["x"], "f", {}), ("MatMul", ["f", "w"], "y", {})]
    found, foreign = agreement(graph(nodes, {"w": np.ones((12, 2))}, shape=[1, 3, 2, 2]))

    assert len(foreign.model.columns) == 12
    assert found.worst <= 1e-12


def test_weights_in_single_precision_become_exact_doubles():
    data = graph([("MatMul", ["x", "w"], "y", {})], {"w": [[0.1], [0.2], [0.3]]}, double=False)
    model = read_onnx(data, "it").model
    rows = plausible_rows(model, 5)
    w = np.float32([0.1, 0.2, 0.3]).astype(float)

    assert evaluate(compose(model), rows)[:, 0].tolist() == [
        (w[0] * a + w[1] * b) + w[2] * c for a, b, c in rows.tolist()
    ]


def test_class_names_make_a_classifier_of_probabilities():
    sigmoid = [("MatMul", ["x", "w"], "z", {}), ("Sigmoid", ["z"], "y", {})]
    one = {"w": W[:, :1]}

    assert read_onnx(graph(sigmoid, one), "it").model.classes == ()
    assert read_onnx(graph(sigmoid, one), "it", None, ["no", "yes"]).model.classes == ("no", "yes")
    assert read_onnx(graph([("Softmax", ["x"], "y", {})]), "it").model.classes == (0, 1, 2)


def test_without_onnxruntime_the_network_is_not_compared(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    found = measure_agreement(read_onnx(graph([("Relu", ["x"], "y", {})]), "it"))

    assert str(found).endswith("made of: onnxruntime is not installed")
