"""Operators of ONNX that are sums, and those that work value by value on one or two tables."""

from typing import Any

import numpy as np

from dsgec.foreign.layers import Vector
from dsgec.foreign.onnx.step import GraphStep, Operator, Value


def gemm(step: GraphStep) -> tuple[Value, ...]:
    x, weights = step.vector(0), step.numbers(1)
    if step.attributes.get("transA", 0):
        raise step.refuse("transA turns rows into columns", "Export the model without it.")
    if step.attributes.get("transB", 0):
        weights = weights.T
    weights = weights * step.real("alpha", 1.0)
    _check_matrix(step, x, weights)
    bias = None
    if step.value(2) is not None:
        given = step.numbers(2) * step.real("beta", 1.0)
        if given.size not in (1, weights.shape[1]) or (
            given.ndim and given.shape[-1] != given.size
        ):
            raise step.refuse(f"its bias has the shape {list(given.shape)}")
        bias = np.broadcast_to(given.ravel(), weights.shape[1])
    return (step.layers.dense(x, weights, bias),)


def matmul(step: GraphStep) -> tuple[Value, ...]:
    x, weights = step.vector(0), step.numbers(1)
    if weights.ndim == 1:
        weights = weights[:, np.newaxis]
    _check_matrix(step, x, weights)
    return (step.layers.dense(x, weights),)


def _check_matrix(step: GraphStep, x: Vector, weights: Any) -> None:
    if weights.ndim != 2 or weights.shape[0] != len(x):
        shape = list(weights.shape)
        raise step.refuse(f"its weights have the shape {shape}, and a row has {len(x)} values")


def reduce(function: str, *, squared: bool = False) -> Operator:
    def reduce(step: GraphStep) -> tuple[Value, ...]:
        x = step.vector(0)
        axes = step.whole_numbers(1, "axes")
        if axes not in ([1], [-1]):
            raise step.refuse(f"the axes {axes} are not the values of a row")
        if squared:
            x = step.layers.combine("mul", x, x)
        return (step.layers.fold(x, function),)

    return reduce


def arithmetic(function: str) -> Operator:
    def apply(step: GraphStep) -> tuple[Value, ...]:
        layers, a, b = step.layers, step.value(0), step.value(1)
        if isinstance(a, Vector) and isinstance(b, Vector):
            if len(a) != len(b) and 1 not in (len(a), len(b)):
                raise step.refuse(f"its inputs have {len(a)} and {len(b)} values")
        elif isinstance(a, Vector):
            numbers = step.per_value(a, step.numbers(1), "constant")
            if function == "div" and not numbers.all():
                raise step.refuse("it divides by 0")
            b = layers.numbers(numbers)
        elif isinstance(b, Vector):
            a = layers.numbers(step.per_value(b, step.numbers(0), "constant"))
        else:
            raise step.refuse(
                "neither of its inputs is a table that depends on the features",
                "Fold constants before the export.",
            )
        assert isinstance(a, Vector)
        assert isinstance(b, Vector)
        return (layers.combine(function, a, b),)

    return apply


def extreme(function: str) -> Operator:
    """Of any number of inputs."""

    def apply(step: GraphStep) -> tuple[Value, ...]:
        found = step.value(0)
        for place in range(1, len(step.inputs)):
            pair = GraphStep(step.what, (), (found, step.value(place)), {}, step.opset, step.layers)
            (found,) = arithmetic(function)(pair)
        return (found,) if isinstance(found, Vector) else (step.vector(0),)

    return apply


def function(name: str) -> Operator:
    return lambda step: (step.layers.activate(step.vector(), name),)
