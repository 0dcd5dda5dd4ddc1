"""The ancestors of the best individual, found by breeding it again from the logged populations.

A random draw depends on the seed, the generation and the individual alone, so the parents of an
individual are selected again from the population before, and its operators are those whose draws
made it. So the engine and the reference have the same genealogies.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple, cast

from dsgec.grammar.genome.genotype import Derivation, Representation
from dsgec.manifest import GENEALOGY
from dsgec.plain_data import csv_text
from dsgec.random import Stream
from dsgec.run.populations import PopulationLog, sort_genotype
from dsgec.search.backends import ReferenceBackend
from dsgec.search.breeding import Breeding, make_breeding
from dsgec.search.evolver import Member
from dsgec.search.individual import INFINITE, Individual, Score
from dsgec.search.problem import Problem
from dsgec.search.scoring import Scorer
from dsgec.search.selection import SELECTIONS, FindValues, Parents
from dsgec.search.settings import Settings

MOST_ANCESTORS = 500
"""The most ancestors that are found, the youngest first."""

Place = tuple[int, int]
"""A generation, and the number of an individual in it."""


class Ancestor(NamedTuple):
    """An individual in the generation in which it was born, and how.

    `operators` are `grown`, `copied`, `crossover`, `mutation`, or some of them joined by a plus;
    `parents` are the places of mother and father, as they were born, or of the mother alone.
    """

    place: Place
    operators: str
    parents: tuple[Place, ...]
    fitness: float
    phenotype: str


class _Lazy:
    """An individual of a logged population, which is mapped when somebody looks."""

    rates = ()

    def __init__(self, individuals: Representation, member: Member) -> None:
        self._individuals, self.member = individuals, member
        self.fitness = member.fitness
        reason = "" if member.fitness < INFINITE else "invalid"
        self.score = Score(member.fitness, reason, values=member.values)

    @cached_property
    def derivation(self) -> Derivation:
        return self._individuals.express(self.member.genotype, Stream(0, 0, 0))


def _logged_values(individuals: Sequence[Individual]) -> list[Sequence[float]]:
    return [one.score.values for one in individuals]


class _Generation:
    """A logged population, and the breeding of its children."""

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        members: Sequence[Member],
        generation: int,
        find_values: FindValues,
    ) -> None:
        individuals = problem.represent(settings)
        lazy = [_Lazy(individuals, one) for one in members]
        self.members = cast("list[Individual]", lazy)
        self.keys = [sort_genotype(one.genotype) for one in members]
        self._settings, self._next = settings, generation + 1
        self._parents = Parents(self.members, settings, self._next, find_values)
        breeding = make_breeding(problem, settings)
        self._breeding = breeding.prepare(self.members, self._next)
        self._plain: Breeding = replace(self._breeding, settings=replace(settings, mutation=0.0))

    def select(self, number: int) -> tuple[int, int, bool]:
        """Return the parents of a child, its mother first, and whether they were crossed."""
        first = self._first(number)
        stream = Stream(self._settings.seed, self._next, first)
        method = SELECTIONS[self._settings.selection]
        pair = [method(self._parents, self._settings, stream) for _ in range(2)]
        crossed = stream.chance(self._settings.crossover)
        mother, father = pair if number == first else pair[::-1]
        return mother, father, crossed

    def breed(self, number: int, *, mutates: bool = True) -> Derivation:
        """Return a child again, as it was before it learned; perhaps without its mutation."""
        first = self._first(number)
        streams = [Stream(self._settings.seed, self._next, first + own) for own in range(2)]
        method = SELECTIONS[self._settings.selection]
        pair = [self.members[method(self._parents, self._settings, streams[0])] for _ in range(2)]
        breeding = self._breeding if mutates else self._plain
        return breeding.pair(pair[0], pair[1], *streams)[number - first].derivation

    def _first(self, number: int) -> int:
        elites = self._settings.elites
        return number - (number - elites) % 2


class Genealogy:
    """Finds the ancestors of individuals in the log of a run with one population."""

    def __init__(self, problem: Problem, settings: Settings, log: PopulationLog) -> None:
        self._problem, self._settings, self._log = problem, settings, log
        self._generations: dict[int, _Generation] = {}
        self._find_values: FindValues = _logged_values
        if problem.fitness is None:
            self._find_values = Scorer(problem, ReferenceBackend()).case_values

    def generation(self, number: int) -> _Generation:
        """Return a logged generation."""
        if number not in self._generations:
            members = self._log.read(number).members(number)
            self._generations[number] = _Generation(
                self._problem, self._settings, members, number, self._find_values
            )
        return self._generations[number]

    def trace(self, place: Place) -> tuple[Ancestor, ...]:
        """Return an individual and its ancestors, the youngest first."""
        found: dict[Place, Ancestor] = {}
        waiting = {self._birth(place)}
        while waiting and len(found) < MOST_ANCESTORS:
            youngest = max(waiting, key=lambda one: (one[0], -one[1]))
            waiting.remove(youngest)
            found[youngest] = self._describe(youngest)
            waiting |= {own for own in found[youngest].parents if own not in found}
        return tuple(found.values())

    def _birth(self, place: Place) -> Place:
        """Return the place of an individual in the generation in which it was born."""
        generation, number = place
        while generation > 0:
            before = self._earlier_number(generation, number)
            if before is None:
                return generation, number
            generation, number = generation - 1, before
        return generation, number

    def _earlier_number(self, generation: int, number: int) -> int | None:
        """Return the number that an individual had before, if it is no child."""
        key, before = self.generation(generation).keys[number], self.generation(generation - 1)
        if self._problem.cost.is_minimised:  # all parents compete with the children
            return before.keys.index(key) if key in before.keys else None
        if number >= self._settings.elites:
            return None
        ranks = sorted(range(len(before.members)), key=lambda i: (before.members[i].fitness, i))
        return ranks[number]

    def _describe(self, place: Place) -> Ancestor:
        generation, number = place
        member = self.generation(generation).members[number]
        fitness, phenotype = member.fitness, member.derivation.phenotype
        if generation == 0:
            return Ancestor(place, "grown", (), fitness, phenotype)
        before, child = self.generation(generation - 1), self._child_number(place)
        mother, father, crossed = before.select(child)
        is_mutated = _differ(before.breed(child), before.breed(child, mutates=False))
        words = ["crossover"] * crossed + ["mutation"] * is_mutated
        parents = (mother, father) if crossed else (mother,)
        births = dict.fromkeys(self._birth((generation - 1, own)) for own in parents)
        return Ancestor(place, "+".join(words) or "copied", tuple(births), fitness, phenotype)

    def _child_number(self, place: Place) -> int:
        """Return the number under which a child was bred, before the population was sorted."""
        generation, number = place
        if not self._problem.cost.is_minimised:
            return number
        key, before = self.generation(generation).keys[number], self.generation(generation - 1)
        children = range(self._settings.population)
        texts = self.generation(generation).members[number].derivation.phenotype
        same = (own for own in children if sort_genotype(before.breed(own).genotype) == key)
        similar = (own for own in children if before.breed(own).phenotype == texts)
        return next(same, next(similar, number))


def _differ(left: Derivation, right: Derivation) -> bool:
    return sort_genotype(left.genotype) != sort_genotype(right.genotype)


def trace_best(
    problem: Problem, settings: Settings, log: PopulationLog, generation: int
) -> tuple[Ancestor, ...]:
    """Return the best individual of a generation and its ancestors; none for islands."""
    if settings.islands > 1 or settings.ensemble > 1 or settings.selection not in SELECTIONS:
        return ()
    genealogy = Genealogy(problem, settings, log)
    members = genealogy.generation(generation).members
    best = min(range(len(members)), key=lambda number: (members[number].fitness, number))
    return genealogy.trace((generation, best))


def genealogy_text(problem: Problem, ancestors: Sequence[Ancestor]) -> str:
    """Return the text of genealogy.csv, in which fitness is as people read it."""
    head = ["generation", "individual", "operators", "mother", "father", "score", "text"]
    rows: list[list[object]] = []
    for one in ancestors:
        names = [f"{generation}.{number}" for generation, number in one.parents]
        score = problem.as_score(one.fitness) + 0.0
        rows.append([*one.place, one.operators, *[*names, "", ""][:2], repr(score), one.phenotype])
    return csv_text(head, rows)


def log_files(
    problem: Problem, settings: Settings, log: PopulationLog | None, generation: int
) -> dict[str, bytes]:
    """Return the files of logged populations and of the genealogy of the best, by name."""
    if log is None:
        return {}
    ancestors = trace_best(problem, settings, log, generation)
    text = genealogy_text(problem, ancestors) if ancestors else ""
    own = {GENEALOGY: text.encode("utf-8", "surrogatepass")} if ancestors else {}
    return {**log.files(), **own}
