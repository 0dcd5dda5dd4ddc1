"""The metrics are those of scikit-learn."""

import numpy as np
import pytest

from dsgec.network.decide import predict_classes
from dsgec.search.metrics import classification, confusion, regression

sklearn = pytest.importorskip("sklearn.metrics")


@pytest.mark.parametrize("seed", range(20))
def test_two_classes(seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation([0, 1, *rng.integers(0, 2, 40)])
    p = np.round(rng.random((42, 1)), 1)  # ties
    found = classification(p, y, 2)
    predicted = (p[:, 0] >= 0.5).astype(int)

    assert found["accuracy"] == pytest.approx(sklearn.accuracy_score(y, predicted))
    assert found["rmse"] == pytest.approx(np.sqrt(sklearn.mean_squared_error(y, p[:, 0])))
    assert found["auroc"] == pytest.approx(sklearn.roc_auc_score(y, p[:, 0]))
    assert found["f1"] == pytest.approx(sklearn.f1_score(y, predicted))
    balanced = sklearn.balanced_accuracy_score(y, predicted)
    assert found["balanced_accuracy"] == pytest.approx(balanced)
    assert confusion(p, y, 2) == sklearn.confusion_matrix(y, predicted).tolist()


@pytest.mark.parametrize("seed", range(20))
def test_many_classes(seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation([0, 1, 2, 3, *rng.integers(0, 4, 60)])
    p = rng.random((64, 4))
    p /= p.sum(axis=1, keepdims=True)
    found = classification(p, y, 4)

    assert found["accuracy"] == pytest.approx(sklearn.accuracy_score(y, p.argmax(axis=1)))
    assert found["auroc"] == pytest.approx(sklearn.roc_auc_score(y, p, multi_class="ovr"))
    assert found["f1"] == pytest.approx(sklearn.f1_score(y, p.argmax(axis=1), average="macro"))
    balanced = sklearn.balanced_accuracy_score(y, p.argmax(axis=1))
    assert found["balanced_accuracy"] == pytest.approx(balanced)
    assert confusion(p, y, 4) == sklearn.confusion_matrix(y, p.argmax(axis=1)).tolist()


def test_a_class_that_does_not_occur_counts_for_nothing():
    y, p = np.array([0, 1, 1, 0]), np.eye(3)[[0, 1, 0, 0]]
    found = classification(p, y, 3)

    assert found["f1"] == pytest.approx(sklearn.f1_score(y, p.argmax(axis=1), average="macro"))
    assert found["balanced_accuracy"] == pytest.approx(0.75)
    assert confusion(p, y, 3) == [[2, 0, 0], [1, 1, 0], [0, 0, 0]]


def test_two_softmax_outputs_are_scored_as_class_1():
    y = np.array([0, 1, 1, 0])
    p = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]])

    assert classification(p, y, 2)["auroc"] == pytest.approx(sklearn.roc_auc_score(y, p[:, 1]))
    assert predict_classes(p).tolist() == [0, 0, 1, 1]


def test_a_figure_that_is_not_defined_is_none():
    assert classification(np.empty((0, 1)), np.empty(0, dtype=int), 2)["accuracy"] is None
    assert classification(np.array([[0.5]]), np.array([1]), 2)["auroc"] is None
    assert regression(np.array([[1.0]]), np.array([2.0]))["r2"] is None


def test_regression():
    rng = np.random.default_rng(3)
    y, p = rng.normal(size=50), rng.normal(size=(50, 1))
    found = regression(p, y)

    assert found["rmse"] == pytest.approx(np.sqrt(sklearn.mean_squared_error(y, p[:, 0])))
    assert found["mae"] == pytest.approx(sklearn.mean_absolute_error(y, p[:, 0]))
    assert found["r2"] == pytest.approx(sklearn.r2_score(y, p[:, 0]))


def test_means_are_the_same_bits_in_every_python():
    # Ten classes, of each of which a tenth is found: Python's own sum is 1.0 only from 3.12 on.
    classes = np.repeat(np.arange(10), 10)
    outputs = np.eye(10)[np.tile(np.arange(10), 10)]

    assert classification(outputs, classes, 10)["balanced_accuracy"] == 0.9999999999999999 / 10
