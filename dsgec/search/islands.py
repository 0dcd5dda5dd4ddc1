"""Several populations that exchange their best: the islands of one run.

Each evolves on its own, from a seed of its own. After every so many generations the best of each go
to the next island, in the place of its worst, all islands at once. What comes of it depends on the
generations and the numbers of the islands, and not on where or how fast each is evolved.
"""

import struct
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from dsgec.errors import DsgecError
from dsgec.random import Stream
from dsgec.search.evolver import Evolver, Generation, Island
from dsgec.search.hall import merged
from dsgec.search.individual import INFINITE, Champion
from dsgec.search.loop import ranked
from dsgec.search.measure import Measurer
from dsgec.search.problem import Problem
from dsgec.search.recommend import Recommendation
from dsgec.search.settings import Settings

_SEEDS = (1 << 64) - 1  # a generation that no run reaches: its draws are seeds


def island_settings(settings: Settings) -> list[Settings]:
    """Those of each island: a seed of its own, of which the first is the run's."""
    seeds = [settings.seed]
    seeds += [Stream(settings.seed, _SEEDS, i).word() for i in range(1, settings.islands)]
    return [replace(settings, seed=seed, islands=1) for seed in seeds]


def leaving(island: Island, count: int) -> list[bytes]:
    """The best individuals, the best first; fewer where there are not so many valid ones."""
    fitness = island.fitness()
    best = _ranked(island, fitness)[:count]
    return [island.send(number) for number in best if fitness[number] < INFINITE]


def arrive(island: Island, migrants: Sequence[bytes]) -> None:
    """The first of them in the place of the worst individual, the next in that of the next."""
    places = _ranked(island, island.fitness())[::-1]
    for place, migrant in zip(places, migrants, strict=False):
        island.receive(place, migrant)


def _ranked(island: Island, fitness: Sequence[float]) -> Sequence[int]:
    """The numbers of the individuals, the best first; where a cost is minimised, as they stand."""
    return range(len(fitness)) if island.problem.minimises else ranked(fitness)


def migrates(settings: Settings, generation: int) -> bool:
    """Whether individuals are exchanged after this generation."""
    return 0 < generation < settings.generations and generation % settings.migrate_every == 0


def exchange_after(settings: Settings, generation: int) -> int:
    """The generation after which the next exchange is due, or the last one."""
    every = settings.migrate_every
    return min((generation // every + 1) * every, settings.generations)


def combined(states: Sequence[Generation], population: int) -> Generation:
    """One generation of all islands; of equally good best ones, that of the first island."""
    best = min(states, key=lambda state: state.best)
    total, valid = 0.0, 0
    for state in states:
        count = population - state.invalid
        total += state.mean * count if count else 0.0
        valid += count
    return replace(
        best,
        mean=total / valid if valid else INFINITE,
        invalid=sum(state.invalid for state in states),
        evaluations=sum(state.evaluations for state in states),
        reused=sum(state.reused for state in states),
    )


def best_island(fitness: Sequence[Sequence[float]]) -> int:
    """The number of the island with the best individual; of equals, the first."""
    return min(range(len(fitness)), key=lambda number: min(fitness[number]))


class IslandEvolver(Evolver):
    """Islands on this machine, `side_by_side` of them at a time."""

    def __init__(
        self, problem: Problem, settings: Settings, islands: Sequence[Island], side_by_side: int
    ) -> None:
        super().__init__(problem, settings)
        self.islands = islands
        self.name, self.remark = islands[0].name, islands[0].remark
        self.compile_seconds = islands[0].compile_seconds
        self.description = (
            f"{islands[0].description}; {len(islands)} islands, {side_by_side} side by side"
        )
        self._side_by_side = side_by_side
        self._pool = ThreadPoolExecutor(side_by_side)
        self._waiting: list[deque[Generation]] = [deque() for _ in islands]
        self._done = -1  # the last generation that is whole on all islands
        self._best_text = ""

    @property
    def next_generation(self) -> int:
        together = all(i.next_generation == self._done + 1 for i in self.islands)
        return self._done + 1 if together else -1

    def advance(self, generations: int, seconds: float) -> Sequence[Generation]:
        reached = [self._done + len(waiting) for waiting in self._waiting]
        # An island may be ahead of the others, but none goes beyond an exchange.
        goal = min(
            max(self._done + generations, *reached), exchange_after(self.settings, self._done)
        )

        share = seconds / -(-len(self.islands) // self._side_by_side)  # they take turns

        def go_on(number: int) -> Sequence[Generation]:
            left = goal - reached[number]
            return self.islands[number].advance(left, share) if left > 0 else ()

        for waiting, states in zip(
            self._waiting, self._pool.map(go_on, range(len(self.islands))), strict=True
        ):
            waiting.extend(states)
        return self._whole()

    def _whole(self) -> list[Generation]:
        """The generations that all islands have, in order; after the last, the exchange."""
        states: list[Generation] = []
        while all(self._waiting):
            each = [waiting.popleft() for waiting in self._waiting]
            states.append(combined(each, self.settings.population))
            self._done = states[-1].generation
            self._best_text = states[-1].phenotype
        if states and migrates(self.settings, self._done):
            sent = [leaving(island, self.settings.migrants) for island in self.islands]
            for number, island in enumerate(self.islands):
                arrive(island, sent[number - 1])
        return states

    def save(self) -> bytes:
        return pack([encode(self._best_text), *(island.save() for island in self.islands)])

    def restore(self, state: bytes) -> None:
        text, *states = unpack(state, len(self.islands) + 1)
        for island, own in zip(self.islands, states, strict=True):
            island.restore(own)
        self._best_text = decode(text)
        self._done = self.islands[0].next_generation - 1
        if self.next_generation < 0:
            raise damaged()

    @property
    def best_text(self) -> str:
        return self._best_text

    @property
    def champions(self) -> list[Champion]:
        return merged(self.problem, (island.champions for island in self.islands))

    def measurer(self) -> Measurer:
        return self.islands[0].measurer()

    def tuned(self) -> list[Champion]:
        """As of one population, in the time of one: a run may have a thousand islands."""
        best = self.islands[best_island([island.fitness() for island in self.islands])]
        return best.tune(merged(self.problem, (self.champions, best.pruned())))

    def recommend(self, champions: Sequence[Champion]) -> Recommendation | None:
        return self.islands[0].recommend(champions)


def encode(text: str) -> bytes:
    """A text as part of a state."""
    return text.encode("utf-8", "surrogatepass")


def decode(part: bytes) -> str:
    """The text again."""
    try:
        return part.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise damaged() from error


def pack(parts: Sequence[bytes]) -> bytes:
    """Several states as one."""
    return b"".join(struct.pack("<Q", len(part)) + part for part in parts)


def unpack(data: bytes, count: int) -> list[bytes]:
    """The `count` parts that `pack` put together."""
    parts, at = [], 0
    for _ in range(count):
        if len(data) - at < struct.calcsize("<Q"):
            raise damaged()
        (length,) = struct.unpack_from("<Q", data, at)
        at += struct.calcsize("<Q")
        parts.append(data[at : at + length])
        at += length
    if at != len(data):
        raise damaged()
    return parts


def damaged() -> DsgecError:
    """What is said of a state that is not one of these islands."""
    return DsgecError(
        "the saved state is not one of these islands",
        "The file may be damaged: start the run from scratch.",
    )
