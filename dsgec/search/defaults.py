"""Defaults that depend on the table: its grammar by the task, the length of a search by its shape.

They depend on nothing else, so that the same command gives the same bytes everywhere.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dsgec.data.dataset import Dataset
from dsgec.errors import setting_error
from dsgec.grammar.genome.constants import fold_constants
from dsgec.grammar.genome.rule_tables import make_rule_tables
from dsgec.grammar.genome.shared_layer import find_shared_layer
from dsgec.grammar.ir import Grammar
from dsgec.search.objectives import OBJECTIVES, learned_objective
from dsgec.search.presets import Preset
from dsgec.search.rows import WHOLE_EVERY
from dsgec.search.settings import BY_SHAPE, NOTHING, SETTINGS, Settings
from dsgec.search.signal_features import expand_for
from dsgec.search.walk.layer import ACTIVATIONS

DEFAULT_BATCH = 512
NUMERIC_L2 = 0.25
"""For a numeric target, whose noise networks fit more readily than that of classes."""
BATCH_PARSIMONY = 1e-4
"""For a table with batches: with more rows, more connections can be told from noise."""
THOROUGH_ENSEMBLE = 5
"""Networks of a thorough search; more are hardly better."""
EVOLUTION = frozenset(
    [
        *("generations", "population", "variation", "representation", "ensemble", "islands"),
        *("steps", "crossover", "mutation", "elites", "tournament", "selection", "patience"),
        *("stop_at", "minimise", "max_depth", "max_size", "pruning", "batch", "migrate_every"),
        *("migrants", "codons", "wraps"),
    ]
)
"""Settings that ask for an evolution: without a grammar they are those of `network`."""
WALK_STEPS = {"quick": 0.25, "normal": 1.0, "thorough": 4.0}
"""The steps of a walk, by the effort, in shares of `default_walk`."""
LEAST_WALK, MOST_WALK = 1_000, 3_000
WALK_L2 = 0.5
"""For a walk, whose hidden neurons all classes share, so that penalties do not add up."""
_MANY_ROWS = 3 * DEFAULT_BATCH  # from here on, batches save more than they lose
_SMALL_WORK = 10_000  # rows of a generation, times outputs
_LEAST_GENERATIONS = 120
_QUICK_DIVISOR = 4


def default_grammar(dataset: Dataset, given: Mapping[str, Any] | None = None) -> str:
    """Return the shipped grammar for the classes or the numeric target of a data set.

    If a setting that is `given` is one of evolution, it is the grammar that is evolved, and not the
    one with a walk.
    """
    classes, is_signal = len(dataset.classes), dataset.windows is not None
    if not classes:
        return "signal_regression" if is_signal else "regression"
    own = given or {}
    objective = own.get("objective") or ""
    is_logistic = objective not in OBJECTIVES or learned_objective(objective).logistic
    is_evolved = own.get("preset") == "paper" or own.get("walk") == 0
    for one in SETTINGS:
        value = own.get(one.name)
        has_default = one.learned is None and value == one.default
        is_evolved |= one.name in EVOLUTION and value is not None and not has_default
    learned = "signal" if is_signal else "shared"
    kind = "network" if is_evolved or not is_logistic else learned
    return kind if classes == 2 else f"{kind}_softmax"


def with_defaults(
    settings: Settings,
    given: Mapping[str, Any],
    preset: Preset,
    dataset: Dataset,
    grammar: Grammar,
    *,
    is_default: bool = False,
) -> Settings:
    """Fill in the settings that were not given and depend on the data set and the grammar.

    If the grammar `is_default`, nobody asked for its networks, and trees are tried beside them.
    """
    if not preset.learns:
        return settings
    if given.get("walk") != 0 and not refuse_walk(settings, grammar, dataset):
        if is_default and dataset.windows is None:
            settings = replace(settings, trees=True)
        return _with_walk(settings, given, preset, dataset)
    if given.get("batch") is None and _can_have_batches(settings):
        settings = replace(settings, batch=default_batch(len(dataset.y)))
    settings = _with_penalties(settings, given, len(dataset.classes))
    if given.get("generations") is None:
        generations = default_generations(dataset, settings.batch)
        if preset.effort == "quick":
            generations //= _QUICK_DIVISOR
        elif preset.effort == "thorough" and settings.minimise != NOTHING:
            generations *= THOROUGH_ENSEMBLE  # one front instead of an ensemble
        settings = replace(settings, generations=generations)
    is_single = settings.minimise == NOTHING and settings.islands == 1
    if preset.effort == "thorough" and is_single and given.get("ensemble") is None:
        settings = replace(settings, ensemble=THOROUGH_ENSEMBLE)
    return settings


def check_walk(settings: Settings, grammar: Grammar, dataset: Dataset) -> None:
    """Raise an error if the settings ask for a walk that has no effect."""
    for name in ("walk", "trees"):
        if getattr(settings, name) and (refusal := refuse_walk(settings, grammar, dataset)):
            raise setting_error(
                name,
                f"has no effect: {refusal}",
                "Leave it out, or see `dsgec check shared`, whose networks have a walk.",
            )


def refuse_walk(settings: Settings, grammar: Grammar, dataset: Dataset) -> str:
    """Return why a search has no walk; empty if it has one."""
    if not dataset.classes:
        return "the target is a number"
    if settings.variation != "trees":
        return "individuals are lists"
    objective = settings.objective
    if objective in OBJECTIVES and not learned_objective(objective).logistic:
        return f"{objective} is not learned by log-loss"
    if grammar.directives.layer:
        expanded = expand_for(grammar, dataset)
        tables = fold_constants(make_rule_tables(expanded, dict(settings.max_depth)))
        if find_shared_layer(tables, ACTIVATIONS, expanded.directives.output) is not None:
            return ""
    return "the grammar has no networks with one hidden layer that all outputs share"


def _with_walk(
    settings: Settings, given: Mapping[str, Any], preset: Preset, dataset: Dataset
) -> Settings:
    """Fill in the settings of a search that is a walk, without generations by default."""
    steps = round(default_walk(dataset) * WALK_STEPS[preset.effort])
    own: dict[str, Any] = {"walk": steps, "generations": 0, "pruning": 0, "l2": WALK_L2}
    chosen = {name: value for name, value in own.items() if given.get(name) is None}
    given = {**given, "l2": settings.l2}
    return replace(_with_penalties(settings, given, len(dataset.classes)), **chosen)


def _with_penalties(settings: Settings, given: Mapping[str, Any], classes: int) -> Settings:
    """Fill in the penalties of weights and connections that were not given.

    Each class has an output with connections and weights of its own, whose penalties add up, while
    the loss of a row does not. So the penalties of many classes are scaled to those of two. If a
    cost is minimised, half the parsimony lets the front reach larger networks.
    """
    share = 2.0 / classes if classes > 2 else 1.0
    if given.get("l2") is None:
        settings = replace(settings, l2=settings.l2 * share if classes else NUMERIC_L2)
    if given.get("parsimony") is None:
        has_default_batch = settings.batch and given.get("batch") is None
        parsimony = BATCH_PARSIMONY if has_default_batch else settings.parsimony
        if settings.minimise != NOTHING:
            parsimony /= 2.0
        settings = replace(settings, parsimony=parsimony * share)
    return settings


def _can_have_batches(settings: Settings) -> bool:
    known = OBJECTIVES.get(settings.objective)
    return settings.variation == "trees" and not (known and known.by_class)


def default_batch(rows: int) -> int:
    """Return the number of rows of a batch; 0, for all rows, if the table is small."""
    return DEFAULT_BATCH if rows >= _MANY_ROWS else 0


def default_generations(dataset: Dataset, batch: int) -> int:
    """Return fewer generations the more work each takes, by its square root."""
    rows, classes = len(dataset.y), len(dataset.classes)
    if 0 < batch < rows:
        rows = batch + rows // WHOLE_EVERY
    work = rows * (classes if classes > 2 else 1)
    return max(round(BY_SHAPE * min(1.0, math.sqrt(_SMALL_WORK / work))), _LEAST_GENERATIONS)


def default_walk(dataset: Dataset) -> int:
    """Return the steps of a walk: more for tables with many rows and classes."""
    work = len(dataset.y) * len(dataset.classes) // 3
    return min(max(work, LEAST_WALK), MOST_WALK)
