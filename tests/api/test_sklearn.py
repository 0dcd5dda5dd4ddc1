"""The estimators pass all checks of scikit-learn, and make the runs of dsgec."""

import inspect
import pickle
import pickletools

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import dsgec
from dsgec import DSGEClassifier, DSGERegressor
from tests.support.estimator_checks import check_all

END = {"pruning": 2, "tuning": 6}
SMALL = {"population": 20, "generations": 5, **END}
IRIS, SPECIES = load_iris(return_X_y=True, as_frame=True)
CANCER, MALIGNANT = load_breast_cancer(return_X_y=True)
DIABETES, PROGRESSION = load_diabetes(return_X_y=True)


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    # Most checks concern the common base of both.
    "kind",
    [DSGEClassifier, pytest.param(DSGERegressor, marks=pytest.mark.campaign)],
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks_pass(kind):
    check_all(kind(population=9, generations=3, pruning=1, tuning=3))


def test_the_defaults_are_those_of_evolve():
    parameters = inspect.signature(dsgec.evolve).parameters
    for kind in (DSGEClassifier, DSGERegressor):
        own = kind().get_params()
        for name in ("grammar", "class_weight", "warm_start", "random_state", "verbose"):
            own.pop(name, None)
        assert own == {name: parameters[name].default for name in own}


@pytest.mark.parametrize(
    ("kind", "grammar", "x", "y", "scale"),
    [
        (DSGEClassifier, "network", CANCER, MALIGNANT, "none"),
        (DSGEClassifier, "network_softmax", IRIS, SPECIES, "minmax"),
        (DSGERegressor, "regression", DIABETES, PROGRESSION, "standard"),
    ],
    ids=["two", "many", "quantity"],
)
def test_a_fit_is_the_run_of_the_task_s_grammar_on_all_rows(kind, grammar, x, y, scale):
    model = kind(**SMALL, scale=scale, random_state=3).fit(x, y)
    run = dsgec.evolve(grammar, x, y, **SMALL, scale=scale, seed=3, test=0)

    assert model.run_.network.formula == run.network.formula
    assert model.run_.history == run.history
    np.testing.assert_array_equal(model.predict(x), run.predict(x))
    if kind is DSGEClassifier:
        np.testing.assert_array_equal(model.predict_proba(x), run.predict_proba(x))


def test_the_scores_are_those_of_the_metrics():
    model = DSGEClassifier(**SMALL, random_state=1).fit(CANCER, MALIGNANT)
    found = model.run_.metrics["train"]
    assert model.score(CANCER, MALIGNANT) == found["accuracy"]
    assert accuracy_score(MALIGNANT, model.predict(CANCER)) == found["accuracy"]
    auroc = roc_auc_score(MALIGNANT, model.predict_proba(CANCER)[:, 1])
    assert auroc == pytest.approx(found["auroc"], abs=1e-12)
    quantity = DSGERegressor(**SMALL, random_state=1).fit(DIABETES, PROGRESSION)
    r2 = r2_score(PROGRESSION, quantity.predict(DIABETES))
    assert quantity.run_.metrics["train"]["r2"] == pytest.approx(r2, abs=1e-12)
    assert quantity.score(DIABETES, PROGRESSION) == r2


def test_cross_validation_is_what_it_is_by_hand():
    model = DSGEClassifier(**SMALL, random_state=1)
    x, y = IRIS.to_numpy(), SPECIES.to_numpy()
    by_hand = []
    folds = StratifiedKFold(3)
    for train, test in folds.split(x, y):
        run = dsgec.evolve(
            "network_softmax",
            x[train],
            y[train],
            test=(x[test], y[test]),
            **SMALL,
            scale="standard",
        )
        by_hand.append(run.metrics["test"]["accuracy"])
    assert cross_val_score(model, x, y, cv=folds).tolist() == by_hand


def test_a_grid_is_searched_through_a_pipeline():
    steps = make_pipeline(
        PolynomialFeatures(include_bias=True), DSGEClassifier(**SMALL, random_state=1)
    )
    name = "dsgeclassifier"
    search = GridSearchCV(
        steps,
        {f"{name}__max_depth": [{"sum": 0}, {"sum": 2}], f"{name}__scale": ["minmax"]},
        cv=2,
    ).fit(IRIS, SPECIES)

    best = search.best_estimator_[name]
    assert len(search.cv_results_["params"]) == 2
    assert best.max_depth == search.best_params_[f"{name}__max_depth"]
    assert best.n_features_in_ == 15
    assert search.predict(IRIS).shape == SPECIES.shape


