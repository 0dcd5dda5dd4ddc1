"""Choose among the champions of a search that fit a budget."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from dsgec.errors import DsgecError, setting_error
from dsgec.network.cost.chips import Cost
from dsgec.network.ranges import NO_RANGES, choose_ranges
from dsgec.run.job import training_ranges
from dsgec.run.pick import footprint
from dsgec.run.record import RISING
from dsgec.search.budget import Budget, make_budget
from dsgec.search.individual import ERROR_RATE, Champion
from dsgec.search.models import make_model
from dsgec.search.pool import best_validated, smoothed_error
from dsgec.search.problem import Problem
from dsgec.search.recommend import Fits, Recommendation
from dsgec.search.refine import spaced_by_cost
from dsgec.search.settings import Settings
from dsgec.search.trees.family import tree_candidates

Recommend = Callable[[Sequence[Champion], Fits], Recommendation | None]


class Fitting:
    """Prices the champions of a problem, each once, and compares them with a budget."""

    def __init__(self, problem: Problem, budget: Budget) -> None:
        windows = problem.dataset.windows
        self.problem, self.budget = problem, budget.in_time(windows.rate if windows else None)
        self._ranges = training_ranges(problem)
        self._known: dict[str, Cost] = {}

    def cost(self, champion: Champion) -> Cost:
        """Return the cost of a champion; raise a DsgecError if the type cannot compute it."""
        phenotype = champion.phenotype
        if phenotype not in self._known:
            model, own = make_model(self.problem, phenotype), self.budget
            ranges = choose_ranges(model.columns, self._ranges, NO_RANGES)
            found = footprint(model, ranges, own.chip, (own.dtype,))
            if found is None:
                raise setting_error(
                    "dtype", f"is {own.dtype}, which cannot compute every network of the run"
                )
            self._known[phenotype] = found.cost
        return self._known[phenotype]

    def fits(self, champion: Champion) -> bool:
        """Return whether a champion is within the budget."""
        return self.budget.allows(self.cost(champion))

    def count(self, champions: Sequence[Champion]) -> int:
        """Return how many of the champions may fit: those up to the largest that is known to fit.

        Costs rise with the size, nearly always, so most champions need no price.
        """
        low, high = 0, len(champions)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.fits(champions[middle]) else (low, middle)
        larger = (place + 1 for place in spaced_by_cost(champions) if self.fits(champions[place]))
        return max(low, *larger, 0)

    def refuse(self, champions: Sequence[Champion]) -> DsgecError:
        """Return the error that nothing fits, with the cost of the cheapest network."""
        own, costs = self.budget, [self.cost(one) for one in champions]
        least = min(costs, key=lambda cost: cost.flash)
        return setting_error(
            next(name for name in ("flash", "ram", "cycles") if getattr(own, name)),
            "allows no network of the run: the smallest takes"
            f" {least.flash:,} bytes of flash, {least.ram:,} bytes of RAM and"
            f" {least.longest:,} cycles a row ({own.chip}, {own.dtype}, estimated)",
            "Allow more, or take another chip or number type.",
        )


def recommend_option(
    problem: Problem, budget: Budget, options: Sequence[Champion], rows: int
) -> Recommendation:
    """Choose among validated models of all families that fit a budget, given their held-out rows.

    :param options: Models with their errors in cross-validation, in any order.
    """
    fitting = Fitting(problem, budget)
    by_cost = sorted(options, key=lambda one: fitting.cost(one).flash)
    fits = [one for one in by_cost if fitting.fits(one)]
    if not fits:
        raise fitting.refuse(by_cost[:1])
    chosen = fits[best_validated([one.validated for one in fits])]
    numbers = problem.dataset.class_numbers[problem.split.train]
    shares = np.bincount(numbers, problem.row_weights)
    shares = shares / shares.sum()
    baseline = smoothed_error(1.0 - float(shares.max()), 1.0 - float(np.sum(shares * shares)))
    return Recommendation(chosen, tuple(by_cost), ERROR_RATE, baseline, rows, len(by_cost))


def recommend_fitting(
    problem: Problem, settings: Settings, champions: Sequence[Champion], recommend: Recommend
) -> Recommendation:
    """Choose a champion that fits the budget, by cross-validation if that is possible.

    What cross-validation recommends may not fit: the mean of an ensemble is larger than its
    members. Then the best of the others is chosen, by its score in cross-validation or, if none
    has one, by its fitness.
    """
    budget = make_budget(settings)
    assert budget is not None
    fitting = Fitting(problem, budget)
    count = fitting.count(champions)
    left, larger = champions[:count], champions[count:]
    choice = recommend(left, fitting.fits)
    if choice is None or not fitting.fits(choice.champion):
        known = choice.champions if choice else tuple(left)
        rises = choice is not None and choice.measure == RISING
        fits = [one for one in known if fitting.fits(one)]
        if not fits:
            trees = tree_candidates(problem) if settings.trees else {}
            raise fitting.refuse([*trees.values(), *champions[:3]])
        best = min(fits, key=lambda one: _rank(one, rises=rises))
        choice = replace(choice or Recommendation(best, known), champion=best, unsupported=None)
    return replace(choice, champions=(*choice.champions, *larger))


def _rank(champion: Champion, *, rises: bool) -> tuple[bool, float]:
    """Return a key that sorts champions by their score in cross-validation, or else by fitness."""
    if champion.validated is None:
        return True, champion.fitness
    score = champion.validated.score
    return False, -score if rises else score
