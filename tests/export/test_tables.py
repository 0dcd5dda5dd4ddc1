"""Realistic tables through the whole pipeline, from the file to the exported module."""

import csv
import importlib.util
import json
import os
import shutil
from functools import partial

import numpy as np
import pytest

from dsgec.cli import commands
from dsgec.data.dataset import split
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.preprocessing import extract_raw_rows, fit_preprocessing
from dsgec.data.read import read_table
from dsgec.errors import DsgecError
from dsgec.grammar.load import load_grammar
from dsgec.network.evaluate import evaluate
from dsgec.network.model import compose
from dsgec.pipeline import prepare
from dsgec.search.settings import Settings
from dsgec.study.many import with_seed
from tests.support.command_line import QUICK_OPTIONS, dsgec, read_json
from tests.support.runs import model_of, over

SCALED = ["--scale", "standard"]


def write_bundled(name, folder):
    """A table that scikit-learn brings along, as a CSV file."""
    datasets = pytest.importorskip("sklearn.datasets")
    bunch = getattr(datasets, f"load_{name}")()
    path = folder / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*bunch.feature_names, "target"])
        names = getattr(bunch, "target_names", None) if name in ("iris", "wine") else None
        for row, target in zip(bunch.data.tolist(), bunch.target.tolist(), strict=True):
            writer.writerow([*row, target if names is None else names[target]])
    return path


def write_houses(folder):
    """A quantity by a formula of places and incomes, as in the Californian table."""
    rng = np.random.default_rng(5)
    income, age = rng.gamma(3.0, 1.3, 3000), rng.integers(1, 52, 3000)
    latitude, longitude = rng.uniform(32.5, 42.0, 3000), rng.uniform(-124.0, -114.0, 3000)
    coast = np.exp(-((latitude - 34.0) ** 2 + (longitude + 118.3) ** 2) / 3.0)
    price = 0.45 * income + 0.008 * age + 0.9 * coast + rng.normal(0.0, 0.35, 3000)
    path = folder / "houses.csv"
    rows = zip(income, age, latitude, longitude, price, strict=True)
    lines = [",".join(f"{value:.4f}" for value in row) for row in rows]
    path.write_text("income,age,latitude,longitude,price\n" + "\n".join(lines) + "\n")
    return path


def write_mixed(folder):
    """Write a table of numbers with gaps, a category and a boolean, on which the label depends."""
    rng = np.random.default_rng(3)
    path = folder / "mixed.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["größe", "colour", "member", "y"])
        for _ in range(300):
            size, colour, member = (
                rng.normal(170, 10),
                rng.choice(["red", "blue", "grün"]),
                rng.random() < 0.5,
            )
            label = (size - 170) / 10 + (colour == "red") + member > 1
            cells = [f"{size:.2f}", colour, "yes" if member else "no"]
            if rng.random() < 0.1:
                cells[rng.integers(3)] = "NA"
            writer.writerow([*cells, "big, really" if label else "small"])
    return path


