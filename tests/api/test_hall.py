"""The hall of fame has typed entries, each with its network, for estimators too."""

import csv
import io
import pickle

import numpy as np
import pandas as pd
import pytest

import dsgec
from dsgec.run.evidence import parse_evidence
from tests.support.command_line import dsgec as command

SMALL = {"generations": 4, "population": 12, "pruning": 3, "tuning": 4}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return a run and its folder."""
    folder = tmp_path_factory.mktemp("hall") / "run"
    return dsgec.evolve("one_layer", "wdbc", **SMALL, out=folder), folder


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3))
    y = np.where(x[:, 0] + x[:, 1] > 0, "up", "down")
    return dsgec.DSGEClassifier(**SMALL, random_state=1).fit(x, y), x, y


def rows_of(folder):
    return list(csv.DictReader(io.StringIO((folder / "hall_of_fame.csv").read_text())))


def test_an_entry_is_a_row_of_the_file(saved):
    run, folder = saved
    rows = rows_of(folder)
    hall = run.hall_of_fame

    assert isinstance(hall, dsgec.HallOfFame)
    assert all(isinstance(entry, dsgec.HallEntry) for entry in hall)
    assert len(hall) == len(rows) > 2
    for entry, row in zip(hall, rows, strict=True):
        assert entry.connections == entry.size["connections"] == int(row["connections"])
        assert entry.score == float(row["score"])
        assert entry.test["accuracy"] == float(row["test_accuracy"])
        assert entry.train["rmse"] == float(row["train_rmse"])
        assert entry.phenotype == row["phenotype"]
    assert dsgec.load(folder).hall_of_fame == hall
    with pytest.raises(AttributeError):
        hall[0].score = 1.0


def test_the_network_of_an_entry_predicts_and_is_what_the_command_picks(saved, tmp_path):
    run, folder = saved
    entry = run.hall_of_fame[1]
    table = pd.read_csv("tables/wdbc.csv")
    picked = ["--pick", "size", entry.connections, "--to", "numpy", "-o", tmp_path / "picked"]
    command("export", folder, *picked)
    (exported,) = entry.network.export("numpy", tmp_path / "entry")

    assert entry.network.size == entry.size
    assert exported.read_bytes() == (tmp_path / "picked" / exported.name).read_bytes()
    predicted = entry.network.predict(table)
    data = run.record["data"]
    right = [getattr(entry, part)["accuracy"] * data[f"{part}_rows"] for part in ("train", "test")]
    assert (predicted == table["diagnosis"]).sum() == round(sum(right))


def best_of(entries):
    """Return the best entry in cross-validation, by log-loss; every run has some."""
    return min((one for one in entries if one.validated), key=lambda one: one.validated.score)


def test_an_entry_is_picked_by_its_cost(saved, tmp_path):
    run, folder = saved
    hall = run.hall_of_fame
    taken = [entry.network.cost("cortex-m4f", "float")["flash"] for entry in hall]
    entry = hall.pick("flash", max(taken) - 1, chip="cortex-m4f", dtype="float")
    within = [one for one, flash in zip(hall, taken, strict=True) if flash < max(taken)]
    room = ("--pick", "flash", max(taken) - 1, "--chip", "cortex-m4f", "--dtype", "float")
    printed = command("export", folder, *room, "--to", "c", "-o", tmp_path).stdout

    assert entry is best_of(within)
    assert f"wdbc_{entry.connections}.c" in printed
    assert hall.pick("size", entry.connections) is entry
    assert hall[0].network.cost().keys() == {"flash", "stack", "cycles"}
    for wrong in ({"chip": "z80"}, {"dtype": "half"}, {"way": "weight"}):
        with pytest.raises(dsgec.DsgecError):
            hall.pick(**{"way": "flash", "value": "1KB", **wrong})
    with pytest.raises(dsgec.DsgecError, match="no estimate for double on avr"):
        hall[0].network.cost("avr")


def test_an_entry_is_picked_by_its_cost_in_fixed_point(saved):
    run, _ = saved
    hall = run.hall_of_fame
    taken = [entry.network.cost("avr", "q7")["flash"] for entry in hall]
    entry = hall.pick("flash", max(taken) - 1, chip="avr", dtype="q7")
    within = [one for one, flash in zip(hall, taken, strict=True) if flash < max(taken)]

    assert entry is best_of(within)
    # The ranges decide the integers of the code, and so its cost.
    nothing = entry.network.cost("avr", "q7", range={"*": (0.0, 0.0)})
    assert nothing["cycles"] != entry.network.cost("avr", "q7")["cycles"]
    assert hall.pick("flash", "1MB", chip="avr", dtype="q7", range={"*": (0.0, 0.0)}) in hall
    with pytest.raises(dsgec.DsgecError, match="ranges are for fixed point"):
        entry.network.cost("avr", "float", range={"*": (0.0, 1.0)})
    unknown = dsgec.Network(entry.network.model)
    with pytest.raises(dsgec.DsgecError, match="fixed point needs the range"):
        unknown.cost("avr", "q15")
    assert unknown.cost("avr", "q15", range={"*": (0.0, 9.0)})["flash"] > 0


def test_the_network_of_the_run_is_in_the_hall_of_fame(saved):
    run, _ = saved
    own = run.record["model"]["id"]

    (best,) = (entry for entry in run.hall_of_fame if entry.model_id == own)
    assert best.network.model == run.network.model


def test_a_hall_of_fame_becomes_a_frame(saved):
    run, folder = saved
    frame = run.hall_of_fame.to_frame()
    read = pd.read_csv(folder / "hall_of_fame.csv")

    assert [*frame.columns] == [name for name in read if name not in ("written", "fitness")]
    pd.testing.assert_frame_equal(frame, read[[*frame.columns]])


def test_without_pandas_the_message_names_what_to_install(saved, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        saved[0].hall_of_fame.to_frame()


def test_the_run_of_an_estimator_has_a_report_and_a_hall_of_fame(model, tmp_path):
    fitted, x, y = model
    run = fitted.run_

    page = run.report(tmp_path / "page.html").read_text()
    assert page.startswith("<!doctype html>")
    parse_evidence(run.evidence, run.network.model)
    assert len(run.hall_of_fame) > 1
    for entry in run.hall_of_fame:
        assert (entry.network.predict(x) == y).mean() == pytest.approx(entry.train["accuracy"])
    names = {path.name for path in run.save(tmp_path / "run").iterdir()}
    assert {"hall_of_fame.csv", "report.html"} <= names
    assert "config.toml" not in names
    command("verify", tmp_path / "run")


def test_an_estimator_makes_the_same_hall_of_fame_later():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 2))
    y = x[:, 0] * 3 + 1
    later = dsgec.DSGERegressor(**SMALL, random_state=5).fit(x, y).run_
    at_once = dsgec.evolve("regression", x, y, **SMALL, seed=5, test=0, task="regression")

    assert later.hall_of_fame == at_once.hall_of_fame
    assert later.evidence == at_once.evidence


def test_a_pickled_estimator_keeps_no_training_rows(model):
    fitted, x, y = model
    fresh = dsgec.DSGEClassifier(**SMALL, random_state=1).fit(x, y)
    text = pickle.dumps(fresh)
    assert x.tobytes()[:80] not in text
    again = pickle.loads(text)

    assert (again.predict(x) == fitted.predict(x)).all()
    assert again.run_.hall_of_fame == ()
    with pytest.raises(dsgec.DsgecError, match="write its report before"):
        again.run_.report("page.html")
