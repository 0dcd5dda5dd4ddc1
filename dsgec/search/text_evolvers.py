"""Evolve any texts by a user's fitness: the engine breeds, and Python calls the fitness.

Both evolvers give the same generations, bit for bit, and read each other's states.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from dsgec.engine.operator_calls import OPERATORS, NativeOperators
from dsgec.engine.text_engine import TextEngine
from dsgec.engine.values import EngineIndividual, NativeGenotype
from dsgec.errors import DsgecError
from dsgec.grammar.genome.derive import EXHAUSTED, too_large
from dsgec.random import Stream
from dsgec.search.backends import ReferenceBackend
from dsgec.search.breeding import make_caller
from dsgec.search.diversity import measure_diversity
from dsgec.search.evolver import Evolver, Generation, Island, LoopEvolver
from dsgec.search.individual import INFINITE, Champion, Score
from dsgec.search.islands import IslandEvolver
from dsgec.search.native import EngineEvolver, Upgrade
from dsgec.search.native_input import make_parameters
from dsgec.search.operators import Caller, Parent, ParentList
from dsgec.search.packing import damaged_state, pack, unpack
from dsgec.search.problem import Problem
from dsgec.search.scoring import no_valid_individual
from dsgec.search.settings import Settings
from dsgec.search.text_scoring import TextJudge, TextScorer, Verdict, make_text_hall


def restore_judge(judge: TextJudge, data: bytes) -> bytes:
    """Restore what the judge knew from a saved state, and return the rest of the state."""
    known, rest = unpack(data, 2)
    try:
        judge.restore(known)
    except ValueError as error:
        raise damaged_state() from error
    return rest


class TextIsland(Island):
    """A population of any texts; its judge has the hall of fame and the failures."""

    judge: TextJudge

    @property
    def champions(self) -> list[Champion]:
        return self.judge.hall.champions

    def refine(self) -> list[Champion]:
        return self.champions

    def observe(self, generation: Generation) -> None:
        """Measure a complete generation, if that was asked for."""
        if self.settings.diversity:
            members = self.members()
            found = measure_diversity(
                *(self.problem, self.settings, generation.generation),
                [one.genotype for one in members],
                [one.fitness for one in members],
            )
            self.judge.diversity.append(found)

    def winner(self, champions: Sequence[Champion], last: Generation) -> Champion | None:
        return champions[0] if champions else None  # the shortest of the best

    def score(self, phenotype: str) -> float:
        return float(TextJudge(self.problem)([phenotype]).fitness[0])


class TextLoopEvolver(TextIsland, LoopEvolver):
    """The loop in Python, with a user's fitness."""

    def __init__(self, problem: Problem, settings: Settings, remark: str = "") -> None:
        super().__init__(problem, settings, ReferenceBackend(), remark)
        self.description = "reference: the loop in Python"
        scorer = TextScorer(problem, settings.selection)
        self.scorer, self.judge = scorer, scorer.judge

    def advance(self, generations: int, seconds: float) -> Sequence[Generation]:
        states = super().advance(generations, seconds)
        self.observe(states[-1])
        return states

    def save(self) -> bytes:
        return pack([self.judge.save(), super().save()])

    def restore(self, state: bytes) -> None:
        super().restore(restore_judge(self.judge, state))


class _EngineCalls:
    """Calls the user's operators for the engine."""

    def __init__(
        self, caller: Caller, population: int, look: Callable[[int], EngineIndividual]
    ) -> None:
        self._caller, self._population, self._look = caller, population, look
        self.begin()

    def begin(self) -> None:
        """Forget the population, before another one is selected from."""
        self._candidates = ParentList(self._population, self._make)

    def _make(self, number: int) -> Parent:
        one = self._look(number)
        return Parent(one.genotype, one.phenotype, one.fitness, one.cases)

    def select(self, stream: Stream) -> int:
        return self._caller.select(self._candidates, stream)

    def cross(
        self, mother: int, father: int, stream: Stream
    ) -> tuple[NativeGenotype, NativeGenotype]:
        parents = (self._candidates[mother].genotype, self._candidates[father].genotype)
        first, second = self._caller.cross(*parents, stream)
        return dict(first), dict(second)

    def mutate(self, genotype: NativeGenotype, stream: Stream) -> NativeGenotype:
        return dict(self._caller.mutate(genotype, stream))


