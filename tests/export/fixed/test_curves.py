"""Tables of functions of one argument, and bounds of their values."""

import math

import numpy as np
import pytest

from dsgec.export.fixed.curves import curve, power_of
from dsgec.export.fixed.function_tables import sample
from dsgec.network.model import unnamed_model
from dsgec.network.parse import parse
from tests.support.fixed_models import fixed_artefact


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [
        ("sin", 1.0, 2.0),
        ("sin", -0.5, 0.5),
        ("cos", 3.0, 3.3),
        ("cos", -40.0, 40.0),
        ("sin", 999_999.5, 1_000_002.0),
        ("sqrt", -2.0, 1.0),
        ("log", 0.5, 3.0),
        ("tanh", -1.0, 2.0),
        ("abs", -1.0, 0.25),  # by its slope, as any function that is added
    ],
)
def test_the_values_of_a_function_over_an_interval_are_enclosed(function, low, high):
    found = curve(function, low, high)
    least, most = found.over(low, high)
    values = found.value(np.linspace(low, high, 100_001))

    assert least <= values.min()
    assert values.max() <= most
    assert most - least <= (values.max() - values.min()) * 1.01 + 2 * (high > 999_999)


def test_the_logarithm_has_no_limit_at_0():
    assert curve("log", -1.0, 1.0).over(-1.0, 1.0)[0] == -math.inf
    assert power_of(-1.5).over(-1.0, 1.0)[1] == math.inf


def test_half_a_table_is_enough_for_a_function_with_a_symmetry():
    looks = {
        function: sample(curve(function, -3.0, 3.0), -3.0, 3.0, 16).table.look
        for function in ("sig", "tanh", "sin", "cos", "sqrt", "exp")
    }

    assert looks == {
        "sig": "look_odd",
        "tanh": "look_odd",
        "sin": "look_odd",
        "cos": "look_even",
        "sqrt": "look_even",
        "exp": "look",
    }


def test_what_a_table_is_asked_for_is_within_its_entries():
    sampled = sample(curve("exp", -100.0, 2.0), -100.0, 2.0, 16)
    table = sampled.table

    assert len(table.entries) == ((table.last - table.first) >> table.shift) + 2
    assert sampled.first * 2.0**-sampled.argument_fraction > -20  # before that it is 0


def test_neurons_of_one_function_share_one_table():
    text = "sig(x_1) + sig(2 * x_2) + sig(x_1 - x_2) + tanh(x_1) + tanh(x_2)"
    program = fixed_artefact(unnamed_model(parse(text, inputs=2))).number_format.fixed.program

    assert len(program.tables) == 2
