"""A scaled target is learned with mean 0 and deviation 1, and given in its own units."""

import importlib.util
import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error

import dsgec as library
from dsgec import DSGERegressor
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import parse_table
from dsgec.errors import DsgecError
from dsgec.network.evaluate import evaluate
from dsgec.network.model import compose, in_target_units
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from dsgec.network.structure import measure_size
from dsgec.network.text import network_text
from dsgec.pipeline import finished_run, prepare, run
from dsgec.report.network_drawing import compare_phenotype
from dsgec.run.hall import hall_text
from dsgec.run.record import parse_record
from dsgec.search.choose import choose_evolver
from dsgec.search.evolver import Ending
from dsgec.search.measure import NativeMeasurer, PlainMeasurer
from dsgec.search.objectives import objectives_of
from dsgec.search.settings import Settings
from tests.support.command_line import dsgec
from tests.support.compilers import fast_engine
from tests.support.engine_runs import assert_same_run, make, make_data
from tests.support.runs import go, made, model_of, picked, record_of, stop_after
from tests.support.scaled_targets import LEARNING, SMALL, data, table

SETTINGS = [Settings(**SMALL), Settings(**LEARNING, weights="real")]


def job(out, settings, **more):
    return prepare("regression", data(1e3, 50.0, **more), settings, out=out)


@pytest.fixture(scope="module", params=SETTINGS, ids=["paper", "learning"])
def ended(request, tmp_path_factory):
    """A job that has ended, and its folder."""
    one = job(tmp_path_factory.mktemp("scaled"), request.param)
    return one, go(one, "auto").folder


@pytest.mark.parametrize("scale", ["standard", "minmax"])
def test_the_scale_is_that_of_the_training_rows(scale):
    plan = Preprocessing(scale=scale, task="regression")
    problem = prepare("regression", data(7.0, 5.0, plan=plan), Settings(**SMALL)).problem
    y = problem.dataset.y[problem.split.train]
    np.testing.assert_allclose(problem.dataset.target_scale, (y.mean(), y.std()), rtol=1e-14)
    learned = problem.targets(1).values[:, 0]
    assert learned.mean() == pytest.approx(0.0, abs=1e-14)
    assert learned.std() == pytest.approx(1.0, abs=1e-14)


def test_what_is_not_to_be_scaled_is_not():
    assert data(plan=Preprocessing(task="regression")).target_scale is None
    assert data(plan=Preprocessing(task="regression", missing="mean")).target_scale is None
    text = "a,y\n1,p\n3,q\n5,p\n7,q\n"
    classes = make_dataset(
        parse_table(text.encode(), "t", "t"), None, Preprocessing(scale="standard")
    )
    assert classes.target_scale is None


@pytest.mark.parametrize(
    ("text_of", "expected"),
    [
        ("x_1", "y_1 = 3.0 + 2.0 * x_1"),
        ("x_1+0.5", "y_1 = 3.0 + 2.0 * (x_1 + 0.5)"),
        ("0.25", "y_1 = 3.5"),
        ("softmax(x_1)", "y_1 = 5.0"),
    ],
)
def test_the_units_are_nodes_of_the_network(text_of, expected):
    raw = parse(text_of, inputs=1)
    network = simplify(in_target_units(raw, (3.0, 2.0)))
    assert network_text(network).splitlines()[-1] == expected
    assert parse(network_text(network)) == network
    rows = np.linspace(-3.0, 3.0, 11)[:, None]
    assert np.array_equal(evaluate(network, rows), 3.0 + 2.0 * evaluate(raw, rows))
    assert in_target_units(raw, None) is raw


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("objective", "settings"),
    [
        pytest.param(
            *(objective, settings),
            id=f"{name}-{objective}",
            marks=() if name == "paper" or objective == "rmse" else pytest.mark.campaign,
        )
        for objective in objectives_of("regression")
        for name, settings in zip(("paper", "learning"), SETTINGS, strict=True)
    ],
)
def test_engine_and_reference_have_the_same_bits(objective, settings):
    plain = make_data(5, rows=45, classes=0)
    y = 1e6 + 300.0 * plain.y
    scaled = replace(plain, y=y, target_scale=(float(y.mean()), float(y.std())))
    problem = make("regression", settings, scaled, objective)
    assert_same_run(problem, settings)
    engine = fast_engine(problem, settings)
    engine.step(settings.generations + 1)
    champions = engine.refine()
    best = min(champions, key=lambda champion: champion.fitness)
    assert isinstance(engine.measurer(), PlainMeasurer)
    reference = choose_evolver(problem, settings, "reference")
    for _ in reference.generations():
        pass
    assert reference.refine() == champions
    assert hall_text(problem, champions, best, engine.measurer()) == hall_text(
        problem, champions, best, reference.measurer()
    )


