"""The champions of a run to the one that it recommends: by cross-validation on the training rows.

The fitness of a champion is of the rows that it was learned from, so a larger one is always better.
Here the weights of some champions are learned again without a fold of the rows, and compared on
that fold. The smallest is recommended whose losses are larger than those of the best by at most one
standard error of the difference: the rule of Breiman, Friedman, Olshen and Stone (1984), but with
rows compared in pairs, as all candidates find the same rows hard.

Structures were found on all rows, so these losses are too low. Among many features that say nothing
some seem to say something, in held-out rows, too: `selection_gain` is what that comes to. A network
for a numeric target that, less this, is not better than the mean by more than a standard error is
scaled towards the mean.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dsgec.arithmetic import scalar
from dsgec.data.dataset import Split, folds
from dsgec.errors import DsgecError
from dsgec.network.simplify import simplify
from dsgec.network.structure import count_connections, measure_size
from dsgec.network.syntax import PhenotypeError
from dsgec.network.text import line_phenotype
from dsgec.search.individual import Champion, CrossScore, Numbers
from dsgec.search.linear import fit_line
from dsgec.search.objectives import (
    OBJECTIVES,
    Targets,
    ordered_mean,
    ordered_sum,
    row_logs,
    row_sizes,
    spread,
    weighed,
)
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings
from dsgec.search.tuning import evenly, with_values

FOLDS = 5
LEAST_FOLDS = 2
ROWS_WITH_ALL_FOLDS = 1_000
"""Of more rows, fewer of the folds are held out: they are large enough."""
EVALUATIONS = 60
"""The most for each candidate in each fold, from the weights that it has."""

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


class Refit(Protocol):
    """Learns weights from the training rows of a problem, and evaluates them on its test rows."""

    def tune(self, numbers: Numbers, evaluations: int, penalty: float) -> Sequence[float] | None:
        """Lower values of the numbers of a text; None where there are none."""

    def fitted(self, text: str) -> Array:
        """Return the outputs of a phenotype on the training rows."""

    def outputs(self, text: str) -> Array:
        """Return the outputs of a phenotype on the test rows."""


MakeRefit = Callable[[Problem], Refit]
_Outputs = tuple[Array, Array | None]
"""What a candidate gives on held-out rows and, if its output is linear, on those learned from."""
RowLosses = Callable[[Array, Targets], Array]
Score = Callable[[str], float]
"""The objective of a text on all training rows."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The champion that a run recommends, and the hall of fame that it belongs to.

    The scores of the champions that were cross-validated are of the `measure`: `r2`, or a loss;
    `baseline` is that of the mean or of the shares of the classes. Where the champion is not better
    than that by more than a standard error, `unsupported` is its score; then its distance from the
    mean was multiplied by the `factor`, where that is not 1. `rows` were held out, each once.
    """

    champion: Champion
    champions: tuple[Champion, ...]
    measure: str = ""
    baseline: float = 0.0
    rows: int = 0
    candidates: int = 0
    unsupported: CrossScore | None = None
    factor: float = 1.0


def recommend(
    problem: Problem,
    settings: Settings,
    champions: Sequence[Champion],
    make_refit: MakeRefit,
    score: Score,
    threads: int = 1,
) -> Recommendation | None:
    """Cross-validate some of the champions, which are in the order of their sizes or costs, and
    choose one.

    Return None if nothing is tuned, if there are too few rows, or if the settings say so.
    """
    if settings.choose != "cv" or problem.learning is None or not settings.tuning:
        return None
    ready = [place for place, one in enumerate(champions) if one.numbers]
    places = [ready[number] for number in evenly([champions[place] for place in ready])]
    texts = [numbers for place in places if (numbers := champions[place].numbers)]
    parts = inner_folds(problem, settings.seed)
    if not texts or not parts:
        return None
    # Weights that had fewer evaluations are not to be judged by better ones.
    evaluations = min(EVALUATIONS, settings.tuning)
    held = _held_out(problem, parts, texts, make_refit, evaluations, threads)
    means = [held.mean(losses) for losses in held.losses]
    if not any(math.isfinite(mean) for mean, _ in means):
        return None
    baseline, _ = held.mean(held.constant)
    measure = _measure_of(problem, baseline)
    everybody = [*champions]
    for place, mean in zip(places, means, strict=True):
        everybody[place] = replace(champions[place], validated=measure(*mean))
    number = held.smallest_good(means)
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
    read = measure_size(simplify(problem.parse(champion.phenotype))).features
    net = gain - selection_gain(problem, read, means[number][0])
    if net > error:
        return choice
    choice = replace(choice, unsupported=champion.validated)
    factor = held.factor(number) * (net / gain) if net > 0.0 else 0.0
    shrunk = _shrunk(problem, settings, champion, factor, held.middle, score)
    if shrunk is None:
        return choice
    losses = held.scaled_losses(number, factor, OBJECTIVES[problem.objective].row_losses)
    shrunk = replace(shrunk, validated=measure(*held.mean(losses)))
    # One that is the mean has no connections: the champion of its size stays.
    everybody[places[number] : places[number] + 1] = [shrunk] if factor else [shrunk, champion]
    return replace(choice, champion=shrunk, champions=tuple(everybody), factor=factor)


def inner_folds(problem: Problem, seed: int) -> list[Split]:
    """Return folds of the training rows, or none if these are too few.

    Of a large table there are fewer of them than it is divided into.
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
    """Return how much lower a mean loss is by chance, because the features that a network reads
    were chosen on the same rows.

    The best of p features that say nothing lowers the sum of the squared errors by about 2 ln p
    times their variance (Foster, George 1994). One that nobody chose would not lower it: held out,
    its two parameters cost as much as they gain.
    """
    objective = OBJECTIVES[problem.objective]
    spreads: dict[RowLosses, float] = {row_logs: 1.0, row_sizes: loss}
    chances = max(scalar.log(float(len(problem.dataset.features))) - 1.0, 0.0)
    each = read * chances * spreads.get(objective.row_losses, 2.0 * loss)
    return each / len(problem.split.train)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The held-out rows of all folds, one fold after the other.

    `losses` are those of each candidate, `constant` those of the mean of the rows learned from, or
    of the shares of the classes, `outputs` the first outputs of each candidate, and `wanted` what
    they should be. `middle` is the mean of what is wanted on all training rows.
    """

    losses: list[Array]
    constant: Array
    outputs: list[Array]
    wanted: Array
    row_weights: Array | None
    middle: float

    @cached_property
    def mass(self) -> float:
        """The number of rows, or the sum of their weights."""
        return len(self.constant) if self.row_weights is None else ordered_sum(self.row_weights)

    def mean(self, values: Array) -> tuple[float, float]:
        """The mean of a value of each row, and its standard error; infinite if a value is."""
        if not np.isfinite(values).all():
            return math.inf, 0.0
        mean = ordered_sum(weighed(values, self.row_weights)) / self.mass
        deviations = weighed(values - mean, self.row_weights)
        squares = ordered_sum(deviations * deviations)
        return mean, math.sqrt(squares * len(values) / max(len(values) - 1, 1)) / self.mass

    def smallest_good(self, means: Sequence[tuple[float, float]]) -> int:
        """Return the number of the first candidate that is not clearly worse than the best.

        Its losses are larger by at most a standard error of the difference, row by row. `means` has
        the mean loss of each candidate, which are by size.
        """
        finite = [number for number, (mean, _) in enumerate(means) if math.isfinite(mean)]
        best = min(finite, key=lambda number: means[number][0])
        for number in finite:
            more, error = self.mean(self.losses[number] - self.losses[best])
            if more <= error:
                return number
        return best

    def factor(self, number: int) -> float:
        """By which a candidate's distance from the mean should be multiplied: from 0 to 1."""
        distances = self.outputs[number] - self.middle
        together = ordered_sum(weighed(distances * (self.wanted - self.middle), self.row_weights))
        own = ordered_sum(weighed(distances * distances, self.row_weights))
        return min(max(together / own, 0.0), 1.0) if own > 0.0 else 0.0

    def scaled_losses(self, number: int, factor: float, row_losses: RowLosses) -> Array:
        """The losses of a candidate whose distance from the mean is multiplied."""
        outputs = self.middle + factor * (self.outputs[number] - self.middle)
        return row_losses(outputs[:, None], Targets(self.wanted[:, None], (), self.row_weights))


