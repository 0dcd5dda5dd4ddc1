"""Trees, forests and boosting compute what their libraries compute, to the last label."""

import json
import math

import numpy as np
import pytest
from sklearn import ensemble, tree
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

import dsgec
from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.export.fixed.evaluate import dequantise, quantise
from dsgec.export.forest import find_forest
from dsgec.network.evaluate import evaluate
from dsgec.network.model import compose, unnamed_model
from dsgec.network.parse import parse
from dsgec.network.readers.ensembles import single_limits

IRIS, CANCER, DIABETES = (
    load(return_X_y=True) for load in (load_iris, load_breast_cancer, load_diabetes)
)
CLASSIFIERS = (
    (tree.DecisionTreeClassifier(max_depth=4, random_state=1), IRIS),
    (tree.ExtraTreeClassifier(max_depth=4, random_state=1), CANCER),
    (ensemble.RandomForestClassifier(5, max_depth=4, random_state=1), IRIS),
    (ensemble.RandomForestClassifier(7, random_state=1), CANCER),
    (ensemble.ExtraTreesClassifier(4, max_depth=4, random_state=1), IRIS),
    (ensemble.GradientBoostingClassifier(n_estimators=4, random_state=1), IRIS),
    (ensemble.GradientBoostingClassifier(n_estimators=6, loss="exponential"), CANCER),
    (ensemble.HistGradientBoostingClassifier(max_iter=4), IRIS),
    (ensemble.HistGradientBoostingClassifier(max_iter=6), CANCER),
)
REGRESSORS = (
    tree.DecisionTreeRegressor(max_depth=4, random_state=1),
    ensemble.RandomForestRegressor(4, max_depth=4, random_state=1),
    ensemble.GradientBoostingRegressor(n_estimators=6, random_state=1),
    ensemble.HistGradientBoostingRegressor(max_iter=5, loss="poisson"),
)
NAMES = [f"{type(model).__name__}-{len(np.unique(y))}" for model, (_, y) in CLASSIFIERS]


def compiled(model, rows):
    return dsgec.compile(model, rows=rows)


@pytest.mark.parametrize(("model", "table"), CLASSIFIERS, ids=NAMES)
def test_classifier_gives_the_same_labels(model, table):
    X, y = table
    model.fit(X, y)
    near = X + np.random.RandomState(0).normal(0, X.std(axis=0), X.shape)
    network = compiled(model, np.vstack([X, near]))
    assert network.agreement.worst <= 1e-12
    for rows in (X, near):
        assert np.array_equal(network.predict(rows), model.predict(rows))
        assert np.abs(network.predict_proba(rows) - model.predict_proba(rows)).max() <= 1e-12


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: type(model).__name__)
def test_regressor_gives_the_same_values(model):
    X, y = DIABETES
    model.fit(X, y)
    found = compiled(model, X).predict(X).ravel()
    assert np.abs(found / model.predict(X) - 1).max() <= 1e-12


MISSING = (
    tree.DecisionTreeClassifier(random_state=1),
    ensemble.RandomForestClassifier(5, random_state=1),
    ensemble.HistGradientBoostingClassifier(max_iter=4),
)


@pytest.mark.parametrize("only", [False, True])
@pytest.mark.parametrize("model", MISSING, ids=lambda model: type(model).__name__)
def test_trees_that_learned_from_missing_values(model, only):
    """A split between missing values and all others has an infinite threshold."""
    X, y = CANCER
    random = np.random.RandomState(1)
    holes = np.where(random.rand(*X.shape) < 0.3, np.nan, X)
    if only:
        holes = np.column_stack([np.where(y > 0, np.nan, 1.0), X[:, :2]])
        X = holes[y == 0]
    model.fit(holes, y)
    network = dsgec.compile(model)
    assert np.array_equal(network.predict(X), model.predict(X))
    assert np.abs(network.predict_proba(X) - model.predict_proba(X)).max() <= 1e-12


