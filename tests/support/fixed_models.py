"""Artefacts in fixed point, rows for them, and an interpreter that checks for overflow."""

from functools import cache

import numpy as np

from dsgec.arithmetic import integer
from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.fixed.ir import ColumnValue, IntegerCall, Look, Slot, Sum
from dsgec.network.evaluate import evaluate
from tests.support.artefacts import random_model, random_rows

RANGE = (-2.0, 2.5)
POSITIVE = (0.5, 2.5)  # many random networks divide by a column


@cache
def fixed_artefact(model, dtype="q15", range_=RANGE, name="net"):
    return Artefact(model, name, dtype, selftest="quick", ranges=(range_,) * len(model.columns))


def random_artefact(seed, dtype, range_):
    """Return the artefact of a random model, or None if fixed point cannot compute it."""
    try:
        return fixed_artefact(random_model(seed), dtype, range_)
    except DsgecError:
        return None


def trying_rows(artefact, seed, count, range_):
    """Return rows within the ranges, at their ends and beyond, some with missing values."""
    model, rng = artefact.model, np.random.default_rng(seed)
    extreme = random_rows(model, seed, count // 2)
    table = random_rows(model, seed + 1, count - count // 2)
    program = artefact.number_format.fixed.program
    for number, column in enumerate(model.columns):
        if column.categories:
            continue
        given = ~np.isnan(table[:, number])
        width = range_[1] - range_[0]
        table[given, number] = rng.uniform(
            range_[0] - 0.1 * width, range_[1] + 0.1 * width, given.sum()
        )
        ends = given & (rng.random(len(table)) < 0.3)
        format_ = program.columns[number]
        table[ends, number] = rng.choice([*range_, format_.low, format_.high], ends.sum())
    return np.vstack([extreme, table])


def saturated(artefact, rows):
    """Clip rows to the limits of the formats, as the guarantee does."""
    formats = artefact.number_format.fixed.program.columns
    return np.clip(rows, [f.low for f in formats], [f.high for f in formats])


def double_results(artefact, rows):
    """Return the results of the double network for saturated rows."""
    outputs = evaluate(artefact.network, saturated(artefact, rows))
    lone = artefact.model.is_classifier and outputs.shape[1] == 1
    return np.hstack([1.0 - outputs, outputs]) if lone else outputs


class Int32(int):
    """An integer that asserts 32 bits and shifts that C defines."""

    def __new__(cls, value):
        assert -(2**31) <= value < 2**31, f"{value} is more than 32 bits"
        return super().__new__(cls, value)

    def __add__(self, other):
        return Int32(int(self) + int(other))

    def __sub__(self, other):
        return Int32(int(self) - int(other))

    def __mul__(self, other):
        return Int32(int(self) * int(other))

    def __lshift__(self, other):
        assert self >= 0
        assert 0 <= other < 31
        return Int32(int(self) << int(other))

    def __rshift__(self, other):
        assert 0 <= other < 32
        return Int32(int(self) >> int(other))

    def __radd__(self, other):
        return Int32(other) + self

    def __rsub__(self, other):
        return Int32(other) - self

    def __rmul__(self, other):
        return Int32(other) * self

    def __rlshift__(self, other):
        return Int32(other) << self


def interpret(program, row):
    """Return the results of one row of integers, asserting 32 bits in every operation."""
    slots = []

    def value(operand):
        if isinstance(operand, ColumnValue):
            return Int32(row[operand.number])
        if isinstance(operand, Slot):
            return slots[operand.number]
        return Int32(operand.value)

    for step in program.steps:
        match step:
            case Sum(terms, bias, shift):
                total = Int32(bias)
                for operand, weight in terms:
                    total = total + Int32(weight) * value(operand)
                slots.append(total >> shift)
            case IntegerCall(function, arguments):
                slots.append(Int32(getattr(integer, function)(*map(value, arguments))))
            case Look(number, argument):
                table = program.tables[number]
                entries = [Int32(entry) for entry in table.entries]
                limits = map(Int32, table.limits)
                slots.append(getattr(integer, table.look)(entries, value(argument), *limits))
    return [int(value(operand)) for operand in program.results]
