"""A study can be killed at any moment and started again: its results stay the same."""

import csv
import json
import os
import random
import signal
import subprocess
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from dsgec.errors import DsgecError
from dsgec.folder import open_folder, open_locked
from dsgec.study.definition import cells
from dsgec.study.parse import load_study
from dsgec.study.prepare import RUNS, prepare
from dsgec.study.processes import Processes
from dsgec.study.work import finished_results, work
from tests.support.clusters import wait_until
from tests.support.command_line import COMMAND, NO_COMPILER, dsgec, restore_signals
from tests.support.processes import use_threads_for_processes

STUDY = """
name = "small"
runs = 4
generations = 20
[settings]
population = 20
[[part]]
name = "usual"
representations = ["dsge"]
grammars = ["one_layer", "multi_layer"]
data = ["wdbc"]
[[part]]
name = "no crossover"
representations = ["dsge"]
grammars = ["one_layer"]
data = ["wdbc"]
settings = { crossover = 0.0 }
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "small.toml"
    path.write_text(STUDY)
    return path


@pytest.fixture(scope="module")
def whole(file, tmp_path_factory):
    """The folder of a study that nothing interrupted."""
    out = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        use_threads_for_processes(patch)
        dsgec("study", file, "--out", out, "--quiet")
    return out


@pytest.fixture
def crew(threads_for_processes):
    with closing(Processes(1)) as crew:
        yield crew


def made(folder):
    """Return the files of a study, except its lock and its runs."""
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


def copy(folder, to):
    (to / RUNS).mkdir(parents=True)
    for path in (folder / RUNS).iterdir():
        (to / RUNS / path.name).write_bytes(path.read_bytes())
    return to


def kill_once(command, folder, enough):
    """Start a study, and kill it when it has finished `enough` more runs, or has ended."""
    before = len(list(folder.glob(f"{RUNS}/*.json")))
    with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and len(list(folder.glob(f"{RUNS}/*.json"))) < before + enough:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
    return process.returncode


def test_a_killed_study_goes_on(file, whole, tmp_path, threads_for_processes):
    command = [*COMMAND, "study", str(file), "--out", str(tmp_path), "--quiet", "--jobs", "1"]
    assert kill_once(command, tmp_path, 2) == -signal.SIGKILL
    there = {p: p.stat().st_mtime_ns for p in (tmp_path / RUNS).glob("*.json")}
    assert there
    answer = dsgec("study", file, "--out", tmp_path)

    assert f"12 runs, {len(there)} of them finished before" in answer.stderr
    assert made(tmp_path) == made(whole)
    assert {p: p.stat().st_mtime_ns for p in there} == there  # none of them was run again
    assert not list(tmp_path.rglob(".new-*"))


@pytest.mark.campaign
def test_ten_kills_at_random_moments(tmp_path):
    file = tmp_path / "longer.toml"
    file.write_text(
        STUDY.replace("runs = 4", "runs = 200").replace("generations = 20", "generations = 60")
    )
    dsgec("study", file, "--out", tmp_path / "whole", "--quiet")
    folder = tmp_path / "killed"
    command = [*COMMAND, "study", str(file), "--out", str(folder), "--quiet"]
    draw = random.Random(7)
    counts = []
    for _ in range(10):  # after so many more runs, and a moment of any length into the next ones
        with subprocess.Popen(command, env=ENVIRONMENT) as process:
            wanted = len(list(folder.glob(f"{RUNS}/*.json"))) + draw.randint(1, 40)
            while process.poll() is None and len(list(folder.glob(f"{RUNS}/*.json"))) < wanted:
                time.sleep(0.001)
            time.sleep(draw.uniform(0.0, 0.05))
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        counts.append(len(list(folder.glob(f"{RUNS}/*.json"))))
    assert counts == sorted(counts)
    assert 10 <= counts[-1] < 600
    dsgec("study", file, "--out", folder, "--quiet")

    assert made(folder) == made(tmp_path / "whole")


def test_a_finished_study_only_writes_its_tables_again(
    file, whole, tmp_path, threads_for_processes
):
    folder = copy(whole, tmp_path)
    answer = dsgec("study", file, "--out", folder, "--jobs", "1")

    assert "12 runs, 12 of them finished before" in answer.stderr
    assert made(folder) == made(whole)
    assert "Table 1. usual" in answer.stdout
    assert "Table 2. no crossover" in answer.stdout


def test_the_runs_of_one_kind_stand_together(whole):
    rows = list(csv.DictReader((whole / "results.csv").read_text().splitlines()))

    kinds = [(row["part"], row["grammar"]) for row in rows]
    assert kinds == [
        *[("usual", "one_layer")] * 4,
        *[("usual", "multi_layer")] * 4,
        *[("no crossover", "one_layer")] * 4,
    ]
    assert [row["seed"] for row in rows] == ["1", "2", "3", "4"] * 3


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "[" * 100_000,
        lambda text: "[]",
        lambda text: "null",
        lambda text: text.replace('"seed": 1', '"seed": 2'),
        lambda text: text.replace('"dsgec": "', '"dsgec": "9'),
        lambda text: text.replace('"fitness": ', '"fitness": 1'),
        lambda text: text.replace('"neurons": ', '"neurons": -'),
        lambda text: text.replace('"changes": [', '"changes": [[99, 1.0],'),
        lambda text: json.dumps({**json.loads(text), "changes": []}),
        lambda text: json.dumps({**json.loads(text), "result": 3}),
    ],
)
def test_a_damaged_run_is_run_again(file, whole, crew, tmp_path, damage):
    folder = copy(whole, tmp_path)
    tasks = prepare(list(cells(load_study(str(file)))))
    task, path = tasks[0], folder / RUNS / tasks[0].file
    before = path.read_text()
    with open_folder(folder / RUNS) as runs:
        assert len(finished_results(tasks, runs)) == 12
        path.write_text(damage(before))
        left = finished_results(tasks, runs)

        assert task.cell not in left
        assert len(left) == 11
        work([task], runs, crew, "auto", lambda _: None, lambda *_: None)
    assert path.read_text() == before


def test_another_runs_file_is_not_taken_for_this_one(file, whole, tmp_path, threads_for_processes):
    folder = copy(whole, tmp_path)
    tasks = prepare(list(cells(load_study(str(file)))))
    first, second = (folder / RUNS / task.file for task in tasks[:2])
    first.write_bytes(second.read_bytes())
    (folder / RUNS / "notes.txt").write_text("mine")

    with open_folder(folder / RUNS) as runs:
        assert tasks[0].cell not in finished_results(tasks, runs)
    dsgec("study", file, "--out", folder, "--quiet")
    assert made(folder) == made(whole)
    assert (folder / RUNS / "notes.txt").read_text() == "mine"


def test_two_processes_do_not_work_on_one_folder(file, tmp_path):
    folder = tmp_path / "study"
    with open_locked(folder, "study"):
        answer = dsgec("study", file, "--out", folder, code=1)
        with (
            pytest.raises(DsgecError, match="another process is at work"),
            open_locked(folder, "study"),
        ):
            pass
    assert "another process is at work on the study" in answer.stderr
    assert "--out" in answer.stderr
    assert not folder.exists()  # nothing came into it
    with open_locked(folder, "study"):
        pass


@pytest.fixture
def endless(tmp_path):
    """A study of more runs than there is time for."""
    file = tmp_path / "long.toml"
    file.write_text(STUDY.replace("runs = 4", "runs = 400"))
    return file


def test_an_interrupt_says_how_to_go_on(endless, tmp_path, threads_for_processes):
    folder = tmp_path / "out"

    def interrupt():
        wait_until(lambda: list(folder.glob(f"{RUNS}/*.json")))
        os.kill(os.getpid(), signal.SIGINT)

    # A shell that starts the tests in the background has them ignore interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    answer = dsgec("study", endless, "--out", folder, code=130)
    interrupter.join()
    signal.signal(signal.SIGINT, before)

    assert f"`dsgec study {endless} --out {folder}` resumes" in answer.stderr
    assert "of 1200 runs are finished and kept" in answer.stderr


@pytest.mark.campaign
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_its_processes_and_says_how_to_go_on(endless, tmp_path, number, code):
    file, folder = endless, tmp_path / "out"
    command = [*COMMAND, "study", str(file), "--out", str(folder)]
    with subprocess.Popen(
        command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, preexec_fn=restore_signals
    ) as process:
        while process.poll() is None and not list(folder.glob(f"{RUNS}/*.json")):
            time.sleep(0.01)
        process.send_signal(number)
        _, errors = process.communicate()

    assert process.returncode == code
    assert "Traceback" not in errors
    assert f"`dsgec study {file} --out {folder}` resumes" in errors
    assert "of 1200 runs are finished and kept" in errors


@pytest.mark.campaign
def test_jobs_and_backends_do_not_change_the_results(file, whole, tmp_path):
    quick = ["study", file, "--quick", "--quiet"]
    text = file.read_text() + "[quick]\nruns = 1\ngenerations = 2\n"
    other = tmp_path / "small.toml"
    other.write_text(text)
    quick[1] = other
    dsgec(*quick, "--out", tmp_path / "a", "--jobs", "3")
    dsgec(*quick, "--out", tmp_path / "b", "--jobs", "1", "--backend", "reference")
    dsgec(*quick, cwd=tmp_path, env=NO_COMPILER)

    a, b, c = (made(tmp_path / name) for name in ("a", "b", "build/small-quick"))
    assert a == b == c
    assert b"A quick look: 1 run of at most 2 generations" in a["tables.txt"]
    assert a["results.csv"].count(b"\n") == 4
    assert a["results.csv"] != made(whole)["results.csv"]


@pytest.mark.campaign
def test_a_study_goes_on_when_nobody_listens_any_more(file, whole, tmp_path):
    command = [*COMMAND, "study", str(file), "--out", str(tmp_path)]
    with subprocess.Popen(
        command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert "12 runs" in process.stderr.readline()
        process.stderr.close()
    assert process.returncode == 0
    assert made(tmp_path) == made(whole)


def test_what_cannot_be_run_is_told_before_anything_is_run(tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text(
        '[[part]]\nrepresentations = ["dsge"]\ngrammars = ["one_layer", "nothing"]\n'
        'data = ["wdbc", "sonnar"]\n[data.wdbc]\ntarget = "diagnose"\n'
    )
    errors = dsgec("study", file, "--out", tmp_path / "out", code=1).stderr

    for part in ("there is no grammar nothing", "there is no table sonnar", "`diagnosis`?"):
        assert part in errors
    assert errors.count("error:") == 3
    assert not (tmp_path / "out").exists()


@pytest.mark.campaign
def test_a_quick_look_at_the_papers_study(tmp_path):
    text = dsgec("study", "paper", "--quick", cwd=tmp_path).stdout

    assert text.count("A quick look: 5 runs of at most 50 generations, instead of 30 runs") == 2
    assert "1.16 ± 0.13 +++" in text
    names = {path.name for path in (tmp_path / "build" / "paper-quick").iterdir()}
    assert {"results.csv", "tables.tex", "one_layer-sonar.svg", "one_layer-sonar.png"} <= names


@pytest.mark.campaign
def test_a_remark_on_a_grammar_is_made_once(tmp_path):
    grammar = tmp_path / "raw.bnf"
    grammar.write_text("<a> ::= x_1 | x_2 | <a> + <a>\n")
    file = tmp_path / "raw.toml"
    file.write_text(
        "runs = 2\ngenerations = 1\n[settings]\npopulation = 9\n"
        '[[part]]\nrepresentations = ["dsge"]\ngrammars = ["raw.bnf"]\ndata = ["wdbc"]\n'
    )
    errors = dsgec("study", file, "--out", tmp_path / "out").stderr

    assert errors.count("note: wdbc: the output of this grammar is not a sigmoid") == 1


def test_a_run_without_a_valid_individual_is_an_outcome(tmp_path, threads_for_processes):
    file = tmp_path / "short.toml"
    file.write_text(
        "runs = 6\ngenerations = 2\n[settings]\npopulation = 4\ncodons = 40\n"
        '[[part]]\nrepresentations = ["ge"]\ngrammars = ["one_layer"]\ndata = ["wdbc"]\n'
    )
    text = dsgec("study", file, "--out", tmp_path / "out", "--backend", "numpy").stdout
    rows = list(csv.DictReader((tmp_path / "out" / "results.csv").read_text().splitlines()))
    empty = sum(not row["fitness"] for row in rows)

    assert len(rows) == 6
    assert 0 < empty < 6
    assert f"{empty} of 6 runs of" in text
    assert "6 of them finished before" in dsgec("study", file, "--out", tmp_path / "out").stderr


def test_another_reading_of_a_table_is_another_run(tmp_path, threads_for_processes):
    table = "a;b;y\n" + "".join(f"{i};{i * 7 % 5};{i * 3 % 7}\n" for i in range(40))
    (tmp_path / "t.csv").write_text(table)
    file = tmp_path / "s.toml"
    start = "runs = 1\ngenerations = 1\n[settings]\npopulation = 4\n"
    part = '[[part]]\nrepresentations = ["dsge"]\ngrammars = ["formula"]\ndata = ["t"]\n'
    told = []
    for words in (
        'task = "regression"',
        'task = "regression"\nscale = "standard"',
        'task = "regression"\nseparator = ";"\nheader = true',
    ):
        file.write_text(f'{start}{part}[data.t]\nfile = "t.csv"\n{words}\n')
        command = ["study", file, "--out", tmp_path / "out", "--backend", "numpy"]
        told.append(dsgec(*command).stderr)

    assert all("1 runs, 0 of them finished before" in errors for errors in told)


def test_what_is_made_of_a_table_is_told(tmp_path, threads_for_processes):
    (tmp_path / "t.csv").write_text("a,same,y\n" + "".join(f"{i},5,{i % 2}\n" for i in range(20)))
    file = tmp_path / "s.toml"
    file.write_text(
        "runs = 1\ngenerations = 1\n[settings]\npopulation = 4\n"
        '[[part]]\nrepresentations = ["dsge"]\ngrammars = ["one_layer"]\ndata = ["t.csv"]\n'
    )
    errors = dsgec("study", file, "--out", tmp_path / "out", "--backend", "numpy").stderr

    assert "note: t: `same` is left out: it is 5 in every row" in errors


def test_regression_is_studied_too(tmp_path, threads_for_processes):
    table = tmp_path / "line.csv"
    table.write_text("a,y\n" + "".join(f"{i / 7},{i / 3.5 + 1.25}\n" for i in range(60)))
    file = tmp_path / "line.toml"
    file.write_text(
        "runs = 3\ngenerations = 3\n[settings]\npopulation = 10\n"
        '[[part]]\nrepresentations = ["dsge"]\ngrammars = ["formula"]\ndata = ["line.csv"]\n'
    )
    text = dsgec("study", file, "--out", tmp_path / "out", "--backend", "numpy").stdout

    assert "MAE" in text
    assert "R²" in text
    assert (tmp_path / "out" / "part_1-line.png").exists()


def test_what_a_study_needs_is_told_beforehand(file, monkeypatch):
    from dsgec.study import statistics

    monkeypatch.setattr(statistics.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DsgecError, match=r"needs scipy and pillow\n.*pip install 'dsgec\[study\]'"):
        statistics.require_libraries()


@pytest.mark.parametrize(
    "settings",
    [
        "population = 10\npatience = 1\n",
        "population = 2\nelites = 0\ncodons = 20\n",  # the last generation may have no network
    ],
)
def test_runs_that_end_early_or_without_a_network_are_read_again(
    settings, tmp_path, threads_for_processes
):
    file = tmp_path / "short.toml"
    file.write_text(
        f"runs = 3\nseed = 25\ngenerations = 4\n[settings]\n{settings}"
        '[[part]]\nrepresentations = ["ge"]\ngrammars = ["one_layer"]\ndata = ["wdbc"]\n'
    )
    command = ("study", file, "--out", tmp_path / "out", "--backend", "numpy", "--jobs", 1)
    dsgec(*command)
    assert "3 of them finished before" in dsgec(*command).stderr
