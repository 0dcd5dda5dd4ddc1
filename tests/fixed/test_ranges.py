"""Ranges of columns, as a user gives them."""

import pytest

from dsgec.errors import DsgecError
from dsgec.fixed.ranges import chosen_ranges, parse_ranges
from dsgec.network.model import Column

COLUMNS = (Column("a"), Column("b=c"), Column("colour", categories=("red", "green")))


def test_a_range_belongs_to_the_name_before_the_last_equals_sign():
    assert parse_ranges(["a=0:4095", "b=c=-1e3:.5"]) == {"a": (0.0, 4095.0), "b=c": (-1000.0, 0.5)}


@pytest.mark.parametrize(
    "text", ["", "a", "a=1", "0:1", "=0:1", "a=:", "a=1:0", "a=0:inf", "a=nan:1", "a=0:1:2"]
)
def test_what_is_not_a_range_is_refused(text):
    with pytest.raises(DsgecError, match="COLUMN=LO:HI"):
        parse_ranges([text])


def test_a_star_stands_for_all_columns_of_numbers_that_are_not_named():
    given = {"*": (0.0, 1.0), "a": (2.0, 3.0)}
    assert chosen_ranges(COLUMNS, (), given) == ((2.0, 3.0), (0.0, 1.0), None)


def test_recorded_ranges_are_widened_by_a_sixteenth_and_given_ones_are_not():
    recorded = ((0.0, 16.0), (0.0, 16.0), None)
    assert chosen_ranges(COLUMNS, recorded, {"b=c": (0.0, 16.0)}) == (
        (-1.0, 17.0),
        (0.0, 16.0),
        None,
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"d": (0.0, 1.0)}, "names `d`, which is not a column"),
        ({"colour": (0.0, 1.0)}, "names `colour`, a column of texts"),
        ({"a": (1.0, 0.0)}, "for `a`"),
    ],
)
def test_ranges_that_no_column_can_have_are_refused(given, message):
    with pytest.raises(DsgecError, match=message):
        chosen_ranges(COLUMNS, (), given)
