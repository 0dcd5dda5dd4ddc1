"""GE and SGE in the engine make the generations of their references, bit for bit."""

import random

import pytest

from dsgec.engine.engine import NATIVE
from dsgec.errors import DsgecError
from dsgec.search.backends import ReferenceBackend
from dsgec.search.loop import evolve
from dsgec.search.scoring import Scorer
from dsgec.search.settings import Settings
from tests.support.compilers import FAST_FLAGS, fast_engine
from tests.support.engine_runs import (
    OBJECTIVES_OF,
    assert_same_run,
    count_refused_states,
    make,
    make_data,
    random_selection,
    random_ways,
)
from tests.support.example_grammars import EMPTY_AND_LONG, INDIRECT, NO_FEATURES
from tests.support.random_grammars import random_grammar

pytestmark = pytest.mark.needs_cc

REPRESENTATIONS = ("sge", "ge", "psge", "copsge")


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("text", ["one_layer", "formula", "float", NO_FEATURES, INDIRECT])
def test_grammars_without_dynamic_rules_run_as_in_the_reference(representation, text):
    for seed in (1, 2**64 - 1):
        settings = Settings(population=10, generations=5, seed=seed, representation=representation)
        data = make_data(classes=0 if text == "formula" else 2)
        assert_same_run(make(text, settings, data), settings)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_odd_grammars_run_as_in_the_reference(representation):
    limits = (("s", 3), ("e", 3))
    settings = Settings(
        population=20, generations=5, representation=representation, max_depth=limits
    )
    assert_same_run(make(EMPTY_AND_LONG, settings), settings)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("depth", [0, 1, 5])
def test_other_depths_run_as_in_the_reference(representation, depth):
    limits = (("sigexpr", depth), ("sum", depth))
    settings = Settings(
        population=8, generations=4, representation=representation, max_depth=limits
    )
    assert_same_run(make("one_layer", settings), settings)


@pytest.mark.parametrize(("codons", "wraps"), [(1, 0), (12, 0), (20, 1), (7, 5), (500, 0), (30, 0)])
def test_any_number_of_codons_and_wraps_runs_as_in_the_reference(codons, wraps):
    settings = Settings(
        population=12, generations=6, representation="ge", codons=codons, wraps=wraps
    )
    assert_same_run(make("one_layer", settings), settings)


def test_some_individuals_of_a_short_ge_genome_are_exhausted():
    settings = Settings(population=40, generations=2, representation="ge", codons=40)
    state = assert_same_run(make("one_layer", settings), settings)
    faults = [individual.derivation.fault for individual in state.population]
    assert "the codons run out" in faults
    assert "" in faults


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("rates", [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.5, 0.5)], ids=str)
def test_any_rates_run_as_in_the_reference(representation, rates):
    crossover, mutation = rates
    settings = Settings(
        population=9,
        generations=6,
        representation=representation,
        crossover=crossover,
        mutation=mutation,
    )
    assert_same_run(make("one_layer", settings), settings)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_texts_that_are_too_large_are_faults_as_in_the_reference(representation):
    for max_size in (1, 60, 150):
        settings = Settings(
            population=10, generations=3, representation=representation, max_size=max_size
        )
        assert_same_run(make("one_layer", settings), settings)


@pytest.mark.parametrize(
    ("representation", "flags"),
    [
        ("sge", FAST_FLAGS),  # tests of dsge have an optimised engine
        *(pytest.param(kind, NATIVE, marks=pytest.mark.campaign) for kind in ("sge", "ge")),
    ],
)
def test_threads_flags_and_a_restored_state_give_the_same_bytes(representation, flags):
    settings = Settings(
        population=31, generations=20, elites=2, seed=7, representation=representation
    )
    problem = make("one_layer", settings, make_data(2, 90, 4))
    first = fast_engine(problem, settings)
    rows = first.step(9)
    saved = first.save()
    rows += first.step(12)
    second = fast_engine(problem, settings, threads=2, flags=flags)
    second.restore(saved)
    assert second.save() == saved
    assert second.step(settings.generations + 1 - 9) == rows[9:]
    assert second.save() == first.save()


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_a_damaged_state_is_refused_and_harms_nobody(representation):
    settings = Settings(population=9, generations=20, representation=representation)
    problem = make("one_layer", settings)

    # Most of a state of GE is codons, and every number is one.
    assert count_refused_states(problem, settings) >= (30 if representation == "ge" else 40)


def test_a_first_generation_without_a_network_is_told_as_by_the_reference():
    settings = Settings(population=8, generations=3, representation="ge", codons=3)
    problem = make("one_layer", settings)
    with pytest.raises(DsgecError, match="the codons run out") as expected:
        next(evolve(problem, settings, Scorer(problem, ReferenceBackend())))
    with pytest.raises(DsgecError) as told:
        next(fast_engine(problem, settings).generations())
    assert str(told.value) == str(expected.value)


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_features_made_for_the_output_alone_are_refused_too(representation):
    text = """
%layer none
%features features
%output-layer out
<s> ::= <out>
<out> ::= sig(<features>) | <features> + <features>
<features> ::= x_1 | ... | x_n
"""
    settings = Settings(population=4, generations=1, representation=representation)
    with pytest.raises(DsgecError, match="only DSGE can do that"):
        make(text, settings).represent(settings)
    dsge = Settings(population=10, generations=4)
    assert_same_run(make(text, dsge), dsge)


def run(seed):
    rng = random.Random(seed)
    representation = rng.choice(REPRESENTATIONS)
    population = rng.randint(2, 14)
    settings = Settings(
        representation=representation,
        population=population,
        generations=rng.randint(1, 6),
        seed=rng.getrandbits(64),
        elites=rng.randint(0, min(population - 1, 4)),
        crossover=rng.choice([0.95, rng.random()]),
        mutation=rng.choice([0.95, rng.random()]),
        codons=rng.choice([200, rng.randint(1, 60)]),
        wraps=rng.choice([0, rng.randint(0, 3)]),
        max_size=rng.choice([10**6, 2000, rng.randint(1, 300)]),
        **random_ways(rng),
        **random_selection(rng),
    )
    data = make_data(seed % 1000, rng.randint(5, 40), rng.randint(1, 4), rng.choice([0, 2, 3]))
    objective = rng.choice(OBJECTIVES_OF[bool(data.classes)])
    problem = make(random_grammar(rng), settings, data, objective)
    try:
        problem.represent(settings)
    except DsgecError:
        return False
    assert_same_run(problem, settings, rng.choice([1, 2]))
    return True


def test_a_sample_of_random_grammars_runs_as_in_the_reference():
    assert sum(run(seed) for seed in range(3)) >= 1


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("block", range(10))
def test_random_grammars_run_as_in_the_reference(block):
    assert sum(run(1_000_003 * block + number) for number in range(40)) >= 10
