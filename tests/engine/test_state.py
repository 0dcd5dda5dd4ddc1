"""Neither threads, nor slices of time, nor an interruption, nor the processor changes a run."""

import random

import pytest

from dsgec.engine.engine import NATIVE, PORTABLE
from dsgec.engine.toolchain import compilers
from dsgec.errors import DsgecError
from dsgec.run.history import history_row
from dsgec.search import scoring
from dsgec.search.backends import ReferenceBackend
from dsgec.search.evolver import LoopEvolver, summarize
from dsgec.search.loop import evolve
from dsgec.search.native import EngineEvolver
from dsgec.search.scoring import Scorer
from dsgec.search.settings import Settings
from tests.support.compilers import fast_engine
from tests.support.engine_runs import (
    FAST_FLAGS,
    assert_same_run,
    count_refused_states,
    make,
    make_data,
)

pytestmark = pytest.mark.needs_cc

SETTINGS = Settings(population=31, generations=25, elites=2, seed=7)


@pytest.fixture(scope="module")
def problem():
    return make("multi_layer", SETTINGS, make_data(2, 90, 4))


def final_bytes(problem, threads=1, flags=FAST_FLAGS, seconds=float("inf"), toolchain=None):
    if toolchain is None:
        engine = fast_engine(problem, SETTINGS, threads, flags)
    else:
        engine = EngineEvolver(problem, SETTINGS, threads, flags=flags, toolchain=toolchain)
    rows = []
    while len(rows) <= SETTINGS.generations:
        rows += engine.step(SETTINGS.generations + 1 - len(rows), seconds)
    return rows, engine.save()


@pytest.mark.parametrize("threads", [2, 3, 9])
def test_any_number_of_threads_gives_the_same_bytes(problem, threads):
    assert final_bytes(problem, threads) == final_bytes(problem)


def test_slices_of_time_give_the_same_bytes(problem):
    assert final_bytes(problem, seconds=0.0) == final_bytes(problem)
    assert final_bytes(problem, threads=2, seconds=0.0) == final_bytes(problem)


@pytest.mark.campaign
@pytest.mark.parametrize(
    "flags",
    [NATIVE, PORTABLE],
    ids=["native", "portable"],
)
def test_any_processor_gives_the_same_bytes(problem, flags):
    assert final_bytes(problem, flags=flags) == final_bytes(problem)


@pytest.mark.parametrize(
    "toolchain",
    [
        # test_learning_run.py has a run of what others make of an engine that learns.
        pytest.param(each, marks=[pytest.mark.campaign] * (each.tcc is None))
        for each in compilers()
    ],
    ids=lambda toolchain: toolchain.identity[:12],
)
def test_any_compiler_gives_the_same_bytes(problem, toolchain):
    assert final_bytes(problem, flags=NATIVE, toolchain=toolchain) == final_bytes(problem)


def test_a_restored_engine_goes_on_with_the_same_bytes(problem):
    rows, last = final_bytes(problem)
    first = fast_engine(problem, SETTINGS)
    begun = first.save()
    first.step(11)
    saved = first.save()
    for state, done in ((saved, 11), (begun, 0)):
        second = fast_engine(problem, SETTINGS, threads=2)
        second.restore(state)
        assert second.save() == state
        assert second.next_generation == done
        assert list(second.generations()) == rows[done:]
        assert second.save() == last


def test_a_restored_engine_has_the_same_individuals(problem):
    first, second = (fast_engine(problem, SETTINGS) for _ in range(2))
    first.step(5)
    second.restore(first.save())
    for number in range(SETTINGS.population):
        assert first.individual(number) == second.individual(number)
    assert first.best == second.best


def test_a_state_cannot_be_saved_in_the_midst_of_a_generation(problem):
    engine = fast_engine(problem, SETTINGS)
    assert engine.step(1, 0.0) == []
    assert engine.next_generation == -1
    with pytest.raises(DsgecError, match="called wrongly"):
        engine.save()


def test_the_state_of_another_run_is_refused(problem):
    engine = fast_engine(problem, SETTINGS)
    for other in (
        make("multi_layer", SETTINGS, make_data(3, 90, 4)),
        make("multi_layer", SETTINGS, make_data(2, 90, 4), "rmse"),
    ):
        with pytest.raises(DsgecError, match="another run"):
            engine.restore(fast_engine(other, SETTINGS).save())
    longer = Settings(population=31, generations=99, elites=2, seed=7)
    engine.restore(fast_engine(problem, longer).save())


def test_a_damaged_state_is_refused_and_harms_nobody(problem):
    assert count_refused_states(problem, SETTINGS) > 40


