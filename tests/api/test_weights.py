"""Weights of rows and classes in the library: their effect, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import balanced_accuracy_score, log_loss, root_mean_squared_error
from sklearn.utils.class_weight import compute_sample_weight

import dsgec
from dsgec import DSGEClassifier, DSGERegressor

SMALL = {"population": 12, "generations": 3, "pruning": 2, "tuning": 6}
CANCER, MALIGNANT = load_breast_cancer(return_X_y=True)
IRIS, SPECIES = load_iris(return_X_y=True)
DIABETES, PROGRESSION = load_diabetes(return_X_y=True)
RANDOM = np.random.default_rng(3)
WEIGHTS = RANDOM.integers(1, 9, len(MALIGNANT)).astype(float)


def classifier(**more):
    return DSGEClassifier(**SMALL, random_state=1, **more)


def same(one, other, x):
    np.testing.assert_array_equal(one.predict_proba(x), other.predict_proba(x))
    return one.run_.history == other.run_.history


@pytest.mark.parametrize("weight", [3.0, pytest.param(1.0, marks=pytest.mark.campaign)])
def test_equal_weights_change_nothing(weight):
    plain = classifier().fit(CANCER, MALIGNANT)
    weights = np.full(len(MALIGNANT), weight)
    assert same(classifier().fit(CANCER, MALIGNANT, weights), plain, CANCER)
    numbers = DSGERegressor(**SMALL, random_state=1)
    expected = numbers.fit(DIABETES, PROGRESSION).predict(DIABETES)
    found = numbers.fit(DIABETES, PROGRESSION, np.full(len(DIABETES), weight)).predict(DIABETES)
    np.testing.assert_array_equal(found, expected)


def test_weights_count_by_their_ratio():
    one = classifier().fit(CANCER, MALIGNANT, WEIGHTS)
    assert same(classifier().fit(CANCER, MALIGNANT, (4.0 * WEIGHTS).tolist()), one, CANCER)
    assert one.run_.history != classifier().fit(CANCER, MALIGNANT).run_.history


def test_a_row_of_weight_0_is_left_out():
    weights = np.where(np.arange(len(SPECIES)) % 3 == 0, 0.0, 2.0)
    kept = weights > 0.0
    found = classifier().fit(IRIS, SPECIES, weights)
    assert same(found, classifier().fit(IRIS[kept], SPECIES[kept]), IRIS)
    without = classifier().fit(IRIS, SPECIES, (SPECIES != 1).astype(float))
    assert without.classes_.tolist() == [0, 2]
    run = dsgec.evolve("network_softmax", IRIS, SPECIES, **SMALL, sample_weight=weights, test=0)
    left = dsgec.evolve("network_softmax", IRIS[kept], SPECIES[kept], **SMALL, test=0)
    assert run.history == left.history
    with pytest.raises(ValueError, match="one class only"):
        classifier().fit(IRIS, SPECIES, (SPECIES == 1).astype(float))


def test_class_weights_are_weights_of_rows():
    by_class = classifier(class_weight={0: 5, 1: 2}).fit(CANCER, MALIGNANT)
    by_row = classifier().fit(CANCER, MALIGNANT, np.where(MALIGNANT, 2.0, 5.0))
    assert same(by_class, by_row, CANCER)
    both = classifier(class_weight={1: 2}).fit(CANCER, MALIGNANT, WEIGHTS)
    product = np.where(MALIGNANT, 2.0, 1.0) * WEIGHTS
    assert same(both, classifier().fit(CANCER, MALIGNANT, product), CANCER)


def test_balanced_classes_are_those_of_the_setting():
    model = classifier(class_weight="balanced").fit(CANCER, MALIGNANT)
    run = dsgec.evolve("network", CANCER, MALIGNANT, **SMALL, balance=True, test=0)
    assert model.run_.history == run.history
    np.testing.assert_array_equal(model.predict_proba(CANCER), run.predict_proba(CANCER))
    by_hand = compute_sample_weight("balanced", MALIGNANT)
    assert run.score == pytest.approx(
        log_loss(MALIGNANT, run.predict_proba(CANCER), sample_weight=by_hand), rel=1e-9
    )
    assert run.record["settings"]["balance"] is True


def test_a_rare_class_is_found_with_balanced_classes():
    rng = np.random.default_rng(1)
    y = (np.arange(400) % 20 == 0).astype(int)
    x = rng.normal(size=(400, 2)) + 1.5 * y[:, None]
    scores = [
        balanced_accuracy_score(y, classifier(class_weight=given).fit(x, y).predict(x))
        for given in (None, "balanced")
    ]
    assert scores[1] > scores[0] + 0.05


def test_the_score_of_a_regression_is_weighted():
    weights = RANDOM.exponential(size=len(PROGRESSION))
    run = dsgec.evolve("regression", DIABETES, PROGRESSION, **SMALL, test=0, sample_weight=weights)
    expected = root_mean_squared_error(PROGRESSION, run.predict(DIABETES), sample_weight=weights)
    assert run.score == pytest.approx(expected, rel=1e-9)
    plain = root_mean_squared_error(PROGRESSION, run.predict(DIABETES))
    assert run.metrics["train"]["rmse"] == pytest.approx(plain, rel=1e-9)


def test_weights_go_with_their_rows_when_rows_are_dropped():
    table = pd.DataFrame(CANCER[:, :5].copy(), columns=list("abcde"))
    table.loc[::7, "b"] = np.nan
    kept = table["b"].notna().to_numpy()
    given = {**SMALL, "test": 0, "missing": "drop"}
    dropped = dsgec.evolve("network", table, MALIGNANT, **given, sample_weight=WEIGHTS)
    whole = dsgec.evolve(
        "network", table[kept], MALIGNANT[kept], **given, sample_weight=WEIGHTS[kept]
    )
    assert dropped.history == whole.history


def test_other_weights_are_another_run(tmp_path):
    x, y, weights = CANCER[:80], MALIGNANT[:80], WEIGHTS[:80]
    run = dsgec.evolve("network", x, y, **SMALL, sample_weight=weights, out=tmp_path / "run")
    assert len(run.record["data"]["weights_sha256"]) == 64
    for other in (weights[::-1], None):
        with pytest.raises(dsgec.DsgecError, match="another run"):
            dsgec.evolve("network", x, y, **SMALL, sample_weight=other, out=tmp_path / "run")
    again = dsgec.load(tmp_path / "run")
    assert again.record == run.record
    model = DSGEClassifier(**SMALL, warm_start=True, random_state=1).fit(x, y, weights)
    with pytest.warns(UserWarning, match="starts from scratch"):
        model.fit(x, y, weights[::-1])
    assert model.fit(x, y, weights[::-1]).n_iter_ == 6


def test_a_separate_test_table_needs_no_weights():
    x, y = CANCER[:80], MALIGNANT[:80]
    test = (CANCER[80:], MALIGNANT[80:])
    run = dsgec.evolve("network", x, y, **SMALL, sample_weight=WEIGHTS[:80], test=test)
    assert run.record["data"]["test_rows"] == len(CANCER) - 80


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (WEIGHTS[1:], "has the shape \\(568,\\), but there are 569 rows"),
        (WEIGHTS[:, None], "has the shape"),
        (-WEIGHTS, "has -[0-9] for row 0"),
        (np.where(np.arange(569) == 4, np.nan, 1.0), "has nan for row 4"),
        (np.zeros(569), "has only zeros"),
        ("balanced", "sample_weight is a str"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, message):
    with pytest.raises(dsgec.DsgecError, match=message):
        dsgec.evolve("network", CANCER, MALIGNANT, **SMALL, sample_weight=weights)
    with pytest.raises(ValueError, match=message):
        classifier().fit(CANCER, MALIGNANT, weights)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("equal", "class_weight is 'equal'"),
        ({2: 1.0}, "has the class 2, which y does not have"),
        ({0: 0.0}, "is 0.0 for the class 0"),
        ({0: "1"}, "is '1' for the class 0"),
        ([1, 2], "class_weight is \\[1, 2\\]"),
    ],
)
def test_class_weights_that_make_no_sense_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        classifier(class_weight=given).fit(CANCER, MALIGNANT)


def test_the_papers_objective_has_no_weights():
    with pytest.raises(ValueError, match="measures each class on its own"):
        classifier(preset="paper").fit(CANCER, MALIGNANT, WEIGHTS)
