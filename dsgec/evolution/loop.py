"""The loop: a population to the next one; nothing here reads files or prints."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dsgec.evolution.problem import Problem
from dsgec.evolution.scoring import Score, Scorer, explain
from dsgec.evolution.settings import Settings
from dsgec.genome.ir import Derivation, Genotype, Representation
from dsgec.random import Stream


@dataclass(frozen=True, slots=True)
class Individual:
    """A genotype with its phenotype, and how good it is."""

    derivation: Derivation
    score: Score

    @property
    def fitness(self) -> float:
        return self.score.fitness


@dataclass(frozen=True, slots=True)
class State:
    """A generation, and the counts of the run up to it."""

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
    individuals = problem.represent(settings)
    if state is None:
        state = _state(0, (), _first_generation(individuals, settings), scorer)
        if state.invalid == len(state.population):
            raise explain([individual.score for individual in state.population])
        yield state
    for generation in range(state.generation + 1, settings.generations + 1):
        parents = state.population
        scorer.forget(i.derivation.phenotype for i in parents if not i.derivation.fault)
        elite = tuple(parents[i] for i in ranked([p.fitness for p in parents])[: settings.elites])
        offspring = _offspring(individuals, settings, parents, generation)
        state = _state(generation, elite, offspring, scorer)
        yield state


def _first_generation(individuals: Representation, settings: Settings) -> list[Derivation]:
    streams = [Stream(settings.seed, 0, number) for number in range(settings.population)]
    return [individuals.express(individuals.grow(stream), stream) for stream in streams]


def _offspring(
    individuals: Representation,
    settings: Settings,
    parents: Sequence[Individual],
    generation: int,
) -> list[Derivation]:
    """Pairs of children of pairs of parents, as many as the elite leaves room for.

    The parents and the crossover are drawn from the stream of the pair's first child; each child
    then goes on alone: mending, mutation and mending again are drawn from its own stream.
    """

    def child(genotype: Genotype, stream: Stream) -> Derivation:
        derivation = individuals.express(genotype, stream)
        if not stream.chance(settings.mutation):
            return derivation
        return individuals.express(individuals.mutate(derivation, stream), stream)

    children: list[Derivation] = []
    for first in range(settings.elites, settings.population, 2):
        stream = Stream(settings.seed, generation, first)
        mother = _tournament(parents, settings.tournament, stream).derivation
        father = _tournament(parents, settings.tournament, stream).derivation
        pair = (mother.genotype, father.genotype)
        if stream.chance(settings.crossover):
            pair = individuals.crossover(*pair, stream)
        children.append(child(pair[0], stream))
        if first + 1 < settings.population:
            children.append(child(pair[1], Stream(settings.seed, generation, first + 1)))
    return children


def _tournament(parents: Sequence[Individual], size: int, stream: Stream) -> Individual:
    """The best of `size` drawn individuals; of equals, the one that stands first."""
    drawn = [stream.below(len(parents)) for _ in range(size)]
    return parents[min(drawn, key=lambda i: (parents[i].fitness, i))]


def ranked(fitness: Sequence[float]) -> list[int]:
    """The numbers of the individuals, the best first; of equals, the one that stands first."""
    return sorted(range(len(fitness)), key=lambda i: (fitness[i], i))


def _state(
    generation: int, elite: tuple[Individual, ...], offspring: list[Derivation], scorer: Scorer
) -> State:
    scores = iter(scorer([d.phenotype for d in offspring if not d.fault]))
    children = tuple(
        Individual(d, Score(float("inf"), d.fault) if d.fault else next(scores)) for d in offspring
    )
    return State(generation, elite + children, scorer.evaluations, scorer.reused)