@pytest.mark.parametrize("prior", [[0, 1], [1, 0]])
@pytest.mark.parametrize("model", [CLASSIFIERS[5][0], CLASSIFIERS[7][0]], ids=["gradient", "hist"])
def test_tie_of_two_classes_goes_where_the_library_sends_it(model, prior):
    X, y = np.ones((20, 2)), np.tile(prior, 10)
    network = compiled(clone(model).fit(X, y), X)
    fitted = clone(model).fit(X, y)
    assert network.predict_proba(X)[0, 0] == 0.5
    assert np.array_equal(network.predict(X), fitted.predict(X))


def test_lightgbm_takes_tiny_numbers_for_zero():
    lightgbm = pytest.importorskip("lightgbm")
    zero = float(np.float32(1e-35))
    X = np.repeat([-1.0, 0.0, 1.0], 20)[:, None]
    model = lightgbm.LGBMClassifier(n_estimators=3, min_child_samples=1, verbose=-1)
    model.fit(X, (X[:, 0] < 0).astype(int))
    sizes = [0.0, 5e-324, 1e-36, np.nextafter(zero, 0), zero, np.nextafter(zero, 1), 1.0]
    rows = np.array([[sign * size] for size in sizes for sign in (-1.0, 1.0)])
    network = dsgec.compile(model)
    assert np.abs(network.predict_proba(rows) - model.predict_proba(rows)).max() <= 1e-12


def test_numpy_that_raises_changes_nothing():
    """Next to a threshold of 0 there are only subnormal numbers."""
    X = np.array([[-1.0], [1.0]])
    with np.errstate(all="raise"):
        network = compiled(tree.DecisionTreeClassifier().fit(X, [0, 1]), X)
        assert network.predict(X).tolist() == [0, 1]


def test_limits_are_those_of_single_precision():
    random = np.random.RandomState(1)
    thresholds = np.concatenate([random.normal(size=300), [0.0, 1.0, -2.5, 1e30, 3e38]])
    for strict in (False, True):
        limits = single_limits(thresholds, strict=strict)
        for offset in (-np.inf, np.inf):
            rows = np.nextafter(limits, offset) if offset > 0 else limits
            single = rows.astype(np.float32)
            goes_left = single < thresholds if strict else single <= thresholds
            assert (goes_left == (offset < 0)).all()


@pytest.mark.parametrize("dtype", ["q15", "q7"])
@pytest.mark.parametrize(("model", "table"), CLASSIFIERS[:1] + CLASSIFIERS[2:6], ids=lambda _: "")
def test_integers_decide_as_trees_on_rows_of_integers(model, table, dtype):
    """On rows that the integers stand for, only leaves are rounded."""
    X, y = table
    model.fit(X, y)
    network = compiled(model, X)
    ranges = tuple(zip(X.min(axis=0).tolist(), X.max(axis=0).tolist(), strict=True))
    artefact = Artefact(network.model, "net", dtype, selftest="quick", ranges=ranges)
    fixed = artefact.number_format.fixed
    rows = dequantise(fixed.program, quantise(fixed.program, X))
    exact = network.predict_proba(rows)
    found = artefact.number_format.results(rows)
    rounding = 0.02 if dtype == "q7" else 0.005
    assert np.abs(found - exact).max() <= rounding
    apart = np.sort(exact, axis=1)[:, -1] - np.sort(exact, axis=1)[:, -2] > 2 * rounding
    assert np.array_equal(found.argmax(axis=1)[apart], exact.argmax(axis=1)[apart])
    assert (np.abs(artefact.number_format.results(X) - network.predict_proba(X)).max()) <= max(
        fixed.bounds
    )


