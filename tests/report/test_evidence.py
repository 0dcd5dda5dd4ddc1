"""report.json agrees with scikit-learn, statistics and `dsgec predict`."""

import json
import statistics

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.inspection import permutation_importance
from sklearn.metrics import auc, roc_auc_score, roc_curve, root_mean_squared_error

from dsgec.network.decide import predict_classes
from dsgec.network.evaluate import evaluate
from dsgec.network.model import compose
from dsgec.run import importance
from dsgec.run.evidence import MOST_CORNERS, CalibrationBin, calibrate, make_evidence, thin_line
from dsgec.run.importance import ColumnImportance, importances
from dsgec.run.predict import model_rows
from tests.support.command_line import dsgec
from tests.support.run_folders import numeric_target, three_classes, two_classes


def test_a_thinned_line_keeps_its_shape():
    x = np.arange(100_000.0)
    y = np.where(x < 40_000, 5.0, np.where(x < 40_010, 1.0, 2.0)) + 1e-7 * np.sin(x)
    places = thin_line(x, y, 500)

    assert len(places) <= 500
    assert (places[0], places[-1]) == (0, len(x) - 1)
    assert np.abs(np.interp(x, x[places], y[places]) - y).max() < 1e-5


def test_points_on_a_straight_line_are_not_needed():
    x = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])

    assert thin_line(x, np.array([0.0, 1.0, 2.0, 3.0, 3.0, 3.0]), 200).tolist() == [0, 3, 5]
    assert thin_line(x, np.zeros(6), 200).tolist() == [0, 5]
    assert thin_line(x[:1], x[:1], 200).tolist() == [0]


def test_roc_curves_are_scikit_learns(tmp_path):
    problem, model = two_classes(tmp_path)
    told = make_evidence(problem, model).roc
    for part, rows in (("train", problem.split.train), ("test", problem.split.test)):
        (curve,) = told[part]
        scores = evaluate(model.network, problem.dataset.x[rows])[:, 0]
        wanted = problem.dataset.class_numbers[rows] == 1
        false, true, _ = roc_curve(wanted, scores)
        points = {(f / curve.negatives, t / curve.positives) for f, t in curve.points}
        assert curve.auc == pytest.approx(roc_auc_score(wanted, scores))
        assert auc(*np.array(sorted(points)).T) == pytest.approx(curve.auc)
        assert points <= {*zip(false, true, strict=True)} | {(0.0, 0.0)}


def test_many_classes_have_a_curve_each(tmp_path):
    problem, model = three_classes(tmp_path)
    rows = problem.split.test
    outputs = evaluate(model.network, problem.dataset.x[rows])
    for curve in make_evidence(problem, model).roc["test"]:
        wanted = problem.dataset.class_numbers[rows] == curve.class_
        assert curve.auc == pytest.approx(roc_auc_score(wanted, outputs[:, curve.class_]))
        assert 2 <= len(curve.points) <= MOST_CORNERS


def test_ranges_are_those_of_the_rows_to_learn_from(tmp_path):
    problem, model = three_classes(tmp_path)
    first, second, _ = make_evidence(problem, model).columns
    raw = problem.dataset.raw[problem.split.train]
    known = [value for value in raw[:, 0].tolist() if value == value]

    assert first.median == statistics.median_low(known)
    assert (first.least, first.most) == (min(known), max(known))
    assert first.missing == len(raw) - len(known) > 0
    assert second.counts == tuple(raw[:, 1].tolist().count(i) for i in range(3))


@pytest.mark.parametrize(
    "make",
    [
        three_classes,
        pytest.param(two_classes, marks=pytest.mark.campaign),
        pytest.param(numeric_target, marks=pytest.mark.campaign),
    ],
)
def test_examples_are_rows_of_the_table_with_what_dsgec_predicts(make, tmp_path):
    _, model = make(tmp_path)
    told = json.loads((tmp_path / "run" / "report.json").read_text())
    answer = dsgec("predict", tmp_path / "run", tmp_path / "table.csv").stdout.splitlines()[1:]
    from dsgec.data.read import read_table

    table = read_table(str(tmp_path / "table.csv"))
    rows = model_rows(model, table)
    assert len(told["examples"]) == 10
    assert {example["part"] for example in told["examples"]} == {"train", "test"}
    for example in told["examples"]:
        number = example["row"] - 1
        fields = answer[number].split(",")
        assert example["outputs"] == [float(f) for f in fields[-len(example["outputs"]) :]]
        assert str(example["wanted"]) in (table.cell(number, 3), f"{table.numbers[number, 3]}")
        shown = ["" if v is None else v for v in example["values"]]
        cells = [table.cell(number, i) for i in range(3)]
        assert [
            c if isinstance(v, str) else float(c) for v, c in zip(shown, cells, strict=True)
        ] == shown
    assert np.isfinite(evaluate(compose(model), rows)).all()


