"""The connections of phenotypes are those that a person counts."""

import pytest

from dsgec.network.parse import parse_phenotype
from dsgec.network.simplify import simplify
from dsgec.network.structure import count_connections, measure_size


@pytest.mark.parametrize(
    ("text", "layered", "connections"),
    [
        ("1.5", False, 0),
        ("0.5 * x_1", False, 1),
        ("0.5 * sig(x_1 + 2 * x[3] + x2) + 1", False, 4),
        ("0.5 * sig(x_1) + 2 * sig(x_1)", False, 4),  # equal neurons, each written out
        ("softmax(sig(x_1), x_2)", False, 3),
        ("x_1^2 * np.tanh(x_1)", False, 3),
        ("sig(x_1)-sig(x_2)--sig(h_1_1+h_1_2)", True, 4),
        ("sig(x_1)-sig(x_2+x_3)--sig(h_1_1)", True, 2),  # nothing reads the second
        ("sig(x_1)-sig(x_2)--sig(h_1,1)-sig(h_1_2+x_1)--2*h_2_1+x_3", True, 4),
        ("sig(x_1)--sig(h_1_1 + h_1_1)--h_2_1 * 0 + h_1_1", True, 5),
        ("sig(x_1)--1e-3--2.0e+1 * x_7", True, 1),
    ],
)
def test_connections_of_a_phenotype(text, layered, connections):
    assert count_connections(text, layered=layered) == connections


def test_simplification_leaves_fewer_connections():
    text = "sig(x_1)-sig(x_1)--1*h_1_1+0*h_1_2"
    network = simplify(parse_phenotype(text, layered=True))
    # x_1 is read by the one neuron, which the output reads twice.
    assert measure_size(network).connections == 3
    assert count_connections(text, layered=True) == 4
