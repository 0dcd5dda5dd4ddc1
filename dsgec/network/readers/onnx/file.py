"""The bytes of an ONNX file, which is untrusted, to parts whose sizes are checked."""

import math
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

MOST_FEATURES = 10_000

TYPES = {1: "float", 6: "int32", 7: "int64", 11: "double"}
"""The types of columns, by their numbers in the format."""


@dataclass(frozen=True, slots=True)
class GraphInput:
    """What goes into a graph: its name, its type, and the shape of a row in it.

    In the shape a batch has the size 1; `has_batch` tells whether it can have several rows.
    """

    name: str
    shape: tuple[int, ...]
    type: str
    has_batch: bool

    @property
    def width(self) -> int:
        return math.prod(self.shape)


def library() -> Any:
    """Return the package that reads models, which is imported for that only."""
    try:
        import onnx
    except ImportError as error:
        raise DsgecError(
            "reading ONNX files needs the package onnx", "Install it: pip install 'dsgec[onnx]'"
        ) from error
    return onnx


def read_file(path: Path) -> bytes:
    """Return the bytes of a file that a user named."""
    return read_bytes(path, str(path), MOST_BYTES, pipe=True)


def parse_model(data: bytes, source: str) -> Any:
    """Return the ModelProto in these bytes, with sizes that can be worked with."""
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
    """Return the initializers in their types."""
    total = 0
    found = {}
    for tensor in graph.initializer:
        total += count(tensor.dims)
        if total > MOST_NUMBERS:
            raise DsgecError(f"{source} has more than {MOST_NUMBERS:,} weights")
        if tensor.name in found:
            raise DsgecError(f"{source} defines {clean(ascii(tensor.name))} twice")
        found[tensor.name] = array(tensor, f"the tensor {clean(ascii(tensor.name))} of {source}")
    return found


def count(dims: Any) -> int:
    """Return the size of a shape; more than may be, if it is not a shape."""
    total = 1
    for size in dims:
        total *= size
        if size < 0 or total > MOST_NUMBERS:
            return MOST_NUMBERS + 1
    return total


def array(tensor: Any, what: str) -> NDArray[Any]:
    """Return a tensor as an array; its numbers never come from another file."""
    onnx = library()
    if tensor.data_location == onnx.TensorProto.EXTERNAL or tensor.external_data:
        raise DsgecError(
            f"{what} is in another file",
            "Save the model as one file: onnx.save(model, path, save_as_external_data=False).",
        )
    if count(tensor.dims) > MOST_NUMBERS:
        raise DsgecError(f"{what} has more than {MOST_NUMBERS:,} numbers")
    try:
        values: NDArray[Any] = onnx.numpy_helper.to_array(tensor)
    except Exception as error:  # whatever a damaged tensor makes of it
        raise DsgecError(f"{what} is damaged") from error
    if not values.size:
        raise DsgecError(f"{what} is empty", "Export the model without it.")
    return values


def attributes(node: Any, what: str) -> dict[str, Any]:
    """Return the attributes of a node by name; graphs within nodes are never read."""
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
    """Return what a row is made of: inputs that are not constants."""
    found = [_input(value, source) for value in graph.input if value.name not in known]
    if not found:
        raise DsgecError(f"{source} has no inputs")
    if len({one.name for one in found}) < len(found):
        raise DsgecError(f"{source} defines an input twice")
    _check_width(sum(one.width for one in found), source)
    return found


def _check_width(width: int, what: str) -> None:
    if width > MOST_FEATURES:
        raise DsgecError(
            f"{what} has more than {MOST_FEATURES:,} features",
            "dsgec writes code for every feature: see docs/board/import.md for what is sensible.",
        )


def _input(value: Any, source: str) -> GraphInput:
    what = f"the input {clean(ascii(value.name))} of {source}"
    tensor = value.type.tensor_type
    if tensor.elem_type not in TYPES:
        raise DsgecError(
            f"{what} is not of numbers", f"These types can be read: {', '.join(TYPES.values())}."
        )
    sizes = [one.dim_value if one.HasField("dim_value") else None for one in tensor.shape.dim]
    first, *rest = sizes or [0]
    if first == 0 or not all(size and size > 0 for size in rest):
        raise DsgecError(
            f"{what} does not have a fixed number of features",
            "Export the model with inputs of the shape [N, features].",
        )
    if first is not None and (first < 0 or (first > 1 and rest)):
        raise DsgecError(
            f"{what} has a batch of {first} rows",
            "Export the model with a dynamic batch axis, or with a batch of 1.",
        )
    shape = (first or 1, *(size or 1 for size in rest))
    _check_width(count(shape), what)
    return GraphInput(value.name, shape, TYPES[tensor.elem_type], has_batch=first is None)
