"""Generations on demand, and how a run ends: what the engine and the loop have in common."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dsgec.search.backends import Backend
from dsgec.search.batches import has_all_rows
from dsgec.search.hall import merged
from dsgec.search.individual import INFINITE, Champion
from dsgec.search.learner import Learner, LoopRefit, make_scorer
from dsgec.search.loop import State, evolve
from dsgec.search.measure import Measurer, PlainMeasurer
from dsgec.search.objectives import OBJECTIVES
from dsgec.search.problem import Problem
from dsgec.search.pruning import prune
from dsgec.search.recommend import Recommendation, Refit, recommend
from dsgec.search.scoring import Scorer
from dsgec.search.settings import Settings
from dsgec.search.state import identify, migrant_bytes, read_migrant, restore, save
from dsgec.search.tuning import tune_champions

ENDS = ("generations", "stop-at", "patience")
"""Why a run ended that is complete; one that was interrupted can go on."""

_SLICE = 0.2  # seconds: a signal is noticed, and progress shown, between two slices


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One generation; `evaluations` and `reused` count from the start of the run.

    `size` is the number of connections of the best, as its text has them.
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
    """One generation with the text of its best individual."""

    phenotype: str


def summarize(state: State) -> Generation:
    """What the engine, too, reports of a generation."""
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
    """A run that is ready to go. `remark` says why it is not the fastest there is.

    `compile_seconds` is how long it has waited for a compiler, or for what it has compiled before;
    `upgrade_seconds` how long a better engine was compiled beside the run.
    """

    name: str
    description: str
    remark: str = ""
    compile_seconds: float = 0.0
    upgrade_seconds: float = 0.0

    def __init__(self, problem: Problem, settings: Settings) -> None:
        self.problem, self.settings = problem, settings

    @property
    @abstractmethod
    def next_generation(self) -> int:
        """The number of the generation that comes next; -1 during one."""

    @abstractmethod
    def advance(self, generations: int, seconds: float) -> Sequence[Generation]:
        """Go on for at most so many generations, or until about the time is up.

        Gives those that became whole, which may be none.
        """

    @abstractmethod
    def save(self) -> bytes:
        """The state between two generations; both kinds of evolver go on from either's."""

    @abstractmethod
    def restore(self, state: bytes) -> None:
        """Put an evolver that has not begun into a state that `save` gave."""

    @property
    @abstractmethod
    def best_text(self) -> str:
        """The best phenotype of the last whole generation."""

    @property
    @abstractmethod
    def champions(self) -> list[Champion]:
        """The hall of fame so far."""

    def measurer(self) -> Measurer:
        """What measures the champions, now that the run has ended."""
        return PlainMeasurer(self.problem)

    @abstractmethod
    def tuned(self) -> list[Champion]:
        """The champions, and what comes of the best by pruning, with their numbers tuned."""

    @abstractmethod
    def recommend(self, champions: Sequence[Champion]) -> Recommendation | None:
        """Choose one of the tuned champions by cross-validation, if the settings say so."""

    def winner(self, champions: Sequence[Champion], last: Generation) -> Champion | None:
        """The champion that is, by its fitness, the result of the run in place of the best of the
        last generation: one that is better after it was tuned, or any if no individual is valid,
        which can be without an elite only."""
        best = min(champions, key=lambda champion: champion.fitness, default=None)
        is_better = best is not None and self.problem.learning and best.fitness < last.best
        # With batches, that of the last generation may be by some rows only.
        return best if last.best == INFINITE or is_better or self.problem.batch else None

    def finish(self) -> Sequence[Generation]:
        """Complete the current generation, if one has begun."""
        states: list[Generation] = []
        while self.next_generation < 0:
            states += self.advance(1, _SLICE)
        return states

    def slices(self, ending: "Ending") -> Iterator[Sequence[Generation]]:
        """The generations that are left, by slices of time, until the run ends."""
        while not ending.reason:
            # One at a time where the run may have to stop right there; and the first alone: if
            # nothing in it is valid, that is what has to be explained.
            single = ending.may_come_early or ending.generation < 0
            left = self.settings.generations - ending.generation
            states = self.advance(1 if single else left, _SLICE)
            for state in states:
                ending.look(state.generation, state.best)
            yield states

    def generations(self) -> Iterator[Generation]:
        """The generations that are left, one by one."""
        ending = Ending(self.problem, self.settings, self.next_generation - 1)
        for states in self.slices(ending):
            yield from states


class Ending:
    """Looks at each generation; `reason` is empty until one is the last."""

    def __init__(self, problem: Problem, settings: Settings, done: int = -1) -> None:
        self.settings, self.problem = settings, problem
        self.generation = done
        self.reason = "generations" if done >= settings.generations else ""
        self._best, self._since = INFINITE, 0

    @property
    def may_come_early(self) -> bool:
        """Whether it takes a look at each generation to know."""
        return self.settings.stop_at is not None or self.settings.patience > 0

    def look(self, generation: int, fitness: float) -> None:
        """Take note of a generation and its best fitness."""
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
        """Whether the score, which for some objectives is to be high, is as good as asked for."""
        if self.settings.stop_at is None:
            return False
        score, goal = self.problem.natural(fitness), self.settings.stop_at
        return score >= goal if OBJECTIVES[self.problem.objective].rises else score <= goal


def with_winner(last: Generation, winner: Champion | None) -> Generation:
    """The generation, with the winner as its best where that is another one."""
    if winner is None:
        return last
    return replace(last, best=winner.fitness, size=winner.size, phenotype=winner.phenotype)


class Island(Evolver):
    """An evolver of one population, which can take in individuals of others."""

    threads = 1

    @abstractmethod
    def fitness(self) -> Sequence[float]:
        """That of each individual; infinity if it is invalid."""

    @abstractmethod
    def score(self, text: str) -> float:
        """The objective of a text."""

    @abstractmethod
    def pruned(self) -> list[Champion]:
        """What comes of the best individual by pruning."""

    @abstractmethod
    def tune(self, champions: Sequence[Champion]) -> list[Champion]:
        """Champions of this run, its own or others, with their numbers tuned."""

    def tuned(self) -> list[Champion]:
        return self.tune(merged(self.problem, (self.champions, self.pruned())))

    @abstractmethod
    def refit(self, problem: Problem) -> Refit:
        """What learns weights from the training rows of a part of this run's problem."""

    def recommend(self, champions: Sequence[Champion]) -> Recommendation | None:
        return recommend(
            self.problem, self.settings, champions, self.refit, self.score, self.threads
        )

    @abstractmethod
    def send(self, number: int) -> bytes:
        """A valid individual, for another island of the run."""

    @abstractmethod
    def receive(self, number: int, migrant: bytes) -> None:
        """Put what `send` gave in the place of an individual."""


class LoopEvolver(Island):
    """The loop in Python, with a backend; a generation at a time."""

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

    def score(self, text: str) -> float:
        return Scorer(self.problem, self.scorer.backend)([text])[0].fitness

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
    def best_text(self) -> str:
        assert self.state is not None
        return self.state.best.derivation.phenotype

    @property
    def champions(self) -> list[Champion]:
        return self.scorer.hall.champions

    def pruned(self) -> list[Champion]:
        scorer = make_scorer(self.problem, self.scorer.backend)
        if not isinstance(scorer, Learner) or not scorer.learning.trees or self.state is None:
            return []
        best = self.state.best
        if best.score.reason:
            return []
        return prune(self.problem, self.settings, scorer, best, self.settings.pruning)

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
            lambda text: scorer([text])[0].fitness,
        )
