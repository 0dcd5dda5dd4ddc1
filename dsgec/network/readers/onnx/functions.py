"""Functions of ONNX that are composed of several functions of the arithmetic."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dsgec.network.readers.layers import Array, Layers, Nodes
from dsgec.network.readers.onnx.values import (
    ComputedTensor,
    ConstantTensor,
    GraphStep,
    Operator,
    Value,
)

_MOST_EXPONENT = 16


@dataclass(frozen=True, slots=True)
class NodeArray:
    """An array of nodes that can be computed with; the other operand may be constants."""

    layers: Layers
    nodes: Nodes

    def combine(self, function: str, other: "NodeArray | float | Array") -> "NodeArray":
        """Apply a function of two arguments, value by value, to broadcast operands."""
        nodes = other.nodes if isinstance(other, NodeArray) else self.layers.numbers(other)
        return NodeArray(self.layers, self.layers.combine(function, self.nodes, nodes))

    def apply(self, function: str) -> "NodeArray":
        """Apply a function of one argument to every value."""
        return NodeArray(self.layers, self.layers.activate(self.nodes, function))

    def mean(self) -> "NodeArray":
        """Return the mean along the last axis, which is kept."""
        total = NodeArray(self.layers, self.layers.fold(self.nodes, "add")[..., np.newaxis])
        return total / float(self.nodes.shape[-1])

    def __add__(self, other: "NodeArray | float | Array") -> "NodeArray":
        return self.combine("add", other)

    def __sub__(self, other: "NodeArray | float | Array") -> "NodeArray":
        return self.combine("sub", other)

    def __mul__(self, other: "NodeArray | float | Array") -> "NodeArray":
        return self.combine("mul", other)

    def __truediv__(self, other: "NodeArray | float | Array") -> "NodeArray":
        return self.combine("div", other)

    def __rsub__(self, number: float) -> "NodeArray":
        return NodeArray(self.layers, self.layers.numbers(number)) - self

    def __rtruediv__(self, number: float) -> "NodeArray":
        return NodeArray(self.layers, self.layers.numbers(number)) / self


def elementwise(function: Callable[[GraphStep, NodeArray], NodeArray]) -> Operator:
    """Return the operator that applies a function to each value of its first input."""

    def apply(step: GraphStep) -> Value:
        x = step.computed()
        return ComputedTensor(function(step, NodeArray(step.layers, x.array)).nodes, x.batch)

    return apply


def unary(name: str) -> Operator:
    """Return the operator that applies a function of the arithmetic."""
    return elementwise(lambda step, x: x.apply(name))


def clip(step: GraphStep) -> Value:
    x = step.computed(whole=True)
    array = x.array
    for place, name, function, none in ((1, "min", "max", -math.inf), (2, "max", "min", math.inf)):
        limit = step.attributes.get(name)
        if step.has(place):
            numbers = step.numbers(place)
            if numbers.size != 1:
                raise step.refuse(f"its {name} has the shape {list(numbers.shape)}")
            limit = float(numbers.item())
        if limit is not None and limit != none:
            if not math.isfinite(limit):
                raise step.refuse(f"its {name} is {limit}")
            array = step.layers.scale(array, function, limit)
    return ComputedTensor(array, x.batch)


def _leaky(x: NodeArray, slope: float | Array) -> NodeArray:
    below = x.apply("neg").apply("relu") * slope
    return x.apply("relu") - below


def leaky_relu(step: GraphStep, x: NodeArray) -> NodeArray:
    return _leaky(x, step.real("alpha", 0.01))


def prelu(step: GraphStep) -> Value:
    x, slope = step.computed(), ConstantTensor(step.numbers(1))
    batch = step.common_batch(x, slope)
    y = _leaky(NodeArray(step.layers, x.array), slope.array).nodes
    if y.shape != x.array.shape:
        raise step.refuse(f"its slope has the shape {list(slope.array.shape)}")
    return ComputedTensor(y, batch)


def exponential(alpha: float, gamma: float) -> Operator:
    """Return the operator gamma * (relu(x) + alpha * (exp(min(x, 0)) - 1))."""

    def apply(step: GraphStep, x: NodeArray) -> NodeArray:
        below = (x.combine("min", 0.0).apply("exp") - 1.0) * step.real("alpha", alpha)
        return (x.apply("relu") + below) * step.real("gamma", gamma)

    return elementwise(apply)


def power(step: GraphStep) -> Value:
    """Return x to the power of a small constant whole number."""
    x, exponents = step.computed(), step.numbers(1)
    if exponents.size != 1 or exponents.item() not in range(1, _MOST_EXPONENT + 1):
        raise step.refuse(
            "its exponent is not a whole number", f"It must be a constant, 1 to {_MOST_EXPONENT}."
        )
    batch = step.common_batch(x, ConstantTensor(exponents))
    return ComputedTensor(step.layers.scale(x.array, "pow", exponents), batch)


def softplus(step: GraphStep, x: NodeArray) -> NodeArray:
    """Return ln(1 + exp(x)) as relu(x) + ln(1 + exp(-|x|)), which does not overflow."""
    rest = (x.apply("abs").apply("neg").apply("exp") + 1.0).apply("log")
    return x.apply("relu") + rest


def mish(step: GraphStep, x: NodeArray) -> NodeArray:
    return x * softplus(step, x).apply("tanh")


def softsign(step: GraphStep, x: NodeArray) -> NodeArray:
    return x / (x.apply("abs") + 1.0)


def _hard(x: NodeArray, slope: float, height: float) -> NodeArray:
    return (x * slope + height).combine("max", 0.0).combine("min", 1.0)


def hard_sigmoid(step: GraphStep, x: NodeArray) -> NodeArray:
    return _hard(x, step.real("alpha", 0.2), step.real("beta", 0.5))


def hard_swish(step: GraphStep, x: NodeArray) -> NodeArray:
    return x * _hard(x, 1 / 6, 0.5)


def reciprocal(step: GraphStep, x: NodeArray) -> NodeArray:
    return 1.0 / x


def error_function(step: GraphStep, x: NodeArray) -> NodeArray:
    """Return the sign of x times 1 - erfc(|x|)."""
    size = x.apply("abs")
    sign = x / size  # 1 at 0
    return sign * (1.0 - _erfc(size))


def gelu(step: GraphStep, x: NodeArray) -> NodeArray:
    """Return x · (1 + erf(x / √2)) / 2 or x · (1 + tanh(√(2/π) · (x + 0.044715 x³))) / 2."""
    match step.attributes.get("approximate", "none"):
        case "none":  # as relu(x) - |x| · erfc(|x| / √2) / 2
            size = x.apply("abs")
            rest = size * _erfc(size * math.sqrt(0.5)) * 0.5
            return x.apply("relu") - rest
        case "tanh":
            inner = x * (x * x * 0.044715 + 1.0) * math.sqrt(2.0 / math.pi)
            inner = inner.apply("tanh")
            return x * 0.5 * (inner + 1.0)
        case other:
            raise step.refuse(f"approximate={other!a} is not supported")


# 1 - erf(z) is t · exp(P(u) - z²) for z ≥ 0, with t = 1 / (1 + 0.35 z) and u = A t + B from -1 to 1
# where z is from 0 to 6. P is the Chebyshev fit of log(erfc(z) / t) + z² on that range; beyond it,
# exp(-z²) is below 1e-15. The error is below 1e-13 in double precision, and below 1e-6 in single.
_STEEPNESS = 0.35
_A, _B = 2.9523809523809526, -1.9523809523809526
_SERIES = (
    -0.7021701325655907,
    0.6313812784483379,
    0.08532238364647307,
    -0.008254753348024385,
    -0.00683344400650929,
    -9.664999579096549e-05,
    0.0006669377403754411,
    5.829494073170587e-05,
    -7.284017447599359e-05,
    -9.853417107695062e-06,
    8.466910099397281e-06,
    1.3646948551511595e-06,
    -1.0067031707057647e-06,
    -1.6383611511202197e-07,
    1.1328726563544005e-07,
    1.3379279673993155e-08,
    -9.00062523700257e-09,
)


def _erfc(z: NodeArray) -> NodeArray:
    """Return 1 - erf(z) for z ≥ 0."""
    t = 1.0 / (z * _STEEPNESS + 1.0)
    u = t * _A + _B
    first, *rest, last = _SERIES
    power = u * last
    for coefficient in reversed(rest):
        power = u * (power + coefficient)
    power = power + first - z * z
    return t * power.apply("exp")


# --- along axes --------------------------------------------------------------------------------


def batch_normalization(step: GraphStep) -> Value:
    x = step.computed()
    if step.flag("training_mode") or sum(map(bool, step.outputs)) > 1:
        raise step.refuse("it is in training mode", "Export the model for inference.")
    if not step.flag("spatial", 1):
        raise step.refuse("spatial=0 is not supported")
    rank = x.array.ndim
    if rank < 2 or x.batch == 1:
        raise step.refuse("its input is not of the shape [rows, channels, ...]")
    scale, bias, mean, variance = (
        _per_channel(step, place, x.array.shape[1], rank) for place in (1, 2, 3, 4)
    )
    with np.errstate(all="ignore"):
        factor = scale / np.sqrt(variance + step.real("epsilon", 1e-5))
    y = (NodeArray(step.layers, x.array) - mean) * factor + bias
    return ComputedTensor(y.nodes, x.batch)


def _per_channel(step: GraphStep, place: int, channels: int, rank: int) -> Any:
    numbers = step.numbers(place)
    if numbers.shape != (channels,):
        raise step.refuse(f"its parameters have the shape {list(numbers.shape)}")
    return numbers.reshape(channels, *[1] * (rank - 2))


def layer_normalization(step: GraphStep) -> Value:
    """Return (x - mean) / sqrt(variance + epsilon) * scale + bias over the last axes."""
    x = step.computed()
    axis = step.axis(x.array.ndim, -1)
    step.keep_rows_apart(x, range(axis, x.array.ndim))
    epsilon = step.real("epsilon", 1e-5)
    if not epsilon > 0.0:
        raise step.refuse(f"its epsilon is {epsilon}", "It must be above 0.")
    rows = NodeArray(step.layers, x.array.reshape(*x.array.shape[:axis], -1))
    rest = rows - rows.mean()
    deviation = ((rest * rest).mean() + epsilon).apply("sqrt")
    y = NodeArray(step.layers, (rest / deviation).nodes.reshape(x.array.shape))
    for place, function in ((1, "mul"), (2, "add")):
        if step.has(place):
            given = ConstantTensor(step.numbers(place))
            step.common_batch(x, given)
            y = y.combine(function, given.array)
    if y.nodes.shape != x.array.shape:
        raise step.refuse("its scale or bias is larger than its input")
    return ComputedTensor(y.nodes, x.batch)


def softmax(name: str) -> Operator:
    """Return the operator of `Layers.softmax` or `Layers.log_softmax` along an axis."""

    def apply(step: GraphStep) -> Value:
        x = step.computed()
        rank = x.array.ndim
        axis = step.axis(rank, -1 if step.opset >= 13 else 1)
        function = getattr(step.layers, name)
        if step.opset >= 13:
            step.keep_rows_apart(x, [axis])
            y = np.moveaxis(function(np.moveaxis(x.array, axis, -1)), -1, axis)
        else:  # over this axis and all behind it
            step.keep_rows_apart(x, range(axis, rank))
            y = function(x.array.reshape(*x.array.shape[:axis], -1)).reshape(x.array.shape)
        return ComputedTensor(y, x.batch)

    return apply
