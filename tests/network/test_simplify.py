"""Simplification removes nodes and changes no bit of any output."""

import pytest

from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Apply, check
from dsgec.network.parse import parse, parse_phenotype
from dsgec.network.simplify import simplify
from dsgec.network.structure import Size, measure_size
from dsgec.network.text import network_text
from tests.support.random_networks import random_network, rows, same_bits


@pytest.mark.parametrize("seed", range(150))
def test_outputs_stay_the_same_to_the_last_bit(seed):
    raw = random_network(seed)
    simple = check(simplify(raw))
    table = rows(seed, 60, raw.inputs)

    assert len(simple.nodes) <= len(raw.nodes)
    assert same_bits(evaluate(simple, table), evaluate(raw, table))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x_1 * 1", "x_1"),
        ("1 * x_1", "x_1"),
        ("x_1 / 1", "x_1"),
        ("x_1 - 0", "x_1"),
        ("x_1 + -0.0", "x_1"),
        ("-0.0 + x_1", "x_1"),
        ("--x_1", "x_1"),
        ("x_1 ^ 1", "x_1"),
        ("x_2 * x_1 ^ 0", "x_2"),
        ("2 * 3 + x_1", "6.0 + x_1"),
        ("sig(0) * x_1", "0.5 * x_1"),
        ("3 / 0 + x_1", "1.0 + x_1"),
        ("x_1 ^ (1 + 1)", "power(x_1, 2.0)"),
        # These would change a bit for some input.
        ("x_1 + 0", "x_1 + 0.0"),
        ("x_1 - -0.0", "x_1 - -0.0"),
        ("x_1 * 0", "x_1 * 0.0"),
        ("0 - x_1", "0.0 - x_1"),
        ("x_1 - x_1", "x_1 - x_1"),
        ("x_1 / x_1", "x_1 / x_1"),
        # Not a finite number, so there is no literal for it.
        ("exp(1000) * x_1", "exp(1000.0) * x_1"),
    ],
)
def test_only_exact_rewrites_are_made(before, after):
    assert network_text(simplify(parse(before))).splitlines()[-1] == f"y_1 = {after}"


def test_dead_equal_and_constant_neurons_are_removed():
    raw = parse_phenotype(
        "sig(x_1)-sig(x_2)-sig(x_1)-sig(2)--tanh(h_1_2)-tanh(x_3)--sig(h_1_1+h_1_3+h_1_4*x_1)",
        layered=True,
        inputs=3,
    )

    assert network_text(simplify(raw)) == (
        "inputs = 3\nh_1_1 = sig(x_1)\ny_1 = sig(h_1_1 + h_1_1 + 0.8807970779778823 * x_1)\n"
    )


def test_the_size_counts_what_the_outputs_depend_on():
    raw = parse_phenotype(
        "sig(0.5*x_1+0.2*x_1+1)-sig(x_2)-sig(x_4)--sig(h_1_1*x_1+h_1_2)-sig(x_3)--sig(h_2_1+h_1_1)",
        layered=True,
        inputs=4,
    )

    assert measure_size(simplify(raw)) == Size(
        layers=2, neurons=3, features=2, connections=2 + 1 + 3 + 2
    )


def test_a_layer_whose_neurons_are_dead_is_no_layer():
    raw = parse_phenotype("sig(x_1)--sig(x_2)--sig(h_1_1)", layered=True)

    assert measure_size(simplify(raw)) == Size(layers=1, neurons=1, features=1, connections=2)
    assert all(isinstance(simplify(raw).nodes[p], Apply) for p in simplify(raw).layers[0])
