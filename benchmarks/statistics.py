"""Results to what can be said of them: means by table, paired differences, tests over tables."""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.results import Result, scored

TIE = 0.01
"""Mean scores that differ by less are a tie: so much is noise between splits."""


@dataclass(frozen=True, slots=True)
class Mean:
    """Of some values, with its standard error, which one value does not have."""

    value: float
    error: float | None
    count: int


@dataclass(frozen=True, slots=True)
class Paired:
    """A learner against another over tables: the mean of first - second, and a test of it."""

    difference: Mean
    wins: int
    ties: int
    losses: int
    p: float | None


def mean(values: Sequence[float]) -> Mean:
    """The mean of at least one value."""
    count = len(values)
    error = statistics.stdev(values) / math.sqrt(count) if count > 1 else None
    return Mean(statistics.fmean(values), error, count)


def score_means(results: Iterable[Result]) -> dict[str, dict[str, Mean]]:
    """By learner and table; an R² below 0, which may be anything, counts as 0."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in scored(results):
        assert one.score is not None
        score = max(one.score, 0.0) if one.task == "regression" else one.score
        values[one.learner][one.table].append(score)
    return {
        learner: {table: mean(scores) for table, scores in tables.items()}
        for learner, tables in values.items()
    }


def medians(results: Iterable[Result], field: str) -> dict[str, dict[str, float]]:
    """By learner and table, the median over the splits of `weights` or `cpu_seconds`."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in scored(results):
        values[one.learner][one.table].append(getattr(one, field))
    return {
        learner: {table: statistics.median(numbers) for table, numbers in tables.items()}
        for learner, tables in values.items()
    }


def compare(first: Mapping[str, Mean], second: Mapping[str, Mean]) -> Paired | None:
    """On the tables that both have."""
    tables = [table for table in first if table in second]
    if not tables:
        return None
    differences = [first[table].value - second[table].value for table in tables]
    wins = sum(difference >= TIE for difference in differences)
    losses = sum(difference <= -TIE for difference in differences)
    ties = len(differences) - wins - losses
    return Paired(mean(differences), wins, ties, losses, signed_rank(differences))


def signed_rank(differences: Sequence[float]) -> float | None:
    """Wilcoxon's two-sided p that the median difference is 0; None of one table."""
    if len(differences) < 2:
        return None
    if not any(differences):
        return 1.0
    from scipy.stats import wilcoxon

    # Rounded, or what is equal but for the last bit would not tie.
    return float(wilcoxon([round(difference, 12) for difference in differences]).pvalue)


def corrected(paired: Mapping[str, Paired | None]) -> dict[str, float]:
    """Holm's p values of those comparisons that were tested."""
    tested = {name: one.p for name, one in paired.items() if one and one.p is not None}
    return dict(zip(tested, holm(list(tested.values())), strict=True))


def holm(chances: Sequence[float]) -> list[float]:
    """p values corrected for being several, by Holm's step-down method."""
    order = sorted(range(len(chances)), key=lambda place: chances[place])
    corrected, highest = [0.0] * len(chances), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[place]))
        corrected[place] = highest
    return corrected
