"""The engine computes the gradients of the reference, bit for bit."""

import random

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from dsgec.engine.engine import NATIVE
from dsgec.search.objectives import OBJECTIVES, objectives_of
from dsgec.search.settings import Settings
from tests.support.engine_runs import FAST_FLAGS, OBJECTIVES_OF, make, make_data
from tests.support.example_grammars import FLAT, LAYERED, SHIPPED
from tests.support.gradients import Pair, compare_gradients, make_pair, spans_of
from tests.support.random_grammars import random_grammar
from tests.support.random_phenotypes import expression, first_phenotypes, layered_text, mutate_text

pytestmark = pytest.mark.needs_cc


@pytest.mark.parametrize(
    "grammar",
    [
        pytest.param(name, marks=[pytest.mark.campaign] * (name == "multi_layer_softmax"))
        for name in SHIPPED
    ],
)
def test_every_shipped_grammar_has_the_gradients_of_the_reference(grammar):
    classes = 0 if grammar == "formula" else 2
    for objective in ("rmse", "log-loss") if classes else ("r2",):
        pair = make_pair(grammar, classes, objective)
        rng = random.Random(1)
        outcomes = [
            compare_gradients(pair, rng, text) for text in first_phenotypes(pair.problem, 12)
        ]
        assert outcomes.count("SCORED") >= 10


@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_objective_has_the_gradients_of_the_reference(objective, classes):
    task = "classification" if classes else "regression"
    if objective != "exp-rmse" and objective not in objectives_of(task):
        pytest.skip("it does not measure that")
    rng = random.Random(classes)
    pair = make_pair(LAYERED, classes, objective, rows=50)
    scored = 0
    for _ in range(40):
        outputs = max(classes, 1) if rng.random() < 0.7 else 1
        scored += compare_gradients(pair, rng, layered_text(rng, outputs)) == "SCORED"
    assert scored >= 15


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 511, 512, 513, 1100])
def test_any_number_of_rows_has_the_gradients_of_the_reference(rows):
    rng = random.Random(rows)
    for classes in (0, 2) if rows > 1 else (0,):
        pair = make_pair("float", classes, "exp-rmse" if classes else "mse", rows=rows)
        for text in first_phenotypes(pair.problem, 4):
            compare_gradients(pair, rng, text)


@pytest.mark.campaign  # such a run is compared in tests/engine/test_learning_run.py
def test_vector_code_has_the_gradients_of_the_reference():
    rng = random.Random(5)
    pair = make_pair(LAYERED, 2, "exp-rmse", rows=1203, flags=NATIVE)
    assert (
        sum(compare_gradients(pair, rng, layered_text(rng, 2)) == "SCORED" for _ in range(60)) > 20
    )


def wide_sum(rng, terms, sources):
    return " + ".join(f"{rng.uniform(-1, 1):.2f}*{rng.choice(sources)}" for _ in range(terms))


@pytest.mark.parametrize("terms", [1, 2, 7, 8, 9, 15, 16, 17, 40])
def test_neurons_with_many_terms_and_readers_have_the_gradients_of_the_reference(terms):
    rng = random.Random(terms)
    pair = make_pair(LAYERED, 2, "log-loss")
    hidden = [f"h_1_{i}" for i in (1, 2, 3)]
    for function in ("sig", "tanh", "", "relu"):
        layers = [
            "-".join(f"{function}({wide_sum(rng, terms, ['x_1', 'x_2'])} + 0.5)" for _ in hidden),
            "-".join(f"sig({wide_sum(rng, terms, hidden)} - 0.25)" for _ in range(terms)),
            f"sig({wide_sum(rng, terms, [*hidden, *(f'h_2_{i + 1}' for i in range(terms))])})",
        ]
        text = "--".join(layers)
        assert pair.assert_same(text, spans_of(text), 0.01)[0] == "SCORED"


def compare_many(pair, count, seed):
    """Compare random phenotypes, and return how many of them have a score."""
    rng = random.Random(seed)
    scored = 0
    for _ in range(count):
        if rng.random() < 0.6:
            text = layered_text(rng, rng.choice([1, 1, 2, 3]))
        else:
            text = expression(rng, rng.randint(1, 5), ["x_1", "x[1]", "x3"])
        if rng.random() < 0.1:
            text = mutate_text(rng, text)
        scored += compare_gradients(pair, rng, text) == "SCORED"
    return scored


def test_random_texts_have_the_gradients_of_the_reference():
    for seed, (grammar, classes, objective) in enumerate(
        [(FLAT, 2, "log-loss"), (LAYERED, 2, "exp-rmse"), (LAYERED, 3, "accuracy")]
    ):
        pair = make_pair(grammar, classes, objective)
        assert compare_many(pair, 150, seed) > 15


@pytest.mark.campaign
@pytest.mark.parametrize("flags", [FAST_FLAGS, NATIVE], ids=["quick", "native"])
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_thousands_of_random_texts_have_the_gradients_of_the_reference(classes, flags):
    for seed, objective in enumerate(OBJECTIVES_OF[bool(classes)]):
        for grammar in (FLAT, LAYERED, "%output sigmoid\n" + FLAT):
            pair = make_pair(grammar, classes, objective, rows=520 if seed % 2 else 43, flags=flags)
            compare_many(pair, 1500, seed)


def run_grammar(seed):
    """Compare phenotypes of a random grammar, and return how many of them have a score."""
    rng = random.Random(seed)
    data = make_data(seed % 1000, rng.randint(5, 40), rng.randint(1, 4), rng.choice([0, 2, 3]))
    objective = rng.choice(OBJECTIVES_OF[bool(data.classes)])
    problem = make(random_grammar(rng), Settings(), data, objective)
    pair = Pair(problem)
    try:
        texts = first_phenotypes(problem, 15, seed)
    except Exception as error:
        if type(error).__name__ != "NoValidIndividual":
            raise
        texts = []
    return sum(compare_gradients(pair, rng, text) == "SCORED" for text in texts)


@examples(
    max_examples=6,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    database=None,
)
@given(st.integers(0, 2**32))
def test_a_sample_of_random_grammars_has_the_gradients_of_the_reference(seed):
    run_grammar(seed)


@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_300_random_grammars_have_the_gradients_of_the_reference():
    assert sum(run_grammar(1_000_003 * number) > 0 for number in range(300)) > 100
