"""Evaluate a Network on rows: the plain interpreter, the oracle of every back end."""

import operator
from collections.abc import Callable
from typing import Any, Protocol, assert_never

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.arithmetic.printed import vector, vector_float
from dsgec.network.ir import Apply, Constant, Input, Network, power

_BLOCK = 8192  # rows at a time, so that memory does not grow with rows times nodes

_OPERATIONS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}
# A function that one of them lacks is found here, before anything is computed.
_ARITHMETIC: dict[Any, dict[str, Callable[..., Any]]] = {
    np.dtype(dtype): {name: getattr(module, f.symbol) for name, f in ALL_FUNCTIONS.items()}
    for dtype, module in ((np.float64, vector), (np.float32, vector_float))
}


class Values(Protocol):
    """A sequence or mapping of the values of nodes by their positions."""

    def __getitem__(self, position: int, /) -> Any: ...


@standard_arithmetic()
def evaluate(network: Network, rows: NDArray[Any]) -> NDArray[Any]:
    """Return a row of outputs for each row of features, in the dtype of the rows."""
    outputs = np.empty((len(rows), len(network.outputs)), rows.dtype)
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        with np.errstate(all="ignore"):
            values = node_values(network, block)
            for index, result in enumerate(output_values(network, values, rows.dtype)):
                outputs[start : start + _BLOCK, index] = result
    return outputs


def node_values(network: Network, rows: NDArray[Any]) -> list[Any]:
    """Return the value of every node: an array over the rows, or of one number."""
    values: list[Any] = []
    for node in network.nodes:
        match node:
            case Constant(value):
                values.append(np.array([value], rows.dtype))
            case Input(column):
                values.append(rows[:, column])
            case Apply():
                values.append(evaluate_node(network, node, values, rows.dtype))
            case _:
                assert_never(node)
    return values


def output_values(network: Network, values: Values, dtype: Any) -> list[Any]:
    """Return the outputs of a network, given the values of its nodes."""
    results = [values[position] for position in network.outputs]
    return list(_ARITHMETIC[dtype]["softmax"](*results)) if network.softmax else results


def evaluate_node(network: Network, node: Apply, values: Values, dtype: Any) -> Any:
    """Return the value of a node, given those of its arguments."""
    arithmetic = _ARITHMETIC[dtype]
    if node.function in _OPERATIONS:
        a, b = node.arguments
        return _OPERATIONS[node.function](values[a], values[b])
    if node.function == "pow":
        a, b = node.arguments
        exponent = network.nodes[b]
        assert isinstance(exponent, Constant)
        return power(values[a], int(exponent.value), arithmetic["div"])
    return arithmetic[node.function](*(values[a] for a in node.arguments))
