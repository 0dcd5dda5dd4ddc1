"""Islands: the same run however and wherever they are evolved, and an exchange done by hand."""

import pytest

from dsgec.errors import DsgecError
from dsgec.run.history import history_row
from dsgec.search.backends import ReferenceBackend
from dsgec.search.choose import choose_evolver
from dsgec.search.evolver import LoopEvolver
from dsgec.search.islands import IslandEvolver, island_settings, pack, unpack
from dsgec.search.loop import rank
from dsgec.search.settings import Settings
from tests.support.engine_runs import make, make_data

SETTINGS = Settings(population=11, generations=17, seed=5, islands=3, migrate_every=4, migrants=2)


@pytest.fixture(scope="module")
def problem():
    return make("one_layer", SETTINGS, make_data(4, 30, 3))


@pytest.fixture(scope="module")
def whole(problem):
    evolver = choose_evolver(problem, SETTINGS, "reference")
    return [history_row(state) for state in evolver.generations()], evolver.save()


@pytest.mark.parametrize(
    ("side_by_side", "backend"),
    [
        *((1, "engine"), (3, "engine"), (3, "numpy")),
        *(
            pytest.param(*case, marks=pytest.mark.campaign)
            for case in ((1, "numpy"), (1, "reference"), (3, "reference"))
        ),
    ],
)
def test_any_backend_and_any_number_side_by_side_give_the_same_run(
    problem, whole, backend, side_by_side
):
    evolver = choose_evolver(problem, SETTINGS, backend)
    evolver = IslandEvolver(problem, SETTINGS, evolver.islands, side_by_side)
    rows = [history_row(state) for state in evolver.generations()]
    assert [row.generation for row in rows] == list(range(18))
    assert (rows, evolver.save()) == whole


@pytest.mark.parametrize("seconds", [0.0, 1e-4])
def test_slices_of_time_change_nothing(problem, whole, seconds):
    evolver = choose_evolver(problem, SETTINGS, "engine")
    rows, slices = [], 0
    while len(rows) < 18:
        rows += map(history_row, evolver.advance(18 - len(rows), seconds))
        slices += 1
    assert slices > 20 or seconds
    assert (rows, evolver.save()) == whole


@pytest.mark.parametrize(
    "done", [4, *(pytest.param(n, marks=pytest.mark.campaign) for n in (0, 3, 5, 16))]
)
def test_a_saved_state_goes_on_with_another_backend(problem, whole, done):
    for first, second in (("engine", "reference"), ("reference", "engine")):
        begun = choose_evolver(problem, SETTINGS, first)
        rows = []
        while len(rows) <= done:
            rows += begun.advance(1, float("inf"))
        other = choose_evolver(problem, SETTINGS, second)
        other.restore(begun.save())
        assert other.next_generation == done + 1
        assert other.best_phenotype == rows[-1].phenotype
        rows += other.generations()
        assert ([history_row(row) for row in rows], other.save()) == whole
        assert other.champions == restored(problem, whole[1]).champions


def restored(problem, state):
    evolver = choose_evolver(problem, SETTINGS, "reference")
    evolver.restore(state)
    return evolver


def test_an_exchange_done_by_hand(problem):
    """Replace the two worst of each island by the two best of the island before."""
    alone = [LoopEvolver(problem, one, ReferenceBackend()) for one in island_settings(SETTINGS)]
    together = choose_evolver(problem, SETTINGS, "reference")
    for _ in range(5):
        for island in alone:
            island.advance(1, 0.0)
        (state,) = together.advance(1, 0.0)
    assert state.generation == 4
    before = [island.state.population for island in alone]
    for number, island in enumerate(together.islands):
        expected = list(before[number])
        order = sorted(range(11), key=lambda i: (expected[i].fitness, i))
        neighbour = before[number - 1]
        best = sorted(range(11), key=lambda i: (neighbour[i].fitness, i))[:2]
        expected[order[-1]], expected[order[-2]] = neighbour[best[0]], neighbour[best[1]]
        found = island.state.population
        assert [i.derivation.phenotype for i in found] == [i.derivation.phenotype for i in expected]
        assert [i.fitness for i in found] == [i.fitness for i in expected]
        assert [i.score.size for i in found] == [i.score.size for i in expected]
    best = min(state.fitness for population in before for state in population)
    assert state.best == best
    assert state.evaluations == sum(island.scorer.evaluations for island in alone)
    valid = [i.fitness for population in before for i in population if not i.score.reason]
    assert state.mean == pytest.approx(sum(valid) / len(valid), rel=1e-12)
    assert state.invalid == 33 - len(valid)


def test_one_island_is_the_run_without_islands(problem):
    plain = Settings(population=11, generations=17, seed=5)
    assert island_settings(SETTINGS)[0].seed == 5
    assert len({one.seed for one in island_settings(SETTINGS)}) == 3
    single = choose_evolver(problem, plain, "reference")
    rows = [history_row(state) for state in single.generations()]
    never = Settings(population=11, generations=17, seed=5, islands=2, migrate_every=99)
    first = choose_evolver(problem, never, "reference").islands[0]
    assert [history_row(state) for state in first.generations()] == rows


def test_a_damaged_state_is_refused(problem, whole):
    _, state = whole
    for damaged in (b"", state[:-1], state + b"1", state[:20], pack(unpack(state, 4)[:3])):
        with pytest.raises(DsgecError):
            choose_evolver(problem, SETTINGS, "reference").restore(damaged)
    text, first, second, third = unpack(state, 4)
    with pytest.raises(DsgecError, match="another run"):
        choose_evolver(problem, SETTINGS, "engine").restore(pack([text, second, first, third]))


@pytest.mark.needs_cc
def test_a_migrant_that_is_none_is_refused(problem):
    for backend in ("engine", "reference"):
        evolver = choose_evolver(problem, SETTINGS, backend)
        evolver.advance(1, float("inf"))
        first, second, third = evolver.islands
        best = rank(first.fitness())[0]
        migrant = first.send(best)
        assert migrant == restored_from(problem, evolver).islands[0].send(best)
        for island, damaged in ((second, migrant[:-1]), (third, migrant + b"1")):
            with pytest.raises(DsgecError):
                island.receive(0, damaged)


def restored_from(problem, evolver):
    return restored(problem, evolver.save())
