"""Runs whose network cross-validation chose: what they record, and what users read of it."""

import json

import numpy as np
import pytest

import dsgec
from dsgec.run.record import parse_record
from tests.support.command_line import dsgec as command

pytestmark = pytest.mark.needs_cc


QUICK = {"generations": 2, "population": 6, "pruning": 4, "tuning": 10, "seed": 4}


def write_noise(path, rows=300, features=40):
    """Write a table whose numeric target does not depend on any feature."""
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(rows, features)), 50.0 + 7.0 * rng.normal(size=rows)
    names = [f"a{number}" for number in range(features)]
    lines = [",".join([*names, "y"])]
    lines += [
        ",".join(map(repr, [*map(float, row), float(v)])) for row, v in zip(x, y, strict=True)
    ]
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    return write_noise(tmp_path_factory.mktemp("noise") / "noise.csv")


def test_noise_is_not_learned_and_the_run_says_so(noise, tmp_path):
    words = ("--generations", "100", "--out", tmp_path)
    said = command("evolve", noise, *words).stdout
    record = json.loads((tmp_path / "noise-regression-seed1" / "run.json").read_text())
    result = record["result"]
    assert record["settings"]["choose"] == "cv"
    assert result["test"]["r2"] > -0.05
    assert result["validation"]["supported"] is False
    assert result["validation"]["factor"] < 1.0
    doubt = "cross-validation on the training rows does not support the network: R²"
    assert result["warnings"][0].startswith(doubt)
    assert f"warning: {doubt}" in " ".join(said.split())
    other = dsgec.evolve("regression", noise, generations=100, choose="fitness").record
    assert not any("cross-validation" in one for one in other["result"]["warnings"])
    assert other["result"]["test"]["r2"] < -0.1
    assert other["result"]["network"]["connections"] > result["network"]["connections"]
    assert "validation" not in other["result"]
    assert "choose" not in other["settings"]


@pytest.fixture(scope="module")
def run():
    return dsgec.evolve("network", "wdbc", generations=25, seed=2)


def test_the_hall_of_fame_has_the_scores_and_the_network_is_one_of_them(run):
    found = run.record["result"]["validation"]
    entries = [one for one in run.hall_of_fame if one.validated]
    assert 2 <= len(entries) <= found["candidates"] <= 12
    own = [one for one in entries if one.model_id == run.record["model"]["id"]]
    assert [one.validated.score for one in own] == [found["score"]]
    assert own[0].validated.error == found["error"] > 0.0
    least = min(entries, key=lambda one: one.validated.score)
    assert own[0].connections <= least.connections
    assert own[0].validated.score <= least.validated.score + least.validated.error
    assert found["baseline"] == pytest.approx(0.66, abs=0.02)  # of 63 and 37 %


def test_a_pick_is_the_best_that_fits_and_no_larger_than_the_network_of_the_run(run):
    hall = run.hall_of_fame
    (own,) = [one for one in hall if one.model_id == run.record["model"]["id"]]
    assert hall.pick("at-most", 1_000).connections <= own.connections
    small = [one for one in hall if one.connections < own.connections]
    fits = hall.pick("at-most", own.connections - 1)
    assert fits is min(small, key=lambda one: one.score), "whether or not it was cross-validated"
    validated = [one for one in hall if one.validated]
    best = min(validated, key=lambda one: one.validated.score)
    assert hall.pick("smallest-within", "0%") is best
    with pytest.raises(dsgec.DsgecError, match="takes a share"):
        hall.pick("smallest-within", "0.05")


def test_a_saved_run_is_read_with_its_scores_and_a_damaged_one_is_refused(run, tmp_path):
    run.save(tmp_path / "run")
    again = dsgec.load(tmp_path / "run")
    assert [one.validated for one in again.hall_of_fame] == [
        one.validated for one in run.hall_of_fame
    ]
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "cross-validated log-loss" in page
    hall = tmp_path / "run" / "hall_of_fame.csv"
    text = hall.read_text()
    score = next(one.validated.score for one in run.hall_of_fame if one.validated)
    hall.write_text(text.replace(repr(score), "nan"))
    with pytest.raises(dsgec.DsgecError, match="is not the hall of fame of a run"):
        _ = dsgec.load(tmp_path / "run").hall_of_fame
    for wrong in ({"score": "high"}, {"supported": 1}, {"measure": 3}, {"rows": -1}):
        record = run.record
        record["result"]["validation"] |= wrong
        with pytest.raises(ValueError, match=r"result\.validation"):
            parse_record(record)


def test_a_run_is_the_same_with_threads_and_without_the_engine():
    runs = [
        dsgec.evolve("network", "wdbc", **QUICK, **more)
        for more in ({"threads": 1}, {"threads": 2}, {"backend": "numpy"})
    ]
    records = [one.record for one in runs]
    assert "validation" in records[0]["result"]
    assert records[0] == records[1] == records[2]


def test_members_of_an_ensemble_are_chosen_each():
    run = dsgec.evolve("network", "wdbc", **QUICK, ensemble=2)
    found = run.record["result"]["validation"]
    assert found["measure"] == "log-loss"
    assert "score" not in found
    assert any(one.validated for one in run.hall_of_fame)