def test_a_clone_has_the_parameters_and_nothing_else():
    grammar = dsgec.parse_grammar("%output sigmoid\n<s> ::= x_1 | x_2 | - x_1")
    model = DSGEClassifier(grammar, **SMALL, max_depth={}, random_state=5).fit(CANCER, MALIGNANT)
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert not hasattr(again, "run_")
    again.fit(CANCER, MALIGNANT)
    assert again.run_.network == model.run_.network


@pytest.mark.parametrize(
    ("labels", "named"),
    [
        (np.array([5, -3]), (-3, 5)),
        (np.array(["spam", "ham"]), ("ham", "spam")),
        (np.array(["spam", "ham"], dtype=object), ("ham", "spam")),
        (np.array([True, False]), (False, True)),
        (np.array([2.0, 7.0]), ("2.0", "7.0")),
        (np.array(["\ud800", "a"], dtype=object), (0, 1)),
        (np.array([2**60, 3]), ("3", str(2**60))),
        (np.array(["c", "a", "b"]), ("a", "b", "c")),
        (np.arange(25), tuple(range(25))),
    ],
    ids=str,
)
def test_labels_of_every_kind_come_back(labels, named):
    y = labels[np.arange(60) % len(labels)]
    x = np.random.default_rng(0).normal(size=(60, 2))
    model = DSGEClassifier(population=6, generations=1, **END, random_state=0).fit(x, y)

    assert model.classes_.tolist() == sorted(labels.tolist())
    assert model.run_.network.classes == named
    assert model.predict(x).dtype == y.dtype
    assert set(model.predict(x).tolist()) <= set(labels.tolist())
    assert model.predict_proba(x).shape == (60, len(labels))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_the_names_of_a_data_frame_are_kept(frame):
    data = frame({name: IRIS[name].to_numpy() for name in IRIS.columns})
    model = DSGEClassifier(**SMALL, random_state=1).fit(data, SPECIES)
    assert model.feature_names_in_.tolist() == list(IRIS.columns)
    assert model.run_.network.columns == tuple(IRIS.columns)
    expected = DSGEClassifier(**SMALL, random_state=1).fit(IRIS.to_numpy(), SPECIES)
    np.testing.assert_array_equal(model.predict(data), expected.predict(IRIS.to_numpy()))
    np.testing.assert_array_equal(model.run_.predict(data), model.predict(data))
    with pytest.raises(ValueError, match="order"):
        model.predict(IRIS[IRIS.columns[::-1]])


def test_names_that_no_network_can_have_are_replaced():
    odd = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "": [2.0, 1.0, 5.0, 1.0]})
    model = DSGEClassifier(**SMALL, random_state=1).fit(odd, [0, 1, 0, 1])
    assert model.run_.network.columns == ("x_1", "x_2")
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(odd), model.predict(odd))


def globals_of(data):
    """Return the names that unpickling looks up, which a pickle could call."""
    found, texts = set(), []
    for opcode, argument, _ in pickletools.genops(data):
        if "UNICODE" in opcode.name:
            texts.append(argument)
        elif opcode.name == "STACK_GLOBAL":
            found.add(".".join(texts[-2:]))
        elif opcode.name == "GLOBAL":
            found.add(argument.replace(" ", "."))
    return found


@pytest.mark.parametrize(
    ("model", "x", "y"),
    [
        (DSGEClassifier(**SMALL, random_state=1, warm_start=True), CANCER, MALIGNANT),
        (DSGERegressor(**SMALL, random_state=1), DIABETES, PROGRESSION),
    ],
    ids=["classifier", "regressor"],
)
def test_a_pickle_holds_data_and_predicts_the_same(model, x, y, tmp_path):
    model = clone(model).fit(x, y)
    data = pickle.dumps(model, protocol=4)
    joblib.dump(model, tmp_path / "model.joblib")
    for again in (pickle.loads(data), joblib.load(tmp_path / "model.joblib")):
        np.testing.assert_array_equal(again.predict(x), model.predict(x))
        assert again.get_params() == model.get_params()
        assert again.run_.network == model.run_.network
    ours = {name for name in globals_of(data) if name.startswith("dsgec")}
    assert "dsgec.api.network.read_network" in ours
    assert ours <= {
        "dsgec.api.network.read_network",
        "dsgec.api.run.Run",
        "dsgec.run.record.parse_record",
        "dsgec.run.result.Rest",
        "dsgec.search.evolver.HistoryRow",
        f"dsgec.api.estimators.{type(model).__name__}",
    }


def test_a_changed_pickle_is_refused():
    model = DSGEClassifier(**SMALL, random_state=1).fit(CANCER, MALIGNANT)
    data = pickle.dumps(model, protocol=4)
    number = model.run_.network.text.split("sig(")[-1].split(" ")[0].encode()
    other = (b"8" if number[-1:] != b"8" else b"7").rjust(len(number), b"1")
    with pytest.raises(dsgec.DsgecError, match="pickled"):
        pickle.loads(data.replace(number, other))