def _held_out(
    problem: Problem,
    parts: Sequence[Split],
    texts: Sequence[Numbers],
    make_refit: MakeRefit,
    evaluations: int,
    threads: int,
) -> HeldOut:
    """Learn each text without each fold, and evaluate it there."""
    learning, train = problem.learning, problem.split.train
    assert learning is not None
    places = np.empty(len(problem.dataset.y), dtype=np.intp)
    places[train] = np.arange(len(train))
    strength = learning.penalty * len(train)

    def evaluate(part: Split) -> list[_Outputs]:
        refit = make_refit(replace(problem.part(places[part.train]), split=part))
        refitted = (
            _refitted(refit, text, evaluations, strength / len(part.train)) for text in texts
        )
        return [
            (refit.outputs(text), refit.fitted(text) if problem.is_linear else None)
            for text in refitted
        ]

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
        [np.concatenate([fold[0][number] for fold in each]) for number in range(len(texts))],
        np.concatenate([fold[1] for fold in each]),
        [np.concatenate([fold[2][number] for fold in each]) for number in range(len(texts))],
        wanted[tests],
        None if by is None else by[places[tests]],
        0.0 if problem.dataset.classes else ordered_mean(wanted[train], by),
    )


def _refitted(refit: Refit, numbers: Numbers, evaluations: int, penalty: float) -> str:
    if not numbers.values:
        return numbers.text
    found = refit.tune(numbers, evaluations, penalty)
    return numbers.text if found is None else with_values(numbers, found).text


