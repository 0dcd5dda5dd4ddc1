"""Problems: a grammar and a data set brought together for a search."""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.data.dataset import Dataset, Split, folds, shuffle_rows, split
from dsgec.data.preprocessing import fit_preprocessing
from dsgec.errors import DsgecError, mention, setting_error
from dsgec.grammar.genome.constants import FIRST_GROWTH, fold_constants
from dsgec.grammar.genome.genotype import Representation
from dsgec.grammar.genome.psge import ProbabilitySettings
from dsgec.grammar.genome.represent import represent
from dsgec.grammar.genome.rule_tables import RuleTables, make_rule_tables
from dsgec.grammar.ir import LINEAR, Grammar
from dsgec.network.cost.chips import (
    CHIPS,
    DEFAULT_CHIP,
    Prices,
    check_functions,
    chip_prices,
    type_note,
)
from dsgec.network.decide import DEFAULT_THRESHOLD
from dsgec.network.ir import Network, used_functions
from dsgec.network.parse import parse_phenotype
from dsgec.network.structure import count_connections
from dsgec.search.budget import FIXED_POINT
from dsgec.search.check import check_language, check_limits, check_task, outputs_needed
from dsgec.search.fitness import TextFitness
from dsgec.search.gradient import Span, WeightedNetwork, weighted_network
from dsgec.search.objective import CLASSIFICATION
from dsgec.search.objectives import OBJECTIVES, as_score, objectives_of
from dsgec.search.rows import LANES, Targets, make_row_weights, spread
from dsgec.search.settings import DTYPES, NOTHING, Settings
from dsgec.search.signal_features import expand_for


@dataclass(frozen=True, slots=True)
class Learning:
    """The way in which the weights of individuals are learned.

    A child takes `steps` gradient steps. The fitness includes the `penalty` times the sum of the
    squared weights, and `parsimony` for each connection. With `trees`, derivation trees are varied
    instead of lists. With a `batch`, most generations use that many rows.
    """

    trees: bool
    steps: int
    penalty: float
    parsimony: float
    batch: int = 0


OBJECTIVES_OF_USER = "objectives"
"""What is minimised by a user's fitness with several objectives."""


@dataclass(frozen=True, slots=True)
class CostObjective:
    """The second objective of a search, if it has one: what a network costs on a chip."""

    minimise: str = NOTHING
    chip: str = DEFAULT_CHIP
    dtype: str = DTYPES[0]

    @property
    def is_minimised(self) -> bool:
        """True if the search has a second objective."""
        return self.minimise != NOTHING

    @property
    def has_prices(self) -> bool:
        """True if the cost is estimated for the chip, and not just the number of connections."""
        return self.is_minimised and self.minimise not in ("connections", OBJECTIVES_OF_USER)

    @property
    def prices(self) -> Prices | None:
        """The cost coefficients of the chip, or None if the search does not minimise its cost."""
        return chip_prices(self.chip, self.dtype) if self.has_prices else None


