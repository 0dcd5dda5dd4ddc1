"""The walk as a stage of a run: from a problem to champions that the grammar derives."""

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace

import numpy as np

from dsgec.data.dataset import shuffle_rows
from dsgec.grammar.genome.genotype import Derivation
from dsgec.grammar.genome.shared_layer import (
    Affine,
    SharedLayerGrammar,
    find_shared_layer,
)
from dsgec.network.simplify import simplify
from dsgec.random import Stream
from dsgec.search.budget import make_budget
from dsgec.search.gradient import sum_of_squares
from dsgec.search.individual import Champion, Weights, make_hall
from dsgec.search.models import search_cost
from dsgec.search.objectives import learned_objective
from dsgec.search.problem import PhenotypeLanguage, Problem
from dsgec.search.refine import ScorePhenotype, weights_of, with_values
from dsgec.search.settings import Settings
from dsgec.search.walk.descent import Descent, WalkTable, make_walk_table
from dsgec.search.walk.front import Walk, WalkProgress, largest_network, make_steps
from dsgec.search.walk.layer import ACTIVATIONS, Array, LayerShape, SharedLayer
from dsgec.search.walk.screen import choose_inputs, most_inputs
from dsgec.search.walk.state import restore_state, save_state
from dsgec.signal.price import price

MakeDescent = Callable[[WalkTable], Descent]


def walked_grammar(language: PhenotypeLanguage) -> SharedLayerGrammar | None:
    """Return how a language derives networks with one shared hidden layer, if it does."""
    return find_shared_layer(language.tables, ACTIVATIONS, language.grammar.directives.output)


def make_walk_stage(
    problem: Problem,
    settings: Settings,
    make_descent: MakeDescent,
    score: ScorePhenotype,
    threads: int = 1,
) -> "WalkStage | None":
    """Return the walk of a run, or None if its settings, grammar or task have none."""
    learning = problem.learning
    if not settings.walk or learning is None or not learning.trees:
        return None
    if not problem.dataset.classes or not learned_objective(problem.objective).logistic:
        return None
    grammar = walked_grammar(problem.language)
    if grammar is None:
        return None
    shape = LayerShape(
        problem.language.features,
        grammar.outputs,
        grammar.activation,
        learning.penalty,
        grammar.limits,
        grammar.widest if grammar.longest >= problem.language.features else 0,
        grammar.linear is not None,
    )
    descent = make_descent(make_rows(problem, settings, grammar.outputs, problem.rows))
    largest = largest_network(len(problem.split.train))
    budget = make_budget(settings)
    if budget is not None and budget.flash:  # a connection takes a byte or more
        largest = min(largest, budget.flash)
    rest = make_steps(settings.walk), settings.seed, threads, largest
    own = Walk(descent, shape, *rest)
    windows = problem.dataset.windows
    most = most_inputs(len(problem.split.train))
    if windows and shape.inputs > most:
        pairs = zip(windows.calls, problem.dataset.columns, strict=True)
        costs = [price(call) for call, column in pairs if column.kind != "constant"]
        read = choose_inputs(own, np.array(costs), most)
        own = Walk(descent, replace(shape, read=tuple(read.tolist())), *rest)
    return WalkStage(problem, settings, grammar, own, score)


@dataclass(frozen=True, slots=True, eq=False)
class WalkStage:
    """The walk of a run, which is done a slice of time after the other."""

    problem: Problem
    settings: Settings
    grammar: SharedLayerGrammar
    walk: Walk
    score: ScorePhenotype

    def slices(self, seconds: float) -> Generator[WalkProgress, None, None]:
        """Yield the progress after every so many seconds, until the walk is over."""
        try:
            while not self.walk.advance(seconds):
                yield self.walk.progress
        finally:
            self.walk.close()

    def save(self) -> bytes:
        """Return the state of the walk, without the tasks that are not done."""
        return save_state(self.walk.state)

    def restore(self, state: bytes) -> None:
        """Continue from a saved state; raise a ValueError if it is damaged."""
        self.walk.state = restore_state(state, self.walk.shape)

    def champions(self) -> list[Champion]:
        """Return the front so far as champions that the grammar derives."""
        learning = self.problem.learning
        assert learning is not None
        hall = make_hall(self.problem.cost.is_minimised)
        least = math.inf
        for one in reversed(self.walk.front()):
            fitness = one.loss + learning.parsimony * one.net.size
            if fitness >= least:  # no better than a smaller one: deriving it takes time
                continue
            champion = _champion(self.problem, self.settings, self.grammar, one.net, self.score)
            if champion is not None:
                least = fitness
                hall.admit(champion)
        return hall.champions


def make_rows(problem: Problem, settings: Settings, outputs: int, features: Array) -> WalkTable:
    """Return the training rows with these features, shuffled, because batches are windows."""
    order = shuffle_rows(np.arange(len(problem.split.train)), settings.seed)
    targets, by = problem.targets(outputs), problem.row_weights
    weights = np.ones(len(order)) if by is None else by
    return make_walk_table(
        np.ascontiguousarray(features[order].T), targets.values[order].T, weights[order]
    )


def _champion(
    problem: Problem,
    settings: Settings,
    grammar: SharedLayerGrammar,
    net: SharedLayer,
    score: ScorePhenotype,
) -> Champion | None:
    """Return a network as a champion, or None if the grammar does not derive it."""
    learning = problem.learning
    assert learning is not None
    found = derive(problem, settings, grammar, net)
    if found is None:
        return None
    derivation, weights = found
    fitness = score(weights.phenotype)
    if not np.isfinite(fitness):
        return None
    size = problem.language.connections(weights.phenotype)
    fitness = fitness + learning.penalty * sum_of_squares(weights.values)
    cost = size
    if problem.cost.is_minimised:
        network = simplify(problem.language.parse(weights.phenotype))
        cost = search_cost(problem, network, size)
    return Champion(
        size,
        fitness + learning.parsimony * size,
        weights.phenotype,
        derivation.genotype,
        cost,
        weights,
    )


def derive(
    problem: Problem, settings: Settings, grammar: SharedLayerGrammar, net: SharedLayer
) -> tuple[Derivation, Weights] | None:
    """Return the derivation of a network by the nearest numerals, and its weights."""
    hidden, outputs = _affine_parts(net)
    values = net.values.tolist()
    made = grammar.derive(hidden, outputs, values)
    if made is None:
        return None
    derivation = problem.represent(settings).express(made.genotype, Stream(0, 0, 0))
    if derivation.fault or derivation.genotype != made.genotype:
        return None
    weights = weights_of(problem, derivation)
    if settings.weights != "grammar":
        weights = with_values(weights, [values[number] for number in made.order])
    return derivation, weights


def _affine_parts(net: SharedLayer) -> tuple[list[Affine], list[Affine]]:
    """Return the sums of hidden neurons and of outputs.

    The codes of sources are those of connections in a genotype: inputs, and then the neurons of the
    first layer.
    """
    first, sources = net.first.tolist(), net.sources.tolist()
    parts = [
        Affine([(sources[c], c) for c in range(first[k], first[k + 1])], net.size + k)
        for k in range(net.count)
    ]
    return parts[: net.hidden], parts[net.hidden :]
