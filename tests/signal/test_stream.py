"""The rules of the program of a stream are proved for all samples of a window."""

from dataclasses import replace

import pytest

from dsgec.program.walk import InvalidProgram
from dsgec.signal.stream import check_stream, largest_sample
from tests.support.streams import SIGNAL, hand_made


def test_the_ranges_of_features_are_those_of_all_samples():
    most = largest_sample(SIGNAL)
    sums, widths = [(-8 * most, 8 * most)] * 2, [(-2 * most, 2 * most)] * 2
    assert check_stream(hand_made(), SIGNAL) == [*sums, *widths]


def test_a_state_that_leaves_its_type_is_refused():
    with pytest.raises(InvalidProgram, match="not int16"):
        check_stream(hand_made(), replace(SIGNAL, bits=17))


def test_a_state_that_is_not_written_is_refused():
    program = hand_made()
    first = replace(program.procedures[0], body=())
    with pytest.raises(InvalidProgram, match="not written"):
        check_stream(replace(program, procedures=(first, *program.procedures[1:])), SIGNAL)