@dataclass(frozen=True, slots=True, eq=False)
class PhenotypeLanguage:
    """The phenotypes that an expanded grammar derives, for tables with this many features."""

    grammar: Grammar
    tables: RuleTables
    features: int

    @property
    def is_layered(self) -> bool:
        """True if a phenotype has layers, which `--` separates."""
        return bool(self.grammar.directives.layer)

    @property
    def is_linear(self) -> bool:
        """True if outputs are scored on their least-squares line: `%output linear`."""
        return self.grammar.directives.output == LINEAR

    def parse(self, phenotype: str) -> Network:
        """Parse a phenotype into a network, which is not simplified."""
        return parse_phenotype(
            phenotype,
            layered=self.is_layered,
            output=self.grammar.directives.output,
            inputs=self.features,
        )

    def parse_weighted(self, phenotype: str, spans: Sequence[Span]) -> WeightedNetwork:
        """Parse a phenotype into a network whose weights, at these places, are variables."""
        return weighted_network(
            phenotype,
            spans,
            inputs=self.features,
            layered=self.is_layered,
            output=self.grammar.directives.output,
        )

    def connections(self, phenotype: str) -> int:
        """Return the number of connections of a phenotype as it is written."""
        return count_connections(phenotype, layered=self.is_layered)


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """The rows and the objective that networks of a language are scored by, fixed for a run.

    Without `learning`, the search is the paper's. `row_weights` are the weights of the training
    rows, in their order, if they count differently. `threshold` is the one between two classes, or
    `auto`. `unknown` is the share of the training rows that may be of no class. `remark` is what a
    user should know before the run. With a `fitness`, phenotypes are any text, which that scores
    instead of the rows: see `dsgec.search.text_problem`.
    """

    language: PhenotypeLanguage
    dataset: Dataset
    split: Split
    objective: str
    learning: Learning | None = None
    cost: CostObjective = field(default_factory=CostObjective)
    row_weights: NDArray[np.float64] | None = None
    threshold: float | str = DEFAULT_THRESHOLD
    remark: str = ""
    fitness: TextFitness | None = None
    unknown: float = 0.0

    @property
    def varies_trees(self) -> bool:
        """True if derivation trees are varied instead of lists."""
        if self.fitness is not None:
            return self.fitness.trees
        return self.learning is not None and self.learning.trees

    @property
    def rows(self) -> NDArray[np.float64]:
        """A new copy of the training rows."""
        return self.dataset.x[self.split.train]

    @property
    def batch(self) -> int:
        """The number of rows of most generations; 0: all."""
        return self.learning.batch if self.learning else 0

    @property
    def rises(self) -> bool:
        """True if a higher score is better."""
        if self.fitness is not None:
            return self.fitness.maximise
        return OBJECTIVES[self.objective].rises

    @property
    def has_own_threshold(self) -> bool:
        """True if the threshold between two classes is not the default."""
        return self.threshold != DEFAULT_THRESHOLD

    @property
    def has_plain_fitness(self) -> bool:
        """True if the fitness is computed without penalties and in the units of the target."""
        has_units = self.dataset.target_scale is not None or self.language.is_linear
        return self.learning is None and not has_units

    def part(self, rows: slice | NDArray[np.intp]) -> "Problem":
        """Return the problem with some of its training rows."""
        by = self.row_weights
        return replace(
            self,
            split=replace(self.split, train=self.split.train[rows]),
            row_weights=None if by is None else by[rows],
        )

    def represent(self, settings: Settings) -> Representation:
        """Return the representation of individuals; raise a DsgecError if it cannot have one."""
        return represent(
            settings.representation,
            self.language.tables,
            connect=settings.connect,
            max_size=settings.max_size,
            codons=settings.codons,
            wraps=settings.wraps,
            growth=FIRST_GROWTH if self.varies_trees else None,
            probabilities=ProbabilitySettings(
                settings.learning_factor,
                settings.grammar_mutation,
                settings.grammar_deviation,
                settings.adaptive,
                settings.rate_mutation,
                settings.rate_deviation,
                settings.mutation,
            ),
        )

    def fits(self, network: Network) -> bool:
        """Return whether a network has as many outputs as the task needs."""
        return len(network.outputs) in outputs_needed(self.dataset)

    def targets(self, outputs: int) -> Targets:
        """Return the scaled targets of the training rows, for a network with so many outputs."""
        return self._targets(self.dataset.scaled_y, outputs)

    def _targets(self, y: NDArray[np.float64], outputs: int) -> Targets:
        y = y[self.split.train]
        count = len(self.dataset.classes)
        groups = tuple(np.flatnonzero(y == c) for c in range(count))
        each = (y[:, None] == np.arange(count)).astype(np.float64)
        return Targets(each if count and outputs > 1 else y[:, None], groups, self.row_weights)

    def as_score(self, fitness: float) -> float:
        """Return a fitness as people read it, in the units of the target, with its penalties."""
        if self.fitness is not None:
            return -fitness if self.fitness.maximise else fitness
        scale = self.dataset.target_scale
        return as_score(self.objective, fitness, scale[1] if scale else 1.0)

    def score(self, outputs: NDArray[np.float64]) -> float:
        """Return the score of outputs on the training rows that are in the units of the target.

        A score that is too large for a number is the largest number.
        """
        objective, scale = OBJECTIVES[self.objective], self.dataset.target_scale
        targets = self._targets(self.dataset.y, outputs.shape[1])
        deviation = 1.0
        if objective.of_scaled_errors and scale:
            mean, deviation = scale
            outputs, targets = (outputs - mean) / deviation, self.targets(outputs.shape[1])
        with np.errstate(all="ignore"):
            fitness = objective.fitness(outputs, targets)
        fitness = fitness if math.isfinite(fitness) else sys.float_info.max
        return min(as_score(self.objective, fitness, deviation), sys.float_info.max)