@pytest.mark.needs_cc
def test_a_warm_start_continues_from_the_last_population():
    model = DSGEClassifier(population=20, generations=4, **END, warm_start=True, random_state=2)
    model.fit(CANCER, MALIGNANT)
    assert model.n_iter_ == 4
    model = pickle.loads(pickle.dumps(model))
    model.set_params(generations=6).fit(CANCER, MALIGNANT)
    at_once = DSGEClassifier(population=20, generations=10, **END, random_state=2)
    at_once.fit(CANCER, MALIGNANT)

    assert model.n_iter_ == 10
    assert model.run_.history == at_once.run_.history
    assert model.run_.record == at_once.run_.record
    assert model.run_.network == at_once.run_.network
    before = model.run_
    assert model.set_params(generations=0).fit(CANCER, MALIGNANT).run_ is before


@pytest.mark.needs_cc
def test_a_warm_start_does_not_repeat_generations(monkeypatch):
    """It resumes from the state."""
    from dsgec.search.native import EngineEvolver

    made = []
    step = EngineEvolver.step
    monkeypatch.setattr(EngineEvolver, "step", lambda *a: made.extend(found := step(*a)) or found)
    model = DSGEClassifier(**SMALL, warm_start=True, random_state=2).fit(CANCER, MALIGNANT)
    made.clear()
    model.fit(CANCER, MALIGNANT)
    assert [state.generation for state in made] == [6, 7, 8, 9, 10]


@pytest.mark.parametrize("was_warm", [True, False])
def test_a_warm_start_without_the_engine_or_without_a_population(was_warm, recwarn):
    tiny = {"population": 6, **END, "random_state": 2}
    model = DSGERegressor(**tiny, generations=2, warm_start=was_warm, backend="numpy")
    model.fit(DIABETES, PROGRESSION)
    model.set_params(warm_start=True).fit(DIABETES, PROGRESSION)
    messages = [str(warning.message) for warning in recwarn]
    assert len(messages) == (0 if was_warm else 1)
    assert was_warm or "the 2 generations before were run again" in messages[0]
    at_once = DSGERegressor(**tiny, generations=4).fit(DIABETES, PROGRESSION)
    assert model.run_.history == at_once.run_.history
    assert model.run_.network == at_once.run_.network


def test_a_warm_start_on_other_data_starts_from_scratch():
    model = DSGEClassifier(**SMALL, warm_start=True, random_state=2).fit(IRIS, SPECIES)
    for change in ({"population": 21}, {"scale": "none"}, {"random_state": 4}):
        model.set_params(**change)
        with pytest.warns(UserWarning, match="starts from scratch"):
            model.fit(IRIS, SPECIES)
        assert model.n_iter_ == 5
    assert model.run_.history == clone(model).fit(IRIS, SPECIES).run_.history
    with pytest.warns(UserWarning, match="starts from scratch"):
        model.fit(IRIS + 1.0, SPECIES)
    assert model.n_iter_ == 5


@pytest.mark.needs_cc
@pytest.mark.parametrize("state", [None, np.random.RandomState(0)])
def test_a_warm_start_keeps_a_seed_that_was_drawn(state):
    model = DSGEClassifier(**SMALL, warm_start=True, random_state=state).fit(CANCER, MALIGNANT)
    seed = model.run_.record["settings"]["seed"]
    model.fit(CANCER, MALIGNANT)
    assert model.run_.record["settings"]["seed"] == seed
    assert model.n_iter_ == 10


def test_the_seed_comes_from_the_random_state():
    def seed(state):
        model = DSGEClassifier(population=4, generations=0, **END, random_state=state)
        return model.fit(CANCER, MALIGNANT).run_.record["settings"]["seed"]

    assert seed(7) == 7
    assert seed(np.int64(7)) == 7
    assert seed(np.random.RandomState(1)) == seed(np.random.RandomState(1))
    shared = np.random.RandomState(1)
    assert seed(shared) != seed(shared)
    assert seed(None) != seed(None)


