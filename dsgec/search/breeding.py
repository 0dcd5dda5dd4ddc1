"""Breed pairs of children from pairs of parents, by the paper's operators or by tree edits."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dsgec.grammar.genome import edit
from dsgec.grammar.genome.genotype import Derivation, Genotype, Representation
from dsgec.grammar.genome.merge import merge_repeated_terms
from dsgec.grammar.genome.neurons import Neurons, find_neurons
from dsgec.grammar.genome.plan import plan_tree
from dsgec.grammar.genome.psge import Psge
from dsgec.grammar.genome.rates import FIRST_STEP, Rate
from dsgec.grammar.genome.rule_tables import NONE, RuleTables
from dsgec.grammar.genome.sums import Sums, find_sums
from dsgec.random import Stream
from dsgec.search.individual import Individual, Offspring
from dsgec.search.operators import NO_OPERATORS, Caller
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings


def make_breeding(problem: Problem, settings: Settings) -> "Breeding":
    """Return the way of breeding that the problem asks for."""
    individuals = problem.represent(settings)
    tables = problem.language.tables
    if problem.fitness is not None:  # of texts that are not networks
        caller = make_caller(problem, settings)
        if problem.varies_trees:
            return TreeBreeding(individuals, tables, None, None, settings, caller)
        return ListBreeding(individuals, tables, settings, caller)
    if problem.varies_trees:
        return TreeBreeding(individuals, tables, find_neurons(tables), find_sums(tables), settings)
    return ListBreeding(individuals, tables, settings)


def make_caller(problem: Problem, settings: Settings) -> Caller:
    """Return what calls the user's operators, if there are any."""
    operators = problem.fitness.operators if problem.fitness else NO_OPERATORS
    representation = problem.represent(settings)
    return Caller(operators, problem.language.tables, representation, problem.varies_trees)


@dataclass(frozen=True, slots=True)
class ListBreeding:
    """The paper's operators: crossover of whole genes or lists, then mutation of one integer."""

    individuals: Representation
    tables: RuleTables
    settings: Settings
    caller: Caller | None = None

    def prepare(self, parents: Sequence[Individual], generation: int) -> "ListBreeding":
        """Return the breeding of a generation, which may learn from its parents.

        PSGE learns from the best of all parents, which is the best of the run if there is an elite,
        and every second time from the best of the last generation.
        """
        if not isinstance(self.individuals, Psge):
            return self
        elites = self.settings.elites if generation > 1 else 0
        others = parents if self.settings.has_fronts or generation % 2 else parents[elites:]
        best = others[0] if self.settings.has_fronts else min(others, key=lambda one: one.fitness)
        learned = self.individuals.learn(
            parents[elites].derivation.genotype, None if best.score.reason else best.derivation
        )
        return replace(self, individuals=learned)

    def grow(self, number: int, stream: Stream) -> Offspring:
        """Return an individual of the first generation."""
        return _grow(self.individuals, self.tables, self.settings, number, stream)

    def pair(
        self, mother: Individual, father: Individual, first: Stream, second: Stream
    ) -> tuple[Offspring, Offspring]:
        """Return the mother's child and the father's, each perhaps with parts of the other parent.

        Whether and how they are crossed is drawn from the first child's stream.
        """
        parents = (mother.derivation.genotype, father.derivation.genotype)
        crosses = first.chance(self.settings.crossover)
        pair = self._cross(*parents, first) if crosses else parents
        if isinstance(self.individuals, Psge):
            better = parents[0] if mother.fitness < father.fitness else parents[1]
            heirs = (better, better) if crosses else parents
            pair = (
                self.individuals.inherit(pair[0], heirs[0]),
                self.individuals.inherit(pair[1], heirs[1]),
            )
        return self._child(pair[0], first), self._child(pair[1], second)

    def _cross(
        self, mother: Genotype, father: Genotype, stream: Stream
    ) -> tuple[Genotype, Genotype]:
        if self.caller and self.caller.operators.cross:
            return self.caller.cross(mother, father, stream)
        return self.individuals.crossover(mother, father, stream)

    def _child(self, genotype: Genotype, stream: Stream) -> Offspring:
        if self.caller and self.caller.operators.mutate:
            derivation = self.individuals.express(genotype, stream)
            if stream.chance(self.settings.mutation):
                mutant = self.caller.mutate(derivation.genotype, stream)
                derivation = self.individuals.express(mutant, stream)
            return Offspring(derivation)
        return Offspring(self.individuals.vary(genotype, self.settings.mutation, stream))