def imported(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def share_of_largest(classes):
    return max(np.unique(classes, return_counts=True)[1]) / len(classes)


CASES = {
    "iris": ("one_layer_softmax", [*SCALED, "--generations", "30"], 0.9),
    "wine": ("one_layer_softmax", SCALED, 0.9),
    "digits": ("one_layer_softmax", ["--scale", "minmax", "--generations", "200"], 0.25),
    "diabetes": ("regression", [*SCALED, "--generations", "30"], 0.3),
    "houses": ("regression", ["--generations", "200"], 0.6),
    "mixed": ("one_layer", [*SCALED, "--missing", "median", "--generations", "50"], 0.75),
}
"""Grammar, options and what is to be reached: accuracy, or r2."""


SLOW = ("digits", "houses", "wine")


def slow(name):
    return pytest.param(name, marks=pytest.mark.campaign)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    own = {"houses": write_houses, "mixed": write_mixed}
    return lambda name: own[name](folder) if name in own else write_bundled(name, folder)


@pytest.mark.needs_cc
@pytest.mark.parametrize("name", [slow(name) if name in SLOW else name for name in CASES])
def test_a_table_is_learnt_and_its_export_gives_the_same_bits(name, tables, tmp_path):
    grammar, options, goal = CASES[name]
    table = tables(name)
    dsgec("evolve", grammar, table, *options, "--out", tmp_path, "--name", "run", "--quiet")
    folder = tmp_path / "run"
    record = read_json(folder, "run.json")
    measure = "r2" if grammar == "regression" else "accuracy"
    assert record["result"]["test"][measure] >= goal

    # The module, given raw rows, and the run's own predictions of the rows kept aside.
    plan = Preprocessing(
        missing=record["data"].get("missing", "error"), scale=record["data"].get("scale", "none")
    )
    dataset = make_dataset(read_table(str(table)), preprocessing=plan)
    parts = split(dataset, 0.3, 1)
    model, module_name = model_of(folder)
    own = evaluate(model.network, fit_preprocessing(dataset, parts.train).x[parts.test])
    raw = extract_raw_rows(read_table(str(table)), model.columns)[parts.test]
    assert evaluate(compose(model), raw).tobytes() == own.tobytes()
    module = imported(folder / f"{module_name}.py")
    if model.classes:
        both = np.column_stack([1.0 - own[:, 0], own[:, 0]]) if own.shape[1] == 1 else own
        assert np.asarray(module.predict_proba(raw)).tobytes() == both.tobytes()
        assert goal > share_of_largest(dataset.y[parts.test]) + 0.1
    else:
        assert np.asarray(module.predict(raw)).tobytes() == own[:, 0].tobytes()


def test_predict_takes_the_raw_table(tables, tmp_path):
    table = tables("mixed")
    options = ["--missing", "mean", *SCALED, *QUICK_OPTIONS, "--out", tmp_path, "--name", "run"]
    dsgec("evolve", "one_layer", table, *options)
    new = tmp_path / "new.csv"
    new.write_text("member;colour;größe\nyes;pink;171,5\n;;\nno;red;NA\n", encoding="utf-8")
    lines = dsgec("predict", tmp_path / "run", new).stdout.splitlines()

    assert lines[0] == 'predicted,"p(big, really)",p(small)'
    assert len(lines) == 3  # a row of nothing is none


def test_a_missing_value_without_a_fill_is_refused_in_predict(tables, tmp_path):
    table = tables("mixed")
    options = ["--missing", "drop", *QUICK_OPTIONS, "--out", tmp_path, "--name", "run"]
    dsgec("evolve", "one_layer", table, *options)

    assert "missing values (" in dsgec("predict", tmp_path / "run", table, code=1).stderr


def test_cross_validation_scores_every_row_once(tables, tmp_path, threads_for_processes):
    table = tables("mixed")
    options = ["--missing", "mean", *QUICK_OPTIONS, "--cv", "3", "--backend", "numpy"]
    options += ["--generations", "1", "--population", "6"]
    for out, jobs in (("one", 2), ("two", 1)):
        command = ("evolve", "one_layer", table, *options, "--jobs", jobs)
        answer = dsgec(*command, "--out", tmp_path / out)
        assert "3 folds, mean ± standard deviation" in answer.stdout
    folder = tmp_path / "one" / "mixed-one_layer-seed1-cv3"
    found = read_json(folder, "cv.json")

    assert sum(map(sum, found["confusion"])) == 300
    assert sum(found["rows"]) == 300
    each = [
        read_json(folder / f"fold{k}", "run.json")["result"]["test"]["accuracy"] for k in (1, 2, 3)
    ]
    assert found["test"]["accuracy"]["folds"] == each
    assert found["test"]["accuracy"]["mean"] == pytest.approx(np.mean(each))
    assert found["test"]["accuracy"]["deviation"] == pytest.approx(np.std(each, ddof=1))
    again = tmp_path / "two" / folder.name / "cv.json"
    assert again.read_bytes() == (folder / "cv.json").read_bytes()


SMALL = Settings(population=9, generations=2, pruning=1, tuning=1)


def noted(path, number):
    """A job that says when it was made, and by which process."""
    job = prepare("one_layer", "wdbc", SMALL, out=path.parent)
    with path.open("a") as file:
        file.write(f"{os.getpid()} {number} {len(list(path.parent.glob('*-seed*/run.json')))}\n")
    return with_seed(job, number)


def test_a_fold_is_made_when_its_turn_comes_by_who_runs_it(tmp_path):
    log = tmp_path / "log"
    over(1, [partial(noted, log, k) for k in (1, 2, 3)], "numpy", 1, lambda _: None)
    pids, numbers, before = zip(*map(str.split, log.read_text().splitlines()), strict=True)

    assert numbers == ("1", "2", "3")
    assert before == ("0", "1", "2")  # runs that had ended by then
    assert len(set(pids)) == 1
    assert str(os.getpid()) not in pids


def test_a_separate_table_of_test_rows(tables, tmp_path):
    lines = tables("mixed").read_text(encoding="utf-8").splitlines(keepends=True)
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text("".join(lines[:200]), encoding="utf-8")
    test.write_text("".join([lines[0], *lines[200:]]), encoding="utf-8")
    options = ["--missing", "mean", *QUICK_OPTIONS, "--test", test]
    answer = dsgec("evolve", "one_layer", train, *options, "--out", tmp_path, "--json")
    record = json.loads(answer.stdout)

    assert (record["data"]["train_rows"], record["data"]["test_rows"]) == (199, len(lines) - 200)
    assert len(record["data"]["test_sha256"]) == 64


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        (["--test", "30%"], "Write --test 0.3."),
        (["--test", "0.2", "--cv", "3"], "--cv goes with neither --runs nor --test"),
        (["--cv", "3", "--runs", "2"], "--cv goes with neither --runs nor --test"),
        (["--separator", ";", "--quote", ";"], "the separator cannot be the quote"),
    ],
)
def test_impossible_options_are_reported(options, reported, tmp_path):
    assert reported in dsgec("evolve", "one_layer", "wdbc", *options, cwd=tmp_path, code=1).stderr


