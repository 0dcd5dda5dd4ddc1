"""Operators of ONNX that are sums, and those that work value by value on several tensors."""

import math
from typing import Any

import numpy as np

from dsgec.network.readers.layers import Array, Layers, Nodes
from dsgec.network.readers.onnx.value import Computed, GraphStep, Operator, Stored, Tensor, Value

# --- matrix products ---------------------------------------------------------------------------


def matmul(step: GraphStep) -> tuple[Value, ...]:
    return (_product(step, _factor(step, 0), _factor(step, 1)),)


def gemm(step: GraphStep) -> tuple[Value, ...]:
    a = _factor(step, 0, turned=step.flag("transA"))
    b = _factor(step, 1, turned=step.flag("transB"))
    bias = _bias(step)
    y = _product(step, a, b, step.real("alpha", 1.0), bias)
    if not step.has(2) or bias is not None:
        return (y,)
    added = _scaled(step, step.computed(2), step.real("beta", 1.0))
    total = step.combine("add", y, added)
    if total.array.shape != y.array.shape:
        raise step.refuse(f"its bias has the shape {list(added.array.shape)}")
    return (total,)


def _factor(step: GraphStep, place: int, *, turned: bool = False) -> Tensor:
    """Return a matrix as nodes, or as numbers if it is constant."""
    value = step.tensor(place)
    if isinstance(value, Stored):
        step.check_real(value, place)
        value = Stored(step.numbers(place))
    else:
        value = step.computed(place)
    if turned:
        batch = None if value.batch is None else 1 - value.batch
        value = value.moved(value.array.T, batch)
    return value


def _bias(step: GraphStep) -> Array | None:
    """Return the last input of a Gemm if it is one number for all sums, or one for each."""
    given = step.value(2)
    if not isinstance(given, Stored) or given.array.size != (given.array.shape or (1,))[-1]:
        return None
    step.check_real(given, 2)
    numbers: Array = step.numbers(2).ravel() * step.real("beta", 1.0)
    return numbers


def _product(
    step: GraphStep, a: Tensor, b: Tensor, alpha: float = 1.0, bias: Array | None = None
) -> Computed:
    """Return alpha · a · b + bias, the product as numpy's matmul defines it."""
    left, right = a.array, b.array
    if not left.ndim or not right.ndim:
        raise step.refuse("one of its inputs is a single number")
    if left.ndim == 1:
        step.keep_rows_apart(a, [0])
    if right.ndim == 1:
        step.keep_rows_apart(b, [0])
    left = left[np.newaxis] if left.ndim == 1 else left
    right = right[:, np.newaxis] if right.ndim == 1 else right
    shapes = f"{list(a.array.shape)} and {list(b.array.shape)} (1 for the batch)"
    ends = set()
    for one, other, matrix, summed in ((a, right, left, -1), (b, left, right, -2)):
        if one.batch is not None and one.array.ndim > 1:
            end = one.batch - one.array.ndim
            step.keep_rows_apart(one, [matrix.ndim + summed])
            if end < -2 and other.ndim >= -end and other.shape[end] != 1:
                raise step.refuse(f"its inputs have the shapes {shapes}: a matrix for each row")
            ends.add(end)
    if len(ends) > 1:
        raise step.refuse(f"the rows are along different axes of its inputs of shapes {shapes}")
    if left.shape[-1] != right.shape[-2]:
        raise step.refuse(f"matrices of the shapes {shapes} cannot be multiplied")
    try:
        leading = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    except ValueError as error:
        raise step.refuse(f"matrices of the shapes {shapes} cannot be multiplied") from error
    step.layers.reserve(math.prod(leading) * left.shape[-2] * right.shape[-2] * right.shape[-1])
    whole = (
        np.broadcast_to(one, (*leading, *one.shape[-2:])).reshape(-1, *one.shape[-2:])
        for one in (left, right)
    )
    constant = (isinstance(a, Stored), isinstance(b, Stored))
    made = [_sums(step.layers, m, n, constant, alpha, bias) for m, n in zip(*whole, strict=True)]
    y = np.array(made, np.int64).reshape(*leading, left.shape[-2], right.shape[-1])
    batch = y.ndim + ends.pop() if ends else None
    if a.array.ndim == 1:
        y = y.squeeze(-2)
        batch = batch - 1 if batch == y.ndim else batch
    if b.array.ndim == 1:
        y = y.squeeze(-1)
    return Computed(y, batch)


def _sums(
    layers: Layers, a: Any, b: Any, constant: tuple[bool, bool], alpha: float, bias: Array | None
) -> Nodes:
    """Return the product of two matrices, each of numbers or of nodes."""
    full = None if bias is None else np.broadcast_to(bias, b.shape[1])
    if constant[1]:
        rows = layers.numbers(a) if constant[0] else a
        return np.array([layers.dense(row, b * alpha, full) for row in rows])
    if constant[0]:
        y = np.array([layers.dense(column, a.T * alpha) for column in b.T]).T
    else:
        y = layers.fold(layers.combine("mul", a[:, np.newaxis], b.T[np.newaxis]), "add")
        y = y if alpha == 1.0 else layers.scale(y, "mul", alpha)
    return y if full is None else layers.scale(y, "add", full)


def _scaled(step: GraphStep, x: Computed, number: float) -> Computed:
    return x if number == 1.0 else Computed(step.layers.scale(x.array, "mul", number), x.batch)


# --- along axes --------------------------------------------------------------------------------


def reduce(function: str, *, squared: bool = False, mean: bool = False) -> Operator:
    """Return the operator that folds a function over some axes."""

    def apply(step: GraphStep) -> tuple[Value, ...]:
        x = step.computed(0, whole=function in ("max", "min"))
        rank = x.array.ndim
        given = step.whole_numbers(1, "axes")
        if not given and step.flag("noop_with_empty_axes"):
            raise step.refuse("it reduces no axis", "Export the model without it.")
        axes = [step.place(axis, rank) for axis in given] if given else list(range(rank))
        if len({*axes}) < len(axes):
            raise step.refuse(f"it names an axis twice: {given}")
        step.keep_rows_apart(x, axes)
        array = step.layers.combine("mul", x.array, x.array) if squared else x.array
        kept = [axis for axis in range(rank) if axis not in axes]
        shape = [array.shape[axis] for axis in kept]
        y = step.layers.fold(
            array.transpose([*kept, *sorted(axes)]).reshape([*shape, -1]), function
        )
        if mean:
            y = step.layers.scale(y, "div", array.size // y.size)
        if step.flag("keepdims", 1):
            return (Computed(np.expand_dims(y, axes), x.batch),)
        return (Computed(y, None if x.batch is None else kept.index(x.batch)),)

    return apply


# --- value by value ----------------------------------------------------------------------------


def arithmetic(function: str) -> Operator:
    """Return the operator of two inputs, which are broadcast."""

    def apply(step: GraphStep) -> tuple[Value, ...]:
        if function == "div" and isinstance(step.value(1), Stored) and not step.numbers(1).all():
            raise step.refuse("it divides by 0", "In a network of dsgec, that would be 1.")
        return (step.combine(function, step.computed(0), step.computed(1)),)

    return apply


def extreme(function: str) -> Operator:
    """Return the operator of any number of inputs, which are broadcast."""

    def apply(step: GraphStep) -> tuple[Value, ...]:
        values = [step.computed(place, whole=True) for place in range(len(step.inputs))]
        return (step.combine(function, *values),)

    return apply
