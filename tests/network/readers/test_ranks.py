"""Rank, axis and type of every value of an ONNX graph are those that onnxruntime computes with.

Each graph is read without onnxruntime: it is refused, or gives what onnxruntime gives.
"""

import time

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.network.evaluate import evaluate
from dsgec.network.model import compose
from dsgec.network.readers import layers
from dsgec.network.readers.foreign import ForeignOutputs, measure_agreement
from dsgec.network.readers.onnx.read import read_onnx
from tests.support.command_line import dsgec
from tests.support.foreign_models import graph

onnx = pytest.importorskip("onnx")
INT64, FLOAT, BOOL, FLOAT16 = 7, 1, 9, 10
ROWS = np.array([[1.0, 2.0, 3.0], [-0.5, -2.0, -0.25], [0.0, 4.0, -1.5]])


def read_alone(monkeypatch, data, *names):
    """Read a file as if there were no onnxruntime."""
    with monkeypatch.context() as patch:
        patch.setitem(__import__("sys").modules, "onnxruntime", None)
        foreign = read_onnx(data, "it", *names)
        assert foreign.run is None
    return foreign.model


def compare(monkeypatch, data, dtype=np.float64, rows=ROWS):
    """Compare a file with onnxruntime."""
    found = evaluate(compose(read_alone(monkeypatch, data)), rows)
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    wanted = session.run(None, {"x": rows.astype(dtype)})[0].reshape(len(rows), -1)
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-7)
    read_onnx(data, "it")
    return found


def expect_refusal(monkeypatch, data, message):
    with pytest.raises(DsgecError, match=message) as caught:
        read_alone(monkeypatch, data)
    with pytest.raises(DsgecError, match=message):
        read_onnx(data, "it")
    return str(caught.value)


def test_an_input_that_is_also_an_output_is_not_scaled(monkeypatch):
    nodes = [("Mul", ["x", "two"], "z", {}), ("Concat", ["x", "z"], "y", {"axis": 1})]
    found = compare(monkeypatch, graph(nodes, {"two": [2.0]}))

    assert found[0].tolist() == [1, 2, 3, 2, 4, 6]


def test_gather_without_an_axis_takes_rows_and_is_refused(monkeypatch):
    data = graph([("Gather", ["x", "i"], "y", {})], {"i": [2, 0]})

    assert "node 'n0' (Gather)" in expect_refusal(
        monkeypatch, data, "along axis 0, that of the rows"
    )


@pytest.mark.parametrize("places", [1, [[2, 0], [1, 1]], [[2]], -1], ids=str)
def test_gather_has_indices_of_any_rank(monkeypatch, places):
    data = graph([("Gather", ["x", "i"], "y", {"axis": 1})], {"i": places})

    assert compare(monkeypatch, data).shape == (3, np.size(places))


def test_a_sum_without_its_axis_is_broadcast_along_the_rows_and_refused(monkeypatch):
    total = [("ReduceSum", ["x", "a"], "s", {"keepdims": 0}), ("Sub", ["x", "s"], "y", {})]
    expect_refusal(monkeypatch, graph(total, {"a": [1]}), "the rows are along different axes")
    kept = [("ReduceSum", ["x", "a"], "s", {"keepdims": 1}), ("Sub", ["x", "s"], "y", {})]
    compare(monkeypatch, graph(kept, {"a": [1]}))


def test_a_product_with_a_vector_is_broadcast_along_the_rows_and_refused(monkeypatch):
    nodes = [("MatMul", ["x", "w"], "s", {}), ("Sub", ["x", "s"], "y", {})]
    expect_refusal(monkeypatch, graph(nodes, {"w": [1.0, 2.0, 3.0]}), "along different axes")
    compare(monkeypatch, graph(nodes[:1], {"w": [1.0, 2.0, 3.0]}, outputs=("s",)))


def test_a_constant_of_rank_three_has_an_axis_of_its_own(monkeypatch):
    one = graph([("Add", ["x", "c"], "y", {})], {"c": np.ones((2, 1, 3))})
    expect_refusal(monkeypatch, one, "has the rows along axis 1")
    rows = graph([("Add", ["x", "c"], "y", {})], {"c": np.ones((1, 3, 1))})
    expect_refusal(monkeypatch, rows, "have numbers for each of the rows")
    cube = [
        ("Unsqueeze", ["x", "a"], "z", {}),
        ("Add", ["z", "c"], "y", {}),
    ]
    compare(monkeypatch, graph(cube, {"a": [1], "c": np.arange(6.0).reshape(1, 2, 3)}))


