"""A formula with a pole within the training ranges is refused in favour of the next one."""

import numpy as np
import pytest

import dsgec
from dsgec.api.datasets import read_dataset
from dsgec.data.options import Preprocessing
from dsgec.grammar.load import parse as parse_grammar
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Column
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from dsgec.run.poles import ALL_POLES_NOTE, POLE_NOTE, feature_box, has_pole, without_poles
from dsgec.search.individual import Champion
from dsgec.search.problem import make_problem
from dsgec.search.settings import Settings
from tests.support.random_networks import random_network

BOX = [(-1.0, 2.0), (0.5, 3.0)]
GRAMMAR = """
%output linear
<expr> ::= x_2 + 1 / x_1 | x_2 | 1 / (x_1 * x_1 + 1)
"""


@pytest.mark.parametrize(
    "text",
    [
        "1 / x_1",
        "x_2 / (x_1 - 1)",
        "1 / (x_1 - x_2)",
        "log(x_1)",
        "log(x_1 * x_2)",
        "x_1 ^ -2",
        "power(x_1, -0.5)",
        "power(x_1, x_2 - 1)",
        "1 / sin(2 * x_2)",
        "1 / (x_1 * x_1)",
        "sig(1 / (x_2 - 3))",
        "1 / relu(x_1)",
        "1 / min(x_1, x_2)",
    ],
)
def test_a_pole_inside_is_found(text):
    assert has_pole(simplify(parse(text, inputs=2)), BOX)


@pytest.mark.parametrize(
    "text",
    [
        "x_1 / 3",
        "1 / x_2",
        "1 / (x_1 * x_1 + 0.01)",
        "1 / (x_1 ^ 2 + 0.01)",
        "1 / (x_1 - 2.5)",
        "log(x_2)",
        "log(abs(x_1) + 1)",
        "sqrt(x_1)",
        "x_1 ^ 3",
        "x_2 ^ -3",
        "power(x_1, 0.5)",
        "power(x_2, x_1)",
        "1 / exp(x_1)",
        "1 / (1 + sig(x_1))",
        "1 / (x_1 * x_2 - x_1 + 4)",  # which intervals of the whole box cannot tell
        "1 / (x_1 * x_1 - 2 * x_1 + 1.5)",  # at least 0.5, but not term by term
        "1 / max(x_1, x_2)",
    ],
)
def test_what_has_no_pole_inside_is_kept(text):
    assert not has_pole(simplify(parse(text, inputs=2)), BOX)


@pytest.mark.parametrize("seed", range(60))
def test_a_network_without_a_pole_stays_within_bounds_everywhere(seed):
    net = simplify(random_network(seed))
    box = [(-2.0, 1.5)] * net.inputs
    rows = np.random.default_rng(seed).uniform(-2.0, 1.5, (4000, net.inputs))
    inner = [
        one for one in net.nodes if getattr(one, "function", "") in ("div", "log", "pow", "power")
    ]
    if has_pole(net, box) or not inner:
        return
    # An oracle by rows: no denominator changes its sign, so none has a zero in between.
    for node in inner:
        if node.function == "div":
            part = simplify(type(net)(net.inputs, net.nodes, (), (node.arguments[1],)))
            values = evaluate(part, rows)[:, 0]
            assert (values > 0).all() or (values < 0).all() or not np.ptp(values)


def test_intervals_of_features_are_scaled_and_hold_what_stands_for_missing_values():
    columns = (
        Column("a", fill=9.0, center=1.0, scale=2.0, marked=True),
        Column("b", "category", ("x", "y")),
        Column("c", "constant"),
    )

    assert feature_box(columns, ((0.0, 5.0), None, None)) == [(-0.5, 4.0), *[(0.0, 1.0)] * 3]


def table(rows=120):
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, (rows, 2))
    x[:, 0] += 0.05 * np.sign(x[:, 0])
    return x, 1 / x[:, 0] + x[:, 1]


def champions(*phenotypes):
    return [Champion(place, float(place), text) for place, text in enumerate(phenotypes)]


def test_the_best_without_a_pole_is_taken():
    x, y = table()
    dataset = read_dataset(x, y, None, Preprocessing(scale="none"), name="t")
    problem = make_problem(parse_grammar(GRAMMAR, "g"), dataset, Settings())
    pole, line, smooth = champions("1/x_1", "x_2", "1/(x_1*x_1+1)")

    assert without_poles(problem, pole, [line, pole, smooth]) == (line, [line, smooth], POLE_NOTE)
    assert without_poles(problem, line, [line, pole]) == (line, [line], "")
    assert without_poles(problem, pole, [pole]) == (pole, [pole], ALL_POLES_NOTE)


def test_a_run_refuses_a_formula_with_a_pole_and_says_so(tmp_path):
    x, y = table()
    grammar = dsgec.parse_grammar(GRAMMAR, name="pole")
    options = {"scale": "none", "generations": 3, "population": 20, "pruning": 2, "tuning": 6}
    run = dsgec.evolve(grammar, x, y, **options)

    assert "/" not in run.network.formula
    assert POLE_NOTE in run.record["result"]["warnings"]
    assert POLE_NOTE in run.notes
    assert not any("1/x_1" in entry.phenotype for entry in run.hall_of_fame)
    loaded = dsgec.load(run.save(tmp_path / "run"))
    assert POLE_NOTE in loaded.notes

    lists = {"variation": "lists", "steps": 0, **options}
    paper = dsgec.evolve(grammar, x, y, preset="paper", **{**options, **lists})
    assert "/ x_1" in paper.network.formula
    assert POLE_NOTE not in paper.record["result"]["warnings"]