def _fold_losses(
    problem: Problem, train: Rows, test: Rows, outputs: Sequence[_Outputs]
) -> tuple[list[Array], Array, list[Array]]:
    """Return the held-out losses of each candidate and of a constant, and the first outputs.

    The constant is what is right without features: the mean, or the shares of the classes.
    """
    learned, held = problem.part(train), problem.part(test)
    row_losses = OBJECTIVES[problem.objective].row_losses
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
            losses.append(row_losses(found, held.targets(found.shape[1])))
            firsts.append(found[:, 0])
        constant = row_losses(np.tile(means, (len(test), 1)), held.targets(columns))
    return losses, constant, firsts


@dataclass(frozen=True, slots=True)
class _Measure:
    """A mean loss as people read it: `shift` + `scale` times the loss, under its name."""

    name: str
    scale: float = 1.0
    shift: float = 0.0

    def __call__(self, mean: float, error: float) -> CrossScore | None:
        if not math.isfinite(mean):
            return None
        return CrossScore(self.shift + self.scale * mean, abs(self.scale) * error)


def _measure_of(problem: Problem, baseline: float) -> _Measure:
    """Return the measure of a problem, whose `baseline` is the loss without features."""
    objective = OBJECTIVES[problem.objective]
    name = objective.surrogate or problem.objective
    if problem.dataset.classes:
        return _Measure(name if name in ("log-loss", "mae") else "squared error")
    if objective.squared:
        return _Measure("r2", -1.0 / baseline if baseline > 0.0 else 0.0, 1.0)
    scale = problem.dataset.target_scale
    return _Measure(name, scale[1] if scale else 1.0)


def _shrunk(
    problem: Problem,
    settings: Settings,
    champion: Champion,
    factor: float,
    middle: float,
    score: Score,
) -> Champion | None:
    """Multiply the distance of a champion's output from the mean.

    Return None for classes, and where the texts of the grammar have no place for it.
    """
    roles = problem.grammar.directives
    is_numeral = settings.weights == "grammar"
    if problem.dataset.classes or is_numeral or roles.output or factor == 1.0:
        return None
    layered = bool(roles.layer)
    text = line_phenotype(champion.phenotype, (1.0 - factor) * middle, factor, layered=layered)
    try:
        problem.parse(text)
    except PhenotypeError:
        return None
    return replace(
        champion,
        size=count_connections(text, layered=layered),
        fitness=score(text),
        phenotype=text,
        numbers=None,
    )
