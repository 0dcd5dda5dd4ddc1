"""Network + rows to outputs: the plain interpreter, the oracle of every back end."""

from collections.abc import Callable
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic import vector, vector_float
from dsgec.arithmetic.table import DEFINED
from dsgec.network.ir import Apply, Constant, Input, Network
from dsgec.network.powers import power

_BLOCK = 8192  # rows at a time, so that memory does not grow with rows times nodes

Change = Callable[[int, list[Any]], Any]
"""What stands for the node at a position, given the values of all nodes up to it."""

_ARITHMETIC: dict[Any, Any] = {np.dtype(np.float64): vector, np.dtype(np.float32): vector_float}


def evaluate(network: Network, rows: NDArray[Any]) -> NDArray[Any]:
    """The outputs, one row for each row of features, in the type of the rows: double or float."""
    outputs = np.empty((len(rows), len(network.outputs)), rows.dtype)
    for start in range(0, len(rows), _BLOCK):
        outputs[start : start + _BLOCK] = evaluate_block(network, rows[start : start + _BLOCK])
    return outputs


def evaluate_block(
    network: Network, rows: NDArray[Any], change: Change | None = None
) -> NDArray[Any]:
    """The outputs of rows all at once, of a network with some of its nodes changed."""
    outputs = np.empty((len(rows), len(network.outputs)), rows.dtype)
    with np.errstate(all="ignore"):
        values = node_values(network, rows, change)
        results = [values[position] for position in network.outputs]
        if network.softmax:
            results = _ARITHMETIC[rows.dtype].softmax(*results)
        for index, result in enumerate(results):
            outputs[:, index] = result
    return outputs


def node_values(network: Network, rows: NDArray[Any], change: Change | None = None) -> list[Any]:
    """The value of every node: an array over the rows, or of one number."""
    arithmetic = _ARITHMETIC[rows.dtype]
    values: list[Any] = []
    for position, node in enumerate(network.nodes):
        match node:
            case Constant(value):
                values.append(np.array([value], rows.dtype))
            case Input(column):
                values.append(rows[:, column])
            case Apply("add", (a, b)):
                values.append(values[a] + values[b])
            case Apply("sub", (a, b)):
                values.append(values[a] - values[b])
            case Apply("mul", (a, b)):
                values.append(values[a] * values[b])
            case Apply("pow", (a, b)):
                exponent = network.nodes[b]
                assert isinstance(exponent, Constant)
                values.append(power(values[a], int(exponent.value), arithmetic.div))
            case Apply(function, arguments):
                apply = getattr(arithmetic, DEFINED[function].symbol)
                values.append(apply(*(values[a] for a in arguments)))
            case _:
                assert_never(node)
        if change is not None:
            values[position] = change(position, values)
    return values