@pytest.mark.needs_cc
def test_scores_without_penalties_are_the_same_from_the_engine():
    settings = SETTINGS[1]
    for classes, grammar, objective in (
        (2, "one_layer", "exp-rmse"),
        (3, "one_layer_softmax", "log-loss"),
        (2, "multi_layer", "accuracy"),
        (0, "regression", "r2"),
    ):
        problem = make(grammar, settings, make_data(classes, classes=classes), objective)
        engine = fast_engine(problem, settings)
        engine.step(4)
        texts = [champion.phenotype for champion in engine.champions]
        assert isinstance(engine.measurer(), NativeMeasurer)
        for text in texts:
            measured = engine.measurer().measure(text)
            assert measured == PlainMeasurer(problem).measure(text)
            assert measured.score == problem.as_score(engine.score(text))


def test_all_that_people_read_is_in_own_units(ended):
    one, folder = ended
    problem, record = one.problem, record_of(folder)
    model, _ = model_of(folder)
    dataset, result = problem.dataset, record["result"]
    assert record["data"]["target_scale"] == list(dataset.target_scale)
    for part, rows in (("train", problem.split.train), ("test", problem.split.test)):
        wanted, given = dataset.y[rows], evaluate(compose(model), dataset.raw[rows])[:, 0]
        for name, measure in (
            ("rmse", root_mean_squared_error),
            ("mae", mean_absolute_error),
            ("r2", r2_score),
        ):
            assert result[part][name] == pytest.approx(measure(wanted, given), rel=1e-9)
    assert result["score"] == result["train"]["rmse"] > 100.0
    assert result["fitness"] < 2.0
    evidence = json.loads((folder / "report.json").read_text())
    wanted = np.array(evidence["pairs"]["train"])
    assert wanted[:, 0].tolist() == dataset.y[problem.split.train].tolist()
    assert root_mean_squared_error(*wanted.T) == pytest.approx(result["score"])
    page = (folder / "report.html").read_text()
    assert "rmse of the scaled target" in page
    written = compare_phenotype(result["phenotype"], model, parse_record(record).data.target_scale)
    assert written is not None


def test_the_network_of_every_size_can_be_picked(ended, tmp_path):
    one, folder = ended
    lines = (folder / "hall_of_fame.csv").read_text().splitlines()
    names = lines[0].split(",")
    for line in lines[1:]:
        row = dict(zip(names, line.split(","), strict=False))
        model, _ = picked(folder, "size", row["connections"])
        assert measure_size(model.network).connections == int(row["connections"])
        given = evaluate(model.network, one.problem.rows)[:, 0]
        wanted = one.problem.dataset.y[one.problem.split.train]
        assert float(row["score"]) == float(row["train_rmse"])
        assert root_mean_squared_error(wanted, given) == pytest.approx(float(row["score"]))


def test_a_score_of_scaled_errors_is_what_the_search_minimised():
    one = job(None, Settings(**SMALL, objective="huber"))
    problem, result = one.problem, go(one, "auto").record.as_json()["result"]
    _, deviation = problem.dataset.target_scale
    network = simplify(
        in_target_units(problem.language.parse(result["phenotype"]), problem.dataset.target_scale)
    )
    errors = np.abs(problem.dataset.y[problem.split.train] - evaluate(network, problem.rows)[:, 0])
    errors /= deviation
    losses = np.where(errors <= 1, errors**2 / 2, errors - 0.5)
    assert errors.max() > 1
    assert result["score"] == pytest.approx(losses.mean() * deviation**2, rel=1e-9)
    assert result["score"] == pytest.approx(result["fitness"] * deviation**2, rel=1e-9)


