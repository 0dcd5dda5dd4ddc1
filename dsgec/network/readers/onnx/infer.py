"""A ModelProto to the element type and the shape of every value in it, as ONNX infers them."""

from dataclasses import dataclass
from typing import Any

from dsgec.errors import DsgecError, clean
from dsgec.network.readers.onnx.file import library

OLDEST_OPSET, NEWEST_OPSET = 7, 28
NEWEST_CLASSICAL = 5
"""Versions of the domains whose operators the table was written for."""

_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Inferred:
    """The element type of a value and its sizes, None for one that is not known."""

    type: str
    sizes: tuple[int | None, ...] | None


def infer(model: Any, source: str) -> dict[str, Inferred]:
    """Return the type and the shape of each value by name; a graph that is not valid is refused."""
    onnx = library()
    _check_versions(model, source)
    try:
        full = onnx.shape_inference.infer_shapes(
            _undeclared(model), check_type=True, strict_mode=True, data_prop=True
        )
        onnx.checker.check_model(_with_shaped_outputs(model))
    except Exception as error:  # of several kinds, none of which is documented
        raise DsgecError(
            f"{source} is not a valid ONNX model: {_line(str(error))}",
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
            found[value.name] = Inferred(_type_name(tensor.elem_type), sizes)
    return found


def without_maps(model: Any) -> Any:
    """Return a copy without ZipMaps, which take no doubles though skl2onnx writes such ones."""
    changed = library().ModelProto()
    changed.CopyFrom(model)
    for node in [node for node in changed.graph.node if node.op_type == "ZipMap"]:
        changed.graph.node.remove(node)
    return changed


def _undeclared(model: Any) -> Any:
    """Return the model without ZipMaps and without what it declares of its values.

    ONNX would take declared shapes for its own where it infers none, and skl2onnx's are not always
    right.
    """
    changed = without_maps(model)
    del changed.graph.value_info[:]
    del changed.graph.output[:]
    return changed


def _with_shaped_outputs(model: Any) -> Any:
    """Return the model with some type for each output: the checker asks for one."""
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


def _line(message: str) -> str:
    """Return the part of a message of onnx's that says what is wrong, as one line."""
    return clean(" ".join(message.split()))[:_SHOWN]
