"""Read the parts of an ONNX file, which is untrusted, and infer the types of its values."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError, clean

MOST_BYTES = 64 << 20
MOST_GRAPH_NODES = 10_000
MOST_NUMBERS = 2_000_000
"""The most numbers in the constants of a file, all together."""

MOST_FEATURES = 10_000

TYPES = {1: "float", 6: "int32", 7: "int64", 11: "double"}
"""The element types of inputs, by their numbers in the format."""

DTYPES = {"float": np.float32, "double": np.float64, "int32": np.int32, "int64": np.int64}

OLDEST_OPSET, NEWEST_OPSET = 7, 28
NEWEST_CLASSICAL = 5
"""The versions of the two domains that the table of operators was written for."""

_LONGEST_MESSAGE = 300


@dataclass(frozen=True, slots=True)
class GraphInput:
    """An input of a graph: its name, the shape of a row in it, and its element type.

    In the shape a batch has the size 1; with `has_batch` it can have several rows.
    """

    name: str
    shape: tuple[int, ...]
    type: str
    has_batch: bool

    @property
    def width(self) -> int:
        return math.prod(self.shape)


def library() -> Any:
    """Import and return the package onnx."""
    try:
        import onnx
    except ImportError as error:
        raise DsgecError(
            "reading ONNX files needs the package onnx", "Install it: pip install 'dsgec[onnx]'"
        ) from error
    return onnx


def parse_model(data: bytes, source: str) -> Any:
    """Parse a ModelProto; raise a DsgecError if it is too large or has unsupported parts."""
    onnx = library()
    try:
        model = onnx.ModelProto.FromString(data)
    except Exception as error:  # protobuf does not document its exceptions
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
    """Return the initializers of a graph by name."""
    total = 0
    found = {}
    for tensor in graph.initializer:
        total += shape_size(tensor.dims)
        if total > MOST_NUMBERS:
            raise DsgecError(f"{source} has more than {MOST_NUMBERS:,} weights")
        if tensor.name in found:
            raise DsgecError(f"{source} defines {clean(ascii(tensor.name))} twice")
        found[tensor.name] = tensor_array(
            tensor, f"the tensor {clean(ascii(tensor.name))} of {source}"
        )
    return found


def shape_size(dims: Any) -> int:
    """Return the size of a shape, or more than MOST_NUMBERS if it is not a valid one."""
    total = 1
    for size in dims:
        total *= size
        if size < 0 or total > MOST_NUMBERS:
            return MOST_NUMBERS + 1
    return total


def tensor_array(tensor: Any, what: str) -> NDArray[Any]:
    """Return a tensor as an array; raise a DsgecError if it is external, too large or damaged."""
    onnx = library()
    if tensor.data_location == onnx.TensorProto.EXTERNAL or tensor.external_data:
        raise DsgecError(
            f"{what} is in another file",
            "Save the model as one file: onnx.save(model, path, save_as_external_data=False).",
        )
    if shape_size(tensor.dims) > MOST_NUMBERS:
        raise DsgecError(f"{what} has more than {MOST_NUMBERS:,} numbers")
    try:
        values: NDArray[Any] = onnx.numpy_helper.to_array(tensor)
    except Exception as error:  # whatever a damaged tensor makes of it
        raise DsgecError(f"{what} is damaged") from error
    if not values.size:
        raise DsgecError(f"{what} is empty", "Export the model without it.")
    return values


def attributes(node: Any, what: str) -> dict[str, Any]:
    """Return the attributes of a node by name; graphs within nodes are refused."""
    onnx = library()
    found: dict[str, Any] = {}
    for one in node.attribute:
        match one.type:
            case onnx.AttributeProto.TENSOR:
                found[one.name] = tensor_array(
                    one.t, f"the attribute {clean(ascii(one.name))} of {what}"
                )
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
    """Return the inputs of a graph that are not constants: they make up a row."""
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
    _check_width(shape_size(shape), what)
    return GraphInput(value.name, shape, TYPES[tensor.elem_type], has_batch=first is None)


# --- types and shapes --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InferredType:
    """The element type of a value and its sizes, None for one that is not known."""

    type: str
    sizes: tuple[int | None, ...] | None


def infer_types(model: Any, source: str) -> dict[str, InferredType]:
    """Return the type and the shape of each value by name; raise a DsgecError if it is invalid."""
    onnx = library()
    _check_versions(model, source)
    try:
        full = onnx.shape_inference.infer_shapes(
            _without_declarations(model), check_type=True, strict_mode=True, data_prop=True
        )
        onnx.checker.check_model(_with_shaped_outputs(model))
    except Exception as error:  # of several undocumented kinds
        reason = clean(" ".join(str(error).split()))[:_LONGEST_MESSAGE]
        raise DsgecError(
            f"{source} is not a valid ONNX model: {reason}",
            "Check it with onnx.checker.check_model(path, full_check=True), and export it again.",
        ) from error
    found = {}
    graph = full.graph
    for value in (*graph.input, *graph.value_info):
        if value.type.HasField("tensor_type"):
            tensor = value.type.tensor_type
            sizes = None
            if tensor.HasField("shape"):
                dims = tensor.shape.dim
                sizes = tuple(d.dim_value if d.HasField("dim_value") else None for d in dims)
            found[value.name] = InferredType(_type_name(tensor.elem_type), sizes)
    return found


def without_maps(model: Any) -> Any:
    """Return a copy without ZipMaps: they take no doubles, though skl2onnx writes such ones."""
    changed = library().ModelProto()
    changed.CopyFrom(model)
    for node in [node for node in changed.graph.node if node.op_type == "ZipMap"]:
        changed.graph.node.remove(node)
    return changed


def _without_declarations(model: Any) -> Any:
    """Return the model without ZipMaps and without declared types and shapes of values.

    ONNX would take declared shapes for its own where it infers none, and skl2onnx's are not always
    right.
    """
    changed = without_maps(model)
    del changed.graph.value_info[:]
    del changed.graph.output[:]
    return changed


def _with_shaped_outputs(model: Any) -> Any:
    """Return the model with some type for each output: the checker requires one."""
    changed = library().ModelProto()
    changed.CopyFrom(model)
    for output in changed.graph.output:
        kind = output.type
        if not kind.WhichOneof("value") or kind.HasField("tensor_type"):
            kind.tensor_type.elem_type = kind.tensor_type.elem_type or 1
            kind.tensor_type.shape.SetInParent()
    return changed


def stored_type(array: Any) -> str:
    """Return the element type of a constant."""
    if array.dtype.kind in "OSU":
        return "string"
    return _type_name(library().helper.np_dtype_to_tensor_dtype(array.dtype))


def _type_name(number: int) -> str:
    name: str = library().TensorProto.DataType.Name(number)
    return name.lower()


def _check_versions(model: Any, source: str) -> None:
    for entry in model.opset_import:
        own = entry.domain in ("", "ai.onnx")
        least, most = (OLDEST_OPSET, NEWEST_OPSET) if own else (1, NEWEST_CLASSICAL)
        if (own or entry.domain == "ai.onnx.ml") and not least <= entry.version <= most:
            raise DsgecError(
                f"{source} uses version {entry.version} of the operators of"
                f" {'ONNX' if own else entry.domain}",
                f"Export it with a version from {least} to {most}.",
            )