def make_problem(grammar: Grammar, dataset: Dataset, settings: Settings) -> Problem:
    """Split and encode the data and check it against the grammar, the settings and the task."""
    if settings.folds:
        parts = folds(dataset, settings.folds, settings.split_seed)[settings.fold]
    else:
        parts = split(dataset, settings.test, settings.split_seed)
    dataset = fit_preprocessing(dataset, parts.train)
    expanded = expand_for(grammar, dataset)
    output = expanded.directives.output
    untried: list[str] = []
    networks = check_language(expanded, len(dataset.features), untried)
    remark = check_task(networks, dataset, output)
    check_limits(settings, dataset)
    learning = make_learning(settings, len(parts.train))
    objective = _choose_objective(dataset, parts, settings.objective, learning, output)
    if settings.batch:
        _check_batch(settings, learning, objective)
    if learning and learning.batch:
        parts = replace(parts, train=shuffle_rows(parts.train, settings.split_seed))
    problem = Problem(
        make_language(expanded, len(dataset.features), settings),
        dataset,
        parts,
        objective,
        learning,
        CostObjective(settings.minimise, settings.chip, _estimated_type(settings)),
        _weigh_rows(settings, dataset, parts, objective),
        settings.threshold,
        remark,
        unknown=settings.unknown,
    )
    problem.represent(settings)
    if not problem.cost.has_prices:
        return problem
    used = {*FUNCTIONS} if untried else used_functions(networks)
    check_functions(used, settings.chip, settings.dtype)
    note = type_note(settings.minimise, settings.chip, settings.dtype)
    return replace(problem, remark="; ".join(filter(None, (remark, note))))


def _estimated_type(settings: Settings) -> str:
    """Return the number type of the estimates of a search, which are not those of fixed point."""
    if settings.dtype not in FIXED_POINT:
        return settings.dtype
    return DTYPES[0] if CHIPS[settings.chip].has_double else DTYPES[1]


def make_language(expanded: Grammar, features: int, settings: Settings) -> PhenotypeLanguage:
    """Make the rule tables of an expanded grammar; a weight that is learned is one choice."""
    tables = make_rule_tables(expanded, dict(settings.max_depth))
    learns = make_learning(settings, 1) is not None
    return PhenotypeLanguage(expanded, fold_constants(tables) if learns else tables, features)


def make_learning(settings: Settings, rows: int) -> Learning | None:
    """Return the way to learn weights from so many rows, or None for the paper's search."""
    trees = settings.variation == "trees" and settings.representation == "dsge"
    if not trees and not settings.steps:
        return None
    batch = -(-settings.batch // LANES) * LANES
    return Learning(
        trees, settings.steps, settings.l2 / rows, settings.parsimony, batch if batch < rows else 0
    )


def _check_batch(settings: Settings, learning: Learning | None, objective: str) -> None:
    if learning is None:
        raise setting_error(
            "batch",
            f"is {settings.batch}, but this search remembers scores, which are of all rows",
            f"Leave it out, or use {mention('variation', 'trees')}.",
        )
    if OBJECTIVES[objective].by_class:
        raise setting_error(
            "batch",
            f"is {settings.batch}, but {objective} measures the rows of each class",
            "Use another objective, such as log-loss.",
        )


def _weigh_rows(
    settings: Settings, dataset: Dataset, parts: Split, objective: str
) -> NDArray[np.float64] | None:
    """Return the weights of the training rows, or None if all count the same."""
    given = dataset.row_weights
    if settings.balance and not dataset.classes:
        raise setting_error(
            "balance",
            f"is for classes, but `{dataset.target}` is a numeric target",
            "Leave it out.",
        )
    if not settings.balance and given is None:
        return None
    if OBJECTIVES[objective].by_class:
        raise DsgecError(
            f"rows cannot have weights with the objective {objective}, which measures each class"
            " on its own",
            f"Use another one, such as {mention('objective', 'log-loss')}.",
        )
    own = None if given is None else given[parts.train]
    numbers = dataset.class_numbers[parts.train] if dataset.classes else np.empty(0, dtype=np.intp)
    return make_row_weights(own, numbers, len(dataset.classes), balance=settings.balance)


def _choose_objective(
    dataset: Dataset, parts: Split, wanted: str, learning: Learning | None, output: str
) -> str:
    """Return the objective asked for, or the default, and check that it is one for the task."""
    default = "log-loss" if learning and learning.trees else "exp-rmse"
    objective = wanted or (default if dataset.classes else "rmse")
    allowed = objectives_of(dataset.task)
    choices = f"Choose from {', '.join(allowed)}."
    if objective not in OBJECTIVES:
        raise setting_error("objective", f"is {objective!r}", choices)
    if objective not in allowed:
        task = "a numeric target" if dataset.classes else "classes"
        raise setting_error("objective", f"is {objective!r}, which is for {task}", choices)
    if output == LINEAR and not OBJECTIVES[objective].squared:
        squared = [name for name in allowed if OBJECTIVES[name].squared]
        raise setting_error(
            "objective",
            f"is {objective!r}, but the grammar has `%output linear`, a line of least squares",
            f"Choose from {', '.join(squared)}.",
        )
    if CLASSIFICATION not in OBJECTIVES[objective].tasks and not all(
        spread(y[parts.train]) for y in (dataset.y, dataset.scaled_y)
    ):
        raise DsgecError("all training rows have the same target", "Choose another split.")
    return objective
