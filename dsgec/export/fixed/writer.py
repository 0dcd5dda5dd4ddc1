"""The writer of integer programs: it appends steps and bounds their results."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from dsgec.arithmetic import integer
from dsgec.export.fixed.exact import above, floor_log2, nearest, power_of_two, refuse_extreme
from dsgec.export.fixed.forms import MOST_SHIFT, Accumulator, Form, Quantity, accumulate
from dsgec.export.fixed.function_tables import SampledCurve
from dsgec.export.fixed.ir import (
    RESULT_BITS,
    ColumnValue,
    FunctionTable,
    IntegerCall,
    Look,
    Operand,
    Slot,
    Step,
    Sum,
    TreeSum,
    Varying,
    WholeNumber,
    largest,
)


class Writer:
    """Collects the steps and tables of a program; equal steps are shared."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.steps: list[Step] = []
        self.tables: list[FunctionTable] = []
        self.shared: dict[str, SampledCurve] = {}  # by the names of functions that saturate
        self._slots: dict[Step, Slot] = {}
        self._errors: dict[object, float] = {}

    @property
    def missing(self) -> int:
        return -largest(self.bits) - 1

    def emit(self, step: Step) -> Slot:
        """Append a step unless it exists, and return its slot."""
        if step not in self._slots:
            self._slots[step] = Slot(len(self.steps))
            self.steps.append(step)
        return self._slots[step]

    def call(self, function: str, *arguments: Operand | int) -> Operand:
        """Call a function of the arithmetic; a call with constants only is computed here."""
        operands = tuple(WholeNumber(a) if isinstance(a, int) else a for a in arguments)
        numbers = [operand.value for operand in operands if isinstance(operand, WholeNumber)]
        if len(numbers) == len(operands):
            return WholeNumber(getattr(integer, function)(*numbers))
        return self.emit(IntegerCall(function, operands))

    def sum(self, terms: Iterable[tuple[Operand, int]], bias: int, shift: int) -> Operand:
        """Return a sum of products; constant terms become part of the bias."""
        varying: list[tuple[Varying, int]] = []
        for operand, weight in terms:
            match operand:
                case WholeNumber(value):
                    bias += weight * value
                case ColumnValue() | Slot() | TreeSum():
                    varying.append((operand, weight))
                case _:
                    assert_never(operand)
        if not varying:
            return WholeNumber(bias >> shift)
        return self.emit(Sum(tuple(varying), bias, shift))

    def look(self, table: FunctionTable, argument: Operand) -> Operand:
        """Look a value up in a table; a constant argument gives a constant."""
        if isinstance(argument, WholeNumber):
            value = getattr(integer, table.look)(table.entries, argument.value, *table.limits)
            return WholeNumber(value)
        if table not in self.tables:
            self.tables.append(table)
        return self.emit(Look(self.tables.index(table), argument))

    # Columns.

    def clamped(self, raw: Quantity, operand: Operand | None = None) -> Quantity:
        """Clamp a column to its limits, unless they are those of its type."""
        operand = operand or raw.operand
        most = largest(self.bits)
        if raw.least > -most or raw.most < most:
            operand = self.call("clamp", operand, raw.least, raw.most)
        return replace(raw, operand=operand)

    def filled(self, raw: Quantity, fill: Fraction) -> Quantity:
        """Replace the missing values of a column by a number."""
        number = min(max(nearest(fill, raw.fraction) - raw.zero, raw.least), raw.most)
        operand = self.call("fill", raw.operand, self.missing, number)
        return replace(raw, operand=operand) if raw.error == 0 else self.clamped(raw, operand)

    def present(self, raw: Quantity) -> Quantity:
        """Return 1 where a column has a value and 0 where it is missing."""
        is_missing = self.call("equals", raw.operand, self.missing)
        return self.flag(is_missing, self.one, -self.one)

    def equal(self, quantity: Quantity, number: int) -> Quantity:
        """Return 1 where a category has this number and 0 elsewhere."""
        wanted = nearest(Fraction(number), quantity.fraction)
        return self.flag(self.call("equals", quantity.operand, wanted))

    @property
    def one(self) -> int:
        """Return the integer that stands for 1 in a flag.

        It is not 1: all weights of a sum share one scale with the values that they multiply, and
        beside a flag of one digit, the weights of other columns would have few digits left.
        """
        return 1 << (self.bits - 2)

    def flag(self, truth: Operand, bias: int = 0, weight: int | None = None) -> Quantity:
        """Return 1 where a truth is 1, and 0 where it is 0; other ends if they are given."""
        flag = self.sum(((truth, self.one if weight is None else weight),), bias, 0)
        return Quantity(flag, self.bits - 2, 0.0, 1.0, 0.0, 0, self.one)

    # Sums.

    def store(self, form: Form, bits: int | None = None) -> Quantity:
        """Compute a form as one integer of so many bits; by default, those of a stored value."""
        most = largest(bits or self.bits)
        if form.is_constant:
            return self.constant(form, most)
        own = _alone(form)
        if own is not None and own.size <= most:
            return own
        sum_ = accumulate(form, largest(self.bits))
        shift = 0
        while not _fits_when_shifted(sum_, shift, most):
            shift += 1
        return self.rounded_sum(form, sum_, shift)

    def rounded_sum(self, form: Form, sum_: Accumulator, shift: int) -> Quantity:
        """Divide a sum by 2^shift, rounded."""
        assert 0 <= shift <= MOST_SHIFT, shift
        half = (1 << shift) >> 1
        fraction = sum_.fraction - shift
        refuse_extreme(fraction)
        error = Fraction(sum_.error) + (power_of_two(-fraction - 1) if shift else 0)
        operand = self.sum(sum_.terms, sum_.bias + half, shift)
        least, most = (sum_.least + half) >> shift, (sum_.most + half) >> shift
        return Quantity(operand, fraction, form.low, form.high, above(error), least, most)

    def constant(self, form: Form, most: int) -> Quantity:
        """Return a constant with as many digits as fit."""
        size = abs(form.constant)
        fraction = floor_log2(most / size) if size else 0
        fraction -= abs(nearest(size, fraction)) > most
        return self.number(form, fraction)

    def number(self, form: Form, fraction: int) -> Quantity:
        """Return a constant with so many digits after the point."""
        refuse_extreme(fraction)
        value = nearest(form.constant, fraction)
        error = abs(form.constant - value * power_of_two(-fraction)) + Fraction(form.rounding)
        return Quantity(
            WholeNumber(value), fraction, form.low, form.high, above(error), value, value
        )

    def aligned(self, quantity: Quantity, fraction: int) -> Quantity:
        """Round a value to fewer digits after the point."""
        shift = quantity.fraction - fraction
        if shift <= 0:  # negative only for 0, which has any number of digits
            return replace(quantity, fraction=fraction)
        half = (1 << shift) >> 1
        least, most = (quantity.least + half) >> shift, (quantity.most + half) >> shift
        if least == most:
            operand: Operand = WholeNumber(least)
        elif isinstance(quantity.operand, WholeNumber):
            operand = WholeNumber((quantity.operand.value + half) >> shift)
        elif shift <= 30:
            operand = self.call("rounded", quantity.operand, shift)
        else:
            operand = WholeNumber(0)
        error = above(Fraction(quantity.error) + power_of_two(-fraction - 1))
        return Quantity(operand, fraction, quantity.low, quantity.high, error, least, most)

    def together(self, forms: Sequence[Form], bits: int | None = None) -> list[Quantity]:
        """Compute forms as integers with the same digits after the point."""
        stored = [self.store(form, bits) for form in forms]
        # A constant 0 has any number of digits.
        decisive = [q.fraction for q in stored if q.operand != WholeNumber(0)] or [0]
        fraction = min(decisive)
        return [
            self.number(form, fraction) if form.is_constant else self.aligned(one, fraction)
            for form, one in zip(forms, stored, strict=True)
        ]

    # Tables.

    def argument(self, form: Form, fraction: int, limits: tuple[int, int]) -> Quantity:
        """Compute the argument of a table, with so many digits after the point."""
        if form.is_constant:
            number = self.number(form, fraction)
            value = min(max(number.least, limits[0] - 1), limits[1] + 1)
            return replace(number, operand=WholeNumber(value), least=value, most=value)
        sum_ = accumulate(form, largest(self.bits), fraction)
        if sum_.fraction >= fraction:
            return self.rounded_sum(form, sum_, sum_.fraction - fraction)
        # A large sum has fewer digits, so zeros are appended. It is clamped first, because values
        # beyond the limits could need more than 32 bits.
        lack = fraction - sum_.fraction
        whole = self.rounded_sum(form, sum_, 0)
        least, most = (limits[0] >> lack) - 1, (limits[1] >> lack) + 1
        clamped = self.call("clamp", whole.operand, least, most)
        lack = min(lack, RESULT_BITS)  # then any value other than 0 is beyond the limits
        operand = self.sum(((clamped, 1 << lack),), 0, 0)
        reach = (max(whole.least, least) << lack, min(whole.most, most) << lack)
        return Quantity(operand, fraction, form.low, form.high, whole.error, *reach)

    def looked(self, sampled: SampledCurve, argument: Quantity) -> Quantity:
        """Look up an argument that has the digits of the table, and bound the result."""
        assert argument.fraction == sampled.argument_fraction
        table = sampled.table
        operand = self.look(table, argument.operand)
        reach = argument.least, argument.most
        window = sampled.window(argument.low, argument.high, argument.error, reach)
        key = (table, *window)
        if key not in self._errors:
            self._errors[key] = sampled.error(*window)
        error = self._errors[key]
        low, high = sampled.curve.over(argument.low, argument.high)
        ends = min(table.entries), max(table.entries)
        if table.look == "look_odd":
            ends = min(ends[0], table.total - ends[1]), max(ends[1], table.total - ends[0])
        return Quantity(operand, sampled.fraction, low, high, error, *ends)


def _alone(form: Form) -> Quantity | None:
    """Return the one quantity that a form consists of, times a power of two, or None."""
    if form.constant or len(form.terms) != 1:
        return None
    ((quantity, weight),) = form.terms
    if quantity.zero or weight < 0 or power_of_two(floor_log2(weight)) != weight:
        return None
    digits = quantity.fraction - floor_log2(weight)
    error = above(Fraction(quantity.error) * weight + Fraction(form.rounding))
    return Quantity(
        quantity.operand, digits, form.low, form.high, error, quantity.least, quantity.most
    )


def _fits_when_shifted(sum_: Accumulator, shift: int, most: int) -> bool:
    """Return whether a sum that is shifted with rounding has at most this size."""
    half = (1 << shift) >> 1
    return (sum_.least + half) >> shift >= -most and (sum_.most + half) >> shift <= most
