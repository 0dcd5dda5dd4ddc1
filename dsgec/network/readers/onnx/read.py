"""Read an ONNX model: the table of operators, the nodes in their order, then the outputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dsgec.errors import DsgecError, clean
from dsgec.network.model import Label
from dsgec.network.readers.foreign import ForeignModel, make_model
from dsgec.network.readers.layers import Layers
from dsgec.network.readers.onnx import functions, linear, shapes
from dsgec.network.readers.onnx.file import (
    MOST_BYTES,
    GraphInput,
    InferredType,
    attributes,
    constants,
    graph_inputs,
    infer_types,
    parse_model,
    stored_type,
)
from dsgec.network.readers.onnx.functions import elementwise, unary
from dsgec.network.readers.onnx.results import find_results, find_runner, make_classes
from dsgec.network.readers.onnx.values import (
    ComputedTensor,
    ConstantTensor,
    GraphStep,
    LabelledScores,
    Operator,
    Tensor,
    Value,
)
from dsgec.resources import read_bytes

_ML = "ai.onnx.ml."

OPERATORS: dict[str, Operator] = {
    "Gemm": linear.gemm,
    "MatMul": linear.matmul,
    "Add": linear.arithmetic("add"),
    "Sub": linear.arithmetic("sub"),
    "Mul": linear.arithmetic("mul"),
    "Div": linear.arithmetic("div"),
    "Pow": functions.power,
    "Min": linear.extreme("min"),
    "Max": linear.extreme("max"),
    "Relu": unary("relu"),
    "Sigmoid": unary("sig"),
    "Tanh": unary("tanh"),
    "Exp": unary("exp"),
    "Abs": unary("abs"),
    "Neg": unary("neg"),
    "Sqrt": unary("sqrt"),
    "Reciprocal": elementwise(functions.reciprocal),
    "Softmax": functions.softmax("softmax"),
    "LogSoftmax": functions.softmax("log_softmax"),
    "Clip": functions.clip,
    "LeakyRelu": elementwise(functions.leaky_relu),
    "PRelu": functions.prelu,
    "Elu": functions.exponential(1.0, 1.0),
    "Selu": functions.exponential(1.6732632423543772, 1.0507009873554805),
    "Softplus": elementwise(functions.softplus),
    "Mish": elementwise(functions.mish),
    "Softsign": elementwise(functions.softsign),
    "HardSigmoid": elementwise(functions.hard_sigmoid),
    "HardSwish": elementwise(functions.hard_swish),
    "Erf": elementwise(functions.error_function),
    "Gelu": elementwise(functions.gelu),
    "BatchNormalization": functions.batch_normalization,
    "LayerNormalization": functions.layer_normalization,
    "ReduceSum": linear.reduce("add"),
    "ReduceMean": linear.reduce("add", mean=True),
    "ReduceMax": linear.reduce("max"),
    "ReduceMin": linear.reduce("min"),
    "ReduceSumSquare": linear.reduce("add", squared=True),
    "Identity": shapes.identity,
    "Dropout": shapes.dropout,
    "Cast": shapes.cast,
    "Flatten": shapes.flatten,
    "Reshape": shapes.reshape,
    "Transpose": shapes.transpose,
    "Squeeze": shapes.squeeze,
    "Unsqueeze": shapes.unsqueeze,
    "Concat": shapes.concat,
    "Constant": shapes.constant,
    "Gather": shapes.gather,
    "ArgMax": shapes.argmax,
    f"{_ML}ArrayFeatureExtractor": shapes.extract_features,
    f"{_ML}Scaler": linear.scaler,
    f"{_ML}Normalizer": linear.normalizer,
    f"{_ML}LinearClassifier": linear.linear_classifier,
    f"{_ML}LinearRegressor": linear.linear_regressor,
    f"{_ML}ZipMap": linear.zip_map,
}

_DAMAGED = (TypeError, ValueError, AttributeError, IndexError, KeyError, OverflowError)


@dataclass(frozen=True, slots=True)
class _Node:
    """A node with its operator and its attributes; `title` is what messages call it."""

    title: str
    proto: Any
    operator: Operator
    attributes: dict[str, Any]


def is_onnx(model: Any) -> bool:
    """Return whether something is a ModelProto."""
    kind = type(model)
    return kind.__name__ == "ModelProto" and kind.__module__.partition(".")[0] == "onnx"


def read_onnx_file(
    path: Path,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Label] | None = None,
) -> ForeignModel:
    """Read the model in a file, which is untrusted."""
    data = read_bytes(path, str(path), MOST_BYTES, pipe=True)
    return read_onnx(data, clean(str(path)), feature_names, class_names)


def read_onnx(
    data: bytes,
    source: str,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Label] | None = None,
) -> ForeignModel:
    """Read the model in the bytes of a file."""
    proto = parse_model(data, source)
    graph = proto.graph
    stored = constants(graph, source)
    inputs = graph_inputs(graph, {*stored}, source)
    nodes = [_read_node(node, number) for number, node in enumerate(graph.node, 1)]
    inferred = infer_types(proto, source)
    layers = Layers(sum(array.size for array in stored.values()) + _attribute_numbers(nodes))
    known: dict[str, Value] = {
        name: ConstantTensor(array, type=stored_type(array)) for name, array in stored.items()
    }
    for one in inputs:
        array = layers.inputs(one.width).reshape(one.shape)
        known[one.name] = ComputedTensor(array, 0 if one.has_batch else None, one.type)
    opsets = {entry.domain: entry.version for entry in proto.opset_import}
    for node in nodes:
        _compute(layers, known, node, opsets.get("", opsets.get("ai.onnx", 1)), inferred)
    outputs = [(output.name, known.get(output.name)) for output in graph.output]
    batches = {0 if one.has_batch else None for one in inputs}
    results = find_results(layers, outputs, batches, source)
    results = make_classes(layers, results, class_names, source)
    names = _column_names(inputs)
    model = make_model(layers, results.scores, names, results.labels, feature_names, class_names)
    ran_by, run = find_runner(proto, inputs, results, len(model.network.outputs))
    single = any(isinstance(value, Tensor) and value.type == "float" for value in known.values())
    whole = [one.type.startswith("int") for one in inputs for _ in range(one.width)]
    columns = tuple(np.flatnonzero(whole).tolist())
    dtype = "float" if single else "double"
    return ForeignModel(model, ran_by, run, dtype, columns, least_share=1.0)


def _read_node(proto: Any, number: int) -> _Node:
    """Return a node; raise a DsgecError if its operator is not in the table."""
    domain = "" if proto.domain in ("", "ai.onnx") else f"{proto.domain}."
    name = clean(ascii(f"{domain}{proto.op_type}")[1:-1])
    title = f"node {clean(ascii(proto.name)) if proto.name else number} ({name})"
    operator = OPERATORS.get(name)
    if operator is None:
        known = ", ".join(one.removeprefix(_ML) for one in OPERATORS)
        raise DsgecError(
            f"{title}: this operator is not supported",
            f"Export the model without it. Supported are {known}.",
        )
    return _Node(title, proto, operator, attributes(proto, title))


def _attribute_numbers(nodes: Sequence[_Node]) -> int:
    return sum(np.size(value) for node in nodes for value in node.attributes.values())


def _compute(
    layers: Layers,
    known: dict[str, Value],
    node: _Node,
    opset: int,
    inferred: Mapping[str, InferredType],
) -> None:
    """Compute the outputs of a node and add them to the known values."""
    names, outputs = node.proto.input, node.proto.output
    absent = [name for name in names if name and name not in known]
    if absent:
        raise DsgecError(
            f"{node.title} reads {clean(ascii(absent[0]))}, which nothing before it gives",
            "The file is damaged, or dsgec does not compute this output of a node before.",
        )
    inputs = [known[name] if name else None for name in names]
    step = GraphStep(node.title, names, inputs, node.attributes, opset, layers, outputs)
    try:
        found = node.operator(step)
    except _DAMAGED as error:  # attributes of other types and shapes than the operator's
        raise DsgecError(
            f"{node.title} cannot be read", "Its attributes or inputs are damaged."
        ) from error
    for name, value in zip(outputs, found if isinstance(found, tuple) else (found,), strict=False):
        if name in known:
            raise DsgecError(f"{node.title} defines {clean(ascii(name))} again")
        if name:
            known[name] = _check_type(step, value, inferred.get(name))
            layers.charge(value.array.size if isinstance(value, Tensor) else 0)


def _check_type(step: GraphStep, value: Value, inferred: InferredType | None) -> Value:
    """Return a value with its element type, by default that of the first input.

    Raise a DsgecError unless type and shape are those that ONNX infers, if it infers any.
    """
    if isinstance(value, LabelledScores):
        return value
    first = step.value(0)
    kind = value.type or (first.type if isinstance(first, Tensor) else "")
    sizes = [None if axis == value.batch else size for axis, size in enumerate(value.array.shape)]
    if inferred is not None:
        theirs = sizes if inferred.sizes is None else inferred.sizes
        if (
            inferred.type != kind
            or len(sizes) != len(theirs)
            or any(
                None not in pair and pair[0] != pair[1] for pair in zip(sizes, theirs, strict=True)
            )
        ):
            raise step.refuse(
                f"dsgec reads {kind} of the shape {sizes}, ONNX infers {inferred.type} of the shape"
                f" {list(theirs)} (None for the batch)",
                "Please report this with the model.",
            )
    return replace(value, type=kind)


def _column_names(inputs: Sequence[GraphInput]) -> list[str]:
    """Return a name for each value of the inputs; those of a lone table are x_1, x_2 …"""
    if len(inputs) == 1:
        return [f"x_{number}" for number in range(1, inputs[0].width + 1)]
    return [
        one.name if one.width == 1 else f"{one.name}_{number}"
        for one in inputs
        for number in range(1, one.width + 1)
    ]
