"""Evaluate the texts of arithmetic and Boolean expressions, without executing them.

Python parses a text, and the tree is computed node by node. Only the operations below exist.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]

_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sin": np.sin,
    "cos": np.cos,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
}


def evaluate_numbers(text: str, columns: Mapping[str, Column]) -> Any:
    """Return the value of an arithmetic expression in each row; NaN where it has none."""
    with np.errstate(all="ignore"):
        return _number(_parse(text), columns)


def _number(node: ast.expr, columns: Mapping[str, Column]) -> Any:
    match node:
        case ast.BinOp(left, operation, right) if type(operation) in _ARITHMETIC:
            own = _ARITHMETIC[type(operation)]
            return own(_number(left, columns), np.asarray(_number(right, columns)))
        case ast.UnaryOp(ast.USub(), inner):
            return -_number(inner, columns)
        case ast.Call(ast.Name(name), [inner]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_number(inner, columns))
        case ast.Name(name) if name in columns:
            return columns[name]
        case ast.Constant(int() | float() as value):
            return float(value)
        case _:
            raise ValueError(f"not an arithmetic expression: {ast.unparse(node)[:60]}")


def evaluate_bits(text: str, columns: Mapping[str, int], rows: int) -> int:
    """Return the values of a Boolean expression in all rows, as the bits of a whole number.

    Each column has a bit for each row, so that one operation computes all rows.
    """
    return _bits(_parse(text), columns, (1 << rows) - 1)


def _bits(node: ast.expr, columns: Mapping[str, int], mask: int) -> int:
    match node:
        case ast.BoolOp(operation, [first, *others]):
            found = _bits(first, columns, mask)
            for other in others:
                own = _bits(other, columns, mask)
                found = found & own if isinstance(operation, ast.And) else found | own
            return found
        case ast.UnaryOp(ast.Not(), inner):
            return mask ^ _bits(inner, columns, mask)
        case ast.IfExp(condition, first, second):
            chosen = _bits(condition, columns, mask)
            return chosen & _bits(first, columns, mask) | (mask ^ chosen) & _bits(
                second, columns, mask
            )
        case ast.Name(name) if name in columns:
            return columns[name]
        case _:
            raise ValueError(f"not a Boolean expression: {ast.unparse(node)[:60]}")


def _parse(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def table_columns(count: int) -> list[int]:
    """Return the columns of a truth table of so many inputs, as bits of whole numbers.

    Row r has bit k of r in column k.
    """
    rows = range(1 << count)
    return [sum((row >> k & 1) << row for row in rows) for k in range(count)]
