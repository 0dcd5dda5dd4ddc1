"""Refine the champions of a search: prune the best network, and tune weights by L-BFGS.

A search that ends with large networks has seen few good small ones. So the best network is pruned
step by step: of several parts that could be removed, the least important one for what it saves is
removed, and the remaining weights take a few steps. What is saved is connections or, if another
cost is minimised, that cost. templates/engine/prune.c does the same.

During the search, weights are numerals of the grammar, and those of a child take one step. Here the
weights of the best networks are minimised, in full precision or back to the nearest numerals.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from dsgec.arithmetic import scalar
from dsgec.grammar.genome import edit
from dsgec.grammar.genome.constants import nearest_rank
from dsgec.grammar.genome.genotype import Derivation
from dsgec.grammar.genome.neurons import find_neurons
from dsgec.grammar.genome.sums import find_sums
from dsgec.grammar.genome.tree import build_tree
from dsgec.random import Stream
from dsgec.search.breeding import merge_terms
from dsgec.search.gradient import sum_of_squares
from dsgec.search.individual import Champion, Individual, Offspring, Weights, make_hall, merge_halls
from dsgec.search.learner import Learner, replace_numerals, with_ranks
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings

TRIED = 12
"""Parts that are tried in a round, of which one is removed."""
STEPS_BETWEEN = 4
"""Gradient steps after each round."""
MOST_TUNED = 10
"""Champions that are tuned with all evaluations; the others get a tenth of them."""
MOST_CANDIDATES = 12
"""Champions, from the smallest to the best, of which one is recommended: also with all."""
_PRUNING = (1 << 64) - 2  # a generation that no run reaches, for the random stream

Tune = Callable[[Weights, int, float], Sequence[float] | None]
"""Minimise the loss by the weights of a phenotype, with so many evaluations and a penalty.

