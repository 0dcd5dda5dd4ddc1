"""Runs with balanced classes and a threshold: the same in every file and on every backend."""

import csv
import io
import json

import numpy as np
import pytest

import dsgec as library
from dsgec.errors import DsgecError
from tests.support.command_line import QUICK_OPTIONS, dsgec
from tests.support.runs import model_of
from tests.support.runs import picked as pick

SMALL = {"population": 12, "generations": 4, "pruning": 2, "tuning": 6}
AUTO = ("--balance", "--threshold", "auto")


def rare(rows=240, seed=4):
    """A class of a tenth of the rows, which a network can tell apart by its features."""
    rng = np.random.default_rng(seed)
    y = (np.arange(rows) % 10 == 0).astype(int)
    x = rng.normal(size=(rows, 3)) + 1.2 * y[:, None]
    return x.round(3), np.where(y, "rare", "common")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("rare") / "rare.csv"
    x, y = rare()
    lines = [",".join([*map(str, row), label]) for row, label in zip(x.tolist(), y, strict=True)]
    path.write_text("\n".join(["a,b,c,kind", *lines]) + "\n")
    return path


@pytest.fixture(scope="module")
def run(table, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs")
    dsgec("evolve", "network", table, *QUICK_OPTIONS, *AUTO, "--out", out, "--name", "run")
    return out / "run"


def record(folder):
    return json.loads((folder / "run.json").read_text())


def test_the_metrics_are_those_of_what_is_predicted(run, table):
    metrics = pytest.importorskip("sklearn.metrics")
    found = record(run)
    threshold = found["model"]["threshold"]
    assert 0.0 < threshold < 1.0
    assert threshold != 0.5
    assert found["settings"]["balance"] is True
    assert found["settings"]["threshold"] == "auto"
    answer = dsgec("predict", run, table).stdout
    rows = list(csv.DictReader(io.StringIO(answer)))
    assert all((float(r["p(rare)"]) >= threshold) == (r["predicted"] == "rare") for r in rows)
    _, y = rare()
    predicted = np.array([row["predicted"] for row in rows])
    hits = sum(
        found["result"]["confusion"][part][k][k] for part in ("train", "test") for k in (0, 1)
    )
    assert metrics.accuracy_score(y, predicted) == hits / len(y)


def test_the_threshold_is_the_best_by_the_training_rows(run):
    """Another one between the outputs has no better balanced accuracy there."""
    metrics = pytest.importorskip("sklearn.metrics")
    x, y = rare()
    loaded = library.load(run)
    found = library.evolve(
        "network", x, y, **SMALL, balance=True, threshold="auto", target="kind", test=0.3
    )
    assert loaded.network.model.network == found.network.model.network
    assert loaded.network.threshold == found.network.threshold
    fitted = library.DSGEClassifier(
        **SMALL, class_weight="balanced", threshold="auto", random_state=1
    ).fit(x, y)
    p = fitted.predict_proba(x)[:, 1]
    best = max(metrics.balanced_accuracy_score(y == "rare", p >= t) for t in np.unique(p))
    own = metrics.balanced_accuracy_score(y, fitted.predict(x))
    assert own == pytest.approx(best, abs=1e-12)


def test_every_network_of_the_hall_has_its_own_threshold(run, table):
    rows = list(csv.DictReader(io.StringIO((run / "hall_of_fame.csv").read_text())))
    assert len({row["threshold"] for row in rows}) > 1
    best, _ = model_of(run)
    assert float(rows[0]["threshold"]) > 0.0
    for row in rows:
        model, _ = pick(run, "size", row["connections"])
        assert repr(model.threshold) == row["threshold"]
    assert repr(best.threshold) in {row["threshold"] for row in rows}


def test_exports_of_the_run_are_verified(run, tmp_path):
    dsgec("verify", run)
    dsgec("export", run, "--to", "python,js,c", "-o", tmp_path)
    dsgec("verify", tmp_path)
    dsgec("export", run, "--pick", "smallest-within", "50%", "--to", "python", "-o", tmp_path)


def test_the_page_and_the_terminal_name_the_threshold(run, table, tmp_path):
    threshold = record(run)["model"]["threshold"]
    page = (run / "report.html").read_text()
    assert f"p[1] >= {threshold!r}" in page
    assert "rare is predicted at" in page
    command = (
        "evolve",
        "network",
        table,
        *QUICK_OPTIONS,
        *AUTO,
        "--out",
        tmp_path,
        "--name",
        "again",
    )
    assert f"predicted at a probability of {threshold:.4g} or more" in dsgec(*command).stdout


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    "backend",
    [
        "engine",
        *(pytest.param(name, marks=pytest.mark.campaign) for name in ("numpy", "c", "reference")),
    ],
)
def test_every_backend_and_two_threads_write_the_same_bytes(backend, run, table, tmp_path):
    command = ("evolve", "network", table, *QUICK_OPTIONS, *AUTO, "--backend", backend)
    more = ("--threads", 2) if backend == "engine" else ()
    dsgec(*command, *more, "--out", tmp_path, "--name", backend)
    for name in ("run.json", "history.csv", "hall_of_fame.csv", "rare.py"):
        assert (tmp_path / backend / name).read_bytes() == (run / name).read_bytes(), name


