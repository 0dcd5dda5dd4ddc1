"""The interpreter of integer programs, and the conversion of rows to and from integers."""

from collections.abc import Sequence
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.printed import vector_integer
from dsgec.export.fixed.forest import tree_sums
from dsgec.export.fixed.ir import (
    ColumnValue,
    FunctionTable,
    IntegerCall,
    IntegerProgram,
    Look,
    Operand,
    Slot,
    Step,
    Sum,
    TreeSum,
    WholeNumber,
    largest,
)

Array = NDArray[Any]
Rows = NDArray[np.int32]

_BLOCK = 4096


def quantise(program: IntegerProgram, rows: Array) -> Rows:
    """Convert raw rows, in which NaN is a missing value, to rows of integers."""
    most = largest(program.bits)
    found = np.empty(rows.shape, np.int32)
    with np.errstate(all="ignore"):
        for number, format_ in enumerate(program.columns):
            ends = float(format_.zero - most), float(format_.zero + most)
            scaled = np.clip(rows[:, number] * 2.0**format_.fraction, *ends)
            whole = np.rint(np.nan_to_num(scaled)) - format_.zero
            found[:, number] = np.where(np.isnan(scaled), program.missing, whole)
    return found


def saturate(program: IntegerProgram, rows: Array) -> Array:
    """Clip raw rows to the limits of the columns."""
    low = np.array([format_.low for format_ in program.columns])
    high = np.array([format_.high for format_ in program.columns])
    return np.clip(rows, low, high)


def dequantise(program: IntegerProgram, rows: Rows) -> Array:
    """Return the raw rows that rows of integers stand for exactly."""
    zero = np.array([format_.zero for format_ in program.columns], np.float64)
    unit = np.array([2.0**-format_.fraction for format_ in program.columns])
    return np.where(rows == program.missing, np.nan, (rows + zero) * unit)


def evaluate_integers(program: IntegerProgram, rows: Rows) -> Rows:
    """Return the results of a program for rows of integers."""
    results = np.empty((len(rows), len(program.results)), np.int32)
    for start in range(0, len(rows), _BLOCK):
        block = with_tree_sums(program, rows[start : start + _BLOCK])
        slots = step_values(program, block)
        for index, operand in enumerate(program.results):
            results[start : start + _BLOCK, index] = read(operand, block, slots)
    return results


def evaluate(program: IntegerProgram, rows: Array) -> Array:
    """Return the results for raw rows as doubles; missing values are not propagated."""
    return evaluate_integers(program, quantise(program, rows)) * 2.0**-program.fraction


def with_tree_sums(program: IntegerProgram, rows: Rows) -> Rows:
    """Return rows with the sums of the program's trees behind their columns, the last one first."""
    if program.forest is None:
        return rows
    return np.hstack([rows, tree_sums(program.forest, rows)[:, ::-1]])


def read(operand: Operand, rows: Rows, slots: Sequence[Any]) -> Any:
    """Return the value of an operand: an array over the rows, or a number."""
    match operand:
        case ColumnValue(number):
            return rows[:, number]
        case TreeSum(number):
            return rows[:, -1 - number]
        case Slot(number):
            return slots[number]
        case WholeNumber(value):
            return value
        case _:
            assert_never(operand)


def step_values(program: IntegerProgram, rows: Rows) -> list[Any]:
    """Return the value of every step; rows have the sums of trees."""
    slots: list[Any] = []
    for step in program.steps:
        slots.append(step_value(step, program.tables, rows, slots))
    return slots


def step_value(
    step: Step,
    tables: Sequence[FunctionTable],
    rows: Rows,
    slots: Sequence[Any],
    dtype: Any = np.int32,
) -> Any:
    """Return the value of a step, computed with integers of a numpy type."""
    match step:
        case Sum(terms, bias, shift):
            total = dtype(bias)
            for operand, weight in terms:
                total = total + dtype(weight) * read(operand, rows, slots)
            return total >> shift
        case IntegerCall(function, arguments):
            return getattr(vector_integer, function)(*(read(a, rows, slots) for a in arguments))
        case Look(number, argument):
            table = tables[number]
            look = getattr(vector_integer, table.look)
            entries = np.array(table.entries, dtype)
            return look(entries, read(argument, rows, slots), *table.limits)
        case _:
            assert_never(step)
