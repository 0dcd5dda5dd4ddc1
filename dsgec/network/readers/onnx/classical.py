"""Operators of the domain ai.onnx.ml: scalers, linear models, labels."""

from typing import Any

import numpy as np

from dsgec.network.readers.layers import Array, Nodes
from dsgec.network.readers.onnx.shapes import choice
from dsgec.network.readers.onnx.value import Computed, GraphStep, Labelled, Value

_NORMS = {"MAX": "top", "L1": "l1", "L2": "l2"}


def _table(step: GraphStep) -> Computed:
    """Return the input, whole numbers too: these operators give real ones."""
    x = step.computed(whole=True)
    if x.array.ndim != 2 or x.batch == 1:
        raise step.refuse(
            f"its input has the shape {list(x.array.shape)} (1 for the batch)",
            "It must be a table of shape [N, values].",
        )
    return x


def scaler(step: GraphStep) -> tuple[Value, ...]:
    x = _table(step)
    offset, scale = (step.attributes.get(name, np.zeros(0)) for name in ("offset", "scale"))
    if offset.size != scale.size or offset.size not in (1, x.array.shape[1]):
        raise step.refuse(
            f"it has {offset.size} offsets and {scale.size} scales for {x.array.shape[1]} values"
        )
    y = step.layers.scale(step.layers.scale(x.array, "sub", offset), "mul", scale)
    return (Computed(y, x.batch, "float"),)


def normalizer(step: GraphStep) -> tuple[Value, ...]:
    x = _table(step)
    norm = step.attributes.get("norm", "MAX")
    if norm not in _NORMS:
        raise step.refuse(f"norm={norm!a} is not supported")
    return (Computed(step.layers.normalise(x.array, _NORMS[norm]), x.batch, "float"),)


def _linear(step: GraphStep, x: Computed, count: int, intercepts: Array) -> Nodes:
    width = x.array.shape[1]
    coefficients = step.attributes.get("coefficients", np.zeros(0))
    if coefficients.size != count * width:
        raise step.refuse(f"it has {coefficients.size} coefficients for {count} × {width}")
    if intercepts.size != count:
        raise step.refuse(f"it has {intercepts.size} intercepts for {count} sums")
    weights = coefficients.reshape(count, width).T
    return np.array([step.layers.dense(row, weights, intercepts) for row in x.array])


def _after(step: GraphStep, x: Nodes) -> Nodes:
    match step.attributes.get("post_transform", "NONE"):
        case "NONE":
            return x
        case "LOGISTIC":
            return step.layers.activate(x, "sig")
        case "SOFTMAX":
            return step.layers.softmax(x)
        case other:
            raise step.refuse(f"post_transform={other!a} is not supported")


def linear_regressor(step: GraphStep) -> tuple[Value, ...]:
    x = _table(step)
    count = step.attributes.get("targets", 1)
    intercepts = step.attributes.get("intercepts", np.zeros(count))
    if count == 1 and step.attributes.get("post_transform", "NONE") != "NONE":
        raise step.refuse(
            "it transforms its one value, which onnxruntime does not do",
            "Export the model with the function in a node of its own.",
        )
    return (Computed(_after(step, _linear(step, x, count, intercepts)), x.batch, "float"),)


def linear_classifier(step: GraphStep) -> tuple[Value, ...]:
    x = _table(step)
    labels = _labels(step, "classlabels_ints")
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
    scores = Computed(_after(step, sums), x.batch, "float")
    tensor = step.outputs[1] if len(step.outputs) > 1 else ""
    kind = "string" if isinstance(labels[0], str) else "int64"
    return (choice(scores, tensor, np.zeros(1, np.int64), x.batch, kind, labels), scores)


def zip_map(step: GraphStep) -> tuple[Value, ...]:
    x, labels = _table(step), _labels(step, "classlabels_int64s")
    if len(labels) != x.array.size:
        raise step.refuse(f"it has {len(labels)} labels for {x.array.size} values")
    return (Labelled(x, labels, step.names[0]),)


def _labels(step: GraphStep, integers: str) -> tuple[Any, ...]:
    found = step.attributes.get("classlabels_strings") or step.attributes.get(integers) or ()
    return tuple(found)
