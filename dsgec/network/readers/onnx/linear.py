"""Operators of ONNX that are sums: matrix products, reductions and linear models."""

import math
from typing import Any

import numpy as np

from dsgec.network.readers.layers import Array, Layers, Nodes
from dsgec.network.readers.onnx.values import (
    ClassChoice,
    ComputedTensor,
    ConstantTensor,
    GraphStep,
    LabelledScores,
    Operator,
    Tensor,
    Value,
)

_NORMS = {"MAX": "top", "L1": "l1", "L2": "l2"}

# --- matrix products ---------------------------------------------------------------------------


def matmul(step: GraphStep) -> Value:
    return _product(step, _factor(step, 0), _factor(step, 1))


def gemm(step: GraphStep) -> Value:
    a = _factor(step, 0, turned=step.flag("transA"))
    b = _factor(step, 1, turned=step.flag("transB"))
    bias = _bias(step)
    y = _product(step, a, b, step.real("alpha", 1.0), bias)
    if not step.has(2) or bias is not None:
        return y
    added = _scale(step, step.computed(2), step.real("beta", 1.0))
    total = step.combine("add", y, added)
    if total.array.shape != y.array.shape:
        raise step.refuse(f"its bias has the shape {list(added.array.shape)}")
    return total


def _factor(step: GraphStep, place: int, *, turned: bool = False) -> Tensor:
    """Return a matrix as nodes, or as numbers if it is constant; `turned` transposes it."""
    value = step.tensor(place)
    if isinstance(value, ConstantTensor):
        step.check_real(value, place)
        value = ConstantTensor(step.numbers(place))
    else:
        value = step.computed(place)
    if turned:
        batch = None if value.batch is None else 1 - value.batch
        value = value.with_array(value.array.T, batch)
    return value


def _bias(step: GraphStep) -> Array | None:
    """Return the bias of a Gemm if it is a constant number or vector, else None."""
    given = step.value(2)
    if not isinstance(given, ConstantTensor) or given.array.size != (given.array.shape or (1,))[-1]:
        return None
    step.check_real(given, 2)
    numbers: Array = step.numbers(2).ravel() * step.real("beta", 1.0)
    return numbers


def _product(
    step: GraphStep, a: Tensor, b: Tensor, alpha: float = 1.0, bias: Array | None = None
) -> ComputedTensor:
    """Return alpha · a · b + bias, with numpy's rules of matmul for shapes."""
    left, right = a.array, b.array
    if not left.ndim or not right.ndim:
        raise step.refuse("one of its inputs is a single number")
    for vector in (a, b):
        if vector.array.ndim == 1:
            step.keep_rows_apart(vector, [0])
    left = left[np.newaxis] if left.ndim == 1 else left
    right = right[:, np.newaxis] if right.ndim == 1 else right
    shapes = f"{list(a.array.shape)} and {list(b.array.shape)} (1 for the batch)"
    end = _end_of_rows(step, (a, b), (left, right), shapes)
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
    constant = (isinstance(a, ConstantTensor), isinstance(b, ConstantTensor))
    made = [_sums(step.layers, m, n, constant, alpha, bias) for m, n in zip(*whole, strict=True)]
    y = np.array(made, np.int64).reshape(*leading, left.shape[-2], right.shape[-1])
    batch = y.ndim + end if end else None
    if a.array.ndim == 1:
        y = y.squeeze(-2)
        batch = batch - 1 if batch == y.ndim else batch
    if b.array.ndim == 1:
        y = y.squeeze(-1)
    return ComputedTensor(y, batch)


def _end_of_rows(
    step: GraphStep, factors: tuple[Tensor, Tensor], matrices: tuple[Any, Any], shapes: str
) -> int:
    """Return the axis of the rows in matrices, from their end; 0 if none of them has rows."""
    ends = set()
    for place, (one, matrix) in enumerate(zip(factors, matrices, strict=True)):
        other = matrices[1 - place]
        if one.batch is None or one.array.ndim == 1:
            continue
        end = one.batch - one.array.ndim
        step.keep_rows_apart(one, [matrix.ndim - 1 - place])
        if end < -2 and other.ndim >= -end and other.shape[end] != 1:
            raise step.refuse(f"its inputs have the shapes {shapes}: a matrix for each row")
        ends.add(end)
    if len(ends) > 1:
        raise step.refuse(f"the rows are along different axes of its inputs of shapes {shapes}")
    return ends.pop() if ends else 0


def _sums(
    layers: Layers, a: Any, b: Any, constant: tuple[bool, bool], alpha: float, bias: Array | None
) -> Nodes:
    """Return alpha · a · b + bias of two matrices, each constant or of nodes."""
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


def _scale(step: GraphStep, x: ComputedTensor, number: float) -> ComputedTensor:
    return (
        x if number == 1.0 else ComputedTensor(step.layers.scale(x.array, "mul", number), x.batch)
    )


# --- along axes --------------------------------------------------------------------------------


def reduce(function: str, *, squared: bool = False, mean: bool = False) -> Operator:
    """Return the operator that folds a function over its axes."""

    def apply(step: GraphStep) -> Value:
        x = step.computed(0, whole=function in ("max", "min"))
        rank = x.array.ndim
        given = step.whole_numbers("axes")
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
            return ComputedTensor(np.expand_dims(y, axes), x.batch)
        return ComputedTensor(y, None if x.batch is None else kept.index(x.batch))

    return apply


