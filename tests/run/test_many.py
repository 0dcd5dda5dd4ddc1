"""Several runs in processes end well when one fails, is killed or is interrupted."""

import os
import signal
import subprocess
import threading
from functools import partial
from pathlib import Path

import pytest

from dsgec.errors import DsgecError
from dsgec.run.checkpoint import NAME
from tests.support.clusters import wait_until
from tests.support.command_line import COMMAND, dsgec, restore_signals
from tests.support.processes import use_threads_for_processes
from tests.support.runs import RUN, begun, go, made, over, quick_job

LONG = ["evolve", "one_layer", "wdbc", "--pruning", "1", "--tuning", "3"]
LONG += ["--population", "12", "--generations", "40"]
MANY = [*LONG, "--runs", "3", "--jobs", "2", "--save-every", "0"]
SLOW = ["--backend", "numpy"]  # a quarter of a minute: it is interrupted long before it ends


def folders(out):
    return [out / f"wdbc-one_layer-seed{number}" for number in (1, 2, 3)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Three runs that nothing interrupted."""
    return one_by_one(tmp_path_factory.mktemp("whole"))


def one_by_one(out):
    """Return the files of the three runs if each has its own command, which starts no process."""
    for seed in (1, 2, 3):
        dsgec(*LONG, "--seed", seed, "--out", out, "--quiet")
    return [made(folder) for folder in folders(out)]


def children(pid):
    """The processes that a process has started."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found


def start(out, *more):
    return subprocess.Popen(
        [*COMMAND, *MANY, *more, "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=restore_signals,
        process_group=0,
    )


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc")


def test_nothing_begins_that_was_stopped_before(tmp_path):
    stop = threading.Event()
    stop.set()
    assert over(1, [partial(quick_job, tmp_path)], "numpy", 1, lambda _: None, stop=stop) == []
    assert not list(tmp_path.iterdir())


@needs_proc
@pytest.mark.campaign
@pytest.mark.needs_cc
def test_a_process_that_is_killed_is_replaced(tmp_path, whole):
    with start(tmp_path) as process:
        wait_until(lambda: (folders(tmp_path)[0] / NAME).exists())
        os.kill(children(process.pid)[0], signal.SIGKILL)
        _, errors = process.communicate()

    assert process.returncode == 0, errors
    assert [made(folder) for folder in folders(tmp_path)] == whole


@pytest.mark.needs_cc
@pytest.mark.parametrize(
    ("number", "group"),
    [
        pytest.param(signal.SIGINT, True, id="Ctrl-C"),
        pytest.param(signal.SIGTERM, False, id="TERM", marks=pytest.mark.campaign),
    ],
)
def test_a_signal_ends_them_all_in_good_order(tmp_path, whole, number, group):
    """Ctrl-C reaches all processes, a signal to the command only itself: it makes no difference."""
    with start(tmp_path, *SLOW) as process:
        wait_until(lambda: all((folder / NAME).exists() for folder in folders(tmp_path)[:2]))
        (os.killpg if group else os.kill)(process.pid, number)
        _, errors = process.communicate()

    assert process.returncode == 128 + number, errors
    assert "Traceback" not in errors
    assert "stopping" in errors
    assert "interrupted: 0 of 3 have ended" in errors
    assert [begun(folder) for folder in folders(tmp_path)] == [True, True, False]
    assert (folders(tmp_path)[0] / "report.html").exists()  # what there was, in good order
    assert one_by_one(tmp_path) == whole


@needs_proc
@pytest.mark.campaign
@pytest.mark.needs_cc
def test_when_the_command_is_killed_nobody_goes_on(tmp_path, whole):
    with start(tmp_path, *SLOW) as process:
        wait_until(lambda: (folders(tmp_path)[0] / NAME).exists())
        there = children(process.pid)
        process.kill()
        process.communicate()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in there))
    assert there
    dsgec(*MANY, "--out", tmp_path, "--quiet")
    assert [made(folder) for folder in folders(tmp_path)] == whole


def test_several_runs_are_interrupted_and_go_on(tmp_path, monkeypatch):
    def jobs(out):
        return [partial(quick_job, out, 6, seed=seed) for seed in (1, 2, 3)]

    whole = [go(job(), "reference") for job in jobs(tmp_path / "whole")]
    stop = threading.Event()
    told = []

    def ended(one):
        told.append(one.ended)
        stop.set()

    over(1, jobs(tmp_path / "cut"), "reference", 1, ended, stop=stop)
    assert told[0] == "generations"
    assert len(told) < 3 or told[-1] == "interrupted"
    use_threads_for_processes(monkeypatch)  # who goes on makes no difference
    again = over(2, jobs(tmp_path / "cut"), "reference", 1, lambda _: None)
    assert [made(one.folder) for one in again] == [made(one.folder) for one in whole]


def test_several_runs_go_on_where_they_were(tmp_path, threads_for_processes):
    asked = ["evolve", "one_layer", "wdbc", "--runs", "3", "--generations", "2", "--quiet"]
    asked += ["--preset", "paper", "--population", "8", "--backend", "reference", "--jobs", "1"]
    dsgec(*asked, "--out", tmp_path)
    before = [made(folder) for folder in folders(tmp_path)]
    for folder in folders(tmp_path)[1:]:
        (folder / "run.json").unlink()
    first = (tmp_path / RUN / "run.json").stat().st_mtime_ns
    dsgec(*asked, "--out", tmp_path)
    assert (tmp_path / RUN / "run.json").stat().st_mtime_ns == first
    assert [made(folder) for folder in folders(tmp_path)] == before


def failing(out, number):
    if number == 2:
        raise DsgecError("this one cannot be made", "Make another.")
    return quick_job(out, seed=number, generations=3)


def test_an_error_of_one_is_told_when_the_others_have_ended(tmp_path):
    each = [partial(failing, tmp_path, number) for number in (1, 2, *range(3, 40))]
    with pytest.raises(DsgecError, match=r"run 2 of 39: this one cannot be made"):
        over(1, each, "numpy", 1, lambda _: None)
    assert (tmp_path / RUN / "run.json").exists()
    assert len(list(tmp_path.glob("*/run.json"))) < 10  # hardly another has begun
