"""`dsgec.evolve` makes the same runs as `dsgec evolve`, in memory."""

import html
import inspect
import json
import pickle
import re
from dataclasses import fields

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_diabetes, load_iris
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score

import dsgec
from dsgec.cli import commands
from dsgec.data.dataset import split
from dsgec.network.text import network_text as equations
from dsgec.resources import TABLES
from dsgec.search.settings import Settings

SMALL = {"population": 12, "generations": 4, "pruning": 2, "tuning": 6}
OPTIONS = [word for name, value in SMALL.items() for word in (f"--{name}", str(value))]
END = {"pruning": 1, "tuning": 3}
WDBC = pd.read_csv(TABLES.joinpath("wdbc.csv"))


def bytes_of(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "timing.json"
    }


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def small():
    return dsgec.evolve("one_layer", "wdbc", **SMALL, backend="numpy")


def command(*arguments):
    """Run the command line in this process."""
    answer = CliRunner().invoke(commands, [*map(str, arguments)], catch_exceptions=False)
    assert answer.exit_code == 0, answer.output


@pytest.mark.parametrize(
    ("options", "keywords"),
    [
        ([], {}),
        (
            ["--seed", "5", "--scale", "minmax", "--test", "0.5", "--max-depth", "sum=1"],
            {"seed": 5, "scale": "minmax", "test": 0.5, "max_depth": {"sum": 1}},
        ),
        (
            ["--representation", "ge", "--ignore", "mean area", "--objective", "log-loss"],
            {"representation": "ge", "ignore": "mean area", "objective": "log-loss"},
        ),
    ],
    ids=["defaults", "settings", "columns"],
)
def test_a_saved_run_is_the_folder_of_the_command_line(tmp_path, options, keywords):
    command(
        "evolve",
        "one_layer",
        "wdbc",
        *OPTIONS,
        *options,
        "--out",
        tmp_path,
        "--name",
        "cli",
    )
    run = dsgec.evolve("one_layer", "wdbc", **SMALL, **keywords, out=tmp_path / "out")
    saved = run.save(tmp_path / "deep" / "saved")

    expected = bytes_of(tmp_path / "cli")
    assert len(expected) == 13
    assert bytes_of(tmp_path / "out") == expected
    assert bytes_of(saved) == expected
    loaded = dsgec.load(tmp_path / "cli")
    assert bytes_of(loaded.save(tmp_path / "again")) == expected
    assert loaded.history == run.history
    assert loaded.record == json.loads((tmp_path / "cli" / "run.json").read_text())


def test_the_defaults_are_those_of_the_settings():
    parameters = inspect.signature(dsgec.evolve).parameters
    defaults = Settings()
    for field in fields(Settings):
        if field.name not in ("max_depth", "objective", "folds", "fold"):
            has_presets = field.metadata["setting"].learned is not None
            default = getattr(defaults, field.name)
            expected = None if has_presets or default == "" else default
            assert parameters[field.name].default == expected


def test_nothing_is_written_by_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = dsgec.evolve("one_layer", "wdbc", **SMALL)
    run.predict("wdbc"), run.predict_proba("wdbc"), repr(run), run._repr_html_()

    assert list(tmp_path.iterdir()) == []


def test_arrays_frames_and_files_give_the_same_network(tmp_path):
    path = tmp_path / "wdbc.csv"
    WDBC.to_csv(path, index=False)
    x, y = WDBC.iloc[:, :-1], WDBC.iloc[:, -1]
    runs = [
        dsgec.evolve("one_layer", *data, **SMALL, **more)
        for data, more in (
            ((path,), {}),
            ((x, y), {}),
            ((WDBC,), {"target": y.name}),
            ((pl.DataFrame(WDBC),), {"target": y.name}),
            ((x.to_numpy(), y.to_numpy()), {}),
            ((x.to_numpy().tolist(), y.tolist()), {}),
        )
    ]
    formulas = {equations(run.network.model.network) for run in runs}
    assert len(formulas) == 1
    assert {run.fitness for run in runs} == {runs[0].fitness}
    assert {run.network.columns for run in runs[:4]} == {tuple(x.columns)}
    assert runs[4].network.columns[:2] == ("x_1", "x_2")
    expected = runs[0].predict_proba(path)
    for run in runs:
        for rows in (x, pl.DataFrame(x), x.to_numpy(), x.to_numpy().tolist()):
            if run.network.columns[0] == "x_1" and hasattr(rows, "columns"):
                continue
            np.testing.assert_array_equal(run.predict_proba(rows), expected)
    shuffled = x[sorted(x.columns)]
    np.testing.assert_array_equal(runs[1].predict_proba(shuffled), expected)


