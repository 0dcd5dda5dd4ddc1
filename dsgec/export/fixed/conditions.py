"""Turn comparisons, logical functions and choices into steps on integers, with error bounds.

Where what is compared is nearly equal, rounding can decide a condition the other way than the
double network does. A condition that the ranges decide, or that compares exact integers, is
certain. Any other is 1 or 0 with an error of 1, and a choice by it has an error as large as its
branches can be apart.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from dsgec.export.fixed.exact import above
from dsgec.export.fixed.forms import Form, Quantity, accumulate, add, constant_form, quantity_form
from dsgec.export.fixed.ir import Operand, WholeNumber, largest
from dsgec.export.fixed.writer import Writer


@dataclass(frozen=True, slots=True)
class Truth:
    """An operand that is 1 or 0; if it `is_certain`, as in the double network on every row."""

    operand: Operand
    is_certain: bool

    @property
    def known(self) -> int | None:
        """Return 1 or 0 if it is that on every row, also in the double network, else None."""
        is_known = self.is_certain and isinstance(self.operand, WholeNumber)
        return self.operand.value if is_known and isinstance(self.operand, WholeNumber) else None


class Conditions:
    """Writes conditions; `truths` are those that stored flags stand for."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.truths: dict[Operand, Truth] = {}
        self.functions: dict[str, Callable[[Form, Form], Truth]] = {
            "lt": lambda a, b: self.positive(_difference(b, a)),
            "le": lambda a, b: self.inverted(self.positive(_difference(a, b))),
            "gt": lambda a, b: self.positive(_difference(a, b)),
            "ge": lambda a, b: self.inverted(self.positive(_difference(b, a))),
            "eq": lambda a, b: self.zero(_difference(a, b)),
            "ne": lambda a, b: self.inverted(self.zero(_difference(a, b))),
            "and": lambda a, b: self.both(self.positive(a), self.positive(b)),
            "or": lambda a, b: self.either(self.positive(a), self.positive(b)),
            "xor": lambda a, b: self.inverted(self.alike(self.positive(a), self.positive(b))),
            "nand": lambda a, b: self.inverted(self.both(self.positive(a), self.positive(b))),
            "nor": lambda a, b: self.inverted(self.either(self.positive(a), self.positive(b))),
        }

    def pair(self, function: str, a: Form, b: Form) -> Form:
        """Return a comparison or a logical function of two forms."""
        return self.flag(self.functions[function](a, b))

    def negation(self, a: Form) -> Form:
        """Return 1 where a form is not greater than 0."""
        return self.flag(self.inverted(self.positive(a)))

    def choice(self, condition: Form, a: Form, b: Form) -> Form:
        """Return one form where a condition is true, and the other elsewhere."""
        truth = self.positive(condition)
        if truth.known is not None:
            return a if truth.known else b
        x, y = self.writer.together([a, b])
        error = Fraction(max(x.error, y.error))
        if not truth.is_certain:
            error += max(Fraction(x.high) - Fraction(y.low), Fraction(y.high) - Fraction(x.low))
        return quantity_form(
            Quantity(
                self.writer.call("selected", truth.operand, x.operand, y.operand),
                x.fraction,
                min(x.low, y.low),
                max(x.high, y.high),
                above(error),
                min(x.least, y.least),
                max(x.most, y.most),
            )
        )

    def flag(self, truth: Truth) -> Form:
        """Return 1 where a condition is true and 0 elsewhere."""
        if truth.known is not None:
            return constant_form(float(truth.known))
        quantity = self.writer.flag(truth.operand)
        self.truths[quantity.operand] = truth
        return quantity_form(replace(quantity, error=0.0 if truth.is_certain else 1.0))

    # Tests.

    def positive(self, form: Form) -> Truth:
        """Return where a form is greater than 0."""
        if form.low > 0 or form.high <= 0:
            return Truth(WholeNumber(int(form.low > 0)), True)
        match form.terms:
            case ():
                return Truth(WholeNumber(int(form.constant > 0)), False)
            case ((quantity, weight),):
                limit = _limit(form, quantity, weight)
                is_certain = quantity.error == form.rounding == 0
                return self.beyond(quantity, limit, is_up=weight > 0, is_certain=is_certain)
        total = accumulate(form, largest(self.writer.bits))
        operand = self.writer.sum(total.terms, total.bias, 0)
        return Truth(self.writer.call("greater", operand, 0), total.error == 0)

    def beyond(
        self, quantity: Quantity, limit: Fraction, *, is_up: bool, is_certain: bool
    ) -> Truth:
        """Return where the integer of a quantity is above a limit or, if not `is_up`, below it."""
        operand = quantity.operand
        end = math.floor(limit) if is_up else math.ceil(limit)
        if operand in self.truths and 0 <= end - (not is_up) < quantity.most:
            truth = self.truths[operand]
            return truth if is_up else self.inverted(truth)
        end = min(max(end, quantity.least - 1), quantity.most + 1)
        if end < quantity.least or end > quantity.most:
            return Truth(WholeNumber(int((end < quantity.least) == is_up)), is_certain)
        found = (operand, end) if is_up else (end, operand)
        return Truth(self.writer.call("greater", *found), is_certain)

    def zero(self, form: Form) -> Truth:
        """Return where a form is 0."""
        if form.low > 0 or form.high < 0:
            return Truth(WholeNumber(0), True)
        match form.terms:
            case ():
                return Truth(WholeNumber(int(form.constant == 0)), form.rounding == 0)
            case ((quantity, weight),):
                limit = _limit(form, quantity, weight)
                is_certain = quantity.error == form.rounding == 0
                if limit != int(limit) or not quantity.least <= limit <= quantity.most:
                    return Truth(WholeNumber(0), is_certain)
                return Truth(self.writer.call("equals", quantity.operand, int(limit)), is_certain)
        total = accumulate(form, largest(self.writer.bits))
        operand = self.writer.sum(total.terms, total.bias, 0)
        return Truth(self.writer.call("equals", operand, 0), total.error == 0)

    # Logical functions.

    def inverted(self, a: Truth) -> Truth:
        """Return where a condition is not true."""
        return Truth(self.writer.sum(((a.operand, -1),), 1, 0), a.is_certain)

    def both(self, a: Truth, b: Truth) -> Truth:
        """Return where two conditions are true."""
        if 0 in (a.known, b.known):
            return Truth(WholeNumber(0), True)
        return self._called("minimum", a, b)

    def either(self, a: Truth, b: Truth) -> Truth:
        """Return where one of two conditions is true, or both are."""
        if 1 in (a.known, b.known):
            return Truth(WholeNumber(1), True)
        return self._called("maximum", a, b)

    def alike(self, a: Truth, b: Truth) -> Truth:
        """Return where two conditions are both true, or both are not."""
        return self._called("equals", a, b)

    def _called(self, function: str, a: Truth, b: Truth) -> Truth:
        operand = self.writer.call(function, a.operand, b.operand)
        return Truth(operand, a.is_certain and b.is_certain)


def _difference(a: Form, b: Form) -> Form:
    """Return a − b as it is compared: without the rounding of a subtraction."""
    return replace(add(a, b, -1), rounding=above(Fraction(a.rounding) + Fraction(b.rounding)))


def _limit(form: Form, quantity: Quantity, weight: Fraction) -> Fraction:
    """Return the integer of the only quantity of a form at which the form is 0."""
    return -form.constant / (weight * quantity.unit) - quantity.zero