def test_a_folder_with_other_weights_or_another_threshold_is_another_run(run, table):
    command = ("evolve", "network", table, *QUICK_OPTIONS, "--out", run.parent, "--name", "run")
    for other in (("--threshold", "auto"), ("--balance",), ("--balance", "--threshold", "0.3")):
        assert "holds another run" in dsgec(*command, *other, code=1).stderr
    assert dsgec(*command, *AUTO).stdout


@pytest.mark.parametrize("threshold", [0.2, 0.5])
def test_a_number_decides_and_changes_nothing_else(threshold):
    x, y = rare(120)
    plain = library.evolve("network", x, y, **SMALL)
    run = library.evolve("network", x, y, **SMALL, threshold=threshold)
    assert run.network.threshold == threshold
    np.testing.assert_array_equal(run.predict_proba(x), plain.predict_proba(x))
    assert (run.predict(x) == "rare").tolist() == (run.predict_proba(x)[:, 1] >= threshold).tolist()
    assert (run.record == plain.record) == (threshold == 0.5)
    assert {one.threshold for one in run.hall_of_fame} == {threshold}


def test_two_softmax_outputs_are_decided_by_the_second():
    x, y = rare(120)
    run = library.evolve("network_softmax", x, y, **SMALL, threshold=0.1)
    assert run.predict_proba(x).shape == (120, 2)
    assert (run.predict(x) == "rare").tolist() == (run.predict_proba(x)[:, 1] >= 0.1).tolist()


@pytest.mark.parametrize("threshold", ["auto", 0.3])
@pytest.mark.parametrize("y", [np.arange(60) % 3, np.arange(60) / 7])
def test_a_threshold_is_refused_without_two_classes(threshold, y):
    grammar = "network_softmax" if y.max() == 2 else "regression"
    with pytest.raises(DsgecError, match="threshold is for two classes, but the target `y` "):
        library.evolve(grammar, rare(60)[0], y, **SMALL, threshold=threshold)


@pytest.mark.parametrize(
    ("given", "message"),
    [("half", "neither a number nor auto"), ("1.5", "--threshold is 1.5"), ("nan", "threshold")],
)
def test_a_threshold_that_is_none_is_refused(given, message, table):
    answer = dsgec("evolve", "network", table, "--threshold", given, code=(1, 2))
    assert message in answer.stderr


@pytest.mark.parametrize("given", ["half", True, 2, None, [0.3]])
def test_a_threshold_of_the_library_that_is_none_is_refused(given):
    with pytest.raises((DsgecError, TypeError), match="threshold"):
        library.evolve("network", *rare(60), **SMALL, threshold=given)
