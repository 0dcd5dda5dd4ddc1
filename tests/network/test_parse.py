"""A phenotype is parsed into the expected network, or refused with the place of the fault."""

import numpy as np
import pytest

from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Apply, Constant, Input, Network, check
from dsgec.network.parse import parse, parse_phenotype
from dsgec.network.syntax import PhenotypeError


def value(text, *features):
    network = check(parse(text, inputs=len(features) or 1))
    return evaluate(network, np.array([features or (0.0,)], dtype=float))[0].tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("24 / 4 / 2", 3.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("2 ** 3", 8.0),
        ("-2 ^ 2", -4.0),
        ("(-2) ^ 2", 4.0),
        ("2 ^ -1", 0.5),
        ("0 ^ -1", 1.0),
        ("7 ^ 0", 1.0),
        ("-3 * -2", 6.0),
        ("1 - -1", 2.0),
        ("1--1", 2.0),
        ("- - 3", 3.0),
        ("+3 + +4", 7.0),
        ("5 / 0", 1.0),
        ("1.5e2 + .5 + 2.", 152.5),
        ("min(3, 2) + max(4, 5)", 7.0),
        ("abs(-3)", 3.0),
        ("sqrt(-16)", 4.0),
        ("log(0)", 0.0),
        ("relu(-1) + relu(2)", 2.0),
        ("np.sqrt(9) + _abs_(-1) + psqrt(4) + pdiv(1, 0)", 7.0),
        ("sigmoid(0)", 0.5),
        ("power(-2, 3)", 8.0),
        ("pow(-2, 3)", -8.0),
    ],
)
def test_an_expression_has_its_mathematical_value(text, expected):
    assert value(text) == [expected]


@pytest.mark.parametrize("text", ["x2", "x_2", "x[1]", "x[:, 1]", "x[ 1 ]", "x[:,1]"])
def test_a_feature_can_be_written_in_every_common_way(text):
    assert value(text, 10.0, 20.0) == [20.0]


def test_layers_and_neurons_are_split_at_separators_outside_parentheses():
    network = parse_phenotype(
        "sig(x_1-1)-(-2*x_2)--h_1_1+h_1_2-tanh(h_1_1)--h_2_1-h_2_2", layered=True
    )
    check(network)

    assert [len(layer) for layer in network.layers] == [2, 2]
    assert len(network.outputs) == 2


def test_a_sign_at_the_start_of_a_neuron_is_no_separator():
    network = parse_phenotype("-x_1 - -2*x_1*-1e-1 -- -h_1_1*h_1_2", layered=True)

    assert [len(layer) for layer in network.layers] == [2]
    assert evaluate(network, np.array([[3.0]])).tolist() == [[3.0 * (-6.0 * -0.1)]]


def test_both_spellings_of_a_hidden_neuron_are_read():
    network = parse_phenotype("sig(x_1) -- h_1,1 * h_1_1", layered=True)

    assert network.nodes[-1] == Apply("mul", (1, 1))


def test_neurons_of_a_lone_expression_are_its_activations():
    network = parse_phenotype(
        "0.5*sig(x_1) + 2*tanh(sig(x_1) + x_2)", layered=False, output="sigmoid"
    )

    assert [len(layer) for layer in network.layers] == [1, 1]
    assert network.nodes[network.outputs[0]] == Apply("sig", (len(network.nodes) - 2,))


def test_equal_nodes_are_one_node_but_the_two_zeros_are_not():
    network = parse("(x_1 + 0.0) * (x_1 + 0.0) + (x_1 + -0.0)")

    assert [n for n in network.nodes if isinstance(n, Constant)] == [Constant(0.0), Constant(-0.0)]
    assert sum(isinstance(n, Input) for n in network.nodes) == 1
    check(network)


def test_softmax_gives_one_output_for_each_argument():
    network = parse_phenotype("sig(x_1)-sig(-x_1)--softmax(h_1_1, h_1_2, 0.5)", layered=True)

    outputs = evaluate(network, np.array([[1.0]]))[0]
    e = np.exp([1 / (1 + np.exp(-1.0)), 1 / (1 + np.exp(1.0)), 0.5])
    assert outputs == pytest.approx(e / e.sum(), rel=1e-14)


