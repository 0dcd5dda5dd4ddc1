"""The loop: a population to the next one; nothing here reads files or prints."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dsgec.random import Stream
from dsgec.search.breeding import Breeding, make_breeding
from dsgec.search.front import ordered
from dsgec.search.individual import Individual, Offspring
from dsgec.search.problem import Problem
from dsgec.search.scoring import Scorer, explain
from dsgec.search.settings import NOTHING, Settings


@dataclass(frozen=True, slots=True)
class State:
    """A generation, and the counts of the run up to it.

    Where a cost is minimised, the population stands in the order of `dsgec.search.front`.
    """

    generation: int
    population: tuple[Individual, ...]
    evaluations: int
    reused: int

    @property
    def best(self) -> Individual:
        return self.population[ranked([i.fitness for i in self.population])[0]]

    @property
    def mean(self) -> float:
        """Of the valid individuals, added in order."""
        total, count = 0.0, 0
        for individual in self.population:
            if not individual.score.reason:
                total += individual.fitness
                count += 1
        return total / count if count else float("inf")

    @property
    def invalid(self) -> int:
        return sum(bool(individual.score.reason) for individual in self.population)


def evolve(
    problem: Problem, settings: Settings, scorer: Scorer, state: State | None = None
) -> Iterator[State]:
    """Every generation, from the first, random one, or from the one after `state`."""
    breeding = make_breeding(problem, settings)
    if state is None:
        streams = [Stream(settings.seed, 0, number) for number in range(settings.population)]
        state = _state(0, (), [breeding.grow(stream) for stream in streams], scorer)
        if state.invalid == len(state.population):
            raise explain([individual.score for individual in state.population])
        yield state
    for generation in range(state.generation + 1, settings.generations + 1):
        parents = state.population
        scorer.forget(i.derivation.phenotype for i in parents if not i.derivation.fault)
        offspring = _offspring(breeding, settings, parents, generation)
        state = _state(generation, _elite(problem, settings, parents), offspring, scorer)
        yield state


def _elite(
    problem: Problem, settings: Settings, parents: tuple[Individual, ...]
) -> tuple[Individual, ...]:
    """The parents that children compete with: all of them, where a cost is minimised."""
    if problem.minimises:
        return parents
    return tuple(parents[i] for i in ranked([p.fitness for p in parents])[: settings.elites])


def _offspring(
    breeding: Breeding,
    settings: Settings,
    parents: Sequence[Individual],
    generation: int,
) -> list[Offspring]:
    """Pairs of children of pairs of parents, as many as the elite leaves room for.

    The parents are drawn from the stream of the pair's first child; each child then has its own.
    """
    children: list[Offspring] = []
    for number in range(settings.elites, settings.population, 2):
        first = Stream(settings.seed, generation, number)
        second = Stream(settings.seed, generation, number + 1)
        mother = _tournament(parents, settings, first)
        father = _tournament(parents, settings, first)
        children += breeding.pair(mother, father, first, second)
    return children[: settings.population - settings.elites]


def _tournament(parents: Sequence[Individual], settings: Settings, stream: Stream) -> Individual:
    """The best of the drawn individuals; of equals, the one that stands first."""
    drawn = [stream.below(len(parents)) for _ in range(settings.tournament)]
    if settings.minimise != NOTHING:
        return parents[min(drawn)]
    return parents[min(drawn, key=lambda i: (parents[i].fitness, i))]


def ranked(fitness: Sequence[float]) -> list[int]:
    """The numbers of the individuals, the best first; of equals, the one that stands first."""
    return sorted(range(len(fitness)), key=lambda i: (fitness[i], i))


def _state(
    generation: int,
    elite: tuple[Individual, ...],
    offspring: Sequence[Offspring],
    scorer: Scorer,
) -> State:
    scorer.begin(generation)
    population = (*scorer.elite(elite), *scorer.individuals(offspring))
    if scorer.problem.minimises:
        best = ordered([(one.fitness, one.score.cost) for one in population])
        population = tuple(population[number] for number in best[: len(offspring)])
    return State(generation, population, scorer.evaluations, scorer.reused)