def test_the_figures_are_scikit_learns(iris):
    x, y = iris
    run = dsgec.evolve("one_layer_softmax", x, y, scale="standard", population=30, generations=15)
    kept = split_of(run, x, y)
    for part, rows in zip(("train", "test"), kept, strict=True):
        truth, found = y.iloc[rows], x.iloc[rows]
        assert run.metrics[part]["accuracy"] == accuracy_score(truth, run.predict(found))
        auroc = roc_auc_score(truth, run.predict_proba(found), multi_class="ovr")
        assert run.metrics[part]["auroc"] == pytest.approx(auroc, abs=1e-12)
    assert run.network.classes == (0, 1, 2)
    assert run.predict(x).dtype.kind == "i"


def split_of(run, x, y):
    """Return the training rows and the test rows of a run."""
    from dsgec.data.arrays import make_table
    from dsgec.data.prepare import make_dataset

    dataset = make_dataset(make_table(x, y), run.record["data"]["target"])
    parts = split(dataset, run.record["settings"]["test"], run.record["settings"]["split_seed"])
    return parts.train, parts.test


def test_a_numeric_target_is_predicted():
    x, y = load_diabetes(return_X_y=True)
    run = dsgec.evolve("formula", x, y, population=30, generations=10)
    for part, rows in zip(("train", "test"), split_of(run, x, y), strict=True):
        assert run.metrics[part]["r2"] == pytest.approx(r2_score(y[rows], run.predict(x[rows])))
    assert run.predict(x).shape == (len(y),)
    assert run.network.classes == ()
    with pytest.raises(dsgec.DsgecError, match="predicts numbers"):
        run.predict_proba(x)


def test_test_rows_may_be_given_separately(iris):
    x, y = iris
    odd = np.arange(len(y)) % 2 == 1
    together = x[odd].assign(target=y[odd])
    runs = [
        dsgec.evolve("one_layer_softmax", x[~odd], y[~odd], test=test, **SMALL)
        for test in ((x[odd], y[odd]), together)
    ]
    assert len({run.network.formula for run in runs}) == 1
    for run in runs:
        assert run.record["data"]["test_rows"] == odd.sum()
        assert run.metrics["test"]["accuracy"] == accuracy_score(y[odd], run.predict(x[odd]))
    assert (
        dsgec.evolve("one_layer", WDBC, target="diagnosis", test="wdbc", **SMALL).metrics["test"]
        == (dsgec.evolve("one_layer", WDBC, target="diagnosis", test=0, **SMALL).metrics["train"])
    )


def test_a_callback_gets_every_generation():
    calls = []
    run = dsgec.evolve(
        "one_layer",
        "wdbc",
        population=12,
        generations=9,
        tuning=0,
        pruning=0,
        callback=calls.append,
    )

    assert tuple(row for progress in calls for row in progress.rows) == run.history
    assert [row.generation for row in run.history] == list(range(10))
    assert (calls[-1].generation, calls[-1].best) == (9, run.fitness)
    assert {progress.generations for progress in calls} == {9}
    assert run.ended == "generations"


@pytest.mark.parametrize("backend", ["auto", "numpy"])
def test_a_callback_can_stop_the_run(backend):
    run = dsgec.evolve(
        "one_layer",
        "wdbc",
        population=4,
        generations=10**6,
        backend=backend,
        patience=0,  # which a fast engine could run out of before the callback
        **END,
        callback=lambda progress: progress.generation > 0,
    )
    assert run.ended == "stopped"
    assert 0 < run.generations < 10**6
    assert len(run.history) == run.generations + 1
    again = dsgec.evolve(
        "one_layer", "wdbc", population=4, generations=run.generations, patience=0, **END
    )
    assert again.network == run.network
    assert again.history == run.history


