"""The best network of a run to smaller and smaller ones, for the hall of fame.

A search that ends with large networks has seen few good small ones. So the winner is walked down:
of several parts that could go, the one that is missed least for what it saves goes, and the numbers
that are left take a few steps; then the next. What is saved are connections or, where another cost
is minimised, that. templates/engine/prune.c does the same.
"""

from dsgec.grammar.genome import edit
from dsgec.grammar.genome.neurons import find_neurons
from dsgec.grammar.genome.sums import find_sums
from dsgec.grammar.genome.tree import build_tree
from dsgec.random import Stream
from dsgec.search.breeding import merge_terms
from dsgec.search.hall import make_hall
from dsgec.search.individual import Champion, Individual, Offspring
from dsgec.search.learner import Learner
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings

TRIED = 12
"""Parts of which one goes in a round."""
STEPS_BETWEEN = 4
_PRUNING = (1 << 64) - 2  # a generation that no run reaches: its draws are those of the walk


def prune(
    problem: Problem, settings: Settings, learner: Learner, best: Individual, rounds: int
) -> list[Champion]:
    """The networks on the way down, as in a hall of fame."""
    hall = make_hall(problem)

    def admit(one: Individual) -> None:
        derivation, score = one.derivation, one.score
        hall.admit(
            Champion(
                score.size, score.fitness, derivation.phenotype, derivation.genotype, score.cost
            )
        )

    current = best
    if problem.batch:  # its fitness is by some rows only
        (current,) = learner.learned([Offspring(best.derivation, best.rates)], 0)
        if current.score.reason:
            return []
        admit(current)
    for number in range(rounds):
        stream = Stream(settings.seed, _PRUNING, number)
        smaller = _prune_once(problem, settings, learner, current, stream)
        if smaller is None:
            break
        current = smaller
        admit(current)
    return hall.champions


def _prune_once(
    problem: Problem, settings: Settings, learner: Learner, current: Individual, stream: Stream
) -> Individual | None:
    """The individual less the part that is missed least, if anything can go."""
    individuals, genotype = problem.represent(settings), current.derivation.genotype
    neurons, sums = find_neurons(problem.tables), find_sums(problem.tables)
    places = edit.hoistable_nodes(problem.tables, build_tree(problem.tables, genotype))
    best: Individual | None = None
    for _ in range(TRIED if places else 0):
        at = places[stream.below(len(places))]
        smaller = edit.hoist(problem.tables, neurons, genotype, at, stream)
        hoisted = Offspring(individuals.express(smaller.genotype, stream))
        child = merge_terms(individuals, problem.tables, sums, hoisted, stream)
        (one,) = learner.learned([child], 0)
        if (
            not one.score.reason
            and one.score.cost < current.score.cost
            and (best is None or _loss(current, one) < _loss(current, best))
        ):
            best = one
    if best is None:
        return None
    (learned,) = learner.learned([Offspring(best.derivation)], STEPS_BETWEEN)
    return learned


def _loss(before: Individual, after: Individual) -> float:
    """How much worse the fitness is for each connection, or byte, or cycle, that is saved."""
    return (after.fitness - before.fitness) / (before.score.cost - after.score.cost)
