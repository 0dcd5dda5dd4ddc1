"""The walk as a stage of a run: from a problem to champions that the grammar derives."""

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dsgec.data.dataset import shuffle_rows
from dsgec.grammar.genome.genotype import Derivation
from dsgec.grammar.genome.shared_layer import Affine, SharedLayerGrammar, find_shared_layer
from dsgec.network.ranges import Range
from dsgec.network.simplify import simplify
from dsgec.random import Stream
from dsgec.search.budget import make_budget
from dsgec.search.gradient import sum_of_squares
from dsgec.search.individual import Champion, Weights, make_hall
from dsgec.search.models import search_cost
from dsgec.search.objectives import learned_objective
from dsgec.search.packing import pack, unpack
from dsgec.search.problem import PhenotypeLanguage, Problem
from dsgec.search.recommend import inner_folds
from dsgec.search.refine import ScorePhenotype, weights_of, with_values
from dsgec.search.settings import Settings
from dsgec.search.walk.descent import Descent, WalkTable, make_walk_table
from dsgec.search.walk.front import Walk, WalkProgress, WalkSteps, largest_network, make_steps
from dsgec.search.walk.integer_front import IntegerWalk
from dsgec.search.walk.integers import DTYPE, column_ranges, integer_columns
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
    classes = len(problem.dataset.classes) if problem.dataset.windows else 0
    largest = largest_network(len(problem.split.train), classes)
    budget = make_budget(settings)
    if budget is not None and budget.flash:  # a connection takes a byte or more
        largest = min(largest, budget.flash)
    maker = _WalkMaker(settings, grammar, make_descent, threads, largest)
    if not learns_integers(problem, settings) or shape.activation != "clip":
        own = maker.walk(problem, maker.screened(problem, shape))
        return WalkStage(problem, settings, grammar, own, score)
    ranges = column_ranges(problem)
    folds = []
    for part, held_out in parts_of(problem, settings.seed):
        penalty = shape.penalty * len(problem.split.train) / len(part.split.train)
        part_walk = maker.integer_walk(part, replace(shape, penalty=penalty), ranges)
        folds.append(Fold(part, held_out, part_walk))
    walk = maker.integer_walk(problem, shape, ranges)
    return WalkStage(problem, settings, grammar, walk, score, tuple(folds))


def learns_integers(problem: Problem, settings: Settings) -> bool:
    """Return whether networks learn as the integers that are exported for a budget."""
    return (
        make_budget(settings) is not None
        and settings.dtype == DTYPE
        and settings.choose == "cv"
        and not (problem.has_own_threshold or problem.unknown)
        and problem.dataset.windows is None
    )


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """A walk without some of the training rows, which are held out."""

    problem: Problem
    held_out: NDArray[np.intp]
    walk: IntegerWalk


def parts_of(problem: Problem, seed: int) -> list[tuple[Problem, NDArray[np.intp]]]:
    """Return the problem without each fold of its training rows, and the rows of the fold."""
    train = problem.split.train
    places = np.empty(len(problem.dataset.y), np.intp)
    places[train] = np.arange(len(train))
    parts = inner_folds(problem, seed)
    return [(problem.part(places[fold.train]), fold.test) for fold in parts]


@dataclass(frozen=True, slots=True)
class _WalkMaker:
    settings: Settings
    grammar: SharedLayerGrammar
    make_descent: MakeDescent
    threads: int
    largest: int

    def walk(self, problem: Problem, shape: LayerShape) -> Walk:
        """Return a walk that has not begun."""
        return Walk(self._descent(problem, problem.rows), shape, *self._settings)

    def screened(self, problem: Problem, shape: LayerShape) -> LayerShape:
        """Return a shape that reads a few features of a signal, if there are many."""
        windows = problem.dataset.windows
        most = most_inputs(len(problem.split.train), make_budget(self.settings))
        if windows is None or shape.inputs <= most:
            return shape
        pairs = zip(windows.calls, problem.dataset.columns, strict=True)
        costs = [price(call) for call, column in pairs if column.kind != "constant"]
        read = choose_inputs(self.walk(problem, shape), np.array(costs), most)
        return replace(shape, read=tuple(read.tolist()))

    def integer_walk(
        self, problem: Problem, shape: LayerShape, ranges: tuple[Range | None, ...]
    ) -> IntegerWalk:
        """Return a walk whose networks learn in integers."""
        columns = integer_columns(problem, ranges)
        return IntegerWalk(
            *(self._descent(problem, problem.rows), shape, *self._settings, columns),
            self._descent(problem, columns.scaled(problem.split.train)),
        )

    @property
    def _settings(self) -> tuple[WalkSteps, int, int, int]:
        own = self.settings
        return make_steps(own.walk), own.seed, self.threads, self.largest

    def _descent(self, problem: Problem, features: Array) -> Descent:
        rows = make_rows(problem, self.settings, self.grammar.outputs, features)
        return self.make_descent(rows)


@dataclass(frozen=True, slots=True, eq=False)
class WalkStage:
    """The walk of a run, which is done a slice of time after the other."""

    problem: Problem
    settings: Settings
    grammar: SharedLayerGrammar
    walk: Walk
    score: ScorePhenotype
    folds: tuple[Fold, ...] = ()

    @property
    def walks(self) -> tuple[Walk, ...]:
        """The walk of all training rows, and those without each fold."""
        return self.walk, *(fold.walk for fold in self.folds)

    def slices(self, seconds: float) -> Generator[WalkProgress, None, None]:
        """Yield the progress after every so many seconds, until all walks are over."""
        for number, walk in enumerate(self.walks):
            try:
                while not walk.advance(seconds):
                    own = walk.progress
                    words = f"{own.words}, fold {number} of {len(self.folds)}"
                    yield replace(own, words=words) if number else own
            finally:
                walk.close()

    @property
    def progress(self) -> WalkProgress:
        """How much is done of the walk that is under way."""
        return next((one.progress for one in self.walks if not one.is_over), self.walk.progress)

    def save(self) -> bytes:
        """Return the state of the walks, without the tasks that are not done."""
        return pack([save_state(walk.state) for walk in self.walks])

    def restore(self, state: bytes) -> None:
        """Continue from a saved state; raise a ValueError if it is damaged."""
        for walk, own in zip(self.walks, unpack(state, len(self.walks)), strict=True):
            walk.state = restore_state(own, walk.shape)

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
            champion = self.champion(one.net)
            if champion is not None:
                least = fitness
                hall.admit(champion)
        return hall.champions

    def champion(self, net: SharedLayer) -> Champion | None:
        """Return a network as a champion, or None if the grammar does not derive it."""
        problem = self.problem
        learning = problem.learning
        assert learning is not None
        found = derive(problem, self.settings, self.grammar, net)
        if found is None:
            return None
        derivation, weights = found
        fitness = self.score(weights.phenotype)
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


def make_rows(problem: Problem, settings: Settings, outputs: int, features: Array) -> WalkTable:
    """Return the training rows with these features, shuffled, because batches are windows."""
    order = shuffle_rows(np.arange(len(problem.split.train)), settings.seed)
    targets, by = problem.targets(outputs), problem.row_weights
    weights = np.ones(len(order)) if by is None else by
    return make_walk_table(
        np.ascontiguousarray(features[order].T), targets.values[order].T, weights[order]
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