class TextEngineEvolver(TextIsland, EngineEvolver):
    """The native engine, which hands new phenotypes to a user's fitness."""

    def __init__(
        self, problem: Problem, settings: Settings, threads: int = 1, **found: Any
    ) -> None:
        super().__init__(problem, settings, threads, **found)
        self.judge = TextJudge(problem, settings.selection)

    native: TextEngine
    _calls: "_EngineCalls"
    _is_interrupted = False

    def _begin(self) -> TextEngine:
        parameters = make_parameters(self.problem, self.settings, self.threads)
        library, caller = self._build.library, make_caller(self.problem, self.settings)
        used = {one for one in OPERATORS if getattr(caller.operators, one) is not None}
        self._calls = _EngineCalls(caller, self.settings.population, self.individual)
        operators = NativeOperators(library, self._calls, used) if used else None
        return TextEngine(library, parameters, self._build.tables, operators=operators)

    def _follow_upgrade(self, upgrade: Upgrade) -> None:
        if self.native.generation >= 0:  # within a generation, evaluations would be lost
            super()._follow_upgrade(upgrade)

    def step(self, generations: int, seconds: float = INFINITE) -> list[Generation]:
        """Advance; an interruption is raised by the next call if generations are complete."""
        if self._is_interrupted:
            self._is_interrupted = False
            raise KeyboardInterrupt
        deadline = time.perf_counter() + seconds
        found: list[Generation] = []
        try:
            while len(found) < generations:
                self._continue(found, deadline)
                if time.perf_counter() >= deadline:
                    break
        except KeyboardInterrupt:
            if not found:
                raise
            self._is_interrupted = True
        return found

    def _continue(self, found: list[Generation], deadline: float) -> None:
        """Breed until phenotypes wait for their scores, score them, and add what is complete."""
        self._calls.begin()
        left = deadline - time.perf_counter()
        for row in self.native.step(1, max(left, 0.0)):
            found.append(Generation(**row))
            self.observe(found[-1])
        if phenotypes := self.native.waiting():
            self._judge(phenotypes)

    def _judge(self, phenotypes: list[str]) -> None:
        """Score the phenotypes that wait; after an interruption, the generation begins again."""
        try:
            verdicts = self.judge(phenotypes, lambda n: self.native.look_waiting(n).genotype)
        except BaseException:
            self.native.abandon()
            raise
        width = max(self.judge.width, 0)
        values = np.zeros((len(phenotypes), width))
        for row, own in enumerate(verdicts.values if width else ()):
            if own:
                values[row] = own
        self.native.give(verdicts.fitness, verdicts.sizes, values)

    def explain(self) -> DsgecError:
        """Return an error with the reason why no individual is valid."""
        reasons = {"TOO_LARGE": too_large(self.settings.max_size), "EXHAUSTED": EXHAUSTED}
        faults = [self.individual(number).fault for number in range(self.settings.population)]
        scores = [Score(INFINITE, reasons[fault]) for fault in faults if fault]
        for reason, found in self.judge.failures.items():
            scores += [Score(INFINITE, reason)] * found.count
        return no_valid_individual(scores)

    def save(self) -> bytes:
        return pack([self.judge.save(), super().save()])

    def restore(self, state: bytes) -> None:
        super().restore(restore_judge(self.judge, state))


class TextIslandEvolver(IslandEvolver):
    """Several populations of any texts, which exchange individuals."""

    @property
    def champions(self) -> list[Champion]:
        fitness = self.problem.fitness
        hall = make_text_hall(fitness.objectives if fitness else 1)
        for island in self.islands:
            for one in island.champions:
                verdict = Verdict(one.fitness, one.size, one.values, "")
                hall.admit(one.phenotype, verdict, partial(dict, one.genotype or {}))
        return hall.champions

    def refine(self) -> list[Champion]:
        return self.champions

    def winner(self, champions: Sequence[Champion], last: Generation) -> Champion | None:
        return champions[0] if champions else None


def judges_of(evolver: Evolver) -> list[TextJudge]:
    """Return the judges of all populations of an evolver."""
    islands = evolver.islands if isinstance(evolver, IslandEvolver) else [evolver]
    return [island.judge for island in islands if isinstance(island, TextIsland)]
