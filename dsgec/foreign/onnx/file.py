"""The bytes of an ONNX file, which is untrusted, to parts whose sizes are checked."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError, clean
from dsgec.resources import read_bytes

MOST_BYTES = 64 << 20
MOST_GRAPH_NODES = 10_000
MOST_NUMBERS = 2_000_000
"""In the constants of a file, all together."""

_FLOAT, _DOUBLE = 1, 11
_NUMERIC = {_FLOAT: "float", 6: "int32", 7: "int64", _DOUBLE: "double"}
"""The types of columns, by their numbers in the format."""


@dataclass(frozen=True, slots=True)
class GraphInput:
    """What goes into a graph: its name, the numbers of a row in it, and its shape and type."""

    name: str
    width: int
    rank: int
    dtype: str
    is_one_row: bool


def library() -> Any:
    """The package that reads models, which is imported for that only."""
    try:
        import onnx
    except ImportError as error:
        raise DsgecError(
            "reading ONNX files needs the package onnx", "Install it: pip install 'dsgec[onnx]'"
        ) from error
    return onnx


def read_file(path: Path) -> bytes:
    """The bytes of a file that a user named."""
    return read_bytes(path, str(path), MOST_BYTES, pipe=True)


def parse_model(data: bytes, source: str) -> Any:
    """The ModelProto in these bytes, with sizes that can be worked with."""
    onnx = library()
    try:
        model = onnx.ModelProto.FromString(data)
    except Exception as error:  # what protobuf raises is nobody's interface
        raise DsgecError(f"{source} is not an ONNX file") from error
    graph = model.graph
    if not graph.node or not graph.output:
        raise DsgecError(f"{source} is not an ONNX file", "It has no graph.")
    if len(graph.node) > MOST_GRAPH_NODES:
        raise DsgecError(f"{source} has more than {MOST_GRAPH_NODES:,} nodes")
    if graph.sparse_initializer or model.functions:
        raise DsgecError(f"{source} has sparse tensors or functions", "dsgec reads neither.")
    return model


def constants(graph: Any, source: str) -> dict[str, NDArray[Any]]:
    """The initializers: numbers as exact doubles, whole numbers and texts as they are."""
    total = 0
    found = {}
    for tensor in graph.initializer:
        total += count(tensor.dims)
        if total > MOST_NUMBERS:
            raise DsgecError(f"{source} has more than {MOST_NUMBERS:,} weights")
        found[tensor.name] = array(tensor, f"the tensor {clean(ascii(tensor.name))} of {source}")
    return found


def count(dims: Any) -> int:
    """How many numbers a tensor of a shape holds; more than may be, if that is not a shape."""
    total = 1
    for size in dims:
        total *= size
        if size < 0 or total > MOST_NUMBERS:
            return MOST_NUMBERS + 1
    return total


def array(tensor: Any, what: str) -> NDArray[Any]:
    """A tensor as an array; its numbers never come from another file."""
    onnx = library()
    if tensor.data_location == onnx.TensorProto.EXTERNAL or tensor.external_data:
        raise DsgecError(
            f"{what} is in another file",
            "Save the model as one file: onnx.save(model, path, save_as_external_data=False).",
        )
    if count(tensor.dims) > MOST_NUMBERS:
        raise DsgecError(f"{what} has more than {MOST_NUMBERS:,} numbers")
    try:
        values = onnx.numpy_helper.to_array(tensor)
        if values.dtype.kind not in "iubOSU":
            values = values.astype(np.float64)
    except Exception as error:  # whatever a damaged tensor makes of it
        raise DsgecError(f"{what} is damaged") from error
    result: NDArray[Any] = values
    return result


def attributes(node: Any, what: str) -> dict[str, Any]:
    """The attributes of a node by name; graphs within nodes are never read."""
    onnx = library()
    found: dict[str, Any] = {}
    for one in node.attribute:
        match one.type:
            case onnx.AttributeProto.TENSOR:
                found[one.name] = array(one.t, f"the attribute {clean(ascii(one.name))} of {what}")
            case onnx.AttributeProto.FLOAT:
                found[one.name] = float(one.f)
            case onnx.AttributeProto.INT:
                found[one.name] = int(one.i)
            case onnx.AttributeProto.STRING:
                found[one.name] = one.s.decode("utf-8", "replace")
            case onnx.AttributeProto.FLOATS:
                found[one.name] = np.array(one.floats, np.float64)
            case onnx.AttributeProto.INTS:
                found[one.name] = [int(value) for value in one.ints]
            case onnx.AttributeProto.STRINGS:
                found[one.name] = [value.decode("utf-8", "replace") for value in one.strings]
            case _:
                raise DsgecError(
                    f"{what} has an attribute {clean(ascii(one.name))} that dsgec does not read"
                )
    return found


def graph_inputs(graph: Any, known: set[str], source: str) -> list[GraphInput]:
    """What a row is made of: inputs that are not constants."""
    found = [_input(value, source) for value in graph.input if value.name not in known]
    if not found:
        raise DsgecError(f"{source} has no inputs")
    return found


def _input(value: Any, source: str) -> GraphInput:
    what = f"the input {clean(ascii(value.name))} of {source}"
    tensor = value.type.tensor_type
    if tensor.elem_type not in _NUMERIC:
        raise DsgecError(
            f"{what} is not of numbers", f"These types can be read: {', '.join(_NUMERIC.values())}."
        )
    sizes = [one.dim_value for one in tensor.shape.dim]
    if len(sizes) < 2 or min(sizes[1:]) < 1:
        raise DsgecError(
            f"{what} does not have a fixed number of features",
            "Export the model with inputs of the shape [N, features].",
        )
    width = count(sizes[1:])
    if width > MOST_NUMBERS:
        raise DsgecError(f"{what} has more than {MOST_NUMBERS:,} features")
    dtype = _NUMERIC[tensor.elem_type]
    return GraphInput(value.name, width, len(sizes), dtype, is_one_row=sizes[0] == 1)
