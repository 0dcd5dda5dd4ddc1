"""On random grammars, data and settings the engine does what the reference does."""

import random

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from dsgec.search.settings import Settings
from tests.support.engine_runs import OBJECTIVES_OF, assert_same_run, make, make_data
from tests.support.random_grammars import random_grammar

pytestmark = pytest.mark.needs_cc


def run(seed):
    rng = random.Random(seed)
    population = rng.randint(2, 14)
    settings = Settings(
        population=population,
        generations=rng.randint(1, 6),
        seed=rng.getrandbits(64),
        tournament=rng.randint(1, population),
        elites=rng.randint(0, min(population - 1, 4)),
        crossover=rng.choice([0.95, rng.random()]),
        mutation=rng.choice([0.95, rng.random()]),
        connect=rng.choice(["all", "previous"]),
        max_size=rng.choice([10**6, 2000, rng.randint(1, 300)]),
    )
    data = make_data(seed % 1000, rng.randint(5, 40), rng.randint(1, 4), rng.choice([0, 2, 3]))
    objective = rng.choice(["", *OBJECTIVES_OF[bool(data.classes)]])
    problem = make(random_grammar(rng), settings, data, objective)
    return assert_same_run(problem, settings, rng.choice([1, 2]))


@examples(
    max_examples=3,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    database=None,
)
@given(st.integers(0, 2**32))
def test_a_sample_of_random_grammars_runs_as_in_the_reference(seed):
    run(seed)


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("block", range(10))
def test_300_random_grammars_run_as_in_the_reference(block):
    states = [run(1_000_003 * block + number) for number in range(30)]
    assert any(state and state.invalid < len(state.population) for state in states)