def test_an_engine_that_refused_a_state_does_not_run(problem):
    engine = fast_engine(problem, SETTINGS)
    state = fast_engine(problem, SETTINGS).save()
    with pytest.raises(DsgecError, match="damaged"):
        engine.restore(state[:-3])
    with pytest.raises(DsgecError):
        engine.step(1)


def test_the_generations_are_yielded_with_what_a_history_needs(problem):
    settings = Settings(population=10, generations=7)
    reference = evolve(problem, settings, Scorer(problem, ReferenceBackend()))
    states = list(fast_engine(problem, settings).generations())
    assert states == [summarize(expected) for expected in reference]


def test_a_first_generation_without_a_network_is_told_as_by_the_reference():
    settings = Settings(population=8, generations=3)
    for grammar, data in (("one_layer", make_data(classes=3)), ("<s> ::= x_ | 1e999", None)):
        problem = make(grammar, settings, data)
        with pytest.raises(DsgecError) as expected:
            next(evolve(problem, settings, Scorer(problem, ReferenceBackend())))
        with pytest.raises(DsgecError) as told:
            next(fast_engine(problem, settings).generations())
        assert str(told.value) == str(expected.value)


SMALL = Settings(population=6, generations=7, elites=2, seed=7)


@pytest.fixture(scope="module")
def small():
    return make("multi_layer", SMALL, make_data(2, 30, 3))


def test_engine_and_loop_go_on_from_each_others_state(small):
    whole = fast_engine(small, SMALL)
    rows = whole.step(SMALL.generations + 1)
    for start, end in ((engine_at, loop_at), (loop_at, engine_at), (loop_at, loop_at)):
        first = start(small)
        done = [next(states) for states in [first.generations()] for _ in range(6)]
        assert first.next_generation == 6
        second = end(small)
        second.restore(first.save())
        assert second.next_generation == 6
        assert second.best_phenotype == done[-1].phenotype
        assert [history_row(state) for state in (*done, *second.generations())] == [
            history_row(row) for row in rows
        ]
        assert second.save() == whole.save()


def engine_at(problem):
    return fast_engine(problem, SMALL, kind=Stepwise)


class Stepwise(EngineEvolver):
    """Gives each generation before the next begins."""

    def advance(self, generations, seconds):
        return super().advance(1, float("inf"))


def loop_at(problem):
    return LoopEvolver(problem, SMALL, ReferenceBackend())


@pytest.mark.campaign
def test_a_damaged_state_is_refused_by_the_loop_as_well(small):
    state = loop_at(small)
    for _, _ in zip(range(3), state.generations(), strict=False):
        pass
    saved = state.save()
    rng = random.Random(2)
    for _ in range(60):
        damaged = bytearray(saved)
        at = rng.randrange(len(damaged))
        if rng.random() < 0.5:
            del damaged[at:]
        else:
            damaged[at] ^= 1 << rng.randrange(8)
        other = loop_at(small)
        try:
            other.restore(bytes(damaged))
        except DsgecError:
            continue
        assert (
            at >= 32
        )  # a bit of a fitness or of a hash can be any; the state is whole all the same
        assert other.next_generation == 3


def test_the_memory_forgets_what_the_population_does_not_hold(monkeypatch):
    settings = Settings(population=8, generations=25, seed=4)
    grammar = "%output sigmoid\n%max-depth s=2\n<s> ::= x_1 | x_2 | 0.5 * x_1 | <s> + <s>\n"
    problem = make(grammar, settings, make_data(5, 20, 3))
    monkeypatch.setattr(scoring, "REMEMBERED", 12)
    forgetful = assert_same_run(problem, settings, threads=2)
    evolver = LoopEvolver(problem, settings, ReferenceBackend())
    assert max(len(evolver.scorer.memory) for _ in evolver.generations()) < 12 + 8
    monkeypatch.setattr(scoring, "REMEMBERED", 10**6)
    remembering = assert_same_run(problem, settings)
    # Nothing but the number of evaluations depends on it.
    assert forgetful.population == remembering.population
    assert forgetful.evaluations > remembering.evaluations


def test_a_champion_is_the_best_of_its_size(small):
    scorer = Scorer(small, ReferenceBackend())
    seen = {}
    for state in evolve(small, SMALL, scorer):
        for individual in state.population:
            text, fitness = individual.derivation.phenotype, individual.fitness
            if not individual.score.reason:
                seen.setdefault(individual.score.size, {})[text] = fitness
    hall = {champion.size: champion for champion in scorer.hall.champions}
    assert set(seen) <= set(hall)
    for size, texts in seen.items():
        champion = hall[size]
        assert champion.fitness == min(texts.values())
        assert texts[champion.phenotype] == champion.fitness