def test_verbose_prints_the_generations(capsys):
    DSGEClassifier(**SMALL, random_state=1, verbose=1).fit(CANCER, MALIGNANT)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("generation 0/5  best ")
    assert lines[-1].startswith("generation 5/5  best ")
    DSGEClassifier(**SMALL, random_state=1).fit(CANCER, MALIGNANT)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"population": 1}, "population is 1"),
        ({"generations": 2.5}, "whole number"),
        ({"grammar": "no_such"}, "there is no grammar"),
        ({"grammar": "one_layer"}, "1 output, but the target"),
        ({"scale": "huge"}, "scale is 'huge'"),
        ({"objective": "r2"}, "r2"),
        ({"backend": "gpu"}, "backend is 'gpu'"),
        ({"random_state": -1}, "seed is -1"),
        ({"random_state": "x"}, "seed"),
        ({"max_depth": {"nothing": 3}}, "nothing"),
    ],
)
def test_wrong_parameters_are_value_errors(parameters, message):
    model = DSGEClassifier(**{**SMALL, **parameters})
    with pytest.raises(ValueError, match=message):
        model.fit(IRIS, SPECIES)
    assert not hasattr(model, "run_")


def test_data_that_cannot_be_used_is_reported():
    with pytest.raises(TypeError, match="dense data is required"):
        DSGEClassifier(**SMALL).fit(csr_array(CANCER), MALIGNANT)
    with pytest.raises(ValueError, match="one class"):
        DSGEClassifier(**SMALL).fit(CANCER, np.zeros(len(CANCER)))
    with pytest.raises(ValueError, match="a column whose values differ"):
        DSGEClassifier(**SMALL).fit(np.full_like(CANCER, np.nan), MALIGNANT)
    with pytest.raises(ValueError, match="X has NaN"):
        DSGEClassifier(**SMALL, preset="paper").fit(np.full_like(CANCER, np.nan), MALIGNANT)
    with pytest.raises(ValueError, match="infinity"):
        DSGEClassifier(**SMALL).fit(np.full_like(CANCER, np.inf), MALIGNANT)
    assert not hasattr(DSGEClassifier(), "decision_function")


def test_constant_columns_and_a_constant_target_are_accepted():
    x = np.column_stack([np.ones(30), np.arange(30.0)])
    model = DSGEClassifier(**SMALL, random_state=1).fit(x, np.arange(30) % 2)
    assert model.run_.network.columns == ("x_1", "x_2")
    flat = DSGERegressor(population=30, generations=20, random_state=1).fit(x, np.full(30, 2.5))
    np.testing.assert_allclose(flat.predict(x), 2.5, atol=0.5)


def test_a_row_without_a_number_has_no_class():
    grammar = dsgec.parse_grammar("%output sigmoid\n<s> ::= x_1 * 9 - x_2 * 9")
    x, y = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [6.0, 1.0]]), np.array([0, 1, 0, 1])
    model = DSGEClassifier(grammar, **SMALL, scale="none").fit(x, y)
    assert model.predict(x).tolist() == y.tolist()
    huge = np.array([[1.0, 2.0], [1e308, 5e307]])  # infinity - infinity
    assert np.isnan(model.predict_proba(huge)).tolist() == [[False, False], [True, True]]
    with pytest.raises(ValueError, match="row 1 is of no class"):
        model.predict(huge)


def test_missing_values_are_filled_by_the_median():
    x = CANCER.copy()
    x[::5, 3] = np.nan
    model = DSGEClassifier(**SMALL).fit(x, MALIGNANT)

    column = model.run_.network.model.columns[3]
    assert column.fill == np.nanmedian(x[:, 3])
    filled = x.copy()
    filled[::5, 3] = column.fill
    if not column.marked:
        assert np.array_equal(model.predict_proba(x), model.predict_proba(filled))
    assert len(set(model.predict(np.full_like(CANCER, np.nan)))) == 1
    with pytest.raises(ValueError, match="missing values"):
        DSGEClassifier(**SMALL).fit(CANCER, MALIGNANT).predict(np.full_like(CANCER, np.nan))


def test_a_data_frame_may_have_texts():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(8)
    frame = pandas.DataFrame(
        {
            "age": random.uniform(1, 80, 120),
            "sex": random.choice(["m", "f"], 120),
            "kind": pandas.Categorical(random.choice(["a", "b", "c"], 120)),
            "name": [f"person {number}" for number in range(120)],
        }
    )
    frame.loc[::7, "age"] = np.nan
    y = np.where(frame["sex"] == "f", "yes", "no")
    weights = random.integers(0, 3, 120)
    model = DSGEClassifier(**SMALL).fit(frame, y, sample_weight=weights)

    features = ("age", "sex=f", "sex=m", "kind=a", "kind=b", "kind=c")
    assert model.run_.network.features == features
    assert model.score(frame, y) > 0.9
    assert model.predict(frame[:2]).tolist() == y[:2].tolist()
    assert any("`name` is left out" in note for note in model.run_.notes)
    values = DSGERegressor(**SMALL).fit(frame, frame["sex"] == "f").predict(frame)
    assert values.shape == (120,)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"sex": "gender"}))