def test_unsqueeze_on_axis_zero_moves_the_rows(monkeypatch):
    nodes = [("Unsqueeze", ["x", "a"], "y", {})]
    expect_refusal(
        monkeypatch, graph(nodes, {"a": [0]}), "the output 'y' of it has the rows along axis 1"
    )
    compare(monkeypatch, graph(nodes, {"a": [-1]}))
    back = [*nodes, ("Squeeze", ["y", "a"], "z", {})]
    compare(monkeypatch, graph(back, {"a": [0]}, outputs=("z",)))


@pytest.mark.parametrize("to", [INT64, BOOL, FLOAT16])
def test_a_cast_that_rounds_is_refused(monkeypatch, to):
    nodes = [("Cast", ["x"], "z", {"to": to}), ("Cast", ["z"], "y", {"to": FLOAT})]

    expect_refusal(monkeypatch, graph(nodes), r"node 'n0' \(Cast\): it rounds or truncates")


def whole_graph(nodes, constants=(), kind=INT64):
    """Return a graph whose input is of whole numbers."""
    model = onnx.ModelProto.FromString(graph(nodes, constants))
    model.graph.input[0].type.tensor_type.elem_type = kind
    return model.SerializeToString()


@pytest.mark.parametrize("operator", ["Div", "Mul", "Add", "Sub"])
def test_arithmetic_of_whole_numbers_is_refused(monkeypatch, operator):
    data = whole_graph([(operator, ["x", "c"], "y", {})], {"c": np.array([2])})

    assert "can overflow or truncate" in expect_refusal(monkeypatch, data, "is of type int64")


@pytest.mark.parametrize("kind", [6, 7])
def test_inputs_of_whole_numbers_are_read_and_compared_on_whole_numbers(monkeypatch, kind):
    nodes = [("Cast", ["x"], "z", {"to": 11}), ("MatMul", ["z", "w"], "y", {})]
    data = whole_graph(nodes, {"w": np.array([[0.5], [-1.0], [2.0]])}, kind)
    rows = np.rint(4 * ROWS)
    compare(monkeypatch, data, {6: np.int32, 7: np.int64}[kind], rows)
    foreign = read_onnx(data, "it")

    assert measure_agreement(foreign).worst <= 1e-12
    with pytest.raises(DsgecError, match="'x_1' takes whole numbers only"):
        measure_agreement(foreign, ROWS)


@pytest.mark.parametrize("norm", ["MAX", "L1", "L2"])
def test_a_normalizer_keeps_the_sign_of_the_greatest_value(monkeypatch, norm):
    data = graph([("ai.onnx.ml.Normalizer", ["x"], "y", {"norm": norm})], double=False)
    rows = np.vstack([ROWS, [[-1.0, -2.0, -3.0], [0.0, -2.0, -1.0], [0.0, 0.0, 0.0]]])

    compare(monkeypatch, data, np.float32, rows)


@pytest.mark.parametrize("norm", ["max", "l1", "l2"])
def test_a_row_whose_norm_is_near_zero_is_left_as_scikit_learn_leaves_it(norm):
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer

    from dsgec import compile

    steps = make_pipeline(Normalizer(norm), LinearRegression(fit_intercept=False))
    model = steps.fit(np.eye(3) + 0.25, [1.0, 2.0, 3.0])
    limit = 10 * np.finfo(float).eps
    sizes = [0.0, 1e-300, 1e-20, 1e-16, np.nextafter(limit, 0), limit, 2 * limit, 1e-10, 1.0, 1e9]
    rows = np.array([[size, 0.0, 0.0] for size in sizes] + [[0.0, -size, 0.0] for size in sizes])

    np.testing.assert_allclose(
        compile(model).outputs(rows)[:, 0], model.predict(rows), rtol=1e-12, atol=0
    )


def test_a_dropout_in_training_mode_is_refused(monkeypatch):
    model = onnx.ModelProto.FromString(graph([("Dropout", ["x", "r", "t"], "y", {})], {"r": 0.5}))
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array(True), "t"))
    expect_refusal(monkeypatch, model.SerializeToString(), "it is in training mode")
    model.graph.initializer[-1].CopyFrom(onnx.numpy_helper.from_array(np.array(False), "t"))
    compare(monkeypatch, model.SerializeToString())


