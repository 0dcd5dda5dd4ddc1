"""The evolutionary loop: from one population to the next, without files or output.

With a second objective, populations are sorted as in NSGA-II (Deb and others, "A fast and elitist
multiobjective genetic algorithm: NSGA-II", 2002): by fronts, then by crowding distance.
templates/engine/generation.c and front.c do the same.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dsgec.random import Stream
from dsgec.search.breeding import Breeding, make_breeding
from dsgec.search.fronts import sort_by_objectives
from dsgec.search.individual import INFINITE, Individual, Offspring
from dsgec.search.problem import Problem
from dsgec.search.scoring import Scorer, no_valid_individual
from dsgec.search.selection import Parents, select_parent
from dsgec.search.settings import Settings

Point = tuple[float, int]
"""A fitness and a cost, both minimised; the fitness of an invalid individual is infinite."""


@dataclass(frozen=True, slots=True)
class State:
    """A generation, and the counts of the run up to it.

    If a cost is minimised, the population is sorted by `sort_by_fronts`.
    """

    generation: int
    population: tuple[Individual, ...]
    evaluations: int
    reused: int

    @property
    def best(self) -> Individual:
        return self.population[rank([i.fitness for i in self.population])[0]]

    @property
    def mean(self) -> float:
        """The mean fitness of the valid individuals, added in order."""
        total, count = 0.0, 0
        for individual in self.population:
            if not individual.score.reason:
                total += individual.fitness
                count += 1
        return total / count if count else INFINITE

    @property
    def invalid(self) -> int:
        return sum(bool(individual.score.reason) for individual in self.population)


def evolve(
    problem: Problem, settings: Settings, scorer: Scorer, state: State | None = None
) -> Iterator[State]:
    """Yield every generation, from the first, random one or from the one after `state`."""
    breeding = make_breeding(problem, settings)
    if state is None:
        streams = [Stream(settings.seed, 0, number) for number in range(settings.population)]
        state = _score_generation(
            0, (), [breeding.grow(*one) for one in enumerate(streams)], scorer
        )
        if state.invalid == len(state.population):
            raise no_valid_individual([individual.score for individual in state.population])
        yield state
    for generation in range(state.generation + 1, settings.generations + 1):
        parents = state.population
        scorer.forget(i.derivation.phenotype for i in parents if not i.derivation.fault)
        candidates = Parents(parents, settings, generation, scorer.case_values)
        offspring = _offspring(breeding.prepare(parents, generation), settings, candidates)
        state = _score_generation(generation, _elite(problem, settings, parents), offspring, scorer)
        yield state


def _elite(
    problem: Problem, settings: Settings, parents: tuple[Individual, ...]
) -> tuple[Individual, ...]:
    """Return the parents that compete with their children: all, if a cost is minimised."""
    if problem.cost.is_minimised:
        return parents
    return tuple(parents[i] for i in rank([p.fitness for p in parents])[: settings.elites])


def _offspring(
    breeding: Breeding,
    settings: Settings,
    candidates: Parents,
) -> list[Offspring]:
    """Breed pairs of children from pairs of parents, as many as the elite leaves room for.

    The parents are drawn from the stream of the pair's first child; each child then has its own.
    """
    children: list[Offspring] = []
    for number in range(settings.elites, settings.population, 2):
        first = Stream(settings.seed, candidates.generation, number)
        second = Stream(settings.seed, candidates.generation, number + 1)
        mother = select_parent(candidates, settings, first, breeding.caller)
        father = select_parent(candidates, settings, first, breeding.caller)
        children += breeding.pair(mother, father, first, second)
    return children[: settings.population - settings.elites]


def rank(fitness: Sequence[float]) -> list[int]:
    """Return the numbers of the individuals, the best first; of equals, the first."""
    return sorted(range(len(fitness)), key=lambda i: (fitness[i], i))


def _score_generation(
    generation: int,
    elite: tuple[Individual, ...],
    offspring: Sequence[Offspring],
    scorer: Scorer,
) -> State:
    scorer.begin(generation)
    population = (*scorer.elite(elite), *scorer.individuals(offspring))
    if scorer.problem.cost.is_minimised:
        if scorer.problem.fitness is not None:
            best = sort_by_objectives([one.score.values for one in population])
        else:
            best = sort_by_fronts([(one.fitness, one.score.cost) for one in population])
        population = tuple(population[number] for number in best[: len(offspring)])
    return State(generation, population, scorer.evaluations, scorer.reused)


def sort_by_fronts(points: Sequence[Point]) -> list[int]:
    """Return the numbers of the points, the best first.

    They are sorted by their front, then by crowding distance, then as they stand; the invalid ones
    are last.
    """
    found: list[int] = []
    for front in find_fronts(points):
        distances = crowding_distances([points[number] for number in front])
        ranks = sorted(range(len(front)), key=lambda k: (-distances[k], front[k]))
        found += [front[k] for k in ranks]
    return found + [number for number, (fitness, _) in enumerate(points) if fitness == INFINITE]


def find_fronts(points: Sequence[Point]) -> list[list[int]]:
    """Return the numbers of the valid points of each front, by cost; the first is the best.

    Of equal points, the first dominates the others: otherwise copies of one network would fill the
    population. With two objectives, one sweep by cost finds all fronts.
    """
    found: list[list[int]] = []
    least: list[float] = []  # the lowest fitness of each front, which is that of its last point
    valid = [number for number, (fitness, _) in enumerate(points) if fitness < INFINITE]
    for number in sorted(valid, key=lambda n: (points[n][1], points[n][0], n)):
        fitness = points[number][0]
        place = bisect_right(least, fitness)
        if place == len(found):
            found.append([])
            least.append(fitness)
        found[place].append(number)
        least[place] = fitness
    return found


def crowding_distances(front: Sequence[Point]) -> list[float]:
    """Return the crowding distance of each point of a front, which is infinite at its ends.

    It is the distance between the neighbours, relative to the range of each objective in the front.
    """
    last = len(front) - 1
    found = [INFINITE] * len(front)
    for k in range(1, last):
        costs = float(front[k + 1][1] - front[k - 1][1]) / float(front[last][1] - front[0][1])
        found[k] = costs + (front[k - 1][0] - front[k + 1][0]) / (front[0][0] - front[last][0])
    return found
