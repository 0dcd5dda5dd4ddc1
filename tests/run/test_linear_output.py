"""A formula on its line of least squares is what a run measures, records and exports."""

import numpy as np
import pytest
from sklearn.metrics import root_mean_squared_error

import dsgec as library
from dsgec.data.options import Preprocessing
from dsgec.network.evaluate import evaluate
from dsgec.network.model import compose
from dsgec.network.structure import measure_size
from dsgec.network.text import line_phenotype
from dsgec.pipeline import prepare
from dsgec.report.network_drawing import compare_phenotype
from dsgec.run.record import parse_record
from dsgec.search.settings import Settings
from tests.support.command_line import dsgec
from tests.support.runs import go, made, model_of, picked, record_of, stop_after
from tests.support.scaled_targets import LEARNING, SMALL, data

SCALED = Preprocessing(scale="standard", task="regression")
CASES = {
    "paper": (Settings(**SMALL), Preprocessing(task="regression")),
    "scaled": (Settings(**SMALL), SCALED),
    "learning": (Settings(**LEARNING, weights="real", pruning=5), SCALED),
}


def job(out, settings, plan):
    return prepare("formula", data(1e3, 50.0, plan), settings, out=out)


@pytest.fixture(scope="module", params=CASES)
def ended(request, tmp_path_factory):
    """A job that has ended, and its folder."""
    one = job(tmp_path_factory.mktemp("linear"), *CASES[request.param])
    return one, go(one, "auto").folder


@pytest.mark.parametrize(
    ("text", "slope", "layered", "expected"),
    [
        ("x_1-2", -0.5, False, "(1.5)+(-0.5)*(x_1-2)"),
        ("x_1-2", 0.0, False, "(1.5)"),
        (
            "sig(x_1)-sig(x_2)--h_1_1+h_1_2",
            2.0,
            True,
            "sig(x_1)-sig(x_2)--(1.5)+(2.0)*(h_1_1+h_1_2)",
        ),
    ],
)
def test_the_line_is_written_around_the_output(text, slope, layered, expected):
    assert line_phenotype(text, 1.5, slope, layered=layered) == expected


def test_the_model_is_the_fit_of_least_squares_in_own_units(ended):
    one, folder = ended
    problem, result = one.problem, record_of(folder)["result"]
    model, _ = model_of(folder)
    wanted = problem.dataset.y[problem.split.train]
    given = evaluate(model.network, problem.rows)[:, 0]
    refitted = np.linalg.lstsq(np.column_stack([np.ones(len(given)), given]), wanted, rcond=None)
    np.testing.assert_allclose(refitted[0], (0.0, 1.0), atol=1e-6 * abs(wanted).max())
    assert result["score"] == pytest.approx(root_mean_squared_error(wanted, given), rel=1e-12)
    scale = parse_record(record_of(folder)).network_scale
    assert compare_phenotype(result["phenotype"], model, scale) is not None


def test_the_formula_of_every_size_can_be_picked(ended):
    one, folder = ended
    lines = (folder / "hall_of_fame.csv").read_text().splitlines()
    names = lines[0].split(",")
    for line in lines[1:]:
        row = dict(zip(names, line.split(","), strict=False))
        model, _ = picked(folder, "size", row["connections"])
        assert measure_size(model.network).connections == int(row["connections"])
        given = evaluate(model.network, one.problem.rows)[:, 0]
        wanted = one.problem.dataset.y[one.problem.split.train]
        assert root_mean_squared_error(wanted, given) == pytest.approx(float(row["score"]))


@pytest.mark.needs_cc
def test_exports_give_the_same_bits(ended, tmp_path):
    one, folder = ended
    model, _ = model_of(folder)
    raw = one.problem.dataset.raw
    rows = tmp_path / "rows.csv"
    rows.write_text("\n".join(["a,b", *(f"{a!r},{b!r}" for a, b in raw.tolist())]))
    dsgec("verify", folder)
    for target in ("c", "numpy", "python"):
        dsgec("export", folder, "--to", target, "-o", tmp_path / target)
        told = dsgec("verify", tmp_path / target, "--data", rows).stdout
        assert f"60 rows of {rows} give the same bits" in told
    expected = evaluate(compose(model), raw)[:, 0].tolist()
    assert library.load(folder).predict(raw).tolist() == expected


@pytest.mark.needs_cc
@pytest.mark.parametrize("case", CASES)
def test_a_resumed_run_has_the_same_bytes_with_any_backend(tmp_path, case):
    whole = made(go(job(tmp_path / "whole", *CASES[case]), "engine").folder)
    one = job(tmp_path / "stopped", *CASES[case])
    stop, look = stop_after(3)
    assert go(one, "numpy", stop=stop, on_generation=look).ended == "interrupted"
    assert made(go(one, "reference").folder) == whole


@pytest.mark.needs_cc
def test_an_ensemble_is_the_mean_of_formulas_on_their_lines(tmp_path):
    settings = Settings(**LEARNING, weights="real", ensemble=3)
    one = job(tmp_path, settings, SCALED)
    result = record_of(go(one, "auto").folder)["result"]
    alone = record_of(go(job(tmp_path / "one", Settings(**LEARNING), SCALED), "auto").folder)
    assert result["train"]["r2"] > alone["result"]["train"]["r2"] - 0.2
