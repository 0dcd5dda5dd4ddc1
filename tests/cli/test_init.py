"""`dsgec init` writes files that work as they are, and overwrites none."""

import tomllib

import pytest

from tests.support.command_line import dsgec, read_json

NUMPY = ["--pruning", "1", "--tuning", "1", "--backend", "numpy"]
FILES = ["network.bnf", "run.toml", "study.toml"]


@pytest.fixture
def desk(tmp_path):
    dsgec("init", "desk", cwd=tmp_path)
    return tmp_path / "desk"


def test_it_writes_three_files_and_names_them(tmp_path):
    answer = dsgec("init", cwd=tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == FILES
    assert answer.stdout.splitlines() == FILES
    assert "dsgec evolve --config run.toml" in answer.stderr


@pytest.mark.parametrize("name", FILES)
def test_it_overwrites_nothing(tmp_path, name):
    (tmp_path / name).write_text("mine")
    answer = dsgec("init", tmp_path, code=1)

    assert f"already has {name}\n" in answer.stderr
    assert "dsgec init FOLDER" in answer.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_a_file_in_the_way_is_reported(tmp_path):
    (tmp_path / "desk").write_text("")
    answer = dsgec("init", tmp_path / "desk", code=1)

    assert "cannot write to" in answer.stderr
    assert "dsgec init FOLDER" in answer.stderr


def test_the_grammar_has_no_faults(desk):
    answer = dsgec("check", "network.bnf", "--data", "wdbc", cwd=desk)

    assert answer.stdout.startswith("network: no faults")
    assert answer.stderr == ""
    assert "at most     8 neurons, 8 connections a neuron" in answer.stdout


def test_the_configuration_makes_a_run(desk):
    quick = [*NUMPY, "--generations", "2", "--population", "6"]
    dsgec("evolve", "--config", "run.toml", *quick, "--quiet", cwd=desk)

    record = read_json(desk / "build" / "wdbc-network-seed1", "run.json")
    assert record["data"]["target"] == "diagnosis"
    assert record["settings"]["test"] == 0.3


def test_the_lines_of_the_configuration_that_are_comments_can_be_used(desk):
    text = (
        (desk / "run.toml").read_text().replace('\n# ignore = ["id"]', '\nignore = ["area error"]')
    )
    text = text.replace("\n# max_depth", "\nmax_depth").replace("\n# out", "\nout")
    assert {"ignore", "max_depth", "out"} <= tomllib.loads(text).keys()
    (desk / "run.toml").write_text(text)
    quick = [*NUMPY, "--generations", "2", "--population", "6"]
    dsgec("evolve", "--config", desk / "run.toml", *quick, "--quiet", cwd=desk)

    record = read_json(desk / "build" / "wdbc-network-seed1", "run.json")
    assert record["settings"]["max_depth"] == {"neurons": 3}
    assert record["data"]["ignore"] == ["area error"]


@pytest.mark.needs_cc
def test_the_study_runs(desk, threads_for_processes):
    pytest.importorskip("scipy")
    text = (desk / "study.toml").read_text()
    text = text.replace("runs = 5 ", "runs = 2 ").replace("generations = 40", "generations = 3")
    (desk / "study.toml").write_text(text)
    answer = dsgec("study", "study.toml", "--jobs", "1", cwd=desk)

    assert "Two grammars on breast cancer" in answer.stdout
    assert (desk / "build" / "study" / "results.csv").read_text().count("\n") == 1 + 2 * 2
