"""Network + rows to outputs: the plain interpreter, the oracle of every back end."""

from collections.abc import Callable
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic import vector
from dsgec.arithmetic.table import DEFINED
from dsgec.network.ir import Apply, Constant, Input, Network
from dsgec.network.powers import power

_BLOCK = 8192  # rows at a time, so that memory does not grow with rows times nodes

Change = Callable[[int, list[Any]], Any]
"""What stands for the node at a position, given the values of all nodes up to it."""


def evaluate(network: Network, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The outputs, one row for each row of features."""
    outputs = np.empty((len(rows), len(network.outputs)))
    for start in range(0, len(rows), _BLOCK):
        outputs[start : start + _BLOCK] = evaluate_block(network, rows[start : start + _BLOCK])
    return outputs


def evaluate_block(
    network: Network, rows: NDArray[np.float64], change: Change | None = None
) -> NDArray[np.float64]:
    """The outputs of rows all at once, of a network with some of its nodes changed."""
    outputs = np.empty((len(rows), len(network.outputs)))
    with np.errstate(all="ignore"):
        values = node_values(network, rows, change)
        results = [values[position] for position in network.outputs]
        if network.softmax:
            results = vector.softmax(*results)
        for index, result in enumerate(results):
            outputs[:, index] = result
    return outputs


def node_values(
    network: Network, rows: NDArray[np.float64], change: Change | None = None
) -> list[Any]:
    """The value of every node: an array over the rows, or one number."""
    values: list[Any] = []
    for position, node in enumerate(network.nodes):
        match node:
            case Constant(value):
                values.append(np.float64(value))
            case Input(column):
                values.append(rows[:, column])
            case Apply(function, arguments):
                values.append(_apply(function, [values[a] for a in arguments]))
            case _:
                assert_never(node)
        if change is not None:
            values[position] = change(position, values)
    return values


def _apply(function: str, operands: list[Any]) -> Any:
    match function:
        case "add":
            return operands[0] + operands[1]
        case "sub":
            return operands[0] - operands[1]
        case "mul":
            return operands[0] * operands[1]
        case "pow":
            return power(operands[0], int(operands[1]), vector.div)
        case _:
            symbol = DEFINED[function].symbol
            return getattr(vector, symbol)(*operands)
