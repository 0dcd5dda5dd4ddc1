"""Run generations on demand, by the engine or the loop in Python, and end the run."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from dsgec.grammar.genome.genotype import Genotype
from dsgec.search.backends import Backend
from dsgec.search.individual import INFINITE, Champion, merge_halls
from dsgec.search.learner import Learner, LoopRefit, make_scorer
from dsgec.search.loop import State, evolve
from dsgec.search.measure import Measurer, PlainMeasurer
from dsgec.search.problem import Problem
from dsgec.search.recommend import Fits, Recommendation, Refit, always_fits, recommend
from dsgec.search.refine import prune, tune_champions
from dsgec.search.rows import has_all_rows
from dsgec.search.scoring import Scorer
from dsgec.search.settings import Settings
from dsgec.search.state import identify, migrant_bytes, read_migrant, restore, save
from dsgec.search.walk.descent import PlainDescent
from dsgec.search.walk.stage import WalkStage, make_walk_stage

ENDS = ("generations", "stop-at", "patience")
"""The reasons why a complete run ended; an interrupted one can be resumed."""

SLICE = 0.2  # seconds between two looks at signals and two reports of progress


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """The figures of one generation.

    `evaluations` and `reused` count from the start of the run. `size` is the number of connections
    of the best individual, as its phenotype has them.
    """

    generation: int
    best: float
    mean: float
    invalid: int
    evaluations: int
    reused: int
    size: int


@dataclass(frozen=True, slots=True)
class Generation(HistoryRow):
    """The figures of one generation, and the phenotype of its best individual."""

    phenotype: str


def summarize(state: State) -> Generation:
    """Return the figures of a generation, as the engine reports them."""
    best = state.best
    return Generation(
        state.generation,
        best.fitness,
        state.mean,
        state.invalid,
        state.evaluations,
        state.reused,
        best.score.size,
        best.derivation.phenotype,
    )


class Evolver(ABC):
    """Runs the generations of a search.

    `remark` is why it is not the fastest evolver. `compile_seconds` is how long the run waited for
    the engine, `upgrade_seconds` how long the fast engine was compiled beside the run.
    """

    name: str
    description: str
    remark: str = ""
    compile_seconds: float = 0.0
    upgrade_seconds: float = 0.0
    is_watched: bool = False
    """True if somebody looks at the population after every generation."""

    def __init__(self, problem: Problem, settings: Settings) -> None:
        self.problem, self.settings = problem, settings

    @property
    @abstractmethod
    def next_generation(self) -> int:
        """The number of the next generation; -1 within a generation."""

    @abstractmethod
    def advance(self, generations: int, seconds: float) -> Sequence[Generation]:
        """Run for at most so many generations or about so many seconds.

        Return the generations that were completed, perhaps none.
        """

    @abstractmethod
    def save(self) -> bytes:
        """Return the state between two generations, from which any evolver can continue."""

    @abstractmethod
    def restore(self, state: bytes) -> None:
        """Continue from a saved state; the evolver must not have begun."""

    @property
    @abstractmethod
    def best_phenotype(self) -> str:
        """The best phenotype of the last complete generation."""

    @property
    @abstractmethod
    def champions(self) -> list[Champion]:
        """The hall of fame so far."""

    def measurer(self) -> Measurer:
        """Return a measurer for the champions after the run."""
        return PlainMeasurer(self.problem)

    @abstractmethod
    def refine(self) -> list[Champion]:
        """Prune the best network, and return all champions with tuned weights."""

    @abstractmethod
    def walker(self) -> WalkStage | None:
        """Return the walk of the run, which is done after the last generation, if it has one."""

    @abstractmethod
    def recommend(
        self, champions: Sequence[Champion], fits: Fits = always_fits
    ) -> Recommendation | None:
        """Choose one of the refined champions by cross-validation, if the settings say so."""

    def winner(self, champions: Sequence[Champion], last: Generation) -> Champion | None:
        """Return the champion that is the result of the run, or None if the last generation has it.

        A champion is the result if it is better after tuning, or if no individual is valid, which
        can happen without an elite.
        """
        best = min(champions, key=lambda champion: champion.fitness, default=None)
        is_better = best is not None and self.problem.learning and best.fitness < last.best
        # With batches, the fitness of the last generation may be that of some rows.
        return best if last.best == INFINITE or is_better or self.problem.batch else None

    def finish(self) -> Sequence[Generation]:
        """Complete the current generation, if it has begun."""
        states: list[Generation] = []
        while self.next_generation < 0:
            states += self.advance(1, SLICE)
        return states

    def slices(self, ending: "Ending") -> Iterator[Sequence[Generation]]:
        """Yield the generations of each time slice until the run ends."""
        while not ending.reason:
            # One at a time if the run may stop after any; the first alone, since an error has to be
            # raised if nothing in it is valid.
            single = ending.can_be_early or ending.generation < 0 or self.is_watched
            left = self.settings.generations - ending.generation
            states = self.advance(1 if single else left, SLICE)
            for state in states:
                ending.update(state.generation, state.best)
            yield states

    def generations(self) -> Iterator[Generation]:
        """Yield the remaining generations one by one."""
        ending = Ending(self.problem, self.settings, self.next_generation - 1)
        for states in self.slices(ending):
            yield from states


class Ending:
    """Decides when a run ends; `reason` is empty until the last generation."""

    def __init__(self, problem: Problem, settings: Settings, done: int = -1) -> None:
        self.settings, self.problem = settings, problem
        self.generation = done
        self.reason = "generations" if done >= settings.generations else ""
        self._best, self._since = INFINITE, 0

    @property
    def can_be_early(self) -> bool:
        """True if the run may end before its last generation."""
        return self.settings.stop_at is not None or self.settings.patience > 0

    def update(self, generation: int, fitness: float) -> None:
        """Set the reason if a generation with this best fitness is the last."""
        self.generation = generation
        if generation >= self.settings.generations:
            self.reason = "generations"
        if not has_all_rows(generation, self.problem.batch):
            return  # the fitness cannot be compared
        if fitness < self._best:
            self._best, self._since = fitness, generation
        if self._is_reached(fitness):
            self.reason = "stop-at"
        elif 0 < self.settings.patience <= generation - self._since:
            self.reason = "patience"

    def _is_reached(self, fitness: float) -> bool:
        """Return whether the score is as good as `stop_at`."""
        if self.settings.stop_at is None:
            return False
        score, goal = self.problem.as_score(fitness), self.settings.stop_at
        return score >= goal if self.problem.rises else score <= goal


def with_winner(last: Generation, winner: Champion | None) -> Generation:
    """Return the generation with the winner, if any, as its best individual."""
    if winner is None:
        return last
    return replace(last, best=winner.fitness, size=winner.size, phenotype=winner.phenotype)


class Member(NamedTuple):
    """An individual of a population: its genotype, its fitness, and its cases or objectives."""

    genotype: Genotype
    fitness: float
    values: tuple[float, ...] = ()


class Island(Evolver):
    """An evolver of one population, which can exchange individuals with others."""

    threads = 1

    @abstractmethod
    def fitness(self) -> Sequence[float]:
        """Return the fitness of each individual, which is infinite if it is invalid."""

    @abstractmethod
    def members(self) -> list[Member]:
        """Return the individuals of the last complete generation."""

    @abstractmethod
    def score(self, phenotype: str) -> float:
        """Return the objective of a phenotype."""

    @abstractmethod
    def prune(self) -> list[Champion]:
        """Prune the best individual step by step, and return the networks on the way."""

    @abstractmethod
    def tune(self, champions: Sequence[Champion]) -> list[Champion]:
        """Tune the weights of champions, which may come from other islands."""

    def refine(self) -> list[Champion]:
        is_front = self.problem.cost.is_minimised
        return self.tune(merge_halls(is_front, (self.champions, self.prune())))

    @abstractmethod
    def refit(self, problem: Problem) -> Refit:
        """Return a refit, which learns weights again from a part of the training rows."""

    def recommend(
        self, champions: Sequence[Champion], fits: Fits = always_fits
    ) -> Recommendation | None:
        return recommend(
            self.problem, self.settings, champions, self.refit, self.score, self.threads, fits
        )

    @abstractmethod
    def send(self, number: int) -> bytes:
        """Return a valid individual as bytes, for another island of the run."""

    @abstractmethod
    def receive(self, number: int, migrant: bytes) -> None:
        """Replace an individual by a migrant that `send` returned."""


class LoopEvolver(Island):
    """An evolver that runs the loop in Python with a backend, a generation at a time."""

    def __init__(
        self, problem: Problem, settings: Settings, backend: Backend, remark: str = ""
    ) -> None:
        super().__init__(problem, settings)
        self.name, self.description, self.remark = backend.name, backend.description, remark
        self.scorer = make_scorer(problem, backend)
        self.state: State | None = None
        self._states: Iterator[State] | None = None

    @property
    def next_generation(self) -> int:
        return self.state.generation + 1 if self.state else 0

    def advance(self, generations: int, seconds: float) -> Sequence[Generation]:
        if self._states is None:
            self._states = evolve(self.problem, self.settings, self.scorer, self.state)
        self.state = next(self._states)
        return [summarize(self.state)]

    def save(self) -> bytes:
        identity = identify(self.problem, self.settings)
        return save(identity, self.state, self.scorer, self.settings.population)

    def restore(self, state: bytes) -> None:
        identity = identify(self.problem, self.settings)
        self.state = restore(state, identity, self.problem, self.settings, self.scorer)

    def fitness(self) -> Sequence[float]:
        assert self.state is not None
        return [individual.fitness for individual in self.state.population]

    def members(self) -> list[Member]:
        assert self.state is not None
        return [
            Member(one.derivation.genotype, one.fitness, one.score.values)
            for one in self.state.population
        ]

    def score(self, phenotype: str) -> float:
        return Scorer(self.problem, self.scorer.backend)([phenotype])[0].fitness

    def send(self, number: int) -> bytes:
        assert self.state is not None
        return migrant_bytes(self.state.population[number], self.problem)

    def receive(self, number: int, migrant: bytes) -> None:
        assert self.state is not None
        population = list(self.state.population)
        population[number] = read_migrant(migrant, self.problem, self.settings, self.scorer)
        self.state = replace(self.state, population=tuple(population))
        self._states = None  # the next generation is bred from this one

    @property
    def best_phenotype(self) -> str:
        assert self.state is not None
        return self.state.best.derivation.phenotype

    @property
    def champions(self) -> list[Champion]:
        return self.scorer.hall.champions

    def prune(self) -> list[Champion]:
        scorer = make_scorer(self.problem, self.scorer.backend)
        if not isinstance(scorer, Learner) or not scorer.learning.trees or self.state is None:
            return []
        best = self.state.best
        if best.score.reason:
            return []
        return prune(self.problem, self.settings, scorer, best, self.settings.pruning)

    def walker(self) -> WalkStage | None:
        return make_walk_stage(self.problem, self.settings, PlainDescent, self.score, self.threads)

    def refit(self, problem: Problem) -> Refit:
        return LoopRefit(problem, self.scorer.backend)

    def tune(self, champions: Sequence[Champion]) -> list[Champion]:
        scorer = make_scorer(self.problem, self.scorer.backend)
        if not isinstance(scorer, Learner):
            return [*champions]
        return tune_champions(
            self.problem,
            self.settings,
            champions,
            scorer.tune,
            lambda phenotype: scorer([phenotype])[0].fitness,
        )
