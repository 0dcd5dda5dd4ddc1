"""The estimators with their defaults and the default compiler."""

import time

import pytest
from sklearn.datasets import load_breast_cancer

from dsgec import DSGEClassifier, DSGERegressor
from tests.support.estimator_checks import check_all

pytestmark = [pytest.mark.campaign, pytest.mark.needs_cc]


@pytest.mark.parametrize("kind", [DSGEClassifier, DSGERegressor])
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks_pass(kind):
    check_all(kind())


def test_a_fit_takes_as_long_as_the_evolution_in_it():
    """The best of several rounds is at most a fifth longer."""
    x, y = load_breast_cancer(return_X_y=True)
    model = DSGEClassifier(generations=500, random_state=1, scale="none").fit(x, y)
    inner, whole = [], []
    for _ in range(5):
        started = time.perf_counter()
        model.fit(x, y)
        whole.append(time.perf_counter() - started)
        inner.append(model.run_.timing["evolve_seconds"])
    assert min(whole) < 1.2 * min(inner)
