"""Run small programs of the general program synthesis benchmark, without executing them.

A program is a text in a small part of Python: assignments of numbers, `if` with `else`, `print`
and the expressions below. Python parses it, and each statement is computed on the inputs of all
cases at once. There are no loops, so every program ends; products are limited to ±10¹² as numbers
are in Push (Helmuth and Spector 2015), and a text that is longer than `LONGEST` or prints more than
`MOST_PRINTED` signs is refused. So time and memory are limited by the language: a program needs no
process of its own, no clock and no shell.
"""

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.random import Stream
from dsgec.search.diversity import edit_distance

Column = NDArray[np.float64]
Mask = NDArray[np.bool_]

LONGEST = 10_000
MOST_PRINTED = 500
_LARGEST = 1e12


def _multiply(left: Any, right: Any) -> Any:
    return np.maximum(np.minimum(left * right, _LARGEST), -_LARGEST)


_NUMBERS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _multiply,
}
_COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}
_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {"min": np.minimum, "max": np.maximum}


def run_program(text: str, inputs: Mapping[str, Column]) -> list[str]:
    """Return what a program prints for each case; other variables are 0 at first."""
    cases = len(next(iter(inputs.values())))
    if len(text) > LONGEST:
        raise ValueError("the program is too long")
    printed = [""] * cases
    _run(ast.parse(text).body, dict(inputs), np.ones(cases, np.bool_), printed)
    return printed


def _run(
    body: Sequence[ast.stmt], memory: dict[str, Column], mask: Mask, printed: list[str]
) -> None:
    """Run statements for the cases of a mask."""
    for statement in body:
        match statement:
            case ast.Assign([ast.Name(name)], value):
                memory[name] = np.where(mask, _number(value, memory), memory.get(name, 0.0))
            case ast.If(test, then, otherwise):
                found = mask & _truth(test, memory)
                _run(then, memory, found, printed)
                _run(otherwise, memory, mask & ~found, printed)
            case ast.Expr(ast.Call(ast.Name("print"), [value], [])):
                _print(value, memory, mask, printed)
            case ast.Pass():
                pass
            case _:
                raise ValueError(f"not a statement: {ast.unparse(statement)[:60]}")


def _print(value: ast.expr, memory: Mapping[str, Column], mask: Mask, printed: list[str]) -> None:
    cases = np.flatnonzero(mask).tolist()
    match value:
        case ast.Constant(str(text)):
            texts = [text] * len(cases)
        case _:
            column = np.where(mask, _number(value, memory), 0.0)
            texts = [format_number(number) for number in column[cases].tolist()]
    for case, text in zip(cases, texts, strict=True):
        printed[case] += text
        if len(printed[case]) > MOST_PRINTED:
            raise ValueError("the program prints too much")


def format_number(value: float) -> str:
    """Return a number as programs print it: whole numbers without a fraction."""
    return str(int(value)) if value == int(value) else repr(round(value, 10))


def _number(node: ast.expr, memory: Mapping[str, Column]) -> Any:
    """Return the value of an expression in each case."""
    match node:
        case ast.BinOp(left, operation, right) if type(operation) in _NUMBERS:
            return _NUMBERS[type(operation)](_number(left, memory), _number(right, memory))
        case ast.UnaryOp(ast.USub(), inner):
            return -_number(inner, memory)
        case ast.Call(ast.Name(name), [left, right], []) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_number(left, memory), _number(right, memory))
        case ast.Name(name) if name not in _FUNCTIONS:
            return memory.get(name, 0.0)
        case ast.Constant(int() | float() as value) if abs(value) <= _LARGEST:
            return float(value)
        case _:
            raise ValueError(f"not a number: {ast.unparse(node)[:60]}")


def _truth(node: ast.expr, memory: Mapping[str, Column]) -> Any:
    """Return the truth of a condition in each case."""
    match node:
        case ast.Compare(left, [operation], [right]) if type(operation) in _COMPARISONS:
            own = _COMPARISONS[type(operation)]
            return own(_number(left, memory), _number(right, memory))
        case ast.BoolOp(ast.And(), parts):
            return reduce(np.logical_and, (_truth(one, memory) for one in parts))
        case ast.BoolOp(ast.Or(), parts):
            return reduce(np.logical_or, (_truth(one, memory) for one in parts))
        case ast.UnaryOp(ast.Not(), inner):
            return np.logical_not(_truth(inner, memory))
        case _:
            raise ValueError(f"not a condition: {ast.unparse(node)[:60]}")


def draw_integers(count: int, width: int, low: int, high: int, seed: int) -> NDArray[np.int64]:
    """Draw rows of whole numbers, the same on every machine; `high` is one of them."""
    stream = Stream(5, seed, 0)
    drawn = [low + stream.below(high - low + 1) for _ in range(count * width)]
    return np.array(drawn, np.int64).reshape(count, width)


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """The inputs of a program in all cases, and what it should print for each."""

    inputs: Mapping[str, Column]
    expected: tuple[str, ...]

    def count_wrong(self, text: str) -> list[float]:
        """Return for each case 0 if what a program prints is right, and 1 if it is wrong."""
        printed = run_program(text, self.inputs)
        return [float(own != wanted) for own, wanted in zip(printed, self.expected, strict=True)]

    def text_errors(self, text: str) -> list[float]:
        """Return for each case the edit distance of what a program prints from what is right."""
        printed = run_program(text, self.inputs)
        pairs = zip(printed, self.expected, strict=True)
        return [float(_distance(own, wanted)) for own, wanted in pairs]

    def share_wrong(self, text: str) -> float:
        """Return the share of the cases in which a program prints something wrong."""
        found = self.count_wrong(text)
        return sum(found) / len(found)


def make_cases(rows: NDArray[Any], expected: Iterable[str]) -> Cases:
    """Return cases whose inputs are the columns of `rows`, called in1, in2, …"""
    columns = enumerate(rows.T.copy(), 1)
    inputs = {f"in{number}": column.astype(np.float64) for number, column in columns}
    return Cases(inputs, tuple(expected))


@lru_cache(1 << 14)
def _distance(left: str, right: str) -> int:
    return edit_distance(left, right)