It returns the new values, or None if the phenotype has no loss."""
ScorePhenotype = Callable[[str], float]
"""Return the objective of a phenotype."""


def prune(
    problem: Problem, settings: Settings, learner: Learner, best: Individual, rounds: int
) -> list[Champion]:
    """Prune an individual in so many rounds, and return a hall of fame of the results."""
    hall = make_hall(problem.cost.is_minimised)

    def admit(one: Individual) -> None:
        derivation, score = one.derivation, one.score
        hall.admit(
            Champion(
                score.size, score.fitness, derivation.phenotype, derivation.genotype, score.cost
            )
        )

    current = best
    if problem.batch:  # its fitness may be that of a batch
        (current,) = learner.learn([Offspring(best.derivation, best.rates)], 0)
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
    """Return the best of some random removals, its weights relearned, or None if there is none."""
    individuals, genotype = problem.represent(settings), current.derivation.genotype
    tables = problem.language.tables
    neurons, sums = find_neurons(tables), find_sums(tables)
    places = edit.hoistable_nodes(tables, build_tree(tables, genotype))
    best: Individual | None = None
    for _ in range(TRIED if places else 0):
        at = places[stream.below(len(places))]
        smaller = edit.hoist(tables, neurons, genotype, at, stream)
        hoisted = Offspring(individuals.express(smaller.genotype, stream))
        child = merge_terms(individuals, tables, sums, hoisted, stream)
        (one,) = learner.learn([child], 0)
        if (
            not one.score.reason
            and one.score.cost < current.score.cost
            and (best is None or _loss_per_cost(current, one) < _loss_per_cost(current, best))
        ):
            best = one
    if best is None:
        return None
    (learned,) = learner.learn([Offspring(best.derivation)], STEPS_BETWEEN)
    return learned


def _loss_per_cost(before: Individual, after: Individual) -> float:
    """Return how much worse the fitness is for each connection, byte or cycle that is saved."""
    return (after.fitness - before.fitness) / (before.score.cost - after.score.cost)


def tune_champions(
    problem: Problem,
    settings: Settings,
    champions: Sequence[Champion],
    tune: Tune,
    score: ScorePhenotype,
) -> list[Champion]:
    """Tune the weights of champions, and drop those that are no better than a smaller one."""
    if problem.learning is None:
        return [*champions]
    ranked = sorted(range(len(champions)), key=lambda number: (champions[number].fitness, number))
    best = {*ranked[:MOST_TUNED]}
    kept = sorted(best | {*_front(champions)})
    if settings.choose == "cv":  # one of these may be recommended
        best |= {kept[place] for place in spaced_by_cost([champions[n] for n in kept])}
    tuned = []
    for number in kept:
        evaluations = settings.tuning if number in best else settings.tuning // MOST_TUNED
        one = _tune_champion(problem, settings, champions[number], evaluations, tune, score)
        tuned.append(one if number in best else replace(one, weights=None))
    return [tuned[number] for number in _front(tuned)]


def combine_fronts(
    problem: Problem, first: Sequence[Champion], second: Sequence[Champion]
) -> list[Champion]:
    """Merge two fronts, and drop the champions that are no better than a smaller one."""
    merged = merge_halls(problem.cost.is_minimised, (first, second))
    return [merged[number] for number in _front(merged)]


def spaced_by_cost(champions: Sequence[Champion], most: int = MOST_CANDIDATES) -> list[int]:
    """Return the places of a few champions, evenly spaced by the logarithm of their costs."""
    if len(champions) <= most:
        return [*range(len(champions))]
    logs = [scalar.log(1.0 + (one.cost or one.size)) for one in champions]
    step = (logs[-1] - logs[0]) / (most - 1)
    wanted = [logs[0] + number * step for number in range(most)]
    return sorted({min(range(len(logs)), key=lambda at: abs(logs[at] - log)) for log in wanted})


def _front(champions: Sequence[Champion]) -> list[int]:
    """Return the numbers of the champions that are better than all smaller or cheaper ones."""
    found: list[int] = []
    for number, champion in enumerate(champions):
        if not found or champion.fitness < champions[found[-1]].fitness:
            found.append(number)
    return found


def _tune_champion(
    problem: Problem,
    settings: Settings,
    champion: Champion,
    evaluations: int,
    tune: Tune,
    score: ScorePhenotype,
) -> Champion:
    learning = problem.learning
    assert learning is not None and champion.genotype is not None
    derivation = problem.represent(settings).express(champion.genotype, Stream(0, 0, 0))
    weights = weights_of(problem, derivation)
    untuned = replace(champion, weights=weights)
    if not weights.values or not evaluations:
        return untuned
    found = tune(weights, evaluations, learning.penalty)
    if found is None:
        return untuned
    if settings.weights == "grammar":
        tuned = weights_of(problem, _round_weights(problem, derivation, found))
    else:
        tuned = with_values(weights, found)
    squares = learning.penalty * sum_of_squares(tuned.values)
    fitness = (score(tuned.phenotype) + squares) + learning.parsimony * champion.size
    if not fitness < champion.fitness:
        return untuned
    return replace(champion, fitness=fitness, phenotype=tuned.phenotype, weights=tuned)


def weights_of(problem: Problem, derivation: Derivation) -> Weights:
    """Return the weights of a derivation, as its numerals have them."""
    lists = [problem.language.tables.constants[number.rule] for number in derivation.constants]
    return Weights(
        derivation.phenotype,
        tuple((number.offset, number.length) for number in derivation.constants),
        tuple((values[0], values[-1]) for values in lists),
        tuple(v[number.rank] for v, number in zip(lists, derivation.constants, strict=True)),
    )


def _round_weights(problem: Problem, derivation: Derivation, values: Sequence[float]) -> Derivation:
    """Return the derivation with the numerals of the grammar that are nearest to the values."""
    tables = problem.language.tables
    lists = (tables.constants[number.rule] for number in derivation.constants)
    ranks = [nearest_rank(own, value) for own, value in zip(lists, values, strict=True)]
    return with_ranks(derivation, ranks, tables)


def with_values(weights: Weights, values: Sequence[float]) -> Weights:
    """Write other values into a phenotype, in full precision."""
    phenotype, spans = replace_numerals(weights.phenotype, weights.spans, [*map(repr, values)])
    return Weights(phenotype, tuple(spans), weights.bounds, tuple(values))
