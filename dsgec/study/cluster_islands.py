"""Evolve islands on the workers of a cluster, with the same results as `dsgec.search.islands`.

A call takes an island from one generation to another: its state, and its immigrants go to a worker,
and its generations, its new state and its emigrants come back. Nothing steps on the worker but the
problem, so that any of them can do the next call, or do one again.
"""

import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass

from dsgec.search.backends import ReferenceBackend
from dsgec.search.choose import choose_island
from dsgec.search.evolver import Evolver, Generation, LoopEvolver
from dsgec.search.individual import INFINITE, Champion, merge_halls
from dsgec.search.islands import (
    best_island,
    combine,
    decode,
    encode,
    has_exchange,
    island_settings,
    next_exchange,
    replace_worst,
    send_best,
)
from dsgec.search.packing import damaged_state, pack, unpack
from dsgec.search.problem import Problem
from dsgec.search.recommend import Fits, Recommendation, always_fits
from dsgec.search.settings import Settings
from dsgec.search.walk.stage import WalkStage
from dsgec.study.processes import Workers

_LONGEST_WAIT = 1.0  # seconds between two checks of the cluster
_SECONDS = 2.0  # that a call should take: short enough to be watched, long enough to be worth it


@dataclass(frozen=True, slots=True)
class IslandStep:
    """The generations of an island in one call, its state after them, and its emigrants."""

    generations: tuple[Generation, ...]
    state: bytes
    migrants: tuple[bytes, ...]


def evolve_island(
    problem: Problem,
    settings: Settings,
    backend: str,
    state: bytes,
    arriving: Sequence[bytes],
    goal: int,
    emigrants: int,
) -> IslandStep:
    """Evolve an island up to a generation; without a `state`, from the first one."""
    island = choose_island(problem, settings, backend)
    if state:
        island.restore(state)
        replace_worst(island, arriving)
    states: list[Generation] = []
    while island.next_generation <= goal:
        states += island.advance(goal + 1 - island.next_generation, INFINITE)
    return IslandStep(tuple(states), island.save(), tuple(send_best(island, emigrants)))


class ClusterIslands(Evolver):
    """Islands that are evolved by whichever workers are free."""

    name = "cluster"

    def __init__(
        self, problem: Problem, settings: Settings, cluster: Workers, backend: str = "auto"
    ) -> None:
        super().__init__(problem, settings)
        self.cluster, self.backend = cluster, backend
        self.description = f"{settings.islands} islands on the cluster {cluster}"
        self._each = island_settings(settings)
        self._states = [b""] * settings.islands
        self._arriving: list[tuple[bytes, ...]] = [()] * settings.islands
        self._calls: dict[Future[IslandStep], int] = {}
        self._steps: dict[int, IslandStep] = {}
        self._done = -1
        self._goal = -1
        self._at_once = 1  # generations of a call: as many as take a moment
        self._called = 0.0
        self._best_text = ""

    @property
    def next_generation(self) -> int:
        return -1 if self._calls else self._done + 1

    def advance(self, generations: int, seconds: float) -> Sequence[Generation]:
        until = time.monotonic() + seconds
        if not self._calls:
            most = self._done + min(generations, self._at_once)
            self._call(min(most, next_exchange(self.settings, self._done)))
        while self._calls:
            left = until - time.monotonic()
            ended = wait(self._calls, min(max(left, 0.0), _LONGEST_WAIT), FIRST_COMPLETED).done
            if not ended:
                _ = self.cluster.threads  # raises an error if the scheduler is gone
            for call in ended:
                self._steps[self._calls.pop(call)] = call.result()
            if not ended and left <= 0.0:
                return ()
        return self._whole()

    def _call(self, goal: int) -> None:
        self._goal, self._called = goal, time.monotonic()
        emigrants = self.settings.migrants if has_exchange(self.settings, goal) else 0
        for number, settings in enumerate(self._each):
            call = self.cluster.submit(
                evolve_island,
                self.problem,
                settings,
                self.backend,
                self._states[number],
                self._arriving[number],
                goal,
                emigrants,
            )
            self._calls[call] = number

    def _whole(self) -> list[Generation]:
        steps = [self._steps[number] for number in range(len(self._each))]
        self._steps = {}
        states: list[Generation] = [
            combine(each, self.settings.population)
            for each in zip(*(one.generations for one in steps), strict=True)
        ]
        self._states = [one.state for one in steps]
        self._arriving = [steps[number - 1].migrants for number in range(len(steps))]
        seconds = max(time.monotonic() - self._called, 1e-3)
        self._at_once = max(1, min(4 * self._at_once, int(len(states) * _SECONDS / seconds)))
        self._done = self._goal
        self._best_text = states[-1].phenotype
        return states

    def save(self) -> bytes:
        states = [
            self._with_migrants(number).save() if arriving else self._states[number]
            for number, arriving in enumerate(self._arriving)
        ]
        return pack([encode(self._best_text), *states])

    def restore(self, state: bytes) -> None:
        text, *states = unpack(state, len(self._each) + 1)
        next_ones = {self._restore_island(n, one).next_generation for n, one in enumerate(states)}
        if len(next_ones) != 1:
            raise damaged_state()
        self._states, self._done = states, next_ones.pop() - 1
        self._best_text = decode(text)

    def _restore_island(self, number: int, state: bytes) -> LoopEvolver:
        island = LoopEvolver(self.problem, self._each[number], ReferenceBackend())
        island.restore(state)
        return island

    def _with_migrants(self, number: int) -> LoopEvolver:
        """Return an island with the migrants that have not been received yet."""
        island = self._restore_island(number, self._states[number])
        replace_worst(island, self._arriving[number])
        return island

    @property
    def best_phenotype(self) -> str:
        return self._best_text

    @property
    def champions(self) -> list[Champion]:
        each = (self._restore_island(n, state).champions for n, state in enumerate(self._states))
        return merge_halls(self.problem.cost.is_minimised, each)

    def refine(self) -> list[Champion]:
        """Prune and tune the champions in this process, which takes a moment in native code."""
        islands = [self._with_migrants(number) for number in range(len(self._each))]
        number = best_island([island.fitness() for island in islands])
        best = choose_island(self.problem, self._each[number], self.backend)
        best.restore(islands[number].save())
        halls = (*(island.champions for island in islands), best.prune())
        return best.tune(merge_halls(self.problem.cost.is_minimised, halls))

    def walker(self) -> WalkStage | None:
        return choose_island(self.problem, self._each[0], self.backend).walker()

    def recommend(
        self, champions: Sequence[Champion], fits: Fits = always_fits
    ) -> Recommendation | None:
        return choose_island(self.problem, self._each[0], self.backend).recommend(champions, fits)
