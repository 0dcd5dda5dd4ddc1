"""`dsgec search`: a run in its folder, resumed after kills, and what is printed."""

import csv
import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

import dsgec as library
from tests.support.command_line import COMMAND, dsgec, restore_signals

ROOT = Path(__file__).parents[2]
PROBLEM = '''
import time

grammar = """
<s> ::= <s> " " <s> | a | "b\\\\n" | (<s>)
%max-depth s=5
"""
settings = {"stop_at": -1.0}


def fitness(phenotype):
    time.sleep(0.0004)
    if phenotype.count("a") == 6:
        raise ValueError("six")
    return [abs(len(phenotype) - 30), phenotype.count("a")]


def longest(phenotype):
    return len(phenotype)
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "problem.py").write_text(PROBLEM, encoding="utf-8")
    (tmp_path / "other.bnf").write_text('<s> ::= <s> x | "é y"\n', encoding="utf-8")
    return tmp_path


SMALL = ("--population", "20", "--generations", "5")


def files(run):
    """The files that are the same whenever the run is made."""
    names = ("run.json", "history.csv", "hall_of_fame.csv", "best.txt", "report.html")
    return {name: (run / name).read_bytes() for name in (*names, "SHA256SUMS")}


@pytest.mark.parametrize("option", [("--jobs", "2"), ("--backend", "numpy")])
def test_options_that_a_search_has_no_use_for_are_refused(folder, option):
    answer = dsgec("search", "problem.py", *SMALL, *option, cwd=folder, code=2)
    assert option[0] in answer.stderr
    assert not (folder / "build").exists()


def test_a_file_with_a_grammar_and_a_fitness_is_a_problem(folder):
    answer = dsgec("search", "problem.py", *SMALL, cwd=folder)
    run = folder / "build" / "problem-seed1"
    record = json.loads((run / "run.json").read_text())
    best = record["result"]["best"]
    assert (run / "best.txt").read_text() == best["phenotype"]
    assert record["settings"]["stop_at"] == -1.0  # of the problem
    length, count = best["values"]
    assert length == abs(len(best["phenotype"]) - 30) and count == best["phenotype"].count("a")
    assert record["result"]["score"] == length + count
    assert f"best phenotype: {length + count:.4f} (minimised)" in answer.stdout
    with (run / "hall_of_fame.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["phenotype"] == best["phenotype"]
    lengths = [int(row["length"]) for row in rows]
    assert lengths == sorted(lengths, reverse=True)
    assert "<title>problem – a search by dsgec</title>" in (run / "report.html").read_text()
    again = dsgec("search", "problem.py", *SMALL, cwd=folder)
    assert "has this run already" in again.stderr


def test_a_grammar_and_a_function_are_given_by_name(folder):
    given = ("search", "other.bnf", "problem.py:longest", "--maximise", *SMALL, "--json")
    record = json.loads(dsgec(*given, "--max-depth", "s=3", cwd=folder).stdout)
    assert record["result"]["best"]["phenotype"] == "é yxxx"
    assert record["result"]["score"] == 6.0
    assert record["settings"]["max_depth"] == {"s": 3}


def test_the_library_and_the_command_find_the_same(folder, monkeypatch):
    answer = dsgec("search", "problem.py", *SMALL, "--json", cwd=folder)
    monkeypatch.syspath_prepend(folder)
    import problem

    run = library.search(problem.grammar, problem.fitness, population=20, generations=5)
    assert json.loads(answer.stdout)["result"]["best"] == run.record["result"]["best"]
    assert library.search is not None and library.search.__name__ == "dsgec.search"


def test_several_runs_have_a_folder_each(folder):
    dsgec("search", "problem.py", *SMALL, "--runs", "2", "--seed", "5", cwd=folder)
    found = sorted(path.name for path in (folder / "build").iterdir())
    assert found == ["problem-seed5", "problem-seed6"]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("processes", "wanted"), [(0, 10), (2, 4), pytest.param(1, 50, marks=pytest.mark.campaign)]
)
def test_a_search_that_is_killed_often_ends_with_the_same_bytes(folder, processes, wanted):
    generations = str(200 if wanted == 50 else 60)
    given = ["search", "problem.py", "--population", "60", "--generations", generations]
    given += ["--name", "run"]
    dsgec(*given, "--out", "whole", cwd=folder)
    rng = random.Random(processes)
    kills = 0
    command = [*COMMAND, *given, "--save-every", "0", "--processes", str(processes)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = folder / "build" / "run"
    while kills < wanted:
        with subprocess.Popen(command, cwd=folder, env=env, stderr=subprocess.DEVNULL) as process:
            before = _changed(run)
            deadline = time.monotonic() + 60
            while _changed(run) == before and time.monotonic() < deadline:
                if process.poll() is not None:
                    break
                time.sleep(0.005)
            time.sleep(rng.random() * 0.1)
            process.send_signal(signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL
        if not (run / "checkpoint").exists():
            break
    assert kills == wanted
    if (run / "checkpoint").exists():
        dsgec("resume", run, cwd=folder)
    assert files(run) == files(folder / "whole" / "run")


def _changed(run):
    try:
        return (run / "checkpoint").stat().st_mtime_ns
    except OSError:
        return 0


def test_ctrl_c_stops_after_a_generation_and_resume_continues(folder):
    given = ["search", "problem.py", "--population", "40", "--generations", "400", "--name", "run"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [*COMMAND, *given, "--save-every", "0"],
        cwd=folder,
        env=env,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        preexec_fn=restore_signals,
    ) as process:
        while not (folder / "build/run/checkpoint").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    assert "`dsgec resume build/run` resumes it" in said
    problem = folder / "problem.py"
    problem.write_text(f"{PROBLEM}\n# changed\n", encoding="utf-8")
    refused = dsgec("resume", "build/run", cwd=folder, code=1)
    assert "has changed since the search in build/run began" in refused.stderr
    problem.write_text(PROBLEM, encoding="utf-8")
    dsgec("resume", "build/run", "--max-seconds", "0", cwd=folder)


def test_mistakes_are_explained(folder):
    (folder / "broken.py").write_text("import nothing_of_this_name\n", encoding="utf-8")
    for given, message in (
        (("nowhere.py",), "there is no file nowhere.py"),
        (("broken.py",), "broken.py cannot be imported: ModuleNotFoundError"),
        (("problem.py:best",), "problem.py has no function `best`"),
        (("other.bnf", "problem.py", "--representation", "ge", "--variation", "trees"), "lists"),
        (("problem.py", "--objectives", "2", "--elites", "3"), "all parents compete"),
        (("problem.py", "--objectives", "2", "--selection", "lexicase"), "are not cases"),
    ):
        assert message in dsgec("search", *given, cwd=folder, code=1).stderr, given


def test_the_other_commands_know_such_a_run(folder):
    dsgec("search", "problem.py", *SMALL, "--name", "run", cwd=folder)
    run = folder / "build/run"
    before = (run / "report.html").read_bytes()
    dsgec("report", "build/run", cwd=folder)
    assert (run / "report.html").read_bytes() == before
    assert dsgec("show", "build/run", cwd=folder).stdout == (run / "best.txt").read_text() + "\n"
    for command in (("export", "build/run"), ("predict", "build/run", "iris")):
        said = dsgec(*command, cwd=folder, code=1).stderr
        assert "search" in said and "no network" in said, said
    loaded = library.SearchRun.load(run)
    with pytest.raises(library.DsgecError, match=r"SearchRun\.load"):
        library.load(run)
    assert loaded.best == (run / "best.txt").read_text()
    ended = dsgec("resume", "build/run", cwd=folder, code=1).stderr
    assert "there is nothing to resume" in ended
