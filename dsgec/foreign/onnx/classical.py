"""Operators of the domain ai.onnx.ml: scalers, linear models, labels."""

from typing import Any

import numpy as np

from dsgec.foreign.layers import Vector
from dsgec.foreign.onnx.step import ClassChoice, GraphStep, Labelled, Value


def scaler(step: GraphStep) -> tuple[Value, ...]:
    x = step.vector()
    for name, function in (("offset", "sub"), ("scale", "mul")):
        if name in step.attributes:
            values = step.per_value(x, step.attributes[name], name)
            x = step.layers.scale(x, function, values)
    return (x,)


def normalizer(step: GraphStep) -> tuple[Value, ...]:
    norm = step.attributes.get("norm", "MAX")
    if norm not in ("MAX", "L1", "L2"):
        raise step.refuse(f"norm={norm!a} is not supported")
    return (step.layers.normalise(step.vector(), norm.lower()),)


def _linear(step: GraphStep, count: int) -> Vector:
    x = step.vector()
    coefficients = step.attributes.get("coefficients", np.zeros(0))
    if coefficients.size != count * len(x):
        raise step.refuse(f"it has {coefficients.size} coefficients for {count} × {len(x)}")
    intercepts = step.attributes.get("intercepts", np.zeros(count))
    if intercepts.size != count:
        raise step.refuse(f"it has {intercepts.size} intercepts for {count} sums")
    return step.layers.dense(x, coefficients.reshape(count, len(x)).T, intercepts)


def _after(step: GraphStep, x: Vector) -> Vector:
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
    return (_after(step, _linear(step, step.attributes.get("targets", 1))),)


def linear_classifier(step: GraphStep) -> tuple[Value, ...]:
    labels = _labels(step, "classlabels_ints")
    if len(labels) < 2:
        raise step.refuse("it has less than two classes")
    coefficients = step.attributes.get("coefficients", np.zeros(0)).size
    if coefficients == len(step.vector()):
        raise step.refuse(
            "it has one row of coefficients for two classes", "Give it one for each class."
        )
    scores = _after(step, _linear(step, len(labels)))
    return (ClassChoice(scores, labels), scores)


def zip_map(step: GraphStep) -> tuple[Value, ...]:
    return (Labelled(step.vector(), _labels(step, "classlabels_int64s"), step.names[0]),)


def _labels(step: GraphStep, integers: str) -> tuple[Any, ...]:
    found = step.attributes.get("classlabels_strings") or step.attributes.get(integers) or ()
    return tuple(found)
