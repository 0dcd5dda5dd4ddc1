"""Weighted sums of quantities, as the analysis of fixed point computes them."""

from fractions import Fraction

from dsgec.export.fixed.forms import Quantity, add, negate, quantity_form, scale
from dsgec.export.fixed.ir import ColumnValue


def quantity(number):
    return Quantity(ColumnValue(number), 15, 0.0, 1.0, 2.0**-16, 0, 32767)


def test_terms_that_cancel_are_gone_and_come_back_as_the_last():
    a, b = quantity_form(quantity(1)), quantity_form(quantity(2))
    both = add(a, scale(b, Fraction(3)))

    assert both.terms == ((quantity(1), 1), (quantity(2), 3))
    assert add(both, a, -1).terms == ((quantity(2), 3),)
    assert add(add(both, a, -1), a).terms == ((quantity(2), 3), (quantity(1), 1))
    assert add(both, negate(both)).is_constant


def test_the_time_of_a_long_sum_does_not_go_into_its_earlier_terms(monkeypatch):
    """A neuron of thousands of inputs is summed term by term."""
    hashed = 0
    own = Quantity.__hash__

    def counting(self):
        nonlocal hashed
        hashed += 1
        return own(self)

    monkeypatch.setattr(Quantity, "__hash__", counting)
    total = quantity_form(quantity(0))
    for number in range(1, 200):
        total = add(total, quantity_form(quantity(number)))

    assert len(total.terms) == 200
    assert hashed < 2000
