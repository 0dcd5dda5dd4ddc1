"""A grammar and a data set, brought together: what is evolved and what it is measured by."""

import math
import sys
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.data.dataset import Dataset, Split, folds, shuffled, split
from dsgec.data.preprocessing import fit_preprocessing
from dsgec.errors import DsgecError, mention, wrong
from dsgec.grammar.directives import LINEAR
from dsgec.grammar.expand import expand
from dsgec.grammar.genome.constants import FIRST_GROWTH, fold_constants
from dsgec.grammar.genome.genotype import Representation
from dsgec.grammar.genome.represent import represent
from dsgec.grammar.genome.rule_tables import RuleTables, make_rule_tables
from dsgec.grammar.ir import Grammar
from dsgec.network.cost.chips import DEFAULT_CHIP, check_functions, type_note
from dsgec.network.cost.work import model_cost
from dsgec.network.decide import DEFAULT_THRESHOLD
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Network, check, used_functions
from dsgec.network.model import Model, in_target_units
from dsgec.network.parse import parse_phenotype
from dsgec.network.simplify import simplify
from dsgec.network.text import line_phenotype
from dsgec.search.check import check_language, check_task, outputs_needed
from dsgec.search.linear import FittedLine, fit_line
from dsgec.search.objectives import (
    CLASSIFICATION,
    LANES,
    OBJECTIVES,
    Targets,
    natural,
    objectives_of,
    spread,
)
from dsgec.search.row_weights import make_row_weights
from dsgec.search.settings import DTYPES, NOTHING, Settings
from dsgec.search.threshold import best_threshold


