"""Objectives by the paper's formula and scikit-learn, with sums in a fixed order."""

import math

import numpy as np
import pytest

from dsgec.search.objectives import OBJECTIVES, as_score
from dsgec.search.rows import LANES, Targets, ordered_sum

exp_rmse, rmse = OBJECTIVES["exp-rmse"].fitness, OBJECTIVES["rmse"].fitness


def targets(y, groups=()):
    return Targets(np.asarray(y, dtype=float).reshape(len(y), -1), tuple(map(np.array, groups)))


def test_the_papers_fitness_worked_by_hand():
    # Class 0 has errors 0.5 and 0.1, class 1 has 0.2: exp(sqrt(0.26/2)) * exp(0.2).
    outputs = np.array([[0.5], [0.1], [0.8]])
    expected = math.exp(math.sqrt(0.26 / 2)) * math.exp(0.2)

    assert exp_rmse(outputs, targets([0, 0, 1], [[0, 1], [2]])) == pytest.approx(
        expected, rel=1e-14
    )


def test_a_perfect_classifier_has_fitness_1():
    assert exp_rmse(np.array([[0.0], [1.0]]), targets([0, 1], [[0], [1]])) == 1.0


def test_two_softmax_outputs_score_as_one_sigmoid_output_does():
    p = np.array([0.2, 0.7, 0.9])
    one = exp_rmse(p[:, None], targets([0, 0, 1], [[0, 1], [2]]))
    two = exp_rmse(np.column_stack([1 - p, p]), targets([[1, 0], [1, 0], [0, 1]], [[0, 1], [2]]))

    assert two == pytest.approx(one, rel=1e-14)


def test_rmse_is_that_of_numpy():
    rng = np.random.default_rng(1)
    outputs, wanted = rng.normal(size=(100, 1)), rng.normal(size=100)

    expected = math.sqrt(np.mean((outputs[:, 0] - wanted) ** 2))
    assert rmse(outputs, targets(wanted)) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_objectives_are_those_of_scikit_learn(classes):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(classes)
    y = rng.permutation([*range(classes), *rng.integers(0, classes, 200)])
    p = rng.random((len(y), classes))
    p /= p.sum(axis=1, keepdims=True)
    p[:3] = np.eye(classes)[[0, 1, 0]]  # certain, and wrong at times
    one_hot = targets(np.eye(classes)[y])
    cases = [(p, one_hot)]
    if classes == 2:
        cases.append((p[:, 1:], targets(y)))
    for outputs, wanted in cases:
        log_loss = metrics.log_loss(y, p, labels=range(classes))
        assert OBJECTIVES["log-loss"].fitness(outputs, wanted) == pytest.approx(log_loss, rel=1e-12)
        predicted = p.argmax(axis=1)
        wrong = 1 - metrics.accuracy_score(y, predicted)
        assert OBJECTIVES["accuracy"].fitness(outputs, wanted) == pytest.approx(wrong, rel=1e-12)
        mse = metrics.mean_squared_error(wanted.values, outputs)
        assert OBJECTIVES["mse"].fitness(outputs, wanted) == pytest.approx(mse, rel=1e-12)
        mae = metrics.mean_absolute_error(wanted.values, outputs)
        assert OBJECTIVES["mae"].fitness(outputs, wanted) == pytest.approx(mae, rel=1e-12)


def test_huber_is_the_loss_of_scipy():
    special = pytest.importorskip("scipy.special")
    rng = np.random.default_rng(3)
    y, p = rng.normal(size=99), rng.normal(size=(99, 1)) * 2
    p[:2, 0] = y[:2] + np.array([1.0, -1.0])
    expected = special.huber(1.0, p[:, 0] - y).mean()

    assert OBJECTIVES["huber"].fitness(p, targets(y)) == pytest.approx(expected, rel=1e-12)


def test_r2_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(2)
    y, p = rng.normal(size=77) + 5, rng.normal(size=(77, 1)) + 5
    fitness = OBJECTIVES["r2"].fitness(p, targets(y))

    assert as_score("r2", fitness) == pytest.approx(metrics.r2_score(y, p[:, 0]), rel=1e-12)
    assert as_score("rmse", fitness) == fitness


def test_probabilities_are_kept_from_0_and_1():
    # -log(2^-52) for a certain mistake; nearly 0 for a certain hit.
    wrong = OBJECTIVES["log-loss"].fitness(np.array([[-3.0], [1.0]]), targets([1, 0]))
    right = OBJECTIVES["log-loss"].fitness(np.array([[0.0], [7.0]]), targets([0, 1]))

    assert wrong == pytest.approx(52 * math.log(2), rel=1e-15)
    assert right == pytest.approx(2.0**-52, rel=1e-3)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 16, 100, 1001])
def test_sums_run_in_lanes(count):
    values = np.random.default_rng(count).normal(size=count) * 1e3
    lanes = [0.0] * LANES
    for i, value in enumerate(values.tolist()):
        lanes[i % LANES] += value
    total = 0.0
    for lane in lanes:
        total += lane

    assert ordered_sum(values).hex() == total.hex()
    assert total == pytest.approx(math.fsum(values), rel=1e-9, abs=1e-9)
