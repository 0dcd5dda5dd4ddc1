"""The text of a network is parsed back into the same network."""

import pytest

from dsgec.network.ir import check
from dsgec.network.parse import parse, parse_phenotype
from dsgec.network.simplify import simplify
from dsgec.network.text import network_text
from tests.support.random_networks import random_network


@pytest.mark.parametrize("seed", range(150))
def test_text_reads_back_as_the_same_network(seed):
    raw = check(random_network(seed))
    assert parse(network_text(raw)) == raw
    assert network_text(parse(network_text(raw))) == network_text(raw)

    simple = check(simplify(raw))
    assert parse(network_text(simple)) == simple
    assert simplify(simple) == simple


@pytest.mark.parametrize(
    ("phenotype", "expected"),
    [
        ("x_1 - (x_2 - x_3)", "x_1 - (x_2 - x_3)"),
        ("(x_1 - x_2) - x_3", "x_1 - x_2 - x_3"),
        ("x_1 * (x_2 + 1)", "x_1 * (x_2 + 1.0)"),
        ("-(x_1 * x_2)", "-(x_1 * x_2)"),
        ("(-x_1) * x_2", "-x_1 * x_2"),
        ("(-x_1) ^ 2", "(-x_1) ^ 2.0"),
        ("-x_1 ^ 2", "-x_1 ^ 2.0"),
        ("(x_1 ^ 2) ^ 3", "(x_1 ^ 2.0) ^ 3.0"),
        ("x_1 ^ x_2 ^ 2", "power(x_1, x_2 ^ 2.0)"),
        ("-(2)", "-(2.0)"),
        ("min(x_1, -0.5)", "min(x_1, -0.5)"),
    ],
)
def test_parentheses_stand_where_they_are_needed(phenotype, expected):
    parsed = parse(phenotype)

    assert network_text(parsed).splitlines()[-1] == f"y_1 = {expected}"
    assert parse(network_text(parsed)) == parsed


def test_a_network_is_printed_as_equations():
    parsed = parse_phenotype("sig(0.5*x_1+-1)-sig(x_2)--sig(2*h_1_1+h_1_2)", layered=True)

    assert network_text(parsed) == (
        "inputs = 2\n"
        "h_1_1 = sig(0.5 * x_1 + -1.0)\n"
        "h_1_2 = sig(x_2)\n"
        "y_1 = sig(2.0 * h_1_1 + h_1_2)\n"
    )


def test_a_deep_network_is_printed():
    deep = parse("sig(" * 20_000 + "x_1" + ")" * 20_000)

    assert parse(network_text(deep)) == deep
