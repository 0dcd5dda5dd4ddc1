"""Turn the outputs of a network into results that share one fraction: probabilities or values."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from dsgec.arithmetic import integer
from dsgec.arithmetic.printed import vector
from dsgec.errors import DsgecError
from dsgec.export.fixed.curves import FunctionCurve
from dsgec.export.fixed.evaluate import read, step_value, step_values
from dsgec.export.fixed.exact import above, power_of_two
from dsgec.export.fixed.forms import MOST_SHIFT, Form, Quantity, quantity_form
from dsgec.export.fixed.function_tables import sample
from dsgec.export.fixed.ir import (
    RESULT_BITS,
    IntegerCall,
    IntegerProgram,
    Look,
    Operand,
    Slot,
    Step,
    Sum,
    TreeSum,
    Varying,
    WholeNumber,
    largest,
    operands,
    trimmed,
)
from dsgec.export.fixed.writer import Writer

_DEEPEST = 64.0  # e^-64 rounds to 0
_MOST_CLASSES = 1 << 14
_ONE = RESULT_BITS - 1  # the fraction of probabilities


def softmax(writer: Writer, outputs: list[Form]) -> tuple[list[Form], tuple[Operand, ...]]:
    """Return the shares e^z_i / Σ e^z_j, and the operands of the z.

    Powers are read from a table of e^−d, where d is the distance to the largest z.
    A share is below that of the largest z if its z is smaller, so that the largest z and the
    largest share belong to the same class.
    """
    if len(outputs) > _MOST_CLASSES:
        raise DsgecError("fixed point has no softmax of so many numbers", "Export it as float.")
    z = writer.together(outputs, RESULT_BITS)
    fraction = z[0].fraction
    greatest: Operand = z[0].operand
    for one in z[1:]:
        greatest = writer.call("maximum", greatest, one.operand)
    reach = max(one.most for one in z) - min(one.least for one in z)
    deepest = min(math.ldexp(reach, -fraction), _DEEPEST) or 1.0
    sampled = sample(_FALLING, 0.0, deepest, RESULT_BITS, finest=fraction)
    # The largest z has the power 1, so the sum is at least 1: its reciprocal needs 15 bits.
    assert sampled.table.entries[0] >= 1 << (_ONE - 1)
    assert min(sampled.table.entries) >= 0
    assert list(sampled.table.entries) == sorted(sampled.table.entries, reverse=True)
    lack = fraction - sampled.argument_fraction
    farthest, half = math.ldexp(reach, -fraction), (1 << lack) >> 1
    is_near = lack > MOST_SHIFT  # then every distance is 0 in the digits of the table
    error = math.ldexp(0.5, -sampled.argument_fraction) if lack else 0.0
    powers = []
    for one in z:
        distance: Operand = (
            WholeNumber(0)
            if is_near
            else writer.sum(((greatest, 1), (one.operand, -1)), half, lack)
        )
        argument = Quantity(
            distance,
            sampled.argument_fraction,
            0.0,
            farthest,
            farthest if is_near else error,
            0,
            0 if is_near else (reach + half) >> lack,
        )
        powers.append(writer.looked(sampled, argument))
    total = writer.sum([(power.operand, 1) for power in powers], 0, 0)
    halvings = writer.call("excess", total)
    reciprocal = writer.call("reciprocal", writer.call("shifted", total, halvings))
    shift = writer.sum(((halvings, 1),), _ONE - 1, 0)
    bound = _softmax_error(
        max(one.error for one in z), max(power.error for power in powers), len(z)
    )
    most = largest(RESULT_BITS)
    first = sampled.table
    nearest = getattr(integer, first.look)([*first.entries], 0, *first.limits)
    top = writer.call("minimum", writer.call("product", nearest, reciprocal, shift), most)
    shares = []
    for one, power in zip(z, powers, strict=True):
        farther = writer.sum(((greatest, 1), (one.operand, -1)), 0, 0)
        limit = writer.sum(((top, 1), (writer.call("minimum", farther, 1), -1)), 0, 0)
        share = writer.call("product", power.operand, reciprocal, shift)
        shares.append(writer.call("minimum", share, limit))
    forms = [quantity_form(Quantity(share, _ONE, 0.0, 1.0, bound, 0, most)) for share in shares]
    return forms, tuple(one.operand for one in z)


def _softmax_error(logit: float, power: float, count: int) -> float:
    """Bound the error of a probability, given those of the z and of the powers.

    Errors of the z change the log-odds of a class by at most twice the largest, so its probability
    by at most tanh(error / 2). A power is within `power` of e^-d, and their sum, which is at least
    1, within count · power of the exact one: with errors η of powers e, the share of one is off by
    (η_i S − e_i Σ η_j) / (S S'). Taking the first 15 bits of S' loses 2^-14 of it, the reciprocal
    loses 2^-15, and the result is rounded; a share of 1 is clamped, and one that equals that of a
    larger z is reduced by one unit.
    """
    least_sum = 1 - power
    shares = power * (1 + count) / least_sum
    rest = 2.0**-14 + 2.0**-14 + 2.0**-15
    off = math.tanh(logit / 2) + shares + rest * (1 + shares) + 2.0**-_ONE
    return off * (1 + 2.0**-30) + 2.0**-40


def results(
    writer: Writer, outputs: list[Form], *, complement: bool
) -> tuple[tuple[Operand, ...], int, tuple[float, ...]]:
    """Return the operands of the results, their fraction, and the error bound of each.

    With `complement`, a single probability p is preceded by the result 1 − p.
    """
    aligned = writer.together(outputs, RESULT_BITS)
    if complement:
        aligned = [writer.aligned(one, min(one.fraction, _ONE)) for one in aligned]
        aligned = [_complement(writer, aligned[0]), *aligned]
    return (
        tuple(one.operand for one in aligned),
        aligned[0].fraction,
        tuple(one.error for one in aligned),
    )


def _complement(writer: Writer, one: Quantity) -> Quantity:
    """Return 1 − y within the bits of a result."""
    most = largest(RESULT_BITS)
    whole = 1 << one.fraction if one.fraction >= 0 else 0
    least, greatest = whole - one.most, whole - one.least
    operand = writer.sum(((one.operand, -1),), whole, 0)
    # Rounding 1 − y in double precision has an error relative to its greatest value.
    greatest_value = max(Fraction(1), abs(Fraction(one.low)), abs(Fraction(one.high)))
    rounding = Fraction(2.0**-52) * greatest_value
    error = Fraction(one.error) + abs(1 - whole * power_of_two(-one.fraction)) + rounding
    if least < -most or greatest > most:
        operand = writer.call("clamp", operand, -most, most)
        error += max(greatest - most, -most - least, 0) * power_of_two(-one.fraction)
    return Quantity(operand, one.fraction, 1 - one.high, 1 - one.low, above(error), least, greatest)


def _value(x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return vector.exp(-x)


_FALLING = FunctionCurve(
    ("exp of the distance",), _value, lambda low, high: (_value(high), _value(low))
)


def least_result(threshold: float, fraction: int) -> int:
    """Return the least integer result that reaches a threshold."""
    scaled = np.ldexp(threshold, fraction)
    return int(np.clip(np.ceil(scaled), -32768, 32767)) if scaled <= 32767 else 32768


def decided_by_sum(program: IntegerProgram, threshold: float) -> IntegerProgram:
    """Let the sum before the table of a single probability decide between two classes.

    The second class is chosen if its probability reaches the threshold, as in
    `dsgec.network.decide`. The table does not decrease, so the least sum that reaches it decides
    as well. Returns the program unchanged if there is no such sum.
    """
    if program.forest is not None:
        return _decided_by_trees(trimmed(program), threshold)
    steps: list[Step] = []
    operand = program.results[-1]
    while isinstance(operand, Slot):
        step = program.steps[operand.number]
        steps.append(step)
        match step:
            case Look(number, argument):
                table = program.tables[number]
                # Arguments beyond this are clamped. It has at most 16 bits, so all are tried.
                reach = max(abs(table.first), abs(table.last)) + 1
                if reach > largest(RESULT_BITS) + 2:
                    return program
                arguments = np.arange(-reach, reach + 1, dtype=np.int32)
                values = arguments
                for each in reversed(steps):  # reads only the step before it
                    values = step_value(each, program.tables, values, [values] * len(program.steps))
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


def _decided_by_trees(program: IntegerProgram, threshold: float) -> IntegerProgram:
    """Let the only sum of trees decide between two classes, if the probability follows it."""
    inner = {operand for step in program.steps for operand in operands(step)}
    inner = {operand for operand in inner | {*program.results} if isinstance(operand, Varying)}
    if any(not isinstance(operand, Slot) and operand != TreeSum(0) for operand in inner):
        return program
    most = largest(RESULT_BITS)
    sums = np.arange(-most, most + 1, dtype=np.int32)[:, None]
    found = read(program.results[-1], sums, step_values(program, sums))
    reached = np.broadcast_to(found, len(sums)) >= least_result(threshold, program.fraction)
    if reached.all() or not reached.any() or (np.diff(reached.astype(int)) < 0).any():
        return program
    return replace(program, sums=(TreeSum(0),), limit=int(sums[reached.argmax(), 0]))