@pytest.mark.parametrize("scale", [None, [1.0], [1.0, 0.0], [1.0, -2.0], "1", [1.0, "2"], [1, 2]])
def test_a_record_with_another_scale_is_refused(ended, tmp_path, scale):
    _, folder = ended
    for file in ("best.net", "hall_of_fame.csv", "report.json", "history.csv", "run.json"):
        (tmp_path / file).write_bytes((folder / file).read_bytes())
    record = record_of(folder)
    record["data"]["target_scale"] = scale
    (tmp_path / "run.json").write_text(json.dumps(record))
    message = "model_id" if scale == [1, 2] else "is not the record of a run"
    with pytest.raises(DsgecError, match=message):
        picked(tmp_path, "at-most", "100")
    if scale != [1, 2]:
        with pytest.raises(DsgecError, match="is not the record of a run"):
            library.load(tmp_path)


@pytest.mark.needs_cc
def test_exports_give_own_units_for_raw_rows(ended, tmp_path):
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
    spec = importlib.util.spec_from_file_location("exported", tmp_path / "python" / "t.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    expected = evaluate(compose(model), raw)[:, 0].tolist()
    assert list(module.predict(raw.tolist())) == expected
    assert library.load(folder).predict(raw).tolist() == expected


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(SETTINGS[0], id="paper"),
        pytest.param(SETTINGS[1], id="learning", marks=pytest.mark.campaign),
    ],
)
def test_a_resumed_run_has_the_same_bytes(tmp_path, settings):
    settings = replace(settings, generations=9)
    whole = made(go(job(tmp_path / "whole", settings), "engine").folder)
    one = job(tmp_path / "stopped", settings)
    stop, look = stop_after(4)
    assert go(one, "numpy", stop=stop, on_generation=look).ended == "interrupted"
    assert made(go(one, "numpy").folder) == whole
    assert finished_run(one) is not None


@pytest.mark.parametrize("objective", ["rmse", "mae", "mse", "r2"])
def test_stop_at_is_in_own_units(objective):
    settings = Settings(**{**SMALL, "generations": 30}, objective=objective)
    problem = job(None, settings).problem
    _, deviation = problem.dataset.target_scale
    goal = {"rmse": 0.5 * deviation, "mae": 0.5 * deviation, "mse": 0.5 * deviation**2}
    settings = replace(settings, stop_at=goal.get(objective, 0.5))
    for fitness, reason in ((0.501, ""), (0.499, "stop-at")):
        ending = Ending(problem, settings)
        ending.update(0, fitness)
        assert ending.reason == reason


@pytest.mark.parametrize(
    ("unit", "shift"), [(1e9, 0.0), (1e-9, 0.0), (1e-3, 1e9), (1e150, 0.0), (1e-200, 1.0)]
)
@pytest.mark.parametrize("objective", ["rmse", "mse"])
def test_targets_of_any_size_are_learned(tmp_path, unit, shift, objective):
    settings = Settings(**{**LEARNING, "generations": 20}, objective=objective)
    one = prepare("regression", data(unit, shift), settings, out=tmp_path)
    record = go(one, "auto").record.as_json()
    library.load(one.folder)
    if unit > 1e-100 and (unit < 1e100 or objective == "rmse"):
        assert record["result"]["train"]["r2"] > 0.3


def test_a_constant_target_is_learned():
    x, _ = table()
    y = np.full(len(x), 7.0)
    model = DSGERegressor(population=30, generations=20, scale="standard", random_state=1)
    model.fit(x, y)
    assert model.run_.record["data"]["target_scale"] == [7.0, 1.0]
    assert np.abs(model.predict(x) - y).max() < 0.5
    with pytest.raises(ValueError, match="the same target"):
        model.set_params(objective="r2").fit(x, y)


def test_without_a_scale_a_record_is_as_it_was(tmp_path):
    one = job(tmp_path, Settings(**SMALL), plan=Preprocessing(task="regression"))
    record = run(
        one, choose_evolver(one.problem, one.settings, "auto"), lambda _: None
    ).record.as_json()
    assert "target_scale" not in record["data"]
    assert record["result"]["score"] == record["result"]["fitness"]


@pytest.mark.needs_cc
def test_an_estimator_predicts_in_own_units_and_goes_on():
    x, y = table(1e4, 20.0)
    model = DSGERegressor(**{n: SMALL[n] for n in ("population", "generations")}, random_state=1)
    model.set_params(warm_start=True, scale="standard").fit(x, y)
    before = model.run_
    assert before.score == pytest.approx(root_mean_squared_error(y, model.predict(x)))
    model.fit(x, y)
    assert model.run_.generations == 2 * before.generations
    assert model.run_.history[-1].best <= before.history[-1].best
