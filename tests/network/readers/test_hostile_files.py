"""ONNX files are untrusted: faults are reported, and nothing grows without limit."""

import random

import numpy as np
import pytest

from dsgec.errors import DsgecError
from dsgec.network.readers import layers
from dsgec.network.readers.onnx import file
from dsgec.network.readers.onnx.read import read_onnx
from dsgec.network.text import network_text
from tests.support.command_line import dsgec
from tests.support.foreign_models import graph

onnx = pytest.importorskip("onnx")

W = np.ones((3, 2))
RELU = [("Relu", ["x"], "y", {})]
PLAIN = graph([("MatMul", ["x", "w"], "z", {}), ("Relu", ["z"], "y", {})], {"w": W})


def change_model(data, change):
    model = onnx.ModelProto.FromString(data)
    change(model)
    return model.SerializeToString()


def external(model):
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="/etc/passwd")


def huge(model):
    model.graph.initializer[0].dims[:] = [1 << 40, 1 << 40]


def short(model):
    model.graph.initializer[0].dims[:] = [30, 20]


def negative(model):
    model.graph.initializer[0].dims[:] = [-3, -2]


def nameless(model):
    model.graph.input[0].type.tensor_type.shape.dim[1].Clear()


def reverse_nodes(model):
    first, second = model.graph.node[0], model.graph.node[1]
    nodes = [onnx.NodeProto.FromString(n.SerializeToString()) for n in (second, first)]
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def nested(model):
    inner = onnx.helper.make_graph([], "inner", [], [])
    model.graph.node[1].attribute.append(onnx.helper.make_attribute("body", inner))


def texts(model):
    model.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.STRING


WRONG = {
    "is not an ONNX file": [b"", b"\xff\xfe", b"not a model at all", PLAIN[:60]],
    "is in another file": [change_model(PLAIN, external)],
    "more than 2,000,000 weights": [change_model(PLAIN, huge), change_model(PLAIN, negative)],
    "the tensor 'w' of it is damaged": [change_model(PLAIN, short)],
    "does not have a fixed number of features": [change_model(PLAIN, nameless)],
    "is not of numbers": [change_model(PLAIN, texts)],
    r"it is not a valid ONNX model: .*node name: n1": [change_model(PLAIN, reverse_nodes)],
    "has an attribute 'body' that dsgec does not read": [change_model(PLAIN, nested)],
    r"node 'n0' \(Conv\): this operator is not supported": [
        graph([("Conv", ["x", "w"], "y", {})], {"w": W})
    ],
    r"node 'n0' \(evil.Relu\): this operator": [graph([("evil.Relu", ["x"], "y", {})])],
    r"node 'n0' \(Loop\)": [graph([("Loop", ["x"], "y", {})])],
    r"not a valid ONNX model: .*node name: n0.* [dD]imension": [
        graph([("MatMul", ["x", "w"], "y", {})], {"w": W.T}),
        graph([("Gemm", ["x", "w"], "y", {"transB": 1})], {"w": W}),
    ],
    "Mismatched attribute type": [
        graph([("Gemm", ["x", "w"], "y", {"alpha": "text"})], {"w": W}),
        graph([("LeakyRelu", ["x"], "y", {"alpha": [1.0, 2.0]})]),
    ],
    "it divides by 0": [graph([("Div", ["x", "v"], "y", {})], {"v": [1.0, 0.0, 1.0]})],
    "it works along axis 1, that of the rows": [
        graph([("Gemm", ["x", "w"], "y", {"transA": 1})], {"w": W})
    ],
    "does not keep the 3 values": [graph([("Reshape", ["x", "s"], "y", {})], {"s": [-1, 1]})],
    "has a batch of 5 rows": [graph(RELU, shape=[5, 3])],
    "more than 10,000 features": [graph(RELU, width=1_000_000), graph(RELU, shape=["N", 101, 100])],
    "a weight that is nan": [graph([("Add", ["x", "v"], "y", {})], {"v": [np.nan]})],
    "tables of results": [graph(RELU, outputs=("x", "y"))],
    "is not computed from the row": [
        graph(RELU, {"v": [1.0]}, outputs=("v",)),
        graph([("Relu", ["w"], "y", {})], {"w": W}),
    ],
}


