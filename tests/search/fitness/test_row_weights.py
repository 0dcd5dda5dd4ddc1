"""Row weights: objectives compared with scikit-learn, gradients with differences."""

from dataclasses import replace

import numpy as np
import pytest

from dsgec.search.gradient import loss_and_gradient, weighted_network
from dsgec.search.objectives import OBJECTIVES
from dsgec.search.rows import Targets, fit_line, make_row_weights, ordered_sum
from tests.support.engine_runs import make, make_data
from tests.support.gradients import SETTINGS, spans_of


def weights_for(count, seed=1):
    return make_row_weights(
        np.random.default_rng(seed).exponential(size=count), np.zeros(count, int), 0, balance=False
    )


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_weighted_objectives_of_classes_are_those_of_scikit_learn(classes):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(classes)
    y = rng.permutation([*range(classes), *rng.integers(0, classes, 200)])
    p = rng.random((len(y), classes))
    p /= p.sum(axis=1, keepdims=True)
    weights = weights_for(len(y))
    targets = Targets(np.eye(classes)[y], (), weights)
    assert OBJECTIVES["log-loss"].fitness(p, targets) == pytest.approx(
        metrics.log_loss(y, p, sample_weight=weights), rel=1e-13
    )
    assert 1 - OBJECTIVES["accuracy"].fitness(p, targets) == pytest.approx(
        metrics.accuracy_score(y, p.argmax(axis=1), sample_weight=weights), rel=1e-13
    )
    if classes == 2:
        alone = Targets(y[:, None].astype(float), (), weights)
        assert OBJECTIVES["log-loss"].fitness(p[:, 1:], alone) == pytest.approx(
            metrics.log_loss(y, p[:, 1], sample_weight=weights), rel=1e-13
        )


def test_weighted_objectives_of_numbers_are_those_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(5)
    y, outputs, weights = rng.normal(size=101), rng.normal(size=(101, 1)), weights_for(101)
    targets = Targets(y[:, None], (), weights)
    expected = {
        "mse": metrics.mean_squared_error(y, outputs, sample_weight=weights),
        "mae": metrics.mean_absolute_error(y, outputs, sample_weight=weights),
        "rmse": metrics.mean_squared_error(y, outputs, sample_weight=weights) ** 0.5,
        "r2": 1 - metrics.r2_score(y, outputs, sample_weight=weights),
    }
    for name, value in expected.items():
        assert OBJECTIVES[name].fitness(outputs, targets) == pytest.approx(value, rel=1e-12), name


def test_the_weighted_line_is_that_of_numpy():
    rng = np.random.default_rng(6)
    f, y, weights = rng.normal(size=57), rng.normal(size=57), weights_for(57)
    slope, intercept = np.polyfit(f, y, 1, w=np.sqrt(weights))
    line = fit_line(f, y, weights)
    assert (line.slope, line.intercept) == pytest.approx((slope, intercept), rel=1e-11)


def test_balanced_weights_are_those_of_scikit_learn():
    utils = pytest.importorskip("sklearn.utils")
    y = np.array([0] * 31 + [1] * 5 + [2] * 12)
    weights = make_row_weights(None, y, 3, balance=True)
    expected = utils.compute_class_weight("balanced", classes=np.arange(3), y=y)
    np.testing.assert_allclose(weights, expected[y], rtol=1e-14)


def test_balance_counts_a_weighted_row_as_so_many_rows():
    y, given = np.array([0, 0, 1, 1, 1]), np.array([3.0, 1.0, 1.0, 2.0, 1.0])
    rows = np.repeat(np.arange(5), given.astype(int))
    repeated = make_row_weights(None, y[rows], 2, balance=True)
    weights = make_row_weights(given, y, 2, balance=True)
    together = np.bincount(rows, repeated)
    np.testing.assert_allclose(weights / 5, together / len(rows), rtol=1e-14)
    for number in (0, 1):
        assert ordered_sum(weights[y == number]) == pytest.approx(2.5, rel=1e-14)


def test_weights_have_the_mean_1_and_equal_ones_are_1():
    y = np.zeros(1001, int)
    given = np.random.default_rng(1).exponential(1e9, size=1001)
    assert make_row_weights(given, y, 0, balance=False).mean() == pytest.approx(1.0, rel=1e-13)
    assert (make_row_weights(np.full(1001, 3.0), y, 0, balance=False) == 1.0).all()
    assert make_row_weights(None, y, 0, balance=False) is None


TEXTS = {
    "network": (2, "sig(0.31*x_1-0.52*sig(0.7*x_2+0.11)+0.2)"),
    "network_softmax": (3, "softmax(0.3*x_1+0.1,0.2*sig(0.5*x_2),-0.4*x_3)"),
    "regression": (0, "0.31*sig(1.2*x_1-0.5*x_2)+0.7*x_3-0.2"),
    "formula": (0, "0.31*sin(1.2*x_1)-0.5*x_2"),
}


@pytest.mark.parametrize(
    ("grammar", "objective"),
    [
        ("network", "log-loss"),
        ("network", "mse"),
        ("network_softmax", "log-loss"),
        ("network_softmax", "rmse"),
        ("regression", "rmse"),
        ("regression", "mae"),
        ("regression", "r2"),
        ("formula", "mse"),
        ("formula", "r2"),
    ],
)
def test_weighted_gradients_are_differences_of_the_weighted_loss(grammar, objective):
    classes, text = TEXTS[grammar]
    plain = make(grammar, SETTINGS, make_data(3, 43, 3, classes), objective)
    problem = replace(plain, row_weights=weights_for(43))
    roles = problem.language.grammar.directives
    spans = spans_of(text)
    graph = weighted_network(text, spans, inputs=3, layered=False, output=roles.output)

    def loss_at(values, of=problem):
        targets = of.targets(len(graph.network.outputs))
        return loss_and_gradient(
            graph, values, of.rows, targets, objective, 0.01, linear=of.language.is_linear
        )

    loss, slopes = loss_at(graph.values)
    assert loss != loss_at(graph.values, plain)[0]
    learned = 0
    for number, slope in enumerate(slopes):
        if graph.signs[number]:
            step = np.eye(len(slopes))[number] * 1e-6
            up, down = (loss_at(tuple(graph.values + step * s))[0] for s in (1, -1))
            assert slope == pytest.approx((up - down) / 2e-6, rel=1e-5, abs=1e-8)
            learned += slope != 0.0
    assert learned >= 2
