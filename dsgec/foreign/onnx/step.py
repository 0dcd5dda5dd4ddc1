"""One node of an ONNX graph, as the table of operators sees it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError, clean
from dsgec.foreign.layers import Layers, Vector

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Block:
    """The values of a row in a tensor of more than two axes: only to be flattened."""

    vector: Vector


@dataclass(frozen=True, slots=True)
class ClassChoice:
    """The number of the greatest of some scores; with `labels`, the label of that number."""

    scores: Vector
    labels: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Labelled:
    """Scores with the label of each: what a ZipMap makes of a tensor."""

    scores: Vector
    labels: tuple[Any, ...]
    tensor: str


@dataclass(frozen=True, slots=True)
class Results:
    """What a graph gives: the scores and the labels, if it has any, and the tensors of both."""

    scores: Vector
    scores_tensor: str
    labels: tuple[Any, ...] = ()
    labels_tensor: str = ""


Value = Vector | Array | Block | ClassChoice | Labelled


@dataclass(frozen=True, slots=True)
class GraphStep:
    """A node with the values that it reads; None of an optional input that is left out."""

    what: str
    names: Sequence[str]
    inputs: Sequence[Value | None]
    attributes: dict[str, Any]
    opset: int
    layers: Layers

    def refuse(self, message: str, advice: str = "") -> DsgecError:
        return DsgecError(f"{self.what}: {message}", advice)

    def value(self, place: int) -> Value | None:
        return self.inputs[place] if place < len(self.inputs) else None

    def vector(self, place: int = 0) -> Vector:
        """An input that depends on the row."""
        value = self.value(place)
        if not isinstance(value, Vector):
            kind = {Block: "has more than two axes", ClassChoice: "is a label"}
            found = kind.get(type(value), "does not depend on the features")
            raise self.refuse(
                f"its input {place + 1} {found}", "It must be a table of shape [N, values]."
            )
        return value

    def numbers(self, place: int) -> Array:
        """An input that is constant, as doubles."""
        value = self.value(place)
        if not isinstance(value, np.ndarray) or value.dtype.kind in "OSU":
            raise self.refuse(
                f"its input {place + 1} is not a constant",
                "Weights must be stored in the file; fold constants before the export.",
            )
        return value.astype(np.float64)

    def whole_numbers(self, place: int, name: str) -> list[int] | None:
        """A list that is an attribute in some versions and an input in others."""
        if name in self.attributes:
            return list(self.attributes[name])
        if self.value(place) is None:
            return None
        return [int(value) for value in self.numbers(place).ravel()]

    def per_value(self, x: Vector, values: Array, what: str) -> Array:
        """Constants for each value of a vector: one for all, or one for each."""
        flat = values.ravel()
        if flat.size not in (1, len(x)) or (values.ndim and values.shape[-1] != flat.size):
            raise self.refuse(f"its {what} has the shape {list(values.shape)} for {len(x)} values")
        return flat

    def real(self, name: str, default: float) -> float:
        """An attribute that is a number: attributes are in single precision, defaults as well."""
        return float(self.attributes.get(name, np.float32(default)))

    def is_last_axis(self, name: str = "axis", default: int = -1) -> bool:
        return self.attributes.get(name, default) in (1, -1)


Operator = Callable[[GraphStep], tuple[Value, ...]]
"""What a node gives of what it reads."""


def describe_node(node: Any, number: int) -> str:
    """What a node is called in messages: its name, if it has one, and its type."""
    name = f"node {clean(ascii(node.name))}" if node.name else f"node {number}"
    return f"{name} ({operator_name(node)})"


def operator_name(node: Any) -> str:
    """The type of a node, with the domain if it is not ONNX's own."""
    domain = "" if node.domain in ("", "ai.onnx") else f"{node.domain}."
    return clean(ascii(f"{domain}{node.op_type}")[1:-1])
