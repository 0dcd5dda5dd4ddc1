"""Statistics against scipy called directly, and against values from textbooks and by hand."""

import math
import random

import pytest
import scipy.stats

from dsgec.study.statistics import Comparison, compare, mark, normality, sample


def test_mean_and_deviation_by_hand():
    described = sample([1.0, 2.0, 3.0, 6.0])

    assert described.mean == 3.0
    assert described.deviation == pytest.approx(math.sqrt(14.0 / 3.0))
    assert sample([5.0]).deviation == 0.0
    assert math.isnan(sample([]).mean)


def test_mann_whitney_by_hand():
    """Four against four, all apart: 2 of the 70 orders are as extreme; z = 8 / √12."""
    answer = compare([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0])

    assert answer.u == 0.0
    assert answer.p == pytest.approx(2 / 70)
    assert answer.z == pytest.approx(-8 / math.sqrt(12))
    assert answer.r == pytest.approx(8 / math.sqrt(12) / math.sqrt(8))


def test_mann_whitney_with_ties_by_hand():
    """Ranks of 1 2 2 | 2 3 3: 1, 3, 3 | 3, 5.5, 5.5, so U = 7 - 6 = 1 for the first."""
    answer = compare([1.0, 2.0, 2.0], [2.0, 3.0, 3.0])

    ties = (3**3 - 3) + (2**3 - 2)
    variance = 9 / 12 * (7 - ties / 30)
    assert answer.u == 1.0
    assert answer.z == pytest.approx((1 - 4.5) / math.sqrt(variance))


def test_mann_whitney_against_scipy():
    draw = random.Random(5)
    for _ in range(50):
        first = [round(draw.gauss(0.0, 1.0), 1) for _ in range(draw.randint(9, 40))]
        second = [round(draw.gauss(0.4, 1.0), 1) for _ in range(draw.randint(9, 40))]
        answer = compare(first, second)
        expected = scipy.stats.mannwhitneyu(first, second, alternative="two-sided")
        plain = scipy.stats.mannwhitneyu(first, second, method="asymptotic", use_continuity=False)
        assert (answer.u, answer.p) == (expected.statistic, expected.pvalue)
        assert abs(answer.z) == pytest.approx(scipy.stats.norm.isf(plain.pvalue / 2), abs=1e-9)
        assert answer.r == pytest.approx(abs(answer.z) / math.sqrt(len(first) + len(second)))


def test_samples_without_a_difference():
    answer = compare([1.0, 1.0, 1.0], [1.0, 1.0])
    assert (answer.p, answer.r) == (1.0, 0.0)
    assert compare([], [1.0]) is None
    assert mark(None, -1) == ""


@pytest.mark.parametrize(
    ("p", "r", "signs"),
    [
        (0.049, 0.5, "+++"),
        (0.049, 0.499, "++"),
        (0.049, 0.3, "++"),
        (0.049, 0.299, "+"),
        (0.049, 0.1, "+"),
        (0.049, 0.099, "~"),
        (0.05, 0.9, "~"),
        (0.9, 0.0, "~"),
    ],
)
def test_the_signs_are_the_papers(p, r, signs):
    less = Comparison(0.0, p, -1.0, r)
    assert mark(less, -1) == signs
    assert mark(less, 1) == signs.replace("+", "-")
    assert mark(less, 0) == ""


def test_normality_against_scipy():
    draw = random.Random(3)
    values = [draw.expovariate(1.0) for _ in range(30)]
    answer = normality(values)
    mean = sum(values) / 30
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / 29)
    expected = scipy.stats.kstest(values, "norm", args=(mean, deviation)).pvalue

    assert answer.kolmogorov_smirnov == pytest.approx(expected)
    assert answer.shapiro_wilk == pytest.approx(scipy.stats.shapiro(values).pvalue)
    assert answer.shapiro_wilk < 0.05
    assert normality([1.0, 1.0, 1.0]).shapiro_wilk is None
    assert normality([1.0, 2.0]).kolmogorov_smirnov is None
