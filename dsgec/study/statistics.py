"""Samples of figures to what can be said of them: means, deviations, tests.

The paper's tests: Kolmogorov-Smirnov and Shapiro-Wilk for normality, Mann-Whitney U between two
samples, all at a level of 0.05, and the effect size r = |z| / √(n₁ + n₂). scipy is imported late:
it takes a second.
"""

import importlib.util
import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.errors import DsgecError

LEVEL = 0.05
_SMALL, _MEDIUM, _LARGE = 0.1, 0.3, 0.5
_FEWEST_FOR_NORMALITY = 3


@dataclass(frozen=True, slots=True)
class SampleSummary:
    """The defined figures of some runs; `deviation` is that of a sample (n - 1)."""

    values: tuple[float, ...]
    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two samples by Mann-Whitney U, two-sided; z has the sign of first - second."""

    u: float
    p: float
    z: float
    r: float

    @property
    def significant(self) -> bool:
        """Whether the difference is one at the level of the paper."""
        return self.p < LEVEL


@dataclass(frozen=True, slots=True)
class Normality:
    """The chances of such a sample from a normal distribution, None where it is too small."""

    kolmogorov_smirnov: float | None
    shapiro_wilk: float | None


def require_libraries() -> None:
    """Tell beforehand if what a study needs at its end is not installed."""
    missing = [n for n in ("scipy", "PIL") if importlib.util.find_spec(n) is None]
    if missing:
        names = " and ".join({"PIL": "pillow"}.get(name, name) for name in missing)
        raise DsgecError(f"a study needs {names}", "`pip install 'dsgec[study]'` brings it.")


def sample(values: Sequence[float]) -> SampleSummary:
    """The sample, with its mean and deviation; 0 of one value, NaN of none."""
    kept = tuple(values)
    if not kept:
        return SampleSummary(kept, math.nan, math.nan)
    deviation = statistics.stdev(kept) if len(kept) > 1 else 0.0
    return SampleSummary(kept, statistics.fmean(kept), deviation)


def compare(first: Sequence[float], second: Sequence[float]) -> Comparison | None:
    """Mann-Whitney U; None where a sample is empty.

    p is exact for small samples without ties; z is that of the normal approximation, corrected for
    ties and not for continuity.
    """
    if not first or not second:
        return None
    from scipy.stats import mannwhitneyu

    n, m = len(first), len(second)
    total = n + m
    ties = sum(t**3 - t for t in Counter([*first, *second]).values())
    variance = n * m / 12.0 * (total + 1 - ties / (total * (total - 1)))
    if variance <= 0.0:  # all values are the same
        return Comparison(n * m / 2.0, 1.0, 0.0, 0.0)
    answer = mannwhitneyu(first, second, alternative="two-sided")
    u, p = float(answer.statistic), float(answer.pvalue)
    z = (u - n * m / 2.0) / math.sqrt(variance)
    return Comparison(u, p, z, abs(z) / math.sqrt(total))


def mark(comparison: Comparison | None, better: int) -> str:
    """~ for no difference; + ++ +++ where the first sample is better, - -- --- where it is worse.

    As many signs as the effect is large. `better` is 1 where more is better, -1 where less is. A
    difference that is significant but smaller than small counts as none.
    """
    if comparison is None or not better:
        return ""
    size = sum(comparison.r >= limit for limit in (_SMALL, _MEDIUM, _LARGE))
    if not comparison.significant or not size:
        return "~"
    return ("+" if comparison.z * better > 0 else "-") * size


def normality(values: Sequence[float]) -> Normality:
    """Both tests, the first against the normal distribution of the sample's mean and deviation.

    Of parameters that come from the sample itself, Kolmogorov and Smirnov's p is larger than it
    should be: it rejects too seldom. It is reported because the paper has it.
    """
    described = sample(values)
    if len(described.values) < _FEWEST_FOR_NORMALITY or not described.deviation > 0.0:
        return Normality(None, None)
    from scipy.stats import kstest, shapiro

    scaled = [(value - described.mean) / described.deviation for value in described.values]
    # Of more than 5000 values, Shapiro and Wilk's p is not known.
    wilk = float(shapiro(scaled).pvalue) if len(scaled) <= 5000 else None
    return Normality(float(kstest(scaled, "norm").pvalue), wilk)