@pytest.mark.parametrize("objective", ["mse", "mae", "log-loss", "accuracy"])
def test_objectives_are_read_as_people_know_them(objective, tmp_path):
    options = [*QUICK_OPTIONS, "--objective", objective, "--out", tmp_path]
    answer = dsgec("evolve", "one_layer", "wdbc", *options)
    result = read_json(tmp_path / "wdbc-one_layer-seed1", "run.json")["result"]

    assert f"best network: {objective} {result['score']:.4f}" in answer.stdout
    if objective == "accuracy":
        assert result["score"] == pytest.approx(result["train"]["accuracy"])
        assert result["fitness"] > 1.0 - result["score"]  # by the penalties


def test_an_unsuitable_objective_is_reported_with_the_suitable_ones(tables):
    errors = dsgec("evolve", "one_layer", "wdbc", "--objective", "r2", code=1).stderr
    assert "--objective is 'r2', which is for a numeric target" in errors
    assert "log-loss" in errors
    errors = dsgec("evolve", "regression", tables("houses"), "--objective", "best", code=1).stderr
    assert "--objective is 'best'" in errors
    assert "exp-rmse" not in errors


def test_a_grammar_of_one_output_and_many_classes_names_a_grammar_that_fits(tables):
    errors = dsgec("evolve", "one_layer", tables("iris"), code=1).stderr

    assert "multi_layer_softmax" in errors
    assert "one_layer_softmax" in errors


def test_inspect_of_a_file_that_is_no_data_set_gives_advice(tables):
    answer = dsgec("inspect", tables("mixed"), "--missing", "error")

    assert "error: " in answer.stdout
    assert "has missing values" in answer.stdout
    assert "--missing fill fills them" in answer.stdout
    assert "category  blue (" in answer.stdout


def test_a_folder_of_a_shipped_name_is_not_in_its_way(run, tmp_path, monkeypatch, capsys):
    def reported(*arguments):
        commands(arguments, standalone_mode=False)
        return capsys.readouterr().out

    for name in ("wdbc", "one_layer", "other"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    assert "569 rows" in reported("inspect", "wdbc")
    assert load_grammar("one_layer").name == "one_layer"
    with pytest.raises(DsgecError, match="nothing that dsgec exported"):
        reported("inspect", "other")

    (tmp_path / "wdbc").rmdir()
    shutil.copytree(run, tmp_path / "wdbc")
    monkeypatch.setattr("dsgec.run.inspect.inspect_artefact", lambda path: [f"made: {path}"])
    assert reported("inspect", "wdbc") == "made: wdbc\n"
    (tmp_path / "wdbc" / "run.json").unlink()
    assert reported("inspect", "wdbc") == "made: wdbc\n"
    assert len(read_table("wdbc")) == 569


def test_inspect_describes_the_columns(tables, tmp_path):
    reported = dsgec("inspect", tables("mixed"), "--missing", "mean").stdout
    for part in (
        "300 rows, 4 columns",
        "größe",
        "category  blue (",
        "boolean   no (",
        "missing",
        "2 classes",
        "one_layer            fits",
        "5, of 3 columns",
    ):
        assert part in reported
    quantity = dsgec("inspect", tables("houses")).stdout
    assert "regression of 'price'" in quantity
    assert "regression           fits" in quantity


def test_names_of_two_lines_leave_every_line_a_line(tmp_path):
    path, out = tmp_path / "t.csv", str(tmp_path / "out")
    rows = [f'{i}.5,"bl\nue",7,"n\no"\n{i}.25,red,7,yes\n' for i in range(20)]
    path.write_text('"size\nof x",colour,"al\nways","tar\nget"\n' + "".join(rows))

    page = dsgec("inspect", str(path)).stdout
    assert "     1  size�of x  number " in page
    assert "bl�ue (20), red (20)" in page
    assert "n�o (20), yes (20)" in page
    starts = ("  ", "t: 40 rows")
    assert all(line.startswith(starts) or not line for line in page.splitlines())
    answer = dsgec("evolve", "one_layer", str(path), *QUICK_OPTIONS, "--out", out)
    output = (answer.stdout + answer.stderr).splitlines()
    assert not [
        line for line in output if line.startswith(("o,", "ue", "o ", "get", "ways", "of x"))
    ]
    assert any("(n�o, yes)" in line for line in output)
