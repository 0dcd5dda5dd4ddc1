"""Confidence intervals of metrics, compared with scipy and checked for their coverage."""

import numpy as np
import pytest
from scipy import stats

from dsgec.search.metrics import class_intervals, classification, error_intervals, regression


def outputs_of(rng, rows, distance=1.0):
    classes = (rng.random(rows) < 0.4).astype(np.intp)
    scores = rng.normal(size=rows) + distance * classes
    return 1.0 / (1.0 + np.exp(-(scores - distance / 2)))[:, None], classes


def test_the_interval_of_an_accuracy_is_wilsons():
    outputs, classes = outputs_of(np.random.default_rng(0), 83)
    hits = int(((outputs[:, 0] >= 0.5) == classes).sum())
    expected = stats.binomtest(hits, 83).proportion_ci(method="wilson")

    assert class_intervals(outputs, classes, 2)["accuracy"] == pytest.approx(
        (expected.low, expected.high), abs=1e-12
    )


@pytest.mark.parametrize("hits", [0, 9])
def test_a_perfect_and_a_hopeless_figure_have_an_interval_of_some_width(hits):
    classes = np.arange(9, dtype=np.intp) % 2
    outputs = (classes if hits else 1 - classes)[:, None] * 0.8 + 0.1
    for name in ("accuracy", "auroc", "f1", "balanced_accuracy"):
        low, high = class_intervals(outputs, classes, 2)[name]
        assert (high == 1.0 and low < 0.9) if hits else (low == 0.0 and high > 0.1), name


def held(draw, figures, intervals, truth, rounds=300):
    """Return the coverage of each interval: how often it contains the value on very many rows."""
    counts = dict.fromkeys(truth, 0)
    for _ in range(rounds):
        found = intervals(*draw())
        assert list(found) == list(figures(*draw()))
        for name, interval in found.items():
            counts[name] += interval is not None and interval[0] <= truth[name] <= interval[1]
    return {name: count / rounds for name, count in counts.items()}


def test_intervals_of_a_classifier_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(1)
    truth = classification(*outputs_of(rng, 200_000), 2)
    shares = held(lambda: (*outputs_of(rng, 120), 2), classification, class_intervals, truth)

    assert all(0.91 <= share <= 0.99 for share in shares.values()), shares


def test_intervals_of_many_classes_hold_the_truth():
    rng = np.random.default_rng(2)

    def draw(rows=150):
        classes = rng.integers(0, 4, rows)
        sums = rng.normal(size=(rows, 4)) + 1.5 * (classes[:, None] == np.arange(4))
        powers = np.exp(sums)
        return powers / powers.sum(axis=1, keepdims=True), classes, 4

    truth = classification(*draw(200_000))
    shares = held(draw, classification, class_intervals, truth)

    assert shares.pop("auroc") == shares.pop("f1") == 0.0, "none are given"
    assert all(0.91 <= share <= 0.99 for share in shares.values()), shares


def test_intervals_of_errors_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(3)

    def draw(rows=150):
        x = rng.normal(size=rows)
        return (0.8 * x)[:, None], x + rng.normal(size=rows)

    truth = regression(*draw(200_000))
    shares = held(draw, regression, error_intervals, truth)

    assert all(0.90 <= share <= 0.99 for share in shares.values()), shares


def test_figures_without_a_meaning_have_no_interval():
    assert set(error_intervals(np.zeros((1, 1)), np.zeros(1)).values()) == {None}
    assert error_intervals(np.zeros((3, 1)), np.ones(3))["r2"] is None
    assert error_intervals(np.full((3, 1), np.inf), np.arange(3.0))["rmse"] is None
    one_class = class_intervals(np.full((4, 1), 0.2), np.zeros(4, np.intp), 2)
    assert one_class["auroc"] is None and one_class["f1"] is None