def test_only_true_stops_a_run():
    run = dsgec.evolve("one_layer", "wdbc", **SMALL, callback=lambda progress: "yes")
    assert run.generations == 4


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, StopIteration])
def test_an_error_in_a_callback_is_raised_and_leaves_no_folder(tmp_path, error):
    def fails(progress):
        raise error("mine")

    with pytest.raises(error, match="mine"):
        dsgec.evolve("one_layer", "wdbc", **SMALL, callback=fails, out=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_another_run_is_not_overwritten(tmp_path):
    folder = tmp_path / "run"
    dsgec.evolve("one_layer", "wdbc", **SMALL, out=folder)
    dsgec.evolve("one_layer", "wdbc", **SMALL, out=folder)
    before = bytes_of(folder)
    with pytest.raises(dsgec.DsgecError, match="holds another run"):
        dsgec.evolve("one_layer", "wdbc", **SMALL, seed=2, out=folder)
    other = dsgec.evolve("one_layer", "wdbc", **SMALL, seed=2)
    with pytest.raises(dsgec.DsgecError, match="overwrite=True"):
        other.save(folder)
    assert bytes_of(folder) == before
    other.save(folder, overwrite=True)
    assert dsgec.load(folder).network == other.network


def test_exports_give_the_bits_of_predict(tmp_path, small, monkeypatch):
    paths = small.export("numpy", tmp_path, name="exported")
    assert [path.name for path in paths] == ["exported.py"]
    monkeypatch.syspath_prepend(tmp_path)
    import exported

    x = WDBC.iloc[:, :-1].to_numpy()
    np.testing.assert_array_equal(exported.predict_proba(x), small.predict_proba(x))
    assert list(exported.predict(x)) == list(small.predict(x))
    with pytest.raises(dsgec.DsgecError, match="unknown target `fortran`; choose from c,"):
        small.export("fortran", tmp_path)
    with pytest.raises(dsgec.DsgecError, match="dtype is 'half'"):
        small.export("c", tmp_path, dtype="half")


def test_no_rows_have_no_predictions(small):
    for nothing in ([], np.empty((0, 30)), WDBC.iloc[:0]):
        assert small.predict(nothing).shape == (0,)
        assert small.predict_proba(nothing).shape == (0, 2)


def test_a_pickle_is_data_and_is_checked(small):
    data = pickle.dumps(small)
    again = pickle.loads(data)
    assert again.network == small.network
    assert again.history == small.history
    np.testing.assert_array_equal(again.predict("wdbc"), small.predict("wdbc"))
    made, (description, equations, name, ranges) = small.network.__reduce__()
    assert isinstance(equations, str)
    json.dumps(description)
    for wrong in (
        ({**description, "id": "0" * 32}, equations, name),
        ({**description, "columns": [{"name": 5}]}, equations, name),
        (description, equations.replace("sig", "exp"), name),
        (description, "import os", name),
        (description, 5, name),
        (None, equations, name),
    ):
        with pytest.raises(dsgec.DsgecError):
            made(*wrong, ranges)
    for wrong in (5, [*ranges, None], [[1.0]] * len(ranges), [["a", "b"]] * len(ranges)):
        with pytest.raises(dsgec.DsgecError):
            made(description, equations, name, wrong)
    assert made(description, equations, "../../etc", ranges).name.isidentifier()


@pytest.mark.parametrize(
    "damage",
    [
        lambda record: record["result"].pop("score"),
        lambda record: record["result"].update(train=5),
        lambda record: record["result"].update(generations="many"),
        lambda record: record["result"].update(score=float("inf")),
        lambda record: record["data"].update(name=["x"]),
        lambda record: record["model"].update(id="other"),
    ],
)
def test_a_damaged_folder_is_reported(tmp_path, small, damage):
    folder = small.save(tmp_path / "run")
    record = json.loads((folder / "run.json").read_text())
    damage(record)
    (folder / "run.json").write_text(json.dumps(record))
    with pytest.raises(dsgec.DsgecError):
        dsgec.load(folder)


def test_a_damaged_history_is_reported(tmp_path, small):
    folder = small.save(tmp_path / "run")
    whole = (folder / "history.csv").read_text()
    for text in ("", "a,b\n", whole + "5,1\n", whole + "5,x,1,1,1,1\n", whole.replace("0", "\0")):
        (folder / "history.csv").write_text(text)
        with pytest.raises(dsgec.DsgecError, match=r"history\.csv"):
            dsgec.load(folder)
    with pytest.raises(dsgec.DsgecError, match="not the folder of a finished run"):
        dsgec.load(tmp_path)


def test_it_is_drawn_in_notebooks_and_nothing_becomes_markup():
    frame = pd.DataFrame({"<b>&": np.arange(20) % 7, "label": ["<i>", "x"] * 10})
    run = dsgec.evolve(
        "one_layer", frame, target="label", name="<script>alert(1)</script>", **SMALL
    )
    page, drawn = run._repr_html_(), run.network.svg()
    assert "<script" not in page
    assert html.escape("<script>") in page
    assert "data:image/svg+xml;base64," in page
    assert run.network._repr_html_().strip() in page  # the same picture, with styles of its own
    assert drawn.startswith("<svg")
    assert "<b>" not in drawn
    assert "&lt;b&gt;&amp;" in drawn
    assert re.match(r"<dsgec.Run one_layer on .*log-loss .* after 4 generations", repr(run))
    assert re.match(r"<dsgec.Network .*1 columns → 2 classes>", repr(run.network))


def test_a_label_is_none_if_an_output_is_not_a_number():
    grammar = dsgec.parse_grammar("%output sigmoid\n<s> ::= x_1 * 9 - x_2 * 9")
    rows, y = [[1, 2], [2, 1], [3, 5], [6, 1]], ["a", "b", "a", "b"]
    run = dsgec.evolve(grammar, rows, y, test=0, **SMALL)
    assert run.predict(rows).tolist() == y
    huge = [[1, 2], [1e308, 1e308], [2, 1]]  # infinity - infinity
    assert run.predict(huge).tolist() == ["a", None, "b"]
    assert np.isnan(run.predict_proba(huge)).tolist() == [[False] * 2, [True] * 2, [False] * 2]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"population": "many"}, "population is 'many'"),
        ({"population": 20.5}, "whole number"),
        ({"population": True}, "whole number"),
        ({"population": 1}, "between 2"),
        ({"crossover": "x"}, "crossover is 'x'"),
        ({"objective": 5}, "must be a string"),
        ({"objective": "best"}, "objective is 'best'"),
        ({"representation": "ga"}, "representation is 'ga'"),
        ({"backend": "gpu"}, "backend is 'gpu'"),
        ({"threads": 0}, "threads is 0"),
        ({"scale": "big"}, "scale is 'big'"),
        ({"missing": 3}, "missing is 3"),
        ({"task": "classes"}, "classification, regression"),
        ({"test": 2}, "test is 2"),
        ({"test": [1]}, "test is a list"),
        ({"target": "nothing"}, "no column `nothing`"),
        ({"ignore": "nothing"}, "no column `nothing`"),
        ({"max_depth": {"sum": "x"}}, "max_depth is {'sum': 'x'}"),
        ({"max_depth": 3}, "max_depth is 3"),
        ({"y": [1]}, "X is a file"),
        ({"target": 3}, "target is 3"),
        ({"name": 5}, "name is 5"),
        ({"callback": 5}, "callback is 5"),
    ],
)
def test_a_wrong_argument_is_reported(keywords, message):
    with pytest.raises(dsgec.DsgecError, match=message):
        dsgec.evolve("one_layer", "wdbc", **{**SMALL, **keywords})