FAULTS = [
    ("", 1, "expected a number, a feature, a neuron or a function, found the end"),
    ("1 +", 4, "found the end"),
    ("1 2", 3, "expected an operator or the end, found `2`"),
    ("foo(1)", 1, "`foo` is not known"),
    ("sig", 1, "`sig` is a function"),
    ("sig 1", 1, "`sig` is a function"),
    ("(1 + 2", 1, "never closed"),
    ("1 + 2)", 6, "without an open parenthesis"),
    ("(1, 2)", 3, "between the arguments of a function"),
    ("min(1)", 1, "`min` takes 2 arguments, not 1"),
    ("sig(1, 2)", 1, "`sig` takes 1 argument, not 2"),
    ("sig()", 5, "expected a number"),
    ("x_0", 3, "there is no `x_0`"),
    ("x_9", 3, "there are 3 features"),
    ("x[3]", 3, "there are 3 features"),
    ("x_99999999999999999999999", 3, "there are 3 features"),
    ("h_1_1", 1, "no neuron 1 in an earlier layer 1"),
    ("1e999", 1, "too large"),
    ("1 $ 2", 3, "found `$`"),
    ("softmax(1, 2) + 1", 15, "the whole of the output layer"),
    ("1 + softmax(1, 2)", 5, "the whole of the output layer"),
    ("softmax(1, 2", 1, "never closed"),
    ("sig(softmax(1, 2))", 5, "the whole of the output layer"),
    ("h_1_1 = x_1", 12, "no output"),
    ("y_1 = x_1\nh_1_1 = x_1", 1, "nothing may follow the outputs"),
    ("h_2_1 = x_1\ny_1 = x_1", 1, "`h_2_1` is out of order"),
    ("y_2 = x_1", 1, "expected `y_1 = …`"),
    ("y_1, y_2 = x_1", 1, "expected `y_1 = …`"),
    ("y_1 = softmax(1, 2)", 1, "expected `y_1, y_2 = …`"),
    ("h_1_1 = softmax(1, 2)\ny_1 = 1", 8, "the whole of the output layer"),
    ("z = 3", 1, "not an equation"),
    ("inputs = many\ny_1 = 1", 9, "the number of inputs"),
    ("inputs = 4\ny_1 = x_1", 9, "there are 3 features, not 4"),
    ("h_1_1 = x_1\ninputs = 3\ny_1 = 1", 1, "only be the first equation"),
    ("inputs = 3\ninputs = 3\ny_1 = 1", 1, "only be the first equation"),
    ("h_0_0 = 1\ny_1 = 1", 1, "`h_0_0` is out of order"),
]


@pytest.mark.parametrize(("text", "column", "message"), FAULTS)
def test_a_fault_is_reported_with_its_place(text, column, message):
    with pytest.raises(PhenotypeError) as caught:
        parse(text, inputs=3, source="net")

    assert message in str(caught.value)
    assert caught.value.faults[0].span.column == column


def test_a_neuron_does_not_see_its_own_layer():
    with pytest.raises(PhenotypeError, match="no neuron 1 in an earlier layer 1"):
        parse_phenotype("sig(x_1)-sig(h_1_1)--h_1_1", layered=True)


@pytest.mark.parametrize("depth", [10_000, pytest.param(100_000, marks=pytest.mark.campaign)])
def test_nesting_costs_no_recursion(depth):
    assert value("(" * depth + "x_1" + ")" * depth, 4.0) == [4.0]
    assert len(parse("sig(" * depth + "x_1" + ")" * depth).nodes) == depth + 1


def test_a_network_file_has_a_limited_number_of_features():
    for text in ("y_1 = x_9999999", "inputs = 9999999\ny_1 = 1", "x_100001"):
        with pytest.raises(PhenotypeError, match="100000"):
            parse(text)


@pytest.mark.timeout(60)  # quadratic, it took many minutes
def test_a_long_text_of_signs_is_parsed_in_linear_time():
    network = parse_phenotype("x_1" + "*-1" * 100_000, layered=True)

    assert len(network.nodes) == 100_002


def test_a_long_phenotype_parses():
    text = "+".join(f"{i % 7}.25*x_{i % 30 + 1}" for i in range(8000))
    assert len(text) > 50_000

    assert isinstance(parse(text, inputs=30), Network)


def test_a_phenotype_with_equations_is_refused():
    with pytest.raises(PhenotypeError, match="`y_1` is not known"):
        parse_phenotype("y_1 = x_1", layered=False)