@pytest.mark.parametrize("message", WRONG)
def test_the_fault_of_a_file_is_reported(message):
    for data in WRONG[message]:
        with pytest.raises(DsgecError, match=message):
            read_onnx(data, "it")


def test_a_chain_of_squares_does_not_become_an_endless_text():
    chain = [("Mul", [f"v{n}", f"v{n}"], f"v{n + 1}", {}) for n in range(200)]
    data = graph([("Relu", ["x"], "v0", {}), *chain], outputs=("v200",))

    assert len(network_text(read_onnx(data, "it").model.network)) < 20_000


def test_networks_and_files_beyond_the_limits_are_refused(monkeypatch):
    monkeypatch.setattr(layers, "MOST_NODES", 1000)
    wide = [("MatMul", ["x", "w"], "y", {})]
    with pytest.raises(DsgecError, match="more than 250 weights"):
        read_onnx(graph(wide, {"w": np.ones((3, 400))}), "it")
    monkeypatch.setattr(file, "MOST_GRAPH_NODES", 1)
    with pytest.raises(DsgecError, match="more than 1 nodes"):
        read_onnx(PLAIN, "it")


def damage_file(seed):
    """Return the bytes of a good file with some of them changed."""
    random_ = random.Random(seed)
    data = bytearray(PLAIN)
    for _ in range(random_.randint(1, 8)):
        data[random_.randrange(len(data))] = random_.randrange(256)
    return bytes(data[: random_.choice([len(data), random_.randrange(len(data))])])


def read_damaged(seeds):
    """Read damaged files; each is another model, or refused with a message."""
    read = 0
    for seed in seeds:
        try:
            read_onnx(damage_file(seed), "it")
            read += 1
        except DsgecError:
            pass
    return read


def test_a_broken_file_is_read_or_refused():
    assert read_damaged(range(60)) > 0


@pytest.mark.campaign
def test_ten_thousand_broken_files_are_read_or_refused():
    print(f"{read_damaged(range(1000, 11_000))} of 10,000 were read")


def test_the_command_compiles_a_file_and_prints_the_agreement(tmp_path):
    (tmp_path / "small.onnx").write_bytes(PLAIN)
    answer = dsgec(
        *("compile", "small.onnx", "--to", "numpy", "--features", "a,b,c", "--page"), cwd=tmp_path
    )

    assert answer.stdout.splitlines()[:2] == ["small.py", "small.html"]
    assert "The network " in answer.stdout.splitlines()[2]
    assert "3 columns, 3 of them read" in dsgec("inspect", "small.py", cwd=tmp_path).stdout
    assert "every byte is" in dsgec("verify", "small.py", cwd=tmp_path).stdout


def test_options_for_the_other_kind_of_file_are_refused(tmp_path):
    (tmp_path / "small.onnx").write_bytes(PLAIN)
    (tmp_path / "small.net").write_text("sig(x_1)")
    for words in (["small.onnx", "--layered"], ["small.net", "--classes", "a,b"]):
        answer = dsgec("compile", *words, cwd=tmp_path, code=1)
        assert "--layered for equations" in answer.stderr


def test_the_command_does_not_overwrite_the_file_that_it_reads(tmp_path):
    (tmp_path / "small.onnx").write_bytes(PLAIN)
    answer = dsgec("compile", "small.onnx", "--to", "onnx", cwd=tmp_path, code=1)

    assert "would overwrite small.onnx" in answer.stderr
    assert (tmp_path / "small.onnx").read_bytes() == PLAIN


def test_without_onnx_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    (tmp_path / "small.onnx").write_bytes(PLAIN)
    answer = dsgec("compile", "small.onnx", cwd=tmp_path, code=1)

    assert "pip install 'dsgec[onnx]'" in answer.stderr
