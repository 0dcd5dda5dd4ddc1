"""Network to a smaller Network with the same outputs, bit for bit.

Constants are folded with the run-time arithmetic. The only identities used are those that hold for
every number, signed zeros included: `x + 0` is not one of them (it turns -0 into 0), `x - 0` is.
"""

import math

from dsgec.arithmetic import scalar
from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.network.canonical import canonical
from dsgec.network.ir import Apply, Builder, Constant, Input, Network, Node
from dsgec.network.powers import power


def simplify(network: Network) -> Network:
    """Dead nodes removed, constants folded, equal nodes shared."""
    return canonical(folded(network))


def folded(network: Network) -> Network:
    """Constants folded, equal nodes shared; every neuron still has its place in its layer."""
    builder = Builder()
    new: list[int] = []
    for node in network.nodes:
        if isinstance(node, Apply):
            new.append(_apply(builder, node.function, tuple([new[a] for a in node.arguments])))
        elif isinstance(node, Input):
            new.append(builder.input(node.column))
        else:
            new.append(builder.constant(node.value))
    layers = tuple(tuple(new[p] for p in layer) for layer in network.layers)
    outputs = tuple(new[p] for p in network.outputs)
    return Network(network.inputs, tuple(builder.nodes), layers, outputs, network.softmax)


def _apply(builder: Builder, function: str, arguments: tuple[int, ...]) -> int:
    values = [_value(builder.nodes[a]) for a in arguments]
    numbers = [value for value in values if value is not None]
    if len(numbers) == len(values):
        folded = apply(function, *numbers)
        if math.isfinite(folded):
            return builder.constant(folded)
    elif numbers and len(values) == 2:
        left, right = values
        if function == "mul" and left == 1.0:
            return arguments[1]
        if function in ("mul", "div") and right == 1.0:
            return arguments[0]
        if function == "sub" and _is_zero(right, 1.0):
            return arguments[0]
        if function == "add" and _is_zero(right, -1.0):
            return arguments[0]
        if function == "add" and _is_zero(left, -1.0):
            return arguments[1]
        if function == "pow" and right == 1.0:
            return arguments[0]
        if function == "pow" and right == 0.0:
            return builder.constant(1.0)
    elif function == "neg":
        inner = builder.nodes[arguments[0]]
        if isinstance(inner, Apply) and inner.function == "neg":
            return inner.arguments[0]
    return builder.apply(function, arguments)


def apply(function: str, *values: float) -> float:
    """One operation on numbers, with the run-time arithmetic."""
    match function, values:
        case "add", (a, b):
            return a + b
        case "sub", (a, b):
            return a - b
        case "mul", (a, b):
            return a * b
        case "pow", (a, b):
            raised: float = power(a, int(b), scalar.div)
            return raised
        case _:
            symbol = ALL_FUNCTIONS[function].symbol
            result: float = getattr(scalar, symbol)(*values)
            return result


def _value(node: Node) -> float | None:
    return node.value if isinstance(node, Constant) else None


def _is_zero(value: float | None, sign: float) -> bool:
    return value == 0.0 and math.copysign(1.0, value) == sign
