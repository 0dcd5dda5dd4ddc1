"""The functions of integers, compared with exact fractions."""

from fractions import Fraction

import numpy as np

from dsgec.arithmetic import integer
from dsgec.arithmetic.printed import vector_integer
from tests.support.fixed_models import Int32


def test_the_reciprocal_is_within_one_and_two_to_the_minus_15_of_the_exact_one():
    for m in range(1 << 14, 1 << 15):
        exact = Fraction(1 << 29, m)
        found = integer.reciprocal(m)
        assert found <= 32767
        assert abs(found - exact) <= 1
        assert abs(found - exact) <= exact / (1 << 15)


def test_room_and_excess_bring_a_number_to_15_bits():
    for a in range(1, 1 << 15):
        assert 1 << 14 <= a << integer.room(a) < 1 << 15
    for bits in range(14, 31):
        for a in (1 << bits, (1 << bits) + 1, (1 << (bits + 1)) - 1):
            assert 1 << 14 <= a >> integer.excess(a) < 1 << 15


def test_a_shift_rounds_to_the_nearest_and_up_from_the_middle():
    for a in range(-40, 40):
        for shift in range(5):
            wanted = (Fraction(a, 1 << shift) + Fraction(1, 2)).__floor__()
            assert integer.rounded(a, shift) == wanted


def test_a_quotient_is_as_near_as_the_reciprocal_allows_and_stays_within_32_bits():
    rng = np.random.default_rng(0)
    for _ in range(3000):
        b = int(rng.integers(1, 32768)) * int(rng.choice([-1, 1]))
        a = int(rng.integers(-32767, 32768))
        digits = 0
        while abs(a or 1) << (digits + 1) <= 32000 * abs(b):
            digits += 1
        found = int(integer.quotient(Int32(a), Int32(b), Int32(29 - digits)))
        exact = Fraction(a << digits, b)
        assert abs(found - exact) <= abs(exact) / (1 << 15) + Fraction(1, 2)


def test_a_table_is_read_between_its_entries():
    table = [0, 10, 30]
    assert [integer.look(table, a, -4, 4, 3) for a in (-99, -4, 0, 4, 99)] == [0, 0, 5, 10, 10]
    assert [integer.look_odd([0, 8, 12], a, 8, 3, 0) for a in (-99, -4, 0, 4, 8)] == [
        -8,
        -4,
        0,
        4,
        8,
    ]
    assert [integer.look_even([1, 9, 12], a, 8, 3) for a in (-8, -4, 0, 4)] == [9, 5, 1, 5]


def test_a_number_between_two_is_on_the_line_and_rounded():
    for a, b in ((-100, 27), (5, 5), (64, 80), (120, -7)):
        for part in range(256):
            wanted = (a + Fraction((b - a) * part, 256) + Fraction(1, 2)).__floor__()
            assert integer.between(a, b, part) == wanted


def test_arrays_give_what_single_numbers_give():
    rng = np.random.default_rng(5)
    a, b = rng.integers(-32767, 32768, (2, 500)).astype(np.int32)
    b[b == 0] = 1
    for name, rest in (
        ("clamp", (-100, 900)),
        ("absolute", ()),
        ("fill", (-5, 7)),
        ("equals", (3,)),
        ("rounded", (4,)),
        ("shifted", (4,)),
    ):
        one, many = getattr(integer, name), getattr(vector_integer, name)
        assert many(a, *rest).tolist() == [one(x, *rest) for x in a.tolist()]
    for name, rest in (("minimum", ()), ("maximum", ()), ("product", (9,)), ("quotient", (29,))):
        one, many = getattr(integer, name), getattr(vector_integer, name)
        wanted = [one(x, y, *rest) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
        assert many(a, b, *rest).tolist() == wanted
