"""The sums of a network that learned have one term for each source.

Two terms would have a smaller penalty than one weight with the same effect."""

import re

import numpy as np
import pytest

import dsgec
from dsgec.search.backends import ReferenceBackend
from dsgec.search.evolver import LoopEvolver
from dsgec.search.settings import Settings
from tests.support.compilers import fast_engine
from tests.support.engine_runs import make, make_data
from tests.support.learning_runs import ENDING_SETTINGS, LEARNING_SETTINGS, evolve_generations
from tests.support.repeated_terms import count_repeated_terms, parse_network

pytestmark = pytest.mark.needs_cc


@pytest.mark.parametrize(
    ("grammar", "classes", "more"),
    [
        ("network", 2, {}),
        ("network_softmax", 3, {"crossover": 0.8}),
        ("multi_layer", 2, {"crossover": 0.8, "mutation": 0.6}),
        (
            "regression",
            0,
            {"elites": 0, "minimise": "flash", "chip": "cortex-m0plus", "dtype": "float"},
        ),
    ],
)
def test_no_champion_has_a_repeated_term(grammar, classes, more):
    settings = Settings(
        population=10, generations=8, l2=1.0, **{**LEARNING_SETTINGS, **ENDING_SETTINGS, **more}
    )
    problem = make(grammar, settings, make_data(classes=classes))
    engine = evolve_generations(fast_engine(problem, settings), 8)
    champions = engine.refine()
    assert champions
    for one in champions:
        network = parse_network(
            one.phenotype, problem.language.tables, len(problem.dataset.features)
        )
        assert not count_repeated_terms(network)
    assert not count_repeated_terms(
        parse_network(engine.best_phenotype, problem.language.tables, len(problem.dataset.features))
    )
    reference = evolve_generations(LoopEvolver(problem, settings, ReferenceBackend()), 8)
    assert champions == reference.refine()


def test_a_default_run_records_as_many_connections_as_it_has_sources():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(90, 2))  # few features, so that repeats are likely
    y = np.where(3.0 * x[:, 0] - x[:, 1] > 0.3, "yes", "no")
    run = dsgec.evolve(x, y, generations=30, seed=1)
    formulas = [run.network.formula, *(one.network.formula for one in run.hall_of_fame)]
    for formula in formulas:
        for line in formula.splitlines()[1:]:
            sources = re.findall(r"[xh]_\d+(?:_\d+)?", line.partition("=")[2])
            assert len(sources) == len(set(sources))