def test_other_mistakes_are_reported():
    with pytest.raises(dsgec.DsgecError, match="y is missing"):
        dsgec.evolve("one_layer", np.ones((4, 2)))
    numbered = pd.DataFrame(np.column_stack([np.arange(8.0), np.arange(8) % 2]))
    assert dsgec.evolve("one_layer", numbered, target=1, **SMALL).network.columns == ("0",)
    with pytest.raises(dsgec.DsgecError, match="no column 2"):
        dsgec.evolve("one_layer", numbered, target=2, **SMALL)
    with pytest.raises(dsgec.DsgecError, match="there is no grammar"):
        dsgec.evolve("no_such", "wdbc")
    with pytest.raises(dsgec.DsgecError, match="there is no table"):
        dsgec.evolve("one_layer", "no_such.csv")
    with pytest.raises(dsgec.DsgecError, match="`<b>`"):
        dsgec.parse_grammar("<a> ::= <b>")


def test_settings_may_be_numpy_numbers():
    run = dsgec.evolve(
        "one_layer",
        "wdbc",
        population=np.int64(12),
        generations=np.int32(4),
        test=np.float64(0.3),
        crossover=np.float32(0.5),
        max_depth={"<sum>": np.int8(2)},
    )
    assert run.record["settings"]["population"] == 12
    assert run.record["settings"]["max_depth"] == {"sum": 2}
    json.dumps(run.record)


def test_islands_are_the_same_from_the_library_and_from_the_command_line(tmp_path):
    options = ["--representation", "ge", "--islands", "2", "--migrate-every", "3"]
    command(
        *("evolve", "one_layer", "wdbc", *OPTIONS, *options, "--migrants", "1"),
        *("--out", tmp_path, "--name", "command"),
    )
    run = dsgec.evolve(
        "one_layer", "wdbc", **SMALL, representation="ge", islands=2, migrate_every=3, migrants=1
    )
    assert bytes_of(run.save(tmp_path / "library")) == bytes_of(tmp_path / "command")
