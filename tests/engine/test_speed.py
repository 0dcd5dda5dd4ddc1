"""The engine is at least a hundred times as fast as the reference, both measured in one run."""

import time

import pytest

from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.grammar.load import load_grammar
from dsgec.resources import TABLES
from dsgec.search.backends import ReferenceBackend
from dsgec.search.loop import evolve
from dsgec.search.native import EngineEvolver
from dsgec.search.problem import make_problem
from dsgec.search.scoring import Scorer
from dsgec.search.settings import Settings

pytestmark = [pytest.mark.needs_cc, pytest.mark.campaign]


def rate(run):
    """Evaluations a second of processor time, and the last state."""
    start = time.process_time()
    state = run()
    return state.evaluations / (time.process_time() - start), state


@pytest.mark.parametrize("grammar", ["one_layer", "multi_layer"])
def test_the_engine_is_a_hundred_times_as_fast_as_the_reference(grammar):
    settings = Settings(population=100, generations=30)
    data = make_dataset(read_table(str(TABLES.joinpath("wdbc.csv"))))
    problem = make_problem(load_grammar(grammar).grammar, data, settings)

    def reference():
        *_, last = evolve(problem, settings, Scorer(problem, ReferenceBackend()))
        return last

    ratios = []
    for _ in range(3):
        engine = EngineEvolver(problem, settings)
        fast, state = rate(lambda engine=engine: engine.step(settings.generations + 1)[-1])
        slow, expected = rate(reference)
        assert state.best == expected.best.fitness
        ratios.append(fast / slow)
    assert max(ratios) > 100, ratios