def test_forest_is_found_again():
    model = ensemble.RandomForestClassifier(5, max_depth=4, random_state=1).fit(*IRIS)
    found = find_forest(compose(compiled(model, IRIS[0]).model))
    assert found is not None
    assert [one.outputs for one in found.forest.trees] == [(0, 1, 2)] * 5
    nodes = [one.tree_.node_count // 2 for one in model.estimators_]
    assert [len(one.columns) for one in found.forest.trees] <= nodes


def shared_trees(levels):
    """Return a network of trees in which both branches of each split are the tree before it."""
    lines = ["inputs = 2", "h_1_1 = if(x_1 <= 0, 1, 2)"]
    for level in range(2, levels + 1):
        tree = (
            f"if(x_{level % 2 + 1} <= {level}, h_{level - 1}_1, if(x_1 <= -1, h_{level - 1}_1, 3))"
        )
        lines.append(f"h_{level}_1 = {tree}")
    return parse("\n".join([*lines, f"y_1 = h_{levels}_1 + h_{levels}_1 * 2 + 1"]))


def test_equal_subtrees_of_a_tree_are_written_out_unless_they_are_many():
    for levels, is_forest in ((2, True), (3, True), (40, False)):
        network = shared_trees(levels)
        assert (find_forest(network) is not None) == is_forest
        model = unnamed_model(network)
        artefact = Artefact(model, "net", "q15", selftest="quick", ranges=((-4.0, 4.0),) * 2)
        rows = np.random.default_rng(1).uniform(-4, 4, (200, 2))
        found = artefact.number_format.results(rows)
        exact = dequantise(
            artefact.number_format.fixed.program,
            quantise(artefact.number_format.fixed.program, rows),
        )
        wanted = evaluate(network, exact)
        assert np.abs(found - wanted).max() <= max(artefact.number_format.fixed.bounds)


def test_forest_with_equal_subtrees_is_compiled():
    """Two leaves with few rows of the same two classes have equal trees."""
    rows = np.array([[a, b] for a in range(6) for b in range(6)], float)
    target = (rows[:, 1] % 2 == 0).astype(int) ^ (rows[:, 0] == 3)
    model = tree.DecisionTreeClassifier(random_state=1).fit(rows, target)
    found = find_forest(compose(compiled(model, rows).model))
    assert found is not None
    assert sum(len(one.columns) for one in found.forest.trees) == model.tree_.node_count // 2


@pytest.mark.needs_cc
@pytest.mark.parametrize("layout", ["flat", "packed"])
@pytest.mark.parametrize("number", [0, 2, 5, 8])
def test_exports_pass_their_selftests(tmp_path, number, layout):
    model, (X, y) = CLASSIFIERS[number]
    network = compiled(model.fit(X, y), X)
    for target in ("c", "python", "numpy"):
        network.export(target, tmp_path / target, dtype="q15", layout=layout)


# --- files -------------------------------------------------------------------------------------

LIGHTGBM = """tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=binary sigmoid:1
feature_names=a b
feature_infos=none none

Tree=0
num_leaves=3
num_cat=0
split_feature=0 1
threshold=1.5 -0.25
decision_type=2 2
left_child=1 -1
right_child=-2 -3
leaf_value=-0.5 1.25 0.75
is_linear=0
shrinkage=1

end of trees
"""
XGBOOST = {
    "learner": {
        "feature_names": ["a", "b"],
        "gradient_booster": {
            "name": "gbtree",
            "model": {
                "tree_info": [0],
                "trees": [
                    {
                        "left_children": [1, -1, -1],
                        "right_children": [2, -1, -1],
                        "split_indices": [1, 0, 0],
                        "split_conditions": [0.5, -1.0, 2.0],
                        "split_type": [0, 0, 0],
                    }
                ],
            },
        },
        "learner_model_param": {"base_score": "[5E-1]", "num_class": "0", "num_feature": "2"},
        "objective": {"name": "binary:logistic"},
    }
}


def read(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return dsgec.compile(path)


def sigmoid(x):
    return 1 / (1 + np.exp(-np.array(x)))


class BoostedTrees:
    """An estimator of XGBoost, of which only this is looked at."""

    __module__ = "xgboost.sklearn"
    missing = 0


def test_xgboost_with_a_number_for_a_missing_value_is_refused():
    with pytest.raises(DsgecError, match="takes 0 for a missing value"):
        dsgec.compile(BoostedTrees())


@pytest.mark.parametrize(
    "options", [{"objective": "multi:softmax"}, {"n_estimators": 40, "early_stopping_rounds": 2}]
)
def test_xgboost_in_memory(options):
    xgboost = pytest.importorskip("xgboost")
    X, y = IRIS
    model = xgboost.XGBClassifier(**{"n_estimators": 4, **options})
    wrong = [(X[::3], np.roll(y[::3], 1))]
    model.fit(X, y, eval_set=wrong, verbose=False)
    network = dsgec.compile(model)
    assert np.array_equal(network.predict(X), model.predict(X))
    assert np.abs(network.predict_proba(X) - model.predict_proba(X)).max() <= 1e-6


def test_lightgbm_text(tmp_path):
    network = read(tmp_path, "model.txt", LIGHTGBM)
    rows = [[1.5, -0.25], [1.5, 0.0], [1.6, -9.0]]
    assert network.predict_proba(rows)[:, 1] == pytest.approx(
        sigmoid([-0.5, 0.75, 1.25]), rel=1e-12
    )


def test_xgboost_json(tmp_path):
    network = read(tmp_path, "model.json", json.dumps(XGBOOST))
    below = float(np.nextafter(np.float32(0.5), np.float32(0)))
    rows = [[0.0, below], [0.0, 0.5], [0.0, np.nextafter(0.5, 0)]]
    assert network.predict_proba(rows)[:, 1] == pytest.approx(sigmoid([-1.0, 2.0, 2.0]), rel=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("decision_type=2 2", "decision_type=2 1", "categories"),
        ("decision_type=2 2", "decision_type=2 6", "missing value"),
        ("left_child=1 -1", "left_child=0 -1", "no tree"),
        ("left_child=1 -1", "left_child=7 -1", "no tree"),
        ("split_feature=0 1", "split_feature=0 9", "no column 9"),
        ("leaf_value=-0.5", "leaf_value=nan", "no number"),
        ("binary", "lambdarank", "objective"),
        ("is_linear=0", "is_linear=1", "linear leaves"),
        ("num_leaves=3", "num_leaves=-3", "from 1"),
        ("max_feature_idx=1", "max_feature_idx=", "invalid literal"),
    ],
)
def test_lightgbm_text_that_is_refused(tmp_path, old, new, words):
    with pytest.raises(DsgecError, match=words):
        read(tmp_path, "model.txt", LIGHTGBM.replace(old, new))


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("objective", "name"), "rank:ndcg", "objective"),
        (("gradient_booster", "name"), "dart", "dart"),
        (("gradient_booster", "model", "tree_info"), [3], "from 0 to 0"),
        (("gradient_booster", "model", "trees", 0, "split_type"), [1, 0, 0], "categories"),
        (("gradient_booster", "model", "trees", 0, "left_children"), [0, -1, -1], "no tree"),
        (("gradient_booster", "model", "trees", 0, "split_conditions"), ["x"], "could not convert"),
        (("learner_model_param",), {}, "num_feature"),
        (("learner_model_param", "base_score"), "1", "division by zero"),
        (("learner_model_param", "num_feature"), math.inf, "infinity"),
        (("gradient_booster", "model", "trees", 0, "split_indices"), [math.inf, 0, 0], "infinity"),
        (("gradient_booster", "model", "trees", 0, "split_conditions"), [10**400, 0, 0], "large"),
        (
            ("gradient_booster", "model", "trees", 0, "split_conditions"),
            [0.5, 1e200, 0],
            "too large",
        ),
    ],
)
def test_xgboost_json_that_is_refused(tmp_path, path, value, words):
    changed = json.loads(json.dumps(XGBOOST))
    *parents, last = path
    inner = changed["learner"]
    for key in parents:
        inner = inner[key]
    inner[last] = value
    with pytest.raises(DsgecError, match=words):
        read(tmp_path, "model.json", json.dumps(changed))
