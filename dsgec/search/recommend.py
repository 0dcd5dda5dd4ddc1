"""Choose the champion that a run recommends, by cross-validation on the training rows.

The fitness of a champion is measured on the rows that it was learned from, so larger networks are
always better. Here the weights of some champions are learned again without one fold of the rows,
and compared on that fold. The smallest champion is recommended whose mean loss is at most one
standard error above that of the best: the rule of Breiman, Friedman, Olshen and Stone (1984), but
with the standard error of paired differences, since all candidates find the same rows hard.

Structures were found on all rows, so these losses are too low: among many useless features, some
seem useful on held-out rows, too. `selection_gain` estimates by how much. If a network for a
numeric target, corrected by it, is not better than the mean by more than a standard error, it is
shrunk towards the mean.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic import scalar
from dsgec.data.dataset import Split, folds
from dsgec.errors import DsgecError
from dsgec.network.simplify import simplify
from dsgec.network.structure import measure_size
from dsgec.network.syntax import PhenotypeError
from dsgec.network.text import line_phenotype
from dsgec.search.held_out import HeldOut
from dsgec.search.individual import Champion, CrossScore, Weights
from dsgec.search.objectives import (
    OBJECTIVES,
    absolute_error,
    learned_objective,
    log_loss,
    squared_error,
)
from dsgec.search.problem import Problem
from dsgec.search.refine import ScorePhenotype, spaced_by_cost, with_values
from dsgec.search.rows import Array, fit_line, ordered_mean, spread
from dsgec.search.settings import Settings
from dsgec.search.trees.family import grow_trees, tree_candidates, tree_outputs

FOLDS = 5
LEAST_FOLDS = 2
ROWS_WITH_ALL_FOLDS = 1_000
"""With more rows, fewer of the folds are held out, since they are large enough."""
EVALUATIONS = 60
"""The most evaluations for each candidate in each fold, from the weights that it has."""

WEAKENED = 0.3
"""The factor of weights of a walk before they are learned without a fold: thousands of steps have
fitted them to all rows, and they would keep what they know of the fold."""

Rows = NDArray[np.intp]


class Refit(Protocol):
    """Learns weights from the training rows of a problem, and evaluates them on its test rows."""

    def tune(self, weights: Weights, evaluations: int, penalty: float) -> Sequence[float] | None:
        """Minimise the loss by the weights of a phenotype; None if it has no loss."""

    def train_outputs(self, phenotype: str) -> Array:
        """Return the outputs of a phenotype on the training rows."""

    def test_outputs(self, phenotype: str) -> Array:
        """Return the outputs of a phenotype on the test rows."""


MakeRefit = Callable[[Problem], Refit]
Fits = Callable[[Champion], bool]
"""Return whether a champion is within the budget of a run."""
_Outputs = tuple[Array, Array | None]
"""The outputs of a candidate on the held-out rows and, with a linear output, on the others."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The champion that a run recommends, and the hall of fame that it belongs to.

    `measure` names the score in cross-validation: `r2`, or a loss. `baseline` is the score of the
    mean, or of the shares of the classes. If the champion is not better than that by more than a
    standard error, `unsupported` is its score, and its distance from the mean was multiplied by
    `factor`. `rows` is the number of rows that were held out, each once.
    """

    champion: Champion
    champions: tuple[Champion, ...]
    measure: str = ""
    baseline: float = 0.0
    rows: int = 0
    candidates: int = 0
    unsupported: CrossScore | None = None
    factor: float = 1.0


def always_fits(_: Champion) -> bool:
    """Return True: the run has no budget."""
    return True


def recommend(
    problem: Problem,
    settings: Settings,
    champions: Sequence[Champion],
    make_refit: MakeRefit,
    score: ScorePhenotype,
    threads: int = 1,
    fits: Fits = always_fits,
) -> Recommendation | None:
    """Cross-validate some of the champions, which are sorted by size or cost, and choose one.

    Return None if nothing is tuned, if there are too few rows, if none of those that were
    cross-validated `fits`, or if the settings say so.
    """
    if settings.choose != "cv" or problem.learning is None or not settings.tuning:
        return None
    ready = [place for place, one in enumerate(champions) if one.weights]
    places = [ready[number] for number in spaced_by_cost([champions[place] for place in ready])]
    candidates = [weights for place in places if (weights := champions[place].weights)]
    if settings.walk:
        candidates = [_weaken(weights) for weights in candidates]
    parts = inner_folds(problem, settings.seed)
    trees = tree_candidates(problem) if settings.trees else {}
    if not (candidates or trees) or not parts:
        return None
    # The refitted weights must not be better tuned than those of the champion.
    evaluations = min(EVALUATIONS, settings.tuning)
    champions = [*champions, *trees.values()]
    places += range(len(champions) - len(trees), len(champions))
    order = sorted(range(len(places)), key=lambda number: champions[places[number]].size)
    places = [places[number] for number in order]

    def evaluate(part: Problem) -> list[_Outputs]:
        refit = make_refit(part)
        penalty = strength / len(part.split.train)
        refitted = [_refit_weights(refit, one, evaluations, penalty) for one in candidates]
        is_linear = problem.language.is_linear
        found: list[_Outputs] = [
            (refit.test_outputs(one), refit.train_outputs(one) if is_linear else None)
            for one in refitted
        ]
        if trees:
            held_out = problem.dataset.x[part.split.test]
            grown = dict(grow_trees(part, part.rows))
            found += [(tree_outputs(grown[one], held_out), None) for one in trees]
        return [found[number] for number in order]

    learning = problem.learning
    strength = learning.penalty * len(problem.split.train)
    held = _hold_out(problem, parts, evaluate, threads)
    means = [held.mean(losses) for losses in held.losses]
    allowed = [
        mean if fits(champions[place]) else (math.inf, 0.0)
        for place, mean in zip(places, means, strict=True)
    ]
    if not any(math.isfinite(mean) for mean, _ in allowed):
        return None
    baseline, _ = held.mean(held.constant)
    measure = _measure_of(problem, baseline)
    everybody = [*champions]
    for place, mean in zip(places, means, strict=True):
        everybody[place] = replace(champions[place], validated=measure(*mean))
    # The windows of a signal are few, and larger networks of the same features cost little.
    is_signal = problem.dataset.windows is not None
    number = held.best(allowed) if is_signal else held.smallest_good(allowed)
    champion = everybody[places[number]]
    choice = Recommendation(
        champion,
        tuple(everybody),
        measure.name,
        measure.shift + measure.scale * baseline,
        len(held.constant),
        len(places),
    )
    gain, error = held.mean(held.constant - held.losses[number])
    read = measure_size(simplify(problem.language.parse(champion.phenotype))).features
    net = gain - selection_gain(problem, read, means[number][0])
    if net > error:
        return choice
    choice = replace(choice, unsupported=champion.validated)
    factor = held.factor(number) * (net / gain) if net > 0.0 else 0.0
    shrunk = _shrink(problem, settings, champion, factor, held.middle, score)
    if shrunk is None or not fits(shrunk):
        return choice
    losses = held.scaled_losses(number, factor, learned_objective(problem.objective).row_errors)
    shrunk = replace(shrunk, validated=measure(*held.mean(losses)))
    # The mean itself has no connections, so the champion stays beside it.
    everybody[places[number] : places[number] + 1] = [shrunk] if factor else [shrunk, champion]
    return replace(choice, champion=shrunk, champions=tuple(everybody), factor=factor)


def inner_folds(problem: Problem, seed: int) -> list[Split]:
    """Return folds of the training rows, or none if there are too few rows.

    Of a large table, only some of the folds are returned.
    """
    train = problem.split.train
    for count in range(FOLDS, LEAST_FOLDS - 1, -1):
        try:
            parts = folds(problem.dataset, count, seed, train)
        except DsgecError:  # a class has too few rows
            continue
        wanted = problem.dataset.scaled_y
        if not problem.dataset.classes and not all(spread(wanted[one.train]) for one in parts):
            continue
        used = FOLDS * ROWS_WITH_ALL_FOLDS // len(train)
        return parts[: max(LEAST_FOLDS, used)]
    return []


def selection_gain(problem: Problem, read: int, loss: float) -> float:
    """Return how much lower a mean loss is because features were chosen on the same rows.

    `read` is the number of features that the network reads. The best of p useless features lowers
    the sum of the squared errors by about 2 ln p times their variance (Foster, George 1994). A
    feature that was not chosen would not lower it: held out, its two parameters cost as much as
    they gain.
    """
    error = learned_objective(problem.objective).error
    chances = max(scalar.log(float(len(problem.dataset.features))) - 1.0, 0.0)
    spreads: dict[object, float] = {log_loss: 1.0, absolute_error: loss}
    each = read * chances * spreads.get(error, 2.0 * loss)
    return each / len(problem.split.train)


def _hold_out(
    problem: Problem,
    parts: Sequence[Split],
    evaluate_fold: Callable[[Problem], list[_Outputs]],
    threads: int,
) -> HeldOut:
    """Learn all candidates without each fold, and evaluate them on the fold.

    `evaluate_fold` gets the problem without the fold, whose rows are its test rows.
    """
    train = problem.split.train
    places = np.empty(len(problem.dataset.y), dtype=np.intp)
    places[train] = np.arange(len(train))

    def evaluate(part: Split) -> list[_Outputs]:
        return evaluate_fold(replace(problem.part(places[part.train]), split=part))

    if threads > 1:
        with ThreadPoolExecutor(min(threads, len(parts))) as pool:
            found = list(pool.map(evaluate, parts))
    else:
        found = [evaluate(part) for part in parts]
    each = [
        _fold_losses(problem, places[part.train], places[part.test], outputs)
        for part, outputs in zip(parts, found, strict=True)
    ]
    tests = np.concatenate([part.test for part in parts])
    by, wanted = problem.row_weights, problem.dataset.scaled_y
    return HeldOut(
        [np.concatenate(losses) for losses in zip(*(fold[0] for fold in each), strict=True)],
        np.concatenate([fold[1] for fold in each]),
        [np.concatenate(outputs) for outputs in zip(*(fold[2] for fold in each), strict=True)],
        wanted[tests],
        None if by is None else by[places[tests]],
        0.0 if problem.dataset.classes else ordered_mean(wanted[train], by),
    )


def _weaken(weights: Weights) -> Weights:
    """Return weights that have forgotten most of what they learned."""
    return with_values(weights, [WEAKENED * value for value in weights.values])


def _refit_weights(refit: Refit, weights: Weights, evaluations: int, penalty: float) -> str:
    """Return the phenotype with weights that are learned from the rows of a refit."""
    if not weights.values:
        return weights.phenotype
    found = refit.tune(weights, evaluations, penalty)
    return weights.phenotype if found is None else with_values(weights, found).phenotype


def _fold_losses(
    problem: Problem, train: Rows, test: Rows, outputs: Sequence[_Outputs]
) -> tuple[list[Array], Array, list[Array]]:
    """Return the held-out losses of each candidate and of a constant, and the first outputs.

    The constant is the best prediction without features: the mean, or the shares of the classes.
    """
    learned, held = problem.part(train), problem.part(test)
    row_losses = learned_objective(problem.objective).row_errors
    columns = outputs[0][0].shape[1]
    wanted, by = learned.targets(columns).values, learned.row_weights
    means = [ordered_mean(np.ascontiguousarray(column), by) for column in wanted.T]
    losses: list[Array] = []
    firsts: list[Array] = []
    with np.errstate(all="ignore"):
        for found, fitted in outputs:
            if fitted is not None:
                line = fit_line(fitted[:, 0], wanted[:, 0], by)
                found = found if line is None else line(found)
            losses.append(row_losses(found, held.targets(found.shape[1]).values))
            firsts.append(found[:, 0])
        constant = row_losses(np.tile(means, (len(test), 1)), held.targets(columns).values)
    return losses, constant, firsts


@dataclass(frozen=True, slots=True)
class _Measure:
    """The named score that people read: `shift` + `scale` times the mean loss."""

    name: str
    scale: float = 1.0
    shift: float = 0.0

    def __call__(self, mean: float, error: float) -> CrossScore | None:
        if not math.isfinite(mean):
            return None
        return CrossScore(self.shift + self.scale * mean, abs(self.scale) * error)


def _measure_of(problem: Problem, baseline: float) -> _Measure:
    """Return the measure of a problem, given the loss without features."""
    objective = OBJECTIVES[problem.objective]
    name = objective.surrogate or problem.objective
    if problem.dataset.classes:
        return _Measure("squared error" if objective.error is squared_error else name)
    if objective.squared:
        return _Measure("r2", -1.0 / baseline if baseline > 0.0 else 0.0, 1.0)
    scale = problem.dataset.target_scale
    return _Measure(name, scale[1] ** objective.degree if scale else 1.0)


def _shrink(
    problem: Problem,
    settings: Settings,
    champion: Champion,
    factor: float,
    middle: float,
    score: ScorePhenotype,
) -> Champion | None:
    """Multiply the distance of a champion's output from the mean by a factor.

    Return None for classes, and if the phenotypes of the grammar have no place for it.
    """
    language = problem.language
    output, is_numeral = language.grammar.directives.output, settings.weights == "grammar"
    if problem.dataset.classes or is_numeral or output or factor == 1.0:
        return None
    shift = (1.0 - factor) * middle
    phenotype = line_phenotype(champion.phenotype, shift, factor, layered=language.is_layered)
    try:
        language.parse(phenotype)
    except PhenotypeError:
        return None
    return replace(
        champion,
        size=language.connections(phenotype),
        fitness=score(phenotype),
        phenotype=phenotype,
        weights=None,
    )