@dataclass(frozen=True, slots=True)
class Learning:
    """How numbers are learned: steps of a child, and what is added to the objective.

    That is the `penalty` times the sum of the squared numbers and `parsimony` for each connection.
    With `trees`, derivation trees are varied in place of lists. With a `batch`, most generations
    have so many rows.
    """

    trees: bool
    steps: int
    penalty: float
    parsimony: float
    batch: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """All that is fixed for a run; `remark` is what a user should know about it beforehand.

    Without `learning`, the run is one of the paper's. `row_weights` are those of the training rows,
    in their order, where they count differently: see `dsgec.search.row_weights`. The `threshold`
    is that of two classes, or `auto`. `minimise` is the second objective, if there is one,
    and the `chip` and the `dtype` are what networks are priced for.
    """

    grammar: Grammar
    tables: RuleTables
    dataset: Dataset
    split: Split
    objective: str
    remark: str = ""
    learning: Learning | None = None
    row_weights: NDArray[np.float64] | None = None
    threshold: float | str = DEFAULT_THRESHOLD
    minimise: str = NOTHING
    chip: str = DEFAULT_CHIP
    dtype: str = DTYPES[0]

    @property
    def minimises(self) -> bool:
        """Whether there is a second objective, the cost of a network."""
        return self.minimise != NOTHING

    @property
    def has_prices(self) -> bool:
        """Whether that cost is what a network takes of a chip."""
        return self.minimises and self.minimise != "connections"

    @property
    def decides_by_threshold(self) -> bool:
        """Whether two classes are told apart by a threshold of their own, of any network."""
        return self.threshold != DEFAULT_THRESHOLD

    def cost(self, network: Network, connections: int) -> int:
        """What is minimised, of the simplified network of a text with so many connections.

        What brings an output to the target's own units is the same for all, and not counted.
        """
        if not self.has_prices:
            return connections
        dataset = self.dataset
        threshold = (
            0.0 if self.decides_by_threshold else DEFAULT_THRESHOLD
        )  # not known yet, if auto
        model = Model(network, dataset.inputs, dataset.classes, dataset.target, threshold)
        taken: int = getattr(model_cost(model, self.chip, self.dtype), self.minimise)
        return taken

    @property
    def rows(self) -> NDArray[np.float64]:
        """A copy of the training rows: to be kept, not to be asked for again and again."""
        return self.dataset.x[self.split.train]

    @property
    def batch(self) -> int:
        """The rows of most generations; 0: all."""
        return self.learning.batch if self.learning else 0

    def part(self, rows: slice | NDArray[np.intp]) -> "Problem":
        """The problem with some of the training rows."""
        by = self.row_weights
        return replace(
            self,
            split=replace(self.split, train=self.split.train[rows]),
            row_weights=None if by is None else by[rows],
        )

    def parse(self, phenotype: str) -> Network:
        """The network of a phenotype of this grammar, for this table."""
        roles = self.grammar.directives
        return parse_phenotype(
            phenotype,
            layered=bool(roles.layer),
            output=roles.output,
            inputs=len(self.dataset.features),
        )

    @property
    def is_linear(self) -> bool:
        """Whether an output is judged on its line of least squares: `%output linear`."""
        return self.grammar.directives.output == LINEAR

    def complete(self, phenotype: str) -> str:
        """The text as it is recorded: with its line, in the target's own units, if there is one."""
        line = self._line(phenotype) if self.is_linear else None
        if line is None:
            return phenotype
        mean, deviation = self.dataset.target_scale or (0.0, 1.0)
        return line_phenotype(
            phenotype,
            mean + deviation * line.intercept,
            deviation * line.slope,
            layered=bool(self.grammar.directives.layer),
        )

    @standard_arithmetic()
    def _line(self, phenotype: str) -> FittedLine | None:
        """That of what a text gives on the training rows; none where that has no score."""
        outputs = evaluate(simplify(self.parse(phenotype)), self.rows)
        return fit_line(outputs[:, 0], self.dataset.scaled_y[self.split.train], self.row_weights)

    def network(self, phenotype: str) -> Network:
        """The simplified network of a phenotype, which gives the target in its own units."""
        scale = None if self.is_linear else self.dataset.target_scale
        return simplify(in_target_units(self.parse(self.complete(phenotype)), scale))

    def model(self, phenotype: str) -> Model:
        """The network of a phenotype as it is measured, exported and recorded."""
        dataset = self.dataset
        network = check(self.network(phenotype))
        threshold = self.threshold
        if isinstance(threshold, str):
            threshold = self.choose_threshold(evaluate(network, self.rows))
        return Model(network, dataset.inputs, dataset.classes, dataset.target, threshold)

    def choose_threshold(self, outputs: NDArray[np.float64]) -> float:
        """The threshold of a network that gives these outputs on the training rows."""
        if not isinstance(self.threshold, str):
            return self.threshold
        classes = self.dataset.class_numbers[self.split.train]
        return best_threshold(outputs, classes, self.row_weights)

    def represent(self, settings: Settings) -> Representation:
        """How individuals are written; a DsgecError where the grammar cannot be written so."""
        return represent(
            settings.representation,
            self.tables,
            connect=settings.connect,
            max_size=settings.max_size,
            codons=settings.codons,
            wraps=settings.wraps,
            growth=FIRST_GROWTH if self.learning and self.learning.trees else None,
        )

    def targets(self, outputs: int) -> Targets:
        """What a network with so many outputs should learn to give on the training rows."""
        return self._targets(self.dataset.scaled_y, outputs)

    def natural(self, fitness: float) -> float:
        """A fitness as people read it, in the target's own units; penalties stay in it."""
        scale = self.dataset.target_scale
        return natural(self.objective, fitness, scale[1] if scale else 1.0)

    @property
    def is_fitness_read(self) -> bool:
        """Whether the score that people read is the fitness: no penalties, no other units."""
        return self.learning is None and self.dataset.target_scale is None and not self.is_linear

    def score(self, outputs: NDArray[np.float64]) -> float:
        """The objective as people read it, of what a network in own units gives on training rows.

        A number even where the units make it too large for one.
        """
        targets = self._targets(self.dataset.y, outputs.shape[1])
        with np.errstate(all="ignore"):
            fitness = OBJECTIVES[self.objective].fitness(outputs, targets)
        most = sys.float_info.max
        return natural(self.objective, fitness if math.isfinite(fitness) else most)

    def _targets(self, y: NDArray[np.float64], outputs: int) -> Targets:
        y = y[self.split.train]
        count = len(self.dataset.classes)
        groups = tuple(np.flatnonzero(y == c) for c in range(count))
        each = (y[:, None] == np.arange(count)).astype(np.float64)
        return Targets(each if count and outputs > 1 else y[:, None], groups, self.row_weights)

    def fits(self, network: Network) -> bool:
        """Whether the network has as many outputs as the task needs."""
        return len(network.outputs) in outputs_needed(self.dataset)


