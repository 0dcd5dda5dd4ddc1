"""Linear models are those of scikit-learn."""

import numpy as np
import pytest

from dsgec.search import linear_model
from dsgec.search.linear_model import fit_logistic, fit_ridge

datasets = pytest.importorskip("sklearn.datasets")


def with_scaler(model):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), model)


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_logistic_regression_is_that_of_scikit_learn(name):
    from sklearn.linear_model import LogisticRegression

    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    oracle = with_scaler(LogisticRegression(tol=1e-9, max_iter=10_000)).fit(x, y).predict_proba(x)
    count = oracle.shape[1]
    ours = fit_logistic(x, y, count).outputs(x)

    assert ours.shape == ((len(x), count) if count > 2 else (len(x), 1))
    assert ours == pytest.approx(oracle if count > 2 else oracle[:, 1:], abs=1e-4)


def test_ridge_regression_is_that_of_scikit_learn():
    from sklearn.linear_model import Ridge

    x, y = datasets.load_diabetes(return_X_y=True)
    oracle = with_scaler(Ridge()).fit(x, y).predict(x)

    assert fit_ridge(x, y).outputs(x)[:, 0] == pytest.approx(oracle, rel=1e-5)


def test_features_that_are_constant_or_equal_do_no_harm():
    x = np.random.default_rng(1).normal(size=(60, 3))
    x[:, 1] = 7.0
    x[:, 2] = x[:, 0]
    y = (x[:, 0] > 0).astype(int)
    p = fit_logistic(x, y, 2).outputs(x)[:, 0]

    assert ((p >= 0.5) == y).mean() > 0.9


def test_a_constant_target_is_its_own_prediction():
    x = np.random.default_rng(1).normal(size=(20, 2))
    assert fit_ridge(x, np.full(20, 3.5)).outputs(x) == pytest.approx(3.5)


def test_of_a_large_table_some_rows_are_taken_evenly(monkeypatch):
    monkeypatch.setattr(linear_model, "MOST_CELLS", 300)
    x = np.random.default_rng(1).normal(size=(1000, 3))
    y = x @ [1.0, -2.0, 0.5]
    model = fit_ridge(x, y)

    assert model.center == pytest.approx(x[::10].mean(axis=0))
    assert model.outputs(x)[:, 0] == pytest.approx(y, abs=0.2)


def test_weights_of_rows_count_as_in_scikit_learn():
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.preprocessing import StandardScaler

    random = np.random.default_rng(7)
    x, y = datasets.load_iris(return_X_y=True)
    weights = random.uniform(0.2, 3.0, len(x))
    scaled = StandardScaler().fit_transform(x)
    oracle = LogisticRegression(tol=1e-9, max_iter=10_000).fit(scaled, y, weights)
    ours = fit_logistic(x, y, 3, weights).outputs(x)
    assert ours == pytest.approx(oracle.predict_proba(scaled), abs=1e-4)

    target = x @ [1.0, 2.0, -1.0, 0.5] + random.normal(size=len(x))
    oracle = Ridge().fit(scaled, target, weights)
    ours = fit_ridge(x, target, weights).outputs(x)[:, 0]
    assert ours == pytest.approx(oracle.predict(scaled), rel=1e-4)