def test_a_clip_with_infinite_limits(monkeypatch):
    nodes = [("Clip", ["x", "a", "b"], "y", {})]
    compare(monkeypatch, graph(nodes, {"a": -np.inf, "b": 0.5}))
    compare(monkeypatch, graph(nodes, {"a": -1.0, "b": np.inf}))
    expect_refusal(monkeypatch, graph(nodes, {"a": np.inf, "b": np.inf}), "its min is inf")


def test_what_is_defined_twice_is_refused(monkeypatch):
    relu, tanh = ("Relu", ["x"], "y", {}), ("Tanh", ["x"], "y", {})
    expect_refusal(monkeypatch, graph([relu, tanh]), "not a valid ONNX model")
    expect_refusal(
        monkeypatch, graph([("Relu", ["y"], "x", {}), tanh]), "not a valid|nothing before"
    )
    again = onnx.ModelProto.FromString(graph([("Add", ["x", "v"], "y", {})], {"v": [1.0]}))
    again.graph.initializer.append(onnx.numpy_helper.from_array(np.array([2.0]), "v"))
    expect_refusal(monkeypatch, again.SerializeToString(), "it defines 'v' twice")


def test_nodes_without_what_they_need_are_refused_without_a_traceback(monkeypatch, tmp_path):
    for number, node in enumerate(
        [("Concat", [], "y", {"axis": 1}), ("Concat", ["x"], "y", {}), ("Gather", ["x"], "y", {})]
    ):
        data = graph([node])
        expect_refusal(monkeypatch, data, "not a valid ONNX model")
        (tmp_path / f"n{number}.onnx").write_bytes(data)
        answer = dsgec("compile", f"n{number}.onnx", cwd=tmp_path, code=1)
        assert "Traceback" not in answer.stderr


def test_a_small_file_of_a_million_features_is_refused_at_once(tmp_path, monkeypatch):
    data = graph([("Relu", ["x"], "y", {})], width=1_000_000)
    wide = [("Unsqueeze", ["x", "a"], "z", {}), ("Add", ["z", "x"], "y", {})]
    (tmp_path / "wide.onnx").write_bytes(data)
    began = time.process_time()
    with pytest.raises(DsgecError, match="more than 10,000 features"):
        read_onnx(data, "it")
    with pytest.raises(DsgecError, match="more than 1,000 values for a row"):
        read_onnx(graph([("Relu", ["x"], "y", {})], width=1001), "it")
    with pytest.raises(DsgecError, match=r"computes more than .* values from few weights"):
        read_onnx(graph(wide, {"a": [2]}, width=2000, shape=[1, 2000]), "it")
    monkeypatch.setattr(layers, "STEPS_PER_NODE", 10)
    doubled = [("Concat", [f"v{n}", f"v{n}"], f"v{n + 1}", {"axis": 1}) for n in range(30)]
    again = [("Relu", ["x"], f"v{n}", {}) for n in range(100)]
    for nodes in ([("Relu", ["x"], "v0", {}), *doubled], again):
        with pytest.raises(DsgecError, match="too many steps"):
            read_onnx(graph(nodes, width=9000, outputs=("v1",)), "it")

    assert time.process_time() - began < 10
    assert "features" in dsgec("compile", "wide.onnx", cwd=tmp_path, code=1).stderr


def test_a_batch_of_one_may_be_turned(monkeypatch):
    nodes = [("Transpose", ["x"], "t", {}), ("MatMul", ["x", "t"], "y", {})]

    compare(monkeypatch, graph(nodes, shape=[1, 3]), rows=ROWS[:1])
    expect_refusal(monkeypatch, graph(nodes), "the rows are along different axes")


# --- labels --------------------------------------------------------------------------------------


def labelled_graph(scores, *, labels=(5, 7)):
    return graph(
        [
            ("MatMul", ["x", "w"], "z", {}),
            ("Neg", ["z"], "n", {}),
            ("Softmax", ["z"], "p", {"axis": 1}),
            ("ArgMax", [scores], "i", {"axis": 1, "keepdims": 0}),
            ("Gather", ["l", "i"], "label", {"axis": 0}),
        ],
        {"w": np.array([[1.0, -1.0], [0.5, 0.25], [-1.0, 2.0]]), "l": np.array(labels)},
        outputs=("label", "p"),
    )


def test_labels_that_other_scores_choose_are_refused(monkeypatch):
    assert read_alone(monkeypatch, labelled_graph("p")).classes == (5, 7)
    assert read_alone(monkeypatch, labelled_graph("z")).classes == (5, 7)
    expect_refusal(monkeypatch, labelled_graph("n"), "does not choose its label by the greatest")


