"""With a user's fitness, the engine makes the generations of the reference, for any texts."""

import random

import pytest

from dsgec.errors import DsgecError
from dsgec.search import scoring
from dsgec.search.scoring import NoValidIndividual
from tests.support.text_searches import KINDS, SELECTIONS, advance, evolve_with, random_search

pytestmark = pytest.mark.needs_cc


def compare(seed, kind, selection, **more):
    """Compare the two, and return the generations; none if no individual is valid at first."""
    problem, settings = random_search(random.Random(seed), kind, selection, **more)
    try:
        rows, states, engine = advance(problem, settings, "engine")
    except NoValidIndividual as error:
        with pytest.raises(NoValidIndividual, match="no individual"):
            advance(problem, settings, "reference")
        assert "first generation" in str(error)
        return []
    expected, expected_states, reference = advance(problem, settings, "reference")
    assert rows == expected
    assert states == expected_states
    assert engine.champions == reference.champions
    assert engine.members() == reference.members()
    middle = states[len(states) // 2]
    for backend in ("engine", "reference"):
        resumed = evolve_with(problem, settings, backend)
        resumed.restore(middle)
        assert resumed.save() == middle
        while resumed.next_generation <= settings.generations:
            resumed.advance(1, float("inf"))
        assert resumed.save() == states[-1]
    return rows


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_a_sample_of_random_grammars_runs_as_in_the_reference(kind, selection):
    found = [compare(seed, kind, selection) for seed in range(3)]
    assert any(found)


def test_islands_exchange_texts_as_in_the_reference():
    for selection in ({}, {"values": 6, "selection": "lexicase"}, {"values": 2, "objectives": 2}):
        more = {"islands": 3, "migrate_every": 2, "migrants": 1, "generations": 7}
        problem, settings = random_search(random.Random(5), KINDS[0], selection, **more)
        rows, states, engine = advance(problem, settings, "engine")
        expected, expected_states, reference = advance(problem, settings, "reference")
        assert (rows, states) == (expected, expected_states)
        assert engine.champions == reference.champions != []


def test_scores_are_forgotten_alike_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(scoring, "REMEMBERED", 30)
    monkeypatch.setattr("dsgec.search.text_scoring.REMEMBERED", 30)
    for seed in range(4):
        assert compare(seed, KINDS[0], {"values": 40, "selection": "lexicase"}, population=20)
        assert compare(seed, KINDS[1], {}, population=20)


def test_a_state_that_was_changed_is_refused():
    problem, settings = random_search(random.Random(2), KINDS[0], SELECTIONS[2])
    _, states, _ = advance(problem, settings, "engine")
    rng = random.Random(1)
    for backend in ("engine", "reference"):
        for _ in range(40):
            data = bytearray(states[-1])
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            other = evolve_with(problem, settings, backend)
            try:
                other.restore(bytes(data))
            except DsgecError:
                continue
            other.save()  # a change of a number that may be any number


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("block", range(10))
def test_300_random_grammars_run_as_in_the_reference(block):
    rng = random.Random(block)
    found = [
        compare(1_000 + 30 * block + number, rng.choice(KINDS), rng.choice(SELECTIONS))
        for number in range(30)
    ]
    assert sum(map(bool, found)) > 20
