"""An ONNX model to a ForeignModel: its nodes in their order, then what its outputs mean."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dsgec.errors import DsgecError, clean
from dsgec.foreign.layers import Layers, Vector
from dsgec.foreign.onnx.file import (
    GraphInput,
    attributes,
    constants,
    graph_inputs,
    parse_model,
    read_file,
)
from dsgec.foreign.onnx.operators import apply_operator
from dsgec.foreign.onnx.run import find_runner
from dsgec.foreign.onnx.step import (
    Block,
    ClassChoice,
    GraphStep,
    Labelled,
    Results,
    Value,
    describe_node,
    operator_name,
)
from dsgec.foreign.source import ForeignModel, make_model
from dsgec.network.model import Label

_DAMAGED = (TypeError, ValueError, AttributeError, IndexError, KeyError, OverflowError)
_FINAL = "Export a model with one table of results, and with labels if it is a classifier."


def is_onnx(model: Any) -> bool:
    """Whether something is a ModelProto."""
    kind = type(model)
    return kind.__name__ == "ModelProto" and kind.__module__.partition(".")[0] == "onnx"


def read_onnx_file(
    path: Path,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Label] | None = None,
) -> ForeignModel:
    """The model in a file, which is untrusted."""
    return read_onnx(read_file(path), clean(str(path)), feature_names, class_names)


def read_onnx(
    data: bytes,
    source: str,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Label] | None = None,
) -> ForeignModel:
    """The model in the bytes of a file."""
    proto = parse_model(data, source)
    graph = proto.graph
    known: dict[str, Value] = {**constants(graph, source)}
    inputs = graph_inputs(graph, {*known}, source)
    layers = Layers()
    for one in inputs:
        vector = layers.inputs(one.width)
        known[one.name] = vector if one.rank == 2 else Block(vector)
    opsets = {entry.domain: entry.version for entry in proto.opset_import}
    for number, node in enumerate(graph.node, 1):
        _compute(layers, known, node, number, opsets.get("", opsets.get("ai.onnx", 1)))
    results = _results([(o.name, known.get(o.name)) for o in graph.output], source)
    labels = results.labels or class_names or ()
    if class_names is not None and not results.labels and not results.scores.are_probabilities:
        raise DsgecError(
            f"{source} gives scores, not probabilities of classes",
            "Export it with a Softmax or a Sigmoid at the end, or compile it without class names.",
        )
    if not labels and results.scores.softmax:
        labels = tuple(range(len(results.scores)))
    names = _column_names(inputs)
    model = make_model(layers, results.scores, names, labels, feature_names, class_names)
    ran_by, run = find_runner(proto, inputs, results, len(model.network.outputs))
    dtype = "double" if _is_double(proto, inputs) else "float"
    return ForeignModel(model, ran_by, run, dtype)


def _compute(layers: Layers, known: dict[str, Value], node: Any, number: int, opset: int) -> None:
    """Enter what a node gives."""
    what = describe_node(node, number)
    absent = [name for name in node.input if name and name not in known]
    if absent:
        raise DsgecError(
            f"{what} reads {clean(ascii(absent[0]))}, which nothing before it gives",
            "The file is damaged, or its nodes are not in an order in which they can be computed.",
        )
    inputs = [known[name] if name else None for name in node.input]
    try:
        step = GraphStep(what, node.input, inputs, attributes(node, what), opset, layers)
        found = apply_operator(operator_name(node), step)
    except _DAMAGED as error:  # attributes of other types and shapes than the operator's
        raise DsgecError(
            f"{what} cannot be read", "Its attributes or inputs are damaged."
        ) from error
    known.update(zip(node.output, found, strict=False))


def _results(outputs: Sequence[tuple[str, Value | None]], source: str) -> Results:
    """The one table of results among the outputs, and the labels beside it."""
    found: list[Results] = []
    choices: list[tuple[str, ClassChoice]] = []
    for name, value in outputs:
        match value:
            case Vector():
                found.append(Results(value, name))
            case Labelled(scores, labels, tensor):
                found.append(Results(scores, tensor, labels))
            case ClassChoice():
                choices.append((name, value))
            case _:
                raise DsgecError(
                    f"the output {clean(ascii(name))} of {source} is not computed from the row",
                    _FINAL,
                )
    if len(found) != 1 or len(choices) > 1:
        raise DsgecError(
            f"{source} has {len(found)} tables of results and {len(choices)} labels", _FINAL
        )
    (results,) = found
    for name, choice in choices:
        labels = choice.labels or tuple(range(len(choice.scores)))
        results = replace(results, labels=results.labels or labels, labels_tensor=name)
    return results


def _column_names(inputs: Sequence[GraphInput]) -> list[str]:
    """The names of inputs that are columns; the values of a lone table are x_1, x_2 …"""
    if len(inputs) == 1:
        return [f"x_{number}" for number in range(1, inputs[0].width + 1)]
    return [
        one.name if one.width == 1 else f"{one.name}_{number}"
        for one in inputs
        for number in range(1, one.width + 1)
    ]


def _is_double(proto: Any, inputs: Sequence[GraphInput]) -> bool:
    """Whether the file computes in double precision: its inputs, and no constant is a float's."""
    types = {tensor.data_type for tensor in proto.graph.initializer}
    return all(one.dtype != "float" for one in inputs) and 1 not in types
