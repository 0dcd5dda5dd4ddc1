"""The best threshold, compared with every other threshold."""

import numpy as np
import pytest

from dsgec.network.decide import predict_classes
from dsgec.search.models import best_threshold
from dsgec.search.rows import make_row_weights


def middles_and_half(p):
    known = np.unique(p)
    return [0.5, *((known[1:] + known[:-1]) / 2)]


@pytest.mark.parametrize("balance", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_no_other_threshold_is_better_and_an_equal_one_is_farther_from_a_half(seed, balance):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    y = (rng.random(60) < 0.2).astype(int)
    y[:2] = 0, 1
    p = (0.2 * y + 0.6 * rng.random(60)).round(2 if seed % 2 else 9)
    p[p == 0.5] = 0.51  # see the last test
    weights = make_row_weights(None, y, 2, balance=True) if balance else None
    score = metrics.balanced_accuracy_score if balance else metrics.accuracy_score
    scores = {t: round(score(y, p >= t), 12) for t in middles_and_half(p)}
    best = max(scores.values())
    nearest = min(abs(t - 0.5) for t, found in scores.items() if found == best)

    for outputs in (p[:, None], np.column_stack([1 - p, p])):
        found = best_threshold(outputs, y, weights)
        assert score(y, predict_classes(outputs, found)) == pytest.approx(best, abs=1e-12)
        assert abs(found - 0.5) == pytest.approx(nearest, abs=1e-12)


def test_a_threshold_by_weights_gets_the_most_weight_right():
    p, y = np.array([[0.1], [0.2], [0.3], [0.4]]), np.array([0, 1, 0, 1])
    assert best_threshold(p, y) == pytest.approx(0.35)  # three rows, as at 0.15, but nearer to 0.5
    heavy = np.array([0.1, 3.7, 0.1, 0.1])
    assert best_threshold(p, y, heavy) == pytest.approx(0.15)


@pytest.mark.parametrize(
    ("p", "y"),
    [
        ([0.1, 0.9], [0, 1]),  # 0.5 is as good
        ([0.7, 0.7], [0, 1]),  # there is no other
        ([0.1, 0.2], [1, 0]),  # another would be worse, or no better
        ([np.nan, 0.2], [0, 1]),
        ([np.inf, 0.2], [1, 0]),
        ([], []),
    ],
)
def test_a_half_stays_where_nothing_is_better(p, y):
    outputs = np.array(p, dtype=float).reshape(-1, 1)
    assert best_threshold(outputs, np.array(y, dtype=int)) == 0.5


def test_a_threshold_lies_between_neighbours_also_where_no_number_does():
    low = 0.3
    high = np.nextafter(low, 1.0)
    p, y = np.array([[low], [low], [high], [high]]), np.array([0, 0, 1, 1])
    found = best_threshold(p, y)
    assert low < found <= high
    assert predict_classes(p, found).tolist() == y.tolist()


def test_a_tie_of_two_softmax_outputs_is_of_the_first_class_at_a_half():
    outputs = np.array([[0.5, 0.5], [0.5, 0.5], [0.9, 0.1]])
    assert best_threshold(outputs, np.array([0, 0, 0])) == 0.5
    assert best_threshold(outputs, np.array([1, 1, 0])) == pytest.approx(0.3)