def test_pairs_are_few_and_lie_over_the_whole_table(tmp_path):
    problem, model = numeric_target(tmp_path)
    pairs = make_evidence(problem, model).pairs
    wanted = problem.dataset.y[problem.split.train]

    assert len(pairs["train"]) == 400 < len(wanted)
    assert (pairs["train"][0][0], pairs["train"][-1][0]) == (wanted[0], wanted[-1])
    outputs = evaluate(model.network, problem.dataset.x[problem.split.test])[:, 0]
    assert pairs["test"] == tuple(zip(problem.dataset.y[problem.split.test], outputs, strict=True))


def scored_by_scikit_learn(model, raw, wanted):
    """Permutation importances, many times over, so that chance plays no part."""

    class Estimator:
        def fit(self, *_):
            return self

        def score(self, x, y):
            outputs = evaluate(compose(model), x)
            if model.classes:
                return (predict_classes(outputs) == y).mean()
            return -root_mean_squared_error(y, outputs[:, 0])

    return permutation_importance(Estimator(), raw, wanted, n_repeats=200, random_state=1)


@pytest.mark.parametrize("make", [two_classes, three_classes, numeric_target])
def test_importances_are_scikit_learns_but_for_chance(make, tmp_path):
    problem, model = make(tmp_path)
    dataset, rows = problem.dataset, problem.split.test
    wanted = dataset.class_numbers if model.classes else dataset.y
    told = make_evidence(problem, model).importance
    theirs = scored_by_scikit_learn(model, dataset.raw[rows], wanted[rows])

    assert (told.part, told.rows, told.repeats) == ("test", len(rows), 10)
    assert [one.column for one in told.columns] == [0, 1, 2]  # a category is one column
    for one in told.columns:
        mean = theirs.importances_mean[one.column]
        deviation = theirs.importances_std[one.column]
        assert one.mean == pytest.approx(mean, abs=5 * deviation / 10**0.5 + 1e-12)
        assert one.deviation == pytest.approx(deviation, rel=0.75)


def test_a_column_that_says_nothing_is_worth_nothing(tmp_path):
    problem, model = two_classes(tmp_path)
    raw, wanted = problem.dataset.raw.copy(), problem.dataset.class_numbers
    raw[:, 1] = 0.5
    told = importances(model, raw, wanted, np.arange(len(raw)), "test").columns

    assert told[1] == ColumnImportance(1, 0.0, 0.0)
    assert told[0].mean != 0.0
    assert importances(model, raw, wanted, np.arange(1), "test").columns == ()


def test_importances_take_no_more_rows_than_there_is_time_for(tmp_path, monkeypatch):
    problem, model = two_classes(tmp_path)
    raw, wanted = np.tile(problem.dataset.raw, (50, 1)), np.tile(problem.dataset.class_numbers, 50)

    assert (
        importances(model, raw, wanted, np.arange(len(raw)), "test").rows
        == importance.MOST_ROWS
        < len(raw)
    )
    monkeypatch.setattr(importance, "_MOST_STEPS", 1)
    few = importances(model, raw, wanted, np.arange(len(raw)), "test")
    assert few.rows == importance.LEAST_ROWS
    assert few == importances(model, raw, wanted, np.arange(len(raw)), "test")


@pytest.mark.parametrize("count", [2, 5])
def test_the_calibration_curve_is_scikit_learns(count):
    rng = np.random.default_rng(3)
    outputs = rng.dirichlet([0.5] * count, 400)
    classes = rng.integers(0, count, 400)
    if count == 2:
        promised, true = outputs[:, 1], classes == 1
    else:
        promised, true = outputs.max(axis=1), outputs.argmax(axis=1) == classes
    fractions, means = calibration_curve(true, promised, n_bins=10)
    told = calibrate(outputs, classes, count)

    assert [one.promised for one in told] == pytest.approx(means.tolist())
    assert [one.true / one.rows for one in told] == pytest.approx(fractions.tolist())
    assert sum(one.rows for one in told) == 400


def test_few_rows_and_what_is_no_probability_have_no_calibration_curve():
    outputs, classes = np.full((50, 1), 0.5), np.zeros(50, dtype=np.intp)

    assert calibrate(outputs, classes, 2) == (CalibrationBin(50, 0.5, 0),)
    assert calibrate(outputs[1:], classes[1:], 2) == ()
    assert calibrate(outputs + 0.6, classes, 2) == ()
    outputs[3] = np.nan
    assert calibrate(outputs, classes, 2) == ()
