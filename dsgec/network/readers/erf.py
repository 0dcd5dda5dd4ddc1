"""The error function and what is made of it, from functions of the arithmetic.

1 - erf(z) is t · exp(P(u) - z²) for z ≥ 0, with t = 1 / (1 + 0.35 z) and u = A t + B from -1 to 1
where z is from 0 to 6. P is the Chebyshev fit of log(erfc(z) / t) + z² on that range; beyond it,
exp(-z²) is below 1e-15. The error is below 1e-13 in double precision, and below 1e-6 in single.
"""

import math

from dsgec.network.readers.layers import Layers, Nodes

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


def erf(layers: Layers, x: Nodes) -> Nodes:
    """Return the error function, the sign of x times 1 - erfc(|x|)."""
    size = layers.activate(x, "abs")
    sign = layers.combine("div", x, size)  # 1 at 0
    return layers.combine(
        "mul", sign, layers.combine("sub", layers.numbers(1.0), _erfc(layers, size))
    )


def gelu(layers: Layers, x: Nodes) -> Nodes:
    """Return x · (1 + erf(x / √2)) / 2 as relu(x) - |x| · erfc(|x| / √2) / 2."""
    size = layers.activate(x, "abs")
    rest = _erfc(layers, layers.scale(size, "mul", math.sqrt(0.5)))
    rest = layers.scale(layers.combine("mul", size, rest), "mul", 0.5)
    return layers.combine("sub", layers.activate(x, "relu"), rest)


def gelu_by_tanh(layers: Layers, x: Nodes) -> Nodes:
    """Return x · (1 + tanh(√(2/π) · (x + 0.044715 x³))) / 2."""
    square = layers.scale(layers.combine("mul", x, x), "mul", 0.044715)
    inner = layers.combine("mul", x, layers.scale(square, "add", 1.0))
    inner = layers.activate(layers.scale(inner, "mul", math.sqrt(2.0 / math.pi)), "tanh")
    return layers.combine("mul", layers.scale(x, "mul", 0.5), layers.scale(inner, "add", 1.0))


def _erfc(layers: Layers, z: Nodes) -> Nodes:
    """Return 1 - erf(z) for z ≥ 0."""
    t = layers.scale(layers.scale(z, "mul", _STEEPNESS), "add", 1.0)
    t = layers.combine("div", layers.numbers(1.0), t)
    u = layers.scale(layers.scale(t, "mul", _A), "add", _B)
    *rest, last = _SERIES
    power = layers.scale(u, "mul", last)
    for coefficient in reversed(rest[1:]):
        power = layers.combine("mul", u, layers.scale(power, "add", coefficient))
    power = layers.scale(power, "add", rest[0])
    power = layers.combine("sub", power, layers.combine("mul", z, z))
    return layers.combine("mul", t, layers.activate(power, "exp"))
