"""Functions of ONNX that are made of several of the arithmetic's."""

from typing import Any

import numpy as np

from dsgec.foreign.layers import Vector
from dsgec.foreign.onnx.step import GraphStep, Operator, Value


def clip(step: GraphStep) -> tuple[Value, ...]:
    x = step.vector()
    for place, name, function in ((1, "min", "max"), (2, "max", "min")):
        limit = step.attributes.get(name)
        if limit is None and step.value(place) is not None:
            limit = step.per_value(x, step.numbers(place), "limit")
        if limit is not None and np.isfinite(limit).all():
            x = step.layers.scale(x, function, limit)
    return (x,)


def _leaky(step: GraphStep, slope: Any) -> Vector:
    """relu(x) - slope * relu(-x)."""
    layers, x = step.layers, step.vector()
    below = layers.scale(layers.activate(layers.activate(x, "neg"), "relu"), "mul", slope)
    return layers.combine("sub", layers.activate(x, "relu"), below)


def leaky_relu(step: GraphStep) -> tuple[Value, ...]:
    return (_leaky(step, step.real("alpha", 0.01)),)


def prelu(step: GraphStep) -> tuple[Value, ...]:
    return (_leaky(step, step.per_value(step.vector(), step.numbers(1), "slope")),)


def exponential(alpha: float, gamma: float) -> Operator:
    """gamma * (relu(x) + alpha * (exp(min(x, 0)) - 1))."""

    def apply(step: GraphStep) -> tuple[Value, ...]:
        layers, x = step.layers, step.vector()
        power = layers.activate(layers.scale(x, "min", 0.0), "exp")
        below = layers.scale(power, "sub", 1.0)
        below = layers.scale(below, "mul", step.real("alpha", alpha))
        found = layers.combine("add", layers.activate(x, "relu"), below)
        return (layers.scale(found, "mul", step.real("gamma", gamma)),)

    return apply


def softplus(step: GraphStep) -> tuple[Value, ...]:
    """ln(1 + exp(x)) as relu(x) + ln(1 + exp(-|x|)), which does not overflow."""
    layers, x = step.layers, step.vector()
    power = layers.activate(layers.activate(layers.activate(x, "abs"), "neg"), "exp")
    rest = layers.activate(layers.scale(power, "add", 1.0), "log")
    return (layers.combine("add", layers.activate(x, "relu"), rest),)


def softsign(step: GraphStep) -> tuple[Value, ...]:
    layers, x = step.layers, step.vector()
    return (layers.combine("div", x, layers.scale(layers.activate(x, "abs"), "add", 1.0)),)


def _hard(step: GraphStep, slope: float, height: float) -> Vector:
    layers = step.layers
    x = layers.scale(layers.scale(step.vector(), "mul", slope), "add", height)
    return layers.scale(layers.scale(x, "max", 0.0), "min", 1.0)


def hard_sigmoid(step: GraphStep) -> tuple[Value, ...]:
    return (_hard(step, step.real("alpha", 0.2), step.real("beta", 0.5)),)


def hard_swish(step: GraphStep) -> tuple[Value, ...]:
    return (step.layers.combine("mul", step.vector(), _hard(step, 1 / 6, 0.5)),)


def reciprocal(step: GraphStep) -> tuple[Value, ...]:
    return (step.layers.combine("div", step.layers.numbers(np.ones(1)), step.vector()),)


def batch_normalization(step: GraphStep) -> tuple[Value, ...]:
    layers, x = step.layers, step.vector()
    if step.attributes.get("training_mode", 0):
        raise step.refuse("it is in training mode", "Export the model for inference.")
    scale, bias, mean, variance = (
        step.per_value(x, step.numbers(place), "parameter") for place in (1, 2, 3, 4)
    )
    with np.errstate(all="ignore"):
        factor = scale / np.sqrt(variance + step.real("epsilon", 1e-5))
    return (layers.scale(layers.scale(layers.scale(x, "sub", mean), "mul", factor), "add", bias),)


def softmax(step: GraphStep) -> tuple[Value, ...]:
    if not step.is_last_axis(default=-1 if step.opset >= 13 else 1):
        raise step.refuse("its axis is not that of the values of a row")
    return (step.layers.softmax(step.vector()),)