@dataclass(frozen=True, slots=True)
class TreeBreeding:
    """Exchange of subtrees, then an edit at one place; weights that stay keep their rates.

    No child has a sum with two terms of the same source.
    """

    individuals: Representation
    tables: RuleTables
    neurons: Neurons | None
    sums: Sums | None
    settings: Settings
    caller: Caller | None = None

    def prepare(self, parents: Sequence[Individual], generation: int) -> "TreeBreeding":
        """Return the same: nothing is learned from the parents of a generation."""
        del parents, generation
        return self

    def grow(self, number: int, stream: Stream) -> Offspring:
        grown = _grow(self.individuals, self.tables, self.settings, number, stream)
        return self._merge(grown, stream)

    def _merge(self, one: Offspring, stream: Stream) -> Offspring:
        return merge_terms(self.individuals, self.tables, self.sums, one, stream)

    def pair(
        self, mother: Individual, father: Individual, first: Stream, second: Stream
    ) -> tuple[Offspring, Offspring]:
        crosses = first.chance(self.settings.crossover)
        crossed: tuple[Genotype | None, Genotype | None] = (None, None)
        has_trees = not mother.derivation.fault and not father.derivation.fault
        if crosses and has_trees and self.caller and self.caller.operators.cross:
            parents = (mother.derivation.genotype, father.derivation.genotype)
            crossed = self.caller.cross(*parents, first)
        return (
            self._child(mother, father, crosses, crossed[0], first),
            self._child(father, mother, crosses, crossed[1], second),
        )

    def _child(
        self,
        mother: Individual,
        father: Individual,
        crosses: bool,
        crossed_by_caller: Genotype | None,
        stream: Stream,
    ) -> Offspring:
        derivation, rates = mother.derivation, mother.rates
        if crossed_by_caller is not None:
            derivation = self.individuals.express(crossed_by_caller, stream)
        elif crosses and not derivation.fault and not father.derivation.fault:
            parents = (derivation.genotype, father.derivation.genotype)
            crossed = edit.exchange_subtrees(self.tables, self.neurons, *parents, stream)
            both = mother.rates + father.rates if mother.rates and father.rates else ()
            derivation = self.individuals.express(crossed.genotype, stream)
            rates = _inherit_rates(both, crossed.origins, derivation)
        if stream.chance(self.settings.mutation) and not derivation.fault:
            if self.caller and self.caller.operators.mutate:
                mutant = self.caller.mutate(derivation.genotype, stream)
                return Offspring(self.individuals.express(mutant, stream))
            changed = edit.mutate(self.tables, self.neurons, derivation.genotype, stream)
            derivation = self.individuals.express(changed.genotype, stream)
            rates = _inherit_rates(rates, changed.origins, derivation)
        return self._merge(Offspring(derivation, rates), stream)


def _grow(
    individuals: Representation,
    tables: RuleTables,
    settings: Settings,
    number: int,
    stream: Stream,
) -> Offspring:
    plan = plan_tree(tables, settings.initialisation, number, stream)
    return Offspring(individuals.express(individuals.grow(stream, plan), stream))


Breeding = ListBreeding | TreeBreeding


def merge_terms(
    individuals: Representation,
    tables: RuleTables,
    sums: Sums | None,
    one: Offspring,
    stream: Stream,
) -> Offspring:
    """Merge the terms of a sum that have the same source; the remaining weight keeps its rate."""
    if sums is None or one.derivation.fault:
        return one
    merged = merge_repeated_terms(tables, sums, one.derivation.genotype)
    if merged is None:
        return one
    derivation = individuals.express(merged.genotype, stream)
    return Offspring(derivation, _inherit_rates(one.rates, merged.kept, derivation))


def _inherit_rates(
    rates: Sequence[Rate], origins: Sequence[int], derivation: Derivation
) -> tuple[Rate, ...]:
    """Return the rates that the weights of a child inherit; new weights get the first rate."""
    if not rates or derivation.fault:
        return ()
    new = Rate(FIRST_STEP, 0.0)
    return tuple(new if origin == NONE else rates[origin] for origin in origins)
