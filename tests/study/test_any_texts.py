"""A study of problems whose fitness is a user's."""

import csv
import importlib
import importlib.util
import statistics

import pytest

import dsgec as library
from dsgec.problems import NAMES, parity_5
from dsgec.study.definition import cells
from dsgec.study.parse import load_study
from tests.support.command_line import dsgec

STUDY = """
runs = 3
generations = 4

[settings]
population = 20
stop_at = 3.0
selection = "lexicase"

[data.parity]
fitness = "parity_5"

[data.mine]
fitness = "mine.py:cases"

[[part]]
name = "bits"
representations = ["dsge", "ge"]
grammars = ["parity_5", "mine.bnf"]
data = ["parity", "mine"]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "bits.toml").write_text(STUDY)
    (tmp_path / "mine.py").write_text(
        "def cases(text):\n    return [text.count('not'), abs(len(text) - 9)]\n"
    )
    (tmp_path / "mine.bnf").write_text('<b> ::= "not " <b> | b0 | b1\n')
    return tmp_path


def test_a_study_compares_representations_by_a_users_fitness(folder):
    said = dsgec("study", "bits.toml", "--jobs", "1", cwd=folder).stdout
    assert "Success rate" in said and "Num. Features" not in said
    with (folder / "build/bits/results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 2 * 2 * 2
    settings = {"population": 20, "generations": 4, "selection": "lexicase", "stop_at": 3.0}
    own = [
        r for r in rows if (r["engine"], r["grammar"], r["data"]) == ("ge", "parity_5", "parity")
    ]
    for row in own:
        more = {"representation": "ge", "seed": int(row["seed"])}
        run = library.search(parity_5.grammar, parity_5.fitness, **settings, **more)
        assert float(row["fitness"]) == run.score
        assert float(row["train_solved"]) == (run.score <= 3.0)
        assert int(row["evaluations"]) == run.details.result.evaluations
    mean = statistics.fmean(float(row["fitness"]) for row in own)
    assert f"{mean:.3g}"[:3] in said
    again = dsgec("study", "bits.toml", cwd=folder)
    assert "24 of them finished before" in again.stderr


def test_mistakes_in_such_a_study_are_reported(folder):
    study = folder / "bits.toml"
    for old, new, message in (
        ('"mine.py:cases"', '"mine.py:nothing"', "mine.py has no function `nothing`"),
        ("[data.mine]\nfitness = ", "[data.mine]\nfile = ", "tables and problems with a fitness"),
        ("stop_at = 3.0", "steps = 3", "steps"),
    ):
        study.write_text(STUDY.replace(old, new))
        assert message in dsgec("study", "bits.toml", cwd=folder, code=1).stderr


OWN = """
runs = 2
generations = 1

[settings]
population = 10

[[part]]
name = "shipped"
representations = ["dsge", "ge"]
data = ["quartic", "parity_5"]
"""


def test_shipped_problems_bring_their_grammars_and_settings(tmp_path):
    (tmp_path / "own.toml").write_text(OWN)
    said = dsgec("study", "own.toml", "--jobs", "1", cwd=tmp_path).stdout
    assert "Success rate" in said and "parity 5" in said
    with (tmp_path / "build/own/results.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 2 * 2
    for row in rows:
        problem = importlib.import_module(f"dsgec.problems.{row['data']}")
        more = {"representation": row["engine"], "seed": int(row["seed"]), **problem.settings}
        run = library.search(problem.grammar, problem.fitness, population=10, generations=1, **more)
        assert float(row["fitness"]) == run.score
        assert float(row["train_solved"]) == (run.score <= problem.settings["stop_at"])


@pytest.mark.skipif(importlib.util.find_spec("mlxtend") is None, reason="needs mlxtend")
def test_the_shipped_study_of_classics_has_all_problems():
    study = load_study("classics")
    every = {data.name for part in study.parts for data in part.data}
    assert every == set(NAMES)
    for cell in cells(study):
        own = getattr(importlib.import_module(f"dsgec.problems.{cell.data.name}"), "settings", {})
        assert cell.settings.stop_at == own.get("stop_at")
        assert cell.grammar.file == cell.data.name
        assert not own.get("maximise")
