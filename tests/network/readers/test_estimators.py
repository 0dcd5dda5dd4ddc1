"""Estimators of scikit-learn become networks with the same outputs."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    RidgeCV,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

import dsgec
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from dsgec.network.text import network_text
from tests.support.foreign_models import own_outputs, worst

X, Y = load_iris(return_X_y=True)
TWO = (Y > 0).astype(int)
FRAME = load_iris(as_frame=True).data

SCALERS = [
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    MinMaxScaler(),
    MinMaxScaler((-1, 2), clip=True),
    MaxAbsScaler(),
    RobustScaler(),
    Normalizer(),
    make_pipeline("passthrough", MinMaxScaler(), StandardScaler()),
]
MODELS = [
    (LinearRegression(), Y),
    (LinearRegression(), X[:, :2]),
    (RidgeCV(), Y),
    (Lasso(0.1), Y),
    (ElasticNet(0.01), Y),
    (PoissonRegressor(), Y),
    (LogisticRegression(), TWO),
    (LogisticRegression(), Y),
    (LinearDiscriminantAnalysis(), Y),
    (SGDClassifier(loss="log_loss", random_state=1), TWO),
    (make_pipeline(StandardScaler(), SGDClassifier(loss="log_loss", random_state=1)), Y),
    (MLPRegressor(hidden_layer_sizes=(3,), max_iter=20, random_state=1), X[:, :2]),
]


def fit(model, y, x=X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(x, y)


@pytest.mark.parametrize("number", range(len(MODELS)))
def test_a_network_has_the_outputs_of_its_estimator(number):
    model = fit(*MODELS[number])
    network = dsgec.compile(model)

    assert worst(network.outputs(X), own_outputs(model, X)) <= 1e-12
    assert np.allclose(network.predict(X), model.predict(X), rtol=1e-12, atol=1e-12)
    nodes = network.model.network
    assert simplify(parse(network_text(nodes), inputs=nodes.inputs)) == nodes


@pytest.mark.parametrize("scaler", SCALERS, ids=str)
def test_a_pipeline_scales_as_scikit_learn_does(scaler):
    model = fit(make_pipeline(scaler, LogisticRegression()), Y)

    assert worst(dsgec.compile(model).outputs(X), own_outputs(model, X)) <= 1e-12


def test_a_search_is_its_best_model():
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]})
    search.best_estimator_ = fit(LogisticRegression(), Y)

    assert worst(dsgec.compile(search).outputs(X), own_outputs(search, X)) <= 1e-12


def test_a_scaler_becomes_the_scale_of_the_columns():
    scaler = StandardScaler()
    network = dsgec.compile(fit(make_pipeline(scaler, LogisticRegression()), Y))

    assert [column.center for column in network.model.columns] == scaler.mean_.tolist()
    assert [column.scale for column in network.model.columns] == scaler.scale_.tolist()
    assert network.size["connections"] == 12


def test_weights_of_zero_are_left_out():
    model = fit(Lasso(0.1), Y)

    assert dsgec.compile(model).size["connections"] == np.count_nonzero(model.coef_) < 4


def test_names_and_labels_are_the_estimators_own_or_the_users():
    labels = np.array(["setosa", "versicolor", "virginica"])[Y]
    model = fit(make_pipeline(StandardScaler(), LogisticRegression()), labels, FRAME)
    own = dsgec.compile(model)
    given = dsgec.compile(model, name="iris", feature_names=[*"abcd"], class_names=[7, 8, 9])

    assert own.columns == tuple(FRAME.columns)
    assert own.classes == ("setosa", "versicolor", "virginica")
    assert (own.predict(FRAME) == model.predict(FRAME)).all()
    assert (given.name, given.columns, given.classes) == ("iris", (*"abcd",), (7, 8, 9))
    assert given.predict(X[:1]).tolist() == [7]


def test_a_tie_of_two_classes_goes_to_the_first_as_in_scikit_learn():
    model = fit(LogisticRegression(fit_intercept=False), TWO)
    nothing = np.zeros((1, 4))

    assert model.predict_proba(nothing)[0, 1] == 0.5
    assert dsgec.compile(model).predict(nothing) == model.predict(nothing)


def test_the_agreement_is_measured_on_the_users_rows():
    model = fit(LogisticRegression(), Y)
    network = dsgec.compile(model, rows=X[:50])

    assert network.agreement.rows == 50
    assert network.agreement.source.startswith("scikit-learn 1.")
    assert "on 50 rows" in str(network.agreement)


def test_the_users_rows_give_the_ranges_of_fixed_point(tmp_path):
    network = dsgec.compile(fit(LogisticRegression(), Y), name="iris", rows=X)
    network.export("c", tmp_path, dtype="q15")

    assert network.ranges == tuple(zip(X.min(axis=0), X.max(axis=0), strict=True))
    assert "this is proved" in (tmp_path / "iris.h").read_text()
    with pytest.raises(dsgec.DsgecError, match="one row at least"):
        dsgec.compile(fit(LogisticRegression(), Y), rows=X[:0])


def test_a_model_with_another_meaning_is_refused(monkeypatch):
    model = fit(LogisticRegression(), Y)
    monkeypatch.setattr(model, "predict_proba", lambda x: np.full((len(x), 3), 1 / 3))

    with pytest.raises(dsgec.DsgecError, match="does not compute what scikit-learn"):
        dsgec.compile(model)


def fit_several_labels():
    return fit(MLPClassifier((3,), max_iter=2), np.stack([TWO, 1 - TWO], axis=1))


class Derived(LogisticRegression):
    """A subclass, which may predict otherwise."""


REFUSED = {
    "KNeighborsClassifier cannot be compiled as a predictor": KNeighborsClassifier,
    "PolynomialFeatures cannot be compiled as a step": lambda: make_pipeline(
        PolynomialFeatures(), LogisticRegression()
    ),
    "this LogisticRegression is not fitted": LogisticRegression,
    "has no logistic probabilities": lambda: fit(SGDClassifier(), Y),
    "gives several labels for a row": fit_several_labels,
    "the pipeline has no steps": lambda: Pipeline([("nothing", "passthrough")]),
    "Derived cannot be compiled": lambda: fit(Derived(), Y),
    "list cannot be compiled": list,
    "cannot read there/is.onnx": lambda: "there/is.onnx",
}


@pytest.mark.parametrize("message", REFUSED)
def test_an_unsupported_estimator_is_named(message):
    with pytest.raises(dsgec.DsgecError, match=message) as caught:
        dsgec.compile(REFUSED[message]())

    assert "\n" in str(caught.value) or "cannot read" in message or "no steps" in message


def test_names_that_do_not_fit_are_refused():
    model = fit(LogisticRegression(), Y)
    for given, message in (
        ({"feature_names": ["a"]}, "1 feature name given for 4 features"),
        ({"feature_names": [*"aabc"]}, "two features are called 'a'"),
        ({"class_names": ["a"]}, "1 class name given for 3 classes"),
        ({"class_names": [*"aab"]}, "two classes have the same name"),
        ({"feature_names": "abcd"}, "the feature names are not a list"),
        ({"class_names": 3}, "the class names are not a list"),
        ({"name": "a b"}, "cannot name a module"),
        ({"rows": [[1.0, np.nan, 1.0, 1.0]]}, "x_2"),
    ):
        with pytest.raises(dsgec.DsgecError, match=message):
            dsgec.compile(model, **given)


def test_a_regressor_has_no_class_names():
    with pytest.raises(dsgec.DsgecError, match="LinearRegression is not a classifier"):
        dsgec.compile(LinearRegression().fit(X, X[:, :2]), class_names=["a", "b"])


def test_a_weight_that_is_not_finite_is_refused():
    model = fit(LinearRegression(), Y)
    model.coef_[1] = np.inf

    with pytest.raises(dsgec.DsgecError, match="a weight that is inf"):
        dsgec.compile(model)


def test_errors_of_numpy_that_a_program_asks_for_are_not_raised_here(tmp_path):
    model = fit(LogisticRegression(), Y)
    with np.errstate(all="raise"):
        written = dsgec.compile(model).export("numpy", tmp_path)
        written += dsgec.compile(model).export("c", tmp_path, dtype="float")

    assert all(file.exists() for file in written)


def test_a_compiled_network_is_exported_and_has_a_page(tmp_path):
    network = dsgec.compile(fit(LogisticRegression(), Y), name="iris")
    (written,) = network.export("numpy", tmp_path)
    page = network.report(tmp_path / "page.html").read_text()

    assert written.name == "iris.py"
    assert f"The network {network.agreement}." in page
    assert "training rows" not in page
    assert network.report(tmp_path / "again.html").read_text() == page
