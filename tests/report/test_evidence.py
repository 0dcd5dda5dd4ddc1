"""What report.json tells is true: others' curves, others' medians, what `dsgec predict` says."""

import json
import statistics

import numpy as np
import pytest
from sklearn.metrics import auc, roc_auc_score, roc_curve

from dsgec.drawing.thin import thinned
from dsgec.network.evaluate import evaluate
from dsgec.network.model import composed
from dsgec.run.evidence import MOST_CORNERS, evidence
from dsgec.run.predict import model_rows
from tests.command import dsgec
from tests.report.made import quantity, three_classes, two_classes


def test_a_thinned_line_keeps_its_shape():
    x = np.arange(100_000.0)
    y = np.where(x < 40_000, 5.0, np.where(x < 40_010, 1.0, 2.0)) + 1e-7 * np.sin(x)
    places = thinned(x, y, 500)

    assert len(places) <= 500
    assert (places[0], places[-1]) == (0, len(x) - 1)
    assert np.abs(np.interp(x, x[places], y[places]) - y).max() < 1e-5


def test_points_on_a_straight_line_are_not_needed():
    x = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])

    assert thinned(x, np.array([0.0, 1.0, 2.0, 3.0, 3.0, 3.0]), 200).tolist() == [0, 3, 5]
    assert thinned(x, np.zeros(6), 200).tolist() == [0, 5]
    assert thinned(x[:1], x[:1], 200).tolist() == [0]


def test_roc_curves_are_scikit_learns(tmp_path):
    problem, model = two_classes(tmp_path)
    told = evidence(problem, model)["roc"]
    for part, rows in (("train", problem.split.train), ("test", problem.split.test)):
        (curve,) = told[part]
        scores = evaluate(model.network, problem.dataset.x[rows])[:, 0]
        wanted = problem.dataset.class_numbers[rows] == 1
        false, true, _ = roc_curve(wanted, scores)
        points = {(f / curve["negatives"], t / curve["positives"]) for f, t in curve["points"]}
        assert curve["auc"] == pytest.approx(roc_auc_score(wanted, scores))
        assert auc(*np.array(sorted(points)).T) == pytest.approx(curve["auc"])
        assert points <= {*zip(false, true, strict=True)} | {(0.0, 0.0)}


def test_many_classes_have_a_curve_each(tmp_path):
    problem, model = three_classes(tmp_path)
    rows = problem.split.test
    outputs = evaluate(model.network, problem.dataset.x[rows])
    for curve in evidence(problem, model)["roc"]["test"]:
        wanted = problem.dataset.class_numbers[rows] == curve["class"]
        assert curve["auc"] == pytest.approx(roc_auc_score(wanted, outputs[:, curve["class"]]))
        assert 2 <= len(curve["points"]) <= MOST_CORNERS


def test_ranges_are_those_of_the_rows_to_learn_from(tmp_path):
    problem, model = three_classes(tmp_path)
    first, second, _ = evidence(problem, model)["columns"]
    raw = problem.dataset.raw[problem.split.train]
    known = [value for value in raw[:, 0].tolist() if value == value]

    assert first["median"] == statistics.median_low(known)
    assert (first["least"], first["most"]) == (min(known), max(known))
    assert first["missing"] == len(raw) - len(known) > 0
    assert second["counts"] == [raw[:, 1].tolist().count(i) for i in range(3)]


@pytest.mark.parametrize(
    "make",
    [
        three_classes,
        pytest.param(two_classes, marks=pytest.mark.campaign),
        pytest.param(quantity, marks=pytest.mark.campaign),
    ],
)
def test_examples_are_rows_of_the_table_with_what_dsgec_predicts(make, tmp_path):
    _, model = make(tmp_path)
    told = json.loads((tmp_path / "run" / "report.json").read_text())
    answer = dsgec("predict", tmp_path / "run", tmp_path / "table.csv").stdout.splitlines()[1:]
    from dsgec.data.table import read_table

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
    assert np.isfinite(evaluate(composed(model), rows)).all()


def test_pairs_are_few_and_lie_over_the_whole_table(tmp_path):
    problem, model = quantity(tmp_path)
    pairs = evidence(problem, model)["pairs"]
    wanted = problem.dataset.y[problem.split.train]

    assert len(pairs["train"]) == 400 < len(wanted)
    assert (pairs["train"][0][0], pairs["train"][-1][0]) == (wanted[0], wanted[-1])
    outputs = evaluate(model.network, problem.dataset.x[problem.split.test])[:, 0]
    assert (
        pairs["test"] == np.column_stack([problem.dataset.y[problem.split.test], outputs]).tolist()
    )
