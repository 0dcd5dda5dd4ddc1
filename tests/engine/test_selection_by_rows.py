"""Lexicase selection of networks by the rows of a table, in the engine and the reference."""

from dataclasses import replace
from statistics import median

import numpy as np
import pytest

from dsgec.grammar.genome.genotype import Derivation
from dsgec.network.evaluate import evaluate
from dsgec.network.simplify import simplify
from dsgec.random import Stream
from dsgec.search.backends import ReferenceBackend
from dsgec.search.individual import Individual, Score
from dsgec.search.learner import make_scorer
from dsgec.search.scoring import LARGEST_ERROR
from dsgec.search.selection import Parents, epsilon_lexicase, lexicase
from dsgec.search.settings import Settings
from tests.support.engine_runs import OBJECTIVES_OF, assert_same_run, make, make_data

pytestmark = pytest.mark.needs_cc

BY_ROWS = {"selection": "epsilon-lexicase", "population": 10, "generations": 4}


@pytest.mark.parametrize(
    ("objective", "classes"),
    [(name, 3 if of else 0) for of, names in OBJECTIVES_OF.items() for name in names],
)
def test_every_objective_selects_by_rows_as_in_the_reference(objective, classes):
    grammar = "one_layer_softmax" if classes else "formula"
    settings = Settings(**BY_ROWS, down_sample=0.4)
    data = make_data(3, 37, 3, classes)
    assert_same_run(make(grammar, settings, data, objective), settings)


@pytest.mark.parametrize("variation", ["trees", "lists"])
def test_learning_with_threads_and_batches_selects_by_rows_as_in_the_reference(variation):
    for selection, batch in (("lexicase", 0), ("epsilon-lexicase", 16)):
        settings = Settings(
            population=12,
            generations=12,
            selection=selection,
            variation=variation,
            steps=1,
            batch=batch,
            down_sample=0.5,
        )
        problem = make("one_layer", settings, make_data(1, 150, 3, 2), "log-loss")
        problem = replace(problem, learning=replace(problem.learning, batch=batch))
        assert_same_run(problem, settings, threads=2)


def individual(text, fitness=1.0):
    return Individual(Derivation({}, text, {}), Score(fitness))


def test_cases_are_the_errors_of_the_objective_in_each_row():
    settings = Settings()
    for objective, classes in (("rmse", 0), ("exp-rmse", 2)):
        data = make_data(5, 30, 3, classes)
        problem = make("formula" if not classes else "one_layer", settings, data, objective)
        text = "x_1 + 2 * x_3" if not classes else "sig(1.5 * x_2 + 0.5)"
        (found,) = make_scorer(problem, ReferenceBackend()).case_values([individual(text)])
        outputs = evaluate(simplify(problem.language.parse(text)), data.x)[:, 0]
        if not classes:  # a formula is fitted by a line
            slope, intercept = np.polyfit(outputs, data.y, 1)
            outputs = intercept + slope * outputs
        squares = (outputs - data.y) ** 2
        order = np.argsort(data.y, kind="stable") if classes else range(30)
        assert found == pytest.approx(squares[order])


def test_a_row_without_a_finite_output_has_the_largest_error():
    problem = make("formula", Settings(), make_data(5, 30, 3, 0))
    scorer = make_scorer(problem, ReferenceBackend())
    (found,) = scorer.case_values([individual("exp(800 * x_1)")])
    assert {*found} == {LARGEST_ERROR}  # there is no line through infinite outputs
    plain = "<f> ::= <v> | exp(<v> * 800)\n<v> ::= x_1 | x_2 | x_3\n%features v\n%output none\n"
    problem = make(plain, Settings(), make_data(5, 30, 3, 0))
    (found,) = make_scorer(problem, ReferenceBackend()).case_values([individual("exp(x_1 * 800)")])
    with np.errstate(over="ignore"):
        outputs = np.exp(problem.dataset.x[:, 0] * 800)
        errors = np.minimum(np.square(outputs - problem.dataset.y), LARGEST_ERROR)
    assert 0 < sum(error == LARGEST_ERROR for error in found) < 30
    assert found == pytest.approx(errors)


def plain_lexicase(values, order, epsilons):
    """The candidates that are left, by the definition in the papers."""
    left = [*range(len(values))]
    for case in order:
        best = min(values[i][case] for i in left)
        left = [i for i in left if values[i][case] <= best + epsilons[case]]
    return left


class Orders(Stream):
    """A stream that tells the order in which lexicase draws its cases."""

    def __init__(self, cases):
        super().__init__(4, 5, 6)
        self.left, self.order = cases, []

    def below(self, count):
        drawn = super().below(count)
        if count == len(self.left) and count:
            self.order.append(self.left[drawn])
            self.left[drawn] = self.left[-1]
            self.left.pop()
        return drawn


def test_a_parent_is_what_the_definition_leaves():
    rng = np.random.default_rng(2)
    for round_ in range(200):
        values = rng.integers(0, 4, (9, 5)).astype(float).tolist()
        parents = Parents(
            [individual("", sum(own)) for own in values],
            Settings(population=9),
            round_,
            lambda _, values=values: values,
        )
        middles = [median(column) for column in zip(*values, strict=True)]
        deviations = [
            median([abs(own[case] - middles[case]) for own in values]) for case in range(5)
        ]
        for method, epsilons in ((lexicase, [0.0] * 5), (epsilon_lexicase, deviations)):
            stream = Orders([*range(5)])
            stream.state ^= round_
            chosen = method(parents, Settings(), stream)
            assert chosen in plain_lexicase(values, stream.order, epsilons)


def test_a_sample_of_rows_is_drawn_for_each_generation():
    parents = [individual("")]
    settings = Settings(down_sample=0.25)
    samples = [
        tuple(Parents(parents, settings, generation, lambda _: [[0.0] * 40]).cases)
        for generation in range(1, 50)
    ]
    assert {len({*sample}) for sample in samples} == {10}
    assert len({*samples}) == 49
    assert {*range(40)} == {case for sample in samples for case in sample}
