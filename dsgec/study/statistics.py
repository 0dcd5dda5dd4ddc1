"""Describe and compare samples of figures: means, deviations, statistical tests.

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
        """Return whether the difference is significant at the paper's level."""
        return self.p < LEVEL


@dataclass(frozen=True, slots=True)
class Normality:
    """The p-values of two tests of normality; None if the sample is too small."""

    kolmogorov_smirnov: float | None
    shapiro_wilk: float | None


def require_libraries() -> None:
    """Raise an error if a library is missing that a study needs at its end."""
    missing = [n for n in ("scipy", "PIL") if importlib.util.find_spec(n) is None]
    if missing:
        names = " and ".join({"PIL": "pillow"}.get(name, name) for name in missing)
        raise DsgecError(f"a study needs {names}", "`pip install 'dsgec[study]'` brings it.")


def sample(values: Sequence[float]) -> SampleSummary:
    """Return the values with mean and deviation; the deviation of one value is 0, of none NaN."""
    kept = tuple(values)
    if not kept:
        return SampleSummary(kept, math.nan, math.nan)
    deviation = statistics.stdev(kept) if len(kept) > 1 else 0.0
    return SampleSummary(kept, statistics.fmean(kept), deviation)


def compare(first: Sequence[float], second: Sequence[float]) -> Comparison | None:
    """Compare two samples by Mann-Whitney U; return None if one is empty.

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
    """Return ~ for no difference, + ++ +++ if the first sample is better, - -- --- if it is worse.

    The number of signs grows with the effect. `better` is 1 if more is better, -1 if less is. A
    significant difference whose effect is less than small counts as none.
    """
    if comparison is None or not better:
        return ""
    size = sum(comparison.r >= limit for limit in (_SMALL, _MEDIUM, _LARGE))
    if not comparison.significant or not size:
        return "~"
    return ("+" if comparison.z * better > 0 else "-") * size


def normality(values: Sequence[float]) -> Normality:
    """Test a sample for normality by Kolmogorov-Smirnov and by Shapiro-Wilk.

    The first uses the mean and the deviation of the sample itself, so its p-value is too large and
    it rejects too seldom; it is reported because the paper has it.
    """
    described = sample(values)
    if len(described.values) < _FEWEST_FOR_NORMALITY or not described.deviation > 0.0:
        return Normality(None, None)
    from scipy.stats import kstest, shapiro

    scaled = [(value - described.mean) / described.deviation for value in described.values]
    # The p-value of Shapiro-Wilk is not known for more than 5000 values.
    wilk = float(shapiro(scaled).pvalue) if len(scaled) <= 5000 else None
    return Normality(float(kstest(scaled, "norm").pvalue), wilk)