# --- elementwise ----------------------------------------------------------------------------


def arithmetic(function: str) -> Operator:
    """Return the operator that applies a function to two broadcast inputs."""

    def apply(step: GraphStep) -> Value:
        if (
            function == "div"
            and isinstance(step.value(1), ConstantTensor)
            and not step.numbers(1).all()
        ):
            raise step.refuse("it divides by 0", "In a network of dsgec, that would be 1.")
        return step.combine(function, step.computed(0), step.computed(1))

    return apply


def extreme(function: str) -> Operator:
    """Return the operator that folds a function over any number of broadcast inputs."""

    def apply(step: GraphStep) -> Value:
        values = [step.computed(place, whole=True) for place in range(len(step.inputs))]
        return step.combine(function, *values)

    return apply


# --- scalers and linear models of ai.onnx.ml ---------------------------------------------------


def _table_input(step: GraphStep) -> ComputedTensor:
    """Return the input, whole numbers too: these operators return real numbers."""
    x = step.computed(whole=True)
    if x.array.ndim != 2 or x.batch == 1:
        raise step.refuse(
            f"its input has the shape {list(x.array.shape)} (1 for the batch)",
            "It must be a table of shape [N, values].",
        )
    return x


def scaler(step: GraphStep) -> Value:
    x = _table_input(step)
    offset, scale = (step.attributes.get(name, np.zeros(0)) for name in ("offset", "scale"))
    if offset.size != scale.size or offset.size not in (1, x.array.shape[1]):
        raise step.refuse(
            f"it has {offset.size} offsets and {scale.size} scales for {x.array.shape[1]} values"
        )
    y = step.layers.scale(step.layers.scale(x.array, "sub", offset), "mul", scale)
    return ComputedTensor(y, x.batch, "float")


def normalizer(step: GraphStep) -> Value:
    x = _table_input(step)
    norm = step.attributes.get("norm", "MAX")
    if norm not in _NORMS:
        raise step.refuse(f"norm={norm!a} is not supported")
    return ComputedTensor(step.layers.normalise(x.array, _NORMS[norm]), x.batch, "float")


def _linear(step: GraphStep, x: ComputedTensor, count: int, intercepts: Array) -> Nodes:
    width = x.array.shape[1]
    coefficients = step.attributes.get("coefficients", np.zeros(0))
    if coefficients.size != count * width:
        raise step.refuse(f"it has {coefficients.size} coefficients for {count} × {width}")
    if intercepts.size != count:
        raise step.refuse(f"it has {intercepts.size} intercepts for {count} sums")
    weights = coefficients.reshape(count, width).T
    return np.array([step.layers.dense(row, weights, intercepts) for row in x.array])


def _post_transform(step: GraphStep, x: Nodes) -> Nodes:
    match step.attributes.get("post_transform", "NONE"):
        case "NONE":
            return x
        case "LOGISTIC":
            return step.layers.activate(x, "sig")
        case "SOFTMAX":
            return step.layers.softmax(x)
        case other:
            raise step.refuse(f"post_transform={other!a} is not supported")


def linear_regressor(step: GraphStep) -> Value:
    x = _table_input(step)
    count = step.attributes.get("targets", 1)
    intercepts = step.attributes.get("intercepts", np.zeros(count))
    if count == 1 and step.attributes.get("post_transform", "NONE") != "NONE":
        raise step.refuse(
            "it transforms its one value, which onnxruntime does not do",
            "Export the model with the function in a node of its own.",
        )
    return ComputedTensor(
        _post_transform(step, _linear(step, x, count, intercepts)), x.batch, "float"
    )


def linear_classifier(step: GraphStep) -> tuple[Value, ...]:
    x = _table_input(step)
    labels = _class_labels(step, "classlabels_ints")
    if len(labels) < 2:
        raise step.refuse("it has less than two classes")
    if len(x.array) != 1:
        raise step.refuse("it chooses several classes for a row")
    if step.attributes.get("coefficients", np.zeros(0)).size == x.array.size:
        raise step.refuse(
            "it has one row of coefficients for two classes", "Give it one for each class."
        )
    intercepts = step.attributes.get("intercepts", np.zeros(0))
    sums = _linear(step, x, len(labels), intercepts)
    scores = ComputedTensor(_post_transform(step, sums), x.batch, "float")
    tensor = step.outputs[1] if len(step.outputs) > 1 else ""
    kind = "string" if isinstance(labels[0], str) else "int64"
    zero = np.zeros(1, np.int64)
    return ClassChoice(zero, x.batch, kind, scores.array.ravel(), labels, tensor), scores


def zip_map(step: GraphStep) -> Value:
    x, labels = _table_input(step), _class_labels(step, "classlabels_int64s")
    if len(labels) != x.array.size:
        raise step.refuse(f"it has {len(labels)} labels for {x.array.size} values")
    return LabelledScores(x, labels, step.names[0])


def _class_labels(step: GraphStep, integers: str) -> tuple[Any, ...]:
    """Return the labels of a classifier: texts, or those of the attribute `integers`."""
    found = step.attributes.get("classlabels_strings") or step.attributes.get(integers) or ()
    return tuple(found)