def test_labels_that_differ_from_the_original_are_an_error():
    pytest.importorskip("onnxruntime")
    foreign = read_onnx(labelled_graph("p"), "it")
    assert measure_agreement(foreign).labels == 0

    def turned(rows):
        found = foreign.run(rows)
        return ForeignOutputs(found.outputs, 1 - found.classes)

    wrong = type(foreign)(foreign.model, foreign.ran_by, turned)
    with pytest.raises(DsgecError, match="1,000 of 1,000 rows have another label"):
        measure_agreement(wrong)
    with pytest.raises(DsgecError, match="3 of 3 rows have another label"):
        measure_agreement(wrong, ROWS)
    tie = np.zeros((2, 3))
    assert measure_agreement(wrong, tie).labels == 2


# --- what torch writes ---------------------------------------------------------------------------


def network_of(last, width):
    """Return layers as torch exports them."""
    rng = np.random.RandomState(3)
    nodes = [
        ("Gemm", ["x", "w", "b"], "h", {"transB": 1}),
        ("LayerNormalization", ["h", "s", "t"], "n", {"axis": -1, "epsilon": 1e-5}),
        ("Gelu", ["n"], "g", {}),
        ("Gemm", ["g", "v", "c"], last, {"transB": 1}),
    ]
    stored = {
        "w": rng.randn(4, 3), "b": rng.randn(4), "s": rng.randn(4), "t": rng.randn(4),
        "v": rng.randn(width, 4), "c": rng.randn(width),
    }  # fmt: skip
    return graph(nodes, stored, outputs=(last,), opset=20, double=False)


def test_logits_are_a_classifier_if_classes_are_given():
    pytest.importorskip("onnxruntime")
    data = network_of("y", 3)
    scores, named = read_onnx(data, "it"), read_onnx(data, "it", None, ["a", "b", "c"])

    assert scores.model.classes == ()
    assert measure_agreement(scores).worst <= 1e-4
    assert named.model.classes == ("a", "b", "c")
    assert named.model.network.softmax
    assert measure_agreement(named).worst <= 1e-4
    values = evaluate(compose(scores.model), ROWS)
    shares = evaluate(compose(named.model), ROWS)
    assert (shares.argmax(axis=1) == values.argmax(axis=1)).all()
    assert np.allclose(shares.sum(axis=1), 1.0)


def test_one_logit_is_a_classifier_of_two_classes():
    pytest.importorskip("onnxruntime")
    data = network_of("y", 1)
    named = read_onnx(data, "it", None, ["no", "yes"])
    value = evaluate(compose(read_onnx(data, "it").model), ROWS)

    assert measure_agreement(named).worst <= 1e-4
    assert np.allclose(evaluate(compose(named.model), ROWS), 1 / (1 + np.exp(-value)))
    with pytest.raises(DsgecError, match="3 class names given for 2 classes"):
        read_onnx(data, "it", None, ["a", "b", "c"])


def test_the_command_takes_classes_for_logits(tmp_path):
    data = graph([("MatMul", ["x", "w"], "y", {})], {"w": np.arange(9.0).reshape(3, 3)})
    (tmp_path / "net.onnx").write_bytes(data)
    answer = dsgec(
        *("compile", "net.onnx", "--to", "numpy", "--classes", "ape,bee,cat"), cwd=tmp_path
    )

    assert "The network " in answer.stdout
    assert "ape" in dsgec("inspect", "net.py", cwd=tmp_path).stdout


def test_erf_and_gelu_are_exact_to_a_stated_error(monkeypatch):
    mpmath = pytest.importorskip("mpmath")
    points = np.concatenate([np.linspace(-7, 7, 1401), [1e-300, 1e-9, -1e-9, 0.0, 30.0, -1e6]])
    rows = points[:, np.newaxis]
    erf = read_alone(monkeypatch, graph([("Erf", ["x"], "y", {})], width=1))
    gelu = read_alone(monkeypatch, graph([("Gelu", ["x"], "y", {})], width=1, opset=20))
    exact = [float(mpmath.erf(point)) for point in points]
    product = [float(mpmath.mpf(p) * mpmath.erfc(-p / mpmath.sqrt(2)) / 2) for p in points]

    assert np.abs(evaluate(compose(erf), rows)[:, 0] - exact).max() <= 1e-13
    assert np.abs(evaluate(compose(gelu), rows)[:, 0] - product).max() <= 1e-13
