"""An ONNX model to a ForeignModel: its nodes in their order, then what its outputs mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dsgec.errors import DsgecError, clean
from dsgec.network.model import Label
from dsgec.network.readers.layers import Layers
from dsgec.network.readers.onnx.file import (
    GraphInput,
    attributes,
    constants,
    graph_inputs,
    parse_model,
    read_file,
)
from dsgec.network.readers.onnx.infer import Inferred, infer, stored_type
from dsgec.network.readers.onnx.operators import find_operator
from dsgec.network.readers.onnx.results import find_results, make_classes
from dsgec.network.readers.onnx.run import find_runner
from dsgec.network.readers.onnx.value import (
    Computed,
    GraphStep,
    Labelled,
    Operator,
    Stored,
    Tensor,
    Value,
    describe_node,
    operator_name,
)
from dsgec.network.readers.source import ForeignModel, make_model

_DAMAGED = (TypeError, ValueError, AttributeError, IndexError, KeyError, OverflowError)


@dataclass(frozen=True, slots=True)
class _Node:
    """A node whose operator is known and whose attributes were read."""

    what: str
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
    """Return the model in a file, which is untrusted."""
    return read_onnx(read_file(path), clean(str(path)), feature_names, class_names)


def read_onnx(
    data: bytes,
    source: str,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Label] | None = None,
) -> ForeignModel:
    """Return the model in the bytes of a file."""
    proto = parse_model(data, source)
    graph = proto.graph
    stored = constants(graph, source)
    inputs = graph_inputs(graph, {*stored}, source)
    nodes = [_node(node, number) for number, node in enumerate(graph.node, 1)]
    inferred = infer(proto, source)
    layers = Layers(sum(array.size for array in stored.values()) + _attribute_numbers(nodes))
    known: dict[str, Value] = {
        name: Stored(array, type=stored_type(array)) for name, array in stored.items()
    }
    for one in inputs:
        array = layers.inputs(one.width).reshape(one.shape)
        known[one.name] = Computed(array, 0 if one.has_batch else None, one.type)
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


def _node(proto: Any, number: int) -> _Node:
    what = describe_node(proto, number)
    operator = find_operator(operator_name(proto), what)
    return _Node(what, proto, operator, attributes(proto, what))


def _attribute_numbers(nodes: Sequence[_Node]) -> int:
    return sum(np.size(value) for node in nodes for value in node.attributes.values())


def _compute(
    layers: Layers,
    known: dict[str, Value],
    node: _Node,
    opset: int,
    inferred: Mapping[str, Inferred],
) -> None:
    """Enter the outputs of a node."""
    names, outputs = node.proto.input, node.proto.output
    absent = [name for name in names if name and name not in known]
    if absent:
        raise DsgecError(
            f"{node.what} reads {clean(ascii(absent[0]))}, which nothing before it gives",
            "The file is damaged, or dsgec does not compute this output of a node before.",
        )
    inputs = [known[name] if name else None for name in names]
    step = GraphStep(node.what, names, inputs, node.attributes, opset, layers, outputs)
    try:
        found = node.operator(step)
    except _DAMAGED as error:  # attributes of other types and shapes than the operator's
        raise DsgecError(
            f"{node.what} cannot be read", "Its attributes or inputs are damaged."
        ) from error
    for name, value in zip(outputs, found, strict=False):
        if name in known:
            raise DsgecError(f"{node.what} defines {clean(ascii(name))} again")
        if name:
            known[name] = _typed(step, value, inferred.get(name))
            layers.charge(value.array.size if isinstance(value, Tensor) else 0)


def _typed(step: GraphStep, value: Value, inferred: Inferred | None) -> Value:
    """Return a value with its element type, by default that of the first input.

    Type and shape must be those that ONNX infers, if it does: not of all operators for scalers.
    """
    if isinstance(value, Labelled):
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
    """Return the names of inputs that are columns; the values of a lone table are x_1, x_2 …"""
    if len(inputs) == 1:
        return [f"x_{number}" for number in range(1, inputs[0].width + 1)]
    return [
        one.name if one.width == 1 else f"{one.name}_{number}"
        for one in inputs
        for number in range(1, one.width + 1)
    ]
