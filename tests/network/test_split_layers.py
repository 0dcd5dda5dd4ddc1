"""Phenotypes are split into layers and neurons."""

import pytest

from dsgec.network.syntax import count_neurons, split_layers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", [["a"]]),
        ("a-b--c", [["a", "b"], ["c"]]),
        ("a - b -- c", [["a ", " b "], [" c"]]),
        ("sig(a-b--c)-d", [["sig(a-b--c)", "d"]]),
        ("-a--b", [["-a"], ["b"]]),
        ("-a---b", [["-a"], ["-b"]]),
        ("a*-b-c", [["a*-b", "c"]]),
        ("1e-5*a-2E-3", [["1e-5*a", "2E-3"]]),
        ("max(a,-b)-c", [["max(a,-b)", "c"]]),
        ("", [[""]]),
    ],
)
def test_separators_outside_parentheses_cut(text, expected):
    assert [[text[start:end] for start, end in layer] for layer in split_layers(text)] == expected


def test_neurons_of_a_layer_are_counted():
    assert count_neurons("sig(x_1)-sig(x_2)-(-3)") == 3
