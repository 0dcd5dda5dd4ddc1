"""A split to a model of scikit-learn: constant, linear, perceptrons, trees.

Strengths of penalties are chosen by cross-validation within the training rows; features, and
numeric targets of perceptrons, are standardised on them.
"""

from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.learner import Model, Request
from benchmarks.splits import Split

_FOLDS = 3
_LOGISTIC_STRENGTHS = np.logspace(-2, 2, 5)
_RIDGE_STRENGTHS = np.logspace(-3, 3, 13)
_PERCEPTRON_STRENGTHS = (0.01, 0.1, 1.0, 10.0)
_MOST_ROWS_FOR_LBFGS = 5000
_TREES = 300


def fit_constant(split: Split, request: Request) -> Model:
    """The most frequent class, or the mean."""
    model = DummyClassifier() if split.classes else DummyRegressor()
    model.fit(split.x_train, split.y_train)
    return Model(model.predict, 1)


def fit_linear(split: Split, request: Request) -> Model:
    """Logistic regression, its strength chosen by log-loss; or ridge regression."""
    if not split.classes:
        model = make_pipeline(StandardScaler(), RidgeCV(alphas=_RIDGE_STRENGTHS))
        model.fit(split.x_train, split.y_train)
        return Model(model.predict, model[-1].coef_.size + 1)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    search = _search(model, {"logisticregression__C": _LOGISTIC_STRENGTHS}, split, request)
    line = search.best_estimator_[-1]
    return Model(search.predict, line.coef_.size + line.intercept_.size)


def fit_perceptron(hidden: int | None, split: Split, request: Request) -> Model:
    """One hidden layer, of as many neurons as the request says where `hidden` is None."""
    neurons = max(1, request.neurons or 1) if hidden is None else hidden
    few = len(split.x_train) <= _MOST_ROWS_FOR_LBFGS
    settings: dict[str, Any] = {
        "hidden_layer_sizes": (neurons,),
        "solver": "lbfgs" if few else "adam",
        "max_iter": 500 if few else 200,
        "random_state": request.seed,
    }
    if split.classes:
        model = make_pipeline(StandardScaler(), MLPClassifier(**settings))
        key = "mlpclassifier__alpha"
    else:
        inner = make_pipeline(StandardScaler(), MLPRegressor(**settings))
        model = TransformedTargetRegressor(inner, transformer=StandardScaler())
        key = "regressor__mlpregressor__alpha"
    search = _search(model, {key: _PERCEPTRON_STRENGTHS}, split, request)
    best = search.best_estimator_
    network = (best if split.classes else best.regressor_)[-1]
    weights = sum(array.size for array in (*network.coefs_, *network.intercepts_))
    return Model(search.predict, weights, neurons)


def fit_forest(split: Split, request: Request) -> Model:
    """A random forest of 300 trees."""
    make = RandomForestClassifier if split.classes else RandomForestRegressor
    model = make(_TREES, random_state=request.seed).fit(split.x_train, split.y_train)
    return Model(model.predict, sum(tree.tree_.node_count for tree in model.estimators_))


def fit_boosting(split: Split, request: Request) -> Model:
    """Gradient boosting of histograms with scikit-learn's defaults."""
    make = HistGradientBoostingClassifier if split.classes else HistGradientBoostingRegressor
    model = make(random_state=request.seed).fit(split.x_train, split.y_train)
    trees = (tree for step in model._predictors for tree in step)
    return Model(model.predict, sum(len(tree.nodes) for tree in trees))


def _search(model: Any, strengths: dict[str, Any], split: Split, request: Request) -> GridSearchCV:
    """The strength with the best mean log-loss or R² of three folds, learnt with all rows."""
    folds = StratifiedKFold if split.classes else KFold
    search = GridSearchCV(
        model,
        strengths,
        scoring="neg_log_loss" if split.classes else "r2",
        cv=folds(_FOLDS, shuffle=True, random_state=request.seed),
    )
    return search.fit(split.x_train, split.y_train)