def make_problem(grammar: Grammar, dataset: Dataset, settings: Settings) -> Problem:
    """The problem; a grammar whose texts are no networks of this table is refused here."""
    if settings.folds:
        parts = folds(dataset, settings.folds, settings.split_seed)[settings.fold]
    else:
        parts = split(dataset, settings.test, settings.split_seed)
    dataset = fit_preprocessing(dataset, parts.train)
    outputs = max(len(dataset.classes), 1)
    expanded = expand(grammar, len(dataset.features), outputs)
    output = expanded.directives.output
    untried: list[str] = []
    networks = check_language(expanded, len(dataset.features), untried)
    remark = check_task(networks, dataset, output)
    if settings.threshold != DEFAULT_THRESHOLD and len(dataset.classes) != 2:
        task = f"has {len(dataset.classes)} classes" if dataset.classes else "is numeric"
        raise wrong(
            "threshold",
            f"is for two classes, but the target `{dataset.target}` {task}",
            "Leave it out.",
        )
    learning = make_learning(settings, len(parts.train))
    objective = choose_objective(dataset, parts, settings.objective, learning, output)
    if settings.batch:
        check_batch(settings, learning, objective)
    if learning and learning.batch:
        parts = replace(parts, train=shuffled(parts.train, settings.split_seed))
    problem = Problem(
        expanded,
        make_tables(expanded, settings, learning),
        dataset,
        parts,
        objective,
        remark,
        learning,
        weigh_rows(settings, dataset, parts, objective),
        settings.threshold,
        settings.minimise,
        settings.chip,
        settings.dtype,
    )
    problem.represent(settings)
    if not problem.has_prices:
        return problem
    used = {*FUNCTIONS} if untried else used_functions(networks)
    check_functions(used, settings.chip, settings.dtype)
    note = type_note(settings.minimise, settings.chip, settings.dtype)
    return replace(problem, remark="; ".join(filter(None, (remark, note))))


def make_learning(settings: Settings, rows: int) -> Learning | None:
    """What the settings ask for; None for the paper's own search."""
    trees = settings.variation == "trees" and settings.representation == "dsge"
    if not trees and not settings.steps:
        return None
    batch = -(-settings.batch // LANES) * LANES
    return Learning(
        trees,
        settings.steps,
        settings.l2 / rows,
        settings.parsimony,
        batch if batch < rows else 0,
    )


def check_batch(settings: Settings, learning: Learning | None, objective: str) -> None:
    """Refuse batches where all rows are needed."""
    if learning is None:
        raise wrong(
            "batch",
            f"is {settings.batch}, but this search remembers scores, which are of all rows",
            f"Leave it out, or use {mention('variation', 'trees')}.",
        )
    if OBJECTIVES[objective].by_class:
        raise wrong(
            "batch",
            f"is {settings.batch}, but {objective} measures the rows of each class",
            "Use another objective, such as log-loss.",
        )


def weigh_rows(
    settings: Settings, dataset: Dataset, parts: Split, objective: str
) -> NDArray[np.float64] | None:
    """The weights of the training rows; None where all count the same."""
    given = dataset.row_weights
    if settings.balance and not dataset.classes:
        raise wrong(
            "balance",
            f"is for classes, but `{dataset.target}` is a numeric target",
            "Leave it out.",
        )
    if (settings.balance or given is not None) and OBJECTIVES[objective].by_class:
        raise DsgecError(
            f"rows cannot have weights with the objective {objective}, which measures each class"
            " on its own",
            f"Use another one, such as {mention('objective', 'log-loss')}.",
        )
    if not settings.balance and given is None:
        return None
    own = given if given is None else given[parts.train]
    if not dataset.classes:
        return make_row_weights(own, np.empty(0, dtype=np.intp), 0, balance=False)
    classes, count = dataset.class_numbers[parts.train], len(dataset.classes)
    return make_row_weights(own, classes, count, balance=settings.balance)


def make_tables(grammar: Grammar, settings: Settings, learning: Learning | None) -> RuleTables:
    """The tables of an expanded grammar, in which a number that is learned is one choice."""
    tables = make_rule_tables(grammar, dict(settings.max_depth))
    return fold_constants(tables) if learning else tables


def choose_objective(
    dataset: Dataset,
    parts: Split,
    wanted: str,
    learning: Learning | None = None,
    output: str = "",
) -> str:
    """The objective asked for if it suits the task, or the usual one; without learning, the
    paper's. A linear `output` needs squared errors."""
    usual = "log-loss" if learning and learning.trees else "exp-rmse"
    objective = wanted or (usual if dataset.classes else "rmse")
    allowed = objectives_of(dataset.task)
    choices = f"Choose from {', '.join(allowed)}."
    if objective not in OBJECTIVES:
        raise wrong("objective", f"is {objective!r}", choices)
    if objective not in allowed:
        task = "a numeric target" if dataset.classes else "classes"
        raise wrong("objective", f"is {objective!r}, which is for {task}", choices)
    if output == LINEAR and not OBJECTIVES[objective].squared:
        squared = [name for name in allowed if OBJECTIVES[name].squared]
        raise wrong(
            "objective",
            f"is {objective!r}, but the grammar has `%output linear`, a line of least squares",
            f"Choose from {', '.join(squared)}.",
        )
    if CLASSIFICATION not in OBJECTIVES[objective].tasks and not all(
        spread(y[parts.train]) for y in (dataset.y, dataset.scaled_y)
    ):
        raise DsgecError("all training rows have the same target", "Choose another split.")
    return objective
