"""The program of a lone probability to the same with the sum that decides between two classes.

The class is the second where the probability reaches the threshold, as `dsgec.network.decide` has
it. The probability is read from a table that does not fall, so the sum before it decides as well.
"""

from dataclasses import replace

import numpy as np

from dsgec.arithmetic.printed import vector_integer
from dsgec.export.fixed.ir import (
    RESULT_BITS,
    IntegerCall,
    IntegerProgram,
    Look,
    Slot,
    Step,
    Sum,
    WholeNumber,
    largest,
)
from dsgec.export.fixed.trim import operands, steps_read


def least_result(threshold: float, fraction: int) -> int:
    """The least result that reaches a threshold."""
    scaled = np.ldexp(threshold, fraction)
    return int(np.clip(np.ceil(scaled), -32768, 32767)) if scaled <= 32767 else 32768


def decided_by_sum(program: IntegerProgram, threshold: float) -> IntegerProgram:
    """The program with its sum and the least one that reaches a threshold, if there are such."""
    steps: list[Step] = []
    operand = program.results[-1]
    while isinstance(operand, Slot):
        step = program.steps[operand.number]
        steps.append(step)
        match step:
            case Look(number, argument):
                table = program.tables[number]
                # What is farther than this is clamped. Most are 16 bits, so all are tried.
                reach = max(abs(table.first), abs(table.last)) + 1
                if reach > largest(RESULT_BITS) + 2:
                    return program
                arguments = np.arange(-reach, reach + 1, dtype=np.int32)
                values = _computed(program, steps[::-1], arguments)
                reached = values >= least_result(threshold, program.fraction)
                if reached.all() or not reached.any() or (np.diff(reached.astype(int)) < 0).any():
                    return program
                limit = int(arguments[reached.argmax()])
                return replace(program, sums=(argument,), limit=limit)
            case IntegerCall(_, (Slot() as operand, *others)) if all(
                isinstance(other, WholeNumber) for other in others
            ):
                pass
            case Sum(((Slot() as operand, _),), _, _):
                pass
            case _:
                return program
    return program


def is_separate(program: IntegerProgram) -> bool:
    """Return whether there are sums and the steps behind them read no other step before them."""
    before = steps_read(program, program.sums)
    hidden = {Slot(number) for number in before} - {*program.sums}
    behind = (step for number, step in enumerate(program.steps) if number not in before)
    read = {operand for step in behind for operand in operands(step)}
    return bool(program.sums) and hidden.isdisjoint({*read, *program.results})


def _computed(program: IntegerProgram, steps: list[Step], values: np.ndarray) -> np.ndarray:
    """Apply steps to values, each to the result of the one before."""
    for step in steps:
        match step:
            case Look(number, _):
                table = program.tables[number]
                look = getattr(vector_integer, table.look)
                values = look(np.array(table.entries, np.int32), values, *table.limits)
            case IntegerCall(function, (_, *others)):
                numbers = [other.value for other in others if isinstance(other, WholeNumber)]
                values = getattr(vector_integer, function)(values, *numbers)
            case Sum(((_, weight),), bias, shift):
                values = (bias + weight * values) >> shift
    return values
