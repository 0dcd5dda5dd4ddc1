"""The values of an ONNX graph, and a step of it: one node with the values that it reads.

Every value is an array with an element type. The batch, the one axis of unknown size, has the size
1 in it, and every value knows which of its axes that is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError
from dsgec.network.readers.layers import Layers, Nodes

Array = NDArray[Any]

_REALS = ("float", "double")
_WHOLE = ("int32", "int64")
_EXACT = 2**53  # whole numbers up to this are exact in double precision


@dataclass(frozen=True, slots=True)
class Tensor:
    """An array with its element type; `batch` is the axis of its rows, None if it has none."""

    array: Array
    batch: int | None = None
    type: str = ""

    def with_array(self, array: Array, batch: int | None) -> "Tensor":
        """Return the same tensor with its values rearranged."""
        return replace(self, array=array, batch=batch)


@dataclass(frozen=True, slots=True)
class ConstantTensor(Tensor):
    """A constant tensor, whose array has numbers or texts."""


@dataclass(frozen=True, slots=True)
class ComputedTensor(Tensor):
    """A tensor that is computed for a row, whose array has positions of nodes."""


@dataclass(frozen=True, slots=True)
class ClassChoice(Tensor):
    """The index of the greatest of some scores; with `labels`, the label of that index.

    The array has one element, which is 0. `tensor` is the name of the scores.
    """

    scores: Nodes = field(default_factory=lambda: np.zeros(0, np.int64))
    labels: tuple[Any, ...] = ()
    tensor: str = ""


@dataclass(frozen=True, slots=True)
class LabelledScores:
    """Scores with the label of each, the result of a ZipMap."""

    scores: ComputedTensor
    labels: tuple[Any, ...]
    tensor: str


Value = Tensor | LabelledScores


@dataclass(frozen=True, slots=True)
class GraphStep:
    """A node with the values that it reads, None for an optional input that is left out.

    `title` is what messages call it.
    """

    title: str
    names: Sequence[str]
    inputs: Sequence[Value | None]
    attributes: dict[str, Any]
    opset: int
    layers: Layers
    outputs: Sequence[str] = ()

    def refuse(self, message: str, advice: str = "") -> DsgecError:
        return DsgecError(f"{self.title}: {message}", advice)

    # --- inputs --------------------------------------------------------------------------------

    def value(self, place: int) -> Value | None:
        return self.inputs[place] if place < len(self.inputs) else None

    def tensor(self, place: int = 0) -> Tensor:
        """Return an input that has a shape."""
        value = self.value(place)
        if not isinstance(value, Tensor):
            raise self.refuse(f"its input {place + 1} is not a tensor")
        return value

    def computed(self, place: int = 0, *, whole: bool = False) -> ComputedTensor:
        """Return an input as nodes, constants too; with `whole`, also one of whole numbers."""
        value = self.tensor(place)
        if isinstance(value, ClassChoice):
            raise self.refuse(f"its input {place + 1} is a label", "Labels must be the last step.")
        self.check_real(value, place, whole=whole)
        if isinstance(value, ComputedTensor):
            return value
        return ComputedTensor(self.layers.numbers(self._reals(value)), None, value.type)

    def check_real(self, value: Tensor, place: int, *, whole: bool = False) -> None:
        """Raise a DsgecError unless dsgec computes exactly with values of this type."""
        if value.type not in (*_REALS, *(_WHOLE if whole else ())):
            advice = "Cast it to float or double before, in the model."
            if value.type in _WHOLE:
                advice = f"Arithmetic of whole numbers can overflow or truncate. {advice}"
            raise self.refuse(f"its input {place + 1} is of type {value.type}", advice)

    def numbers(self, place: int) -> Array:
        """Return a constant input as doubles."""
        value = self.tensor(place)
        if not isinstance(value, ConstantTensor) or value.type not in (*_REALS, *_WHOLE):
            raise self.refuse(
                f"its input {place + 1} is not a constant of numbers",
                "Weights must be stored in the file; fold constants before the export.",
            )
        return self._reals(value)

    def _reals(self, value: Tensor) -> Array:
        if value.type in _WHOLE and ((value.array > _EXACT) | (value.array < -_EXACT)).any():
            raise self.refuse("a constant is a whole number beyond 2^53, which is not exact")
        return value.array.astype(np.float64)

    def whole_numbers(self, name: str) -> list[int] | None:
        """Return integers that are an attribute in some versions and the second input in others."""
        if name in self.attributes:
            return list(self.attributes[name])
        return [int(value) for value in self.numbers(1).ravel()] if self.has(1) else None

    def has(self, place: int) -> bool:
        return self.value(place) is not None

    # --- attributes ----------------------------------------------------------------------------

    def real(self, name: str, default: float) -> float:
        """Return an attribute, or its default rounded to single precision as attributes are."""
        return float(self.attributes.get(name, np.float32(default)))

    def flag(self, name: str, default: int = 0) -> bool:
        return bool(self.attributes.get(name, default))

    def axis(self, rank: int, default: int | None = None, *, end: bool = False) -> int:
        """Return the attribute `axis`, counted from 0; with `end`, it may be one after the last."""
        axis = self.attributes.get("axis", default)
        if axis is None:
            raise self.refuse("it has no axis")
        return self.place(int(axis), rank + end, rank)

    def place(self, axis: int, count: int, rank: int | None = None) -> int:
        """Return an axis counted from 0; negative ones count from the end."""
        if not -count <= axis < count:
            raise self.refuse(f"it has no axis {axis} among {count}")
        return axis if axis >= 0 else axis + (count if rank is None else rank)

    def keep_rows_apart(self, x: Tensor, axes: Sequence[int]) -> None:
        """Raise a DsgecError if one of the axes is the batch."""
        if x.batch in axes:
            raise self.refuse(
                f"it works along axis {x.batch}, that of the rows",
                "Each row must be computed on its own. If the model takes one row at a time,"
                " export it with a batch of 1.",
            )

    # --- results -------------------------------------------------------------------------------

    def combine(self, function: str, *values: ComputedTensor) -> ComputedTensor:
        """Combine broadcast values by a function of two arguments, from left to right."""
        total = values[0]
        for value in values[1:]:
            batch = self.common_batch(total, value)
            total = ComputedTensor(self.layers.combine(function, total.array, value.array), batch)
        return total

    def common_batch(self, *values: Tensor) -> int | None:
        """Return the axis of the batch after these values are broadcast."""
        ends = {v.batch - v.array.ndim for v in values if v.batch is not None}
        shapes = [list(v.array.shape) for v in values]
        if len(ends) > 1:
            raise self.refuse(f"the rows are along different axes of its inputs of shape {shapes}")
        try:
            rank = len(np.broadcast_shapes(*shapes))
        except ValueError as error:
            raise self.refuse(f"shapes {shapes} do not go together") from error
        if not ends:
            return None
        (end,) = ends
        if any(v.array.ndim >= -end and v.array.shape[end] != 1 for v in values):
            raise self.refuse(
                f"shapes {shapes} (1 for the batch) have numbers for each of the rows"
            )
        return rank + end


Operator = Callable[[GraphStep], Value | tuple[Value, ...]]
"""A function that returns the outputs of a node. Their element types are those that ONNX infers."""
