"""A study on a cluster gives the files that it gives here, whatever happens to the workers."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from dsgec.study.cluster import connect, identity
from dsgec.study.prepare import RUNS
from tests.support.clusters import ROOT, other_dsgec, wait_until
from tests.support.command_line import COMMAND, dsgec, restore_signals

pytest.importorskip("distributed")

STUDY = """
name = "small"
runs = RUNS
generations = GENERATIONS
[settings]
population = 20
[[part]]
representations = ["dsge"]
grammars = ["one_layer", "multi_layer"]
data = ["wdbc"]
"""


def written(folder, runs, generations):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "small.toml"
    path.write_text(STUDY.replace("RUNS", str(runs)).replace("GENERATIONS", str(generations)))
    return path


def made(folder):
    """All that a study has made."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def studied_here(file, out):
    """Return the study as made without a cluster; it also compiles the engines for the workers."""
    dsgec("study", file, "--out", out, "--jobs", "1", "--quiet")
    return out


def runs_of(folder):
    return list(folder.glob(f"{RUNS}/*.json"))


@contextlib.contextmanager
def studying(file, out, cluster):
    """A study that is under way, as a process; its messages are in `out`.err."""
    command = [*COMMAND, "study", str(file), "--out", str(out), "--cluster", cluster.address]
    errors = out.with_suffix(".err")
    with (
        errors.open("w") as log,
        subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=log,
            preexec_fn=restore_signals,
        ) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.campaign
def test_a_study_on_a_cluster_makes_the_same_files(tmp_path, start_cluster):
    file = written(tmp_path, 3, 60)
    file.write_text(file.read_text().replace(', "multi_layer"', ""))  # one engine to compile
    cluster = start_cluster(1, threads=2)
    out, here = tmp_path / "out", tmp_path / "here"
    there = dsgec("study", file, "--out", out, "--cluster", cluster.address).stderr
    local = dsgec("study", file, "--out", here, "--jobs", "1").stderr

    assert f"on the cluster {cluster.address}: 1 worker, 2 threads" in there.splitlines()[0]
    assert "3 runs, 0 of them finished before; over 1 process" in local.splitlines()[0]
    assert made(out) == made(here)
    assert len(runs_of(out)) == 3


@pytest.mark.campaign
def test_workers_that_die_and_join_change_nothing(tmp_path, start_cluster):
    file = written(tmp_path, 30, 1000)
    whole = made(studied_here(file, tmp_path / "here"))
    cluster = start_cluster(4)
    out = tmp_path / "out"
    with studying(file, out, cluster) as process:
        wait_until(lambda: len(runs_of(out)) >= 5)
        cluster.workers[0].kill()
        wait_until(lambda: len(runs_of(out)) >= 12)
        cluster.workers[1].kill()
        late = cluster.add()
        wait_until(lambda: len(runs_of(out)) >= 20)
        assert process.poll() is None
        assert process.wait(600) == 0
    assert [w.poll() for w in cluster.workers] == [-9, -9, None, None, None]
    assert late.poll() is None
    assert "Traceback" not in (tmp_path / "cluster" / "dask_worker.log").read_text()
    assert made(out) == whole
    assert len(runs_of(out)) == 60


@pytest.mark.campaign
def test_all_workers_die_and_a_new_one_finishes(tmp_path, start_cluster):
    file = written(tmp_path, 6, 1000)
    whole = made(studied_here(file, tmp_path / "here"))
    cluster = start_cluster(2)
    out = tmp_path / "out"
    with studying(file, out, cluster) as process:
        wait_until(lambda: runs_of(out))
        for each in cluster.workers:
            each.kill()
        cluster.add(2)  # it holds nothing of what the others were sent
        assert process.wait(600) == 0

    assert made(out) == whole


@pytest.mark.campaign
def test_a_study_starts_before_its_workers(tmp_path, start_cluster):
    file = written(tmp_path, 2, 30)
    cluster = start_cluster()
    out = tmp_path / "out"
    errors = out.with_suffix(".err")
    with studying(file, out, cluster) as process:
        wait_until(lambda: errors.exists() and "no worker: runs wait" in errors.read_text())
        cluster.add()
        assert process.wait(600) == 0
    assert "0 workers, 0 threads" in errors.read_text()
    assert len(runs_of(out)) == 4


@pytest.mark.campaign
@pytest.mark.parametrize("who", ["scheduler", "client", "interrupt"])
def test_what_has_finished_is_kept(tmp_path, start_cluster, who):
    file = written(tmp_path, 12, 1000)
    whole = made(studied_here(file, tmp_path / "here"))
    cluster = start_cluster(2)
    out = tmp_path / "out"
    with studying(file, out, cluster) as process:
        wait_until(lambda: len(runs_of(out)) >= 3)
        if who == "interrupt":
            process.send_signal(signal.SIGINT)
        else:
            (cluster.scheduler if who == "scheduler" else process).kill()
        code = process.wait(60)
    errors = out.with_suffix(".err").read_text()
    there = {p: p.stat().st_mtime_ns for p in runs_of(out)}
    assert 3 <= len(there) < 24
    assert code == {"scheduler": 1, "client": -9, "interrupt": 130}[who]
    assert "Traceback" not in errors
    if who == "scheduler":
        assert f"the scheduler of the cluster {cluster.address} is gone" in errors
    if who == "interrupt":
        assert "` resumes" in errors
    if who != "scheduler":  # the workers are told, and take other work
        with contextlib.closing(connect(cluster.address)) as again:
            assert again.submit(identity).result(20) == identity()
    dsgec("study", file, "--out", out, "--quiet")

    assert {p: p.stat().st_mtime_ns for p in there} == there
    assert made(out) == whole


@pytest.mark.campaign
def test_workers_stop_soon_after_an_interrupt(tmp_path, start_cluster):
    file = written(tmp_path, 2, 10_000_000)  # each of them hours
    cluster = start_cluster(2)
    with contextlib.closing(connect(cluster.address)) as beside:
        with studying(file, tmp_path / "out", cluster) as process:
            wait_until(lambda: len(beside._client.processing()) == 2)
            time.sleep(10)  # for two engines to be compiled, and generations to go by
            blocked = beside.submit(identity)
            with pytest.raises(TimeoutError):
                blocked.result(3)
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130
        assert blocked.result(5) == identity()


@pytest.mark.campaign
@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl")
def test_a_cluster_with_tls(tmp_path, start_cluster):
    file = written(tmp_path, 2, 60)
    here = studied_here(file, tmp_path / "here")
    cluster = start_cluster(2, tls=True)
    assert cluster.address.startswith("tls://")
    asked = ["study", file, "--out", tmp_path / "out", "--cluster", cluster.address]
    dsgec(*asked, "--quiet", env=cluster.settings)

    assert made(tmp_path / "out") == made(here)
    assert "no scheduler of a dask cluster answers" in dsgec(*asked, code=1).stderr  # unencrypted


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("arguments", "said"), [("overhead 2 1", "median ratio"), ("client 10 2", "cells of 100 s")]
)
def test_what_a_cluster_costs_can_be_measured(arguments, said):
    script = [sys.executable, str(ROOT / "examples" / "measure_cluster.py"), *arguments.split()]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    answer = subprocess.run(script, env=environment, capture_output=True, text=True, check=True)

    assert said in answer.stdout


def no_dsgec(folder):
    """Return a folder of modules that keep Python from finding an installed dsgec."""
    (folder / "sitecustomize.py").write_text(
        "import sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] == 'dsgec':\n"
        "            raise ModuleNotFoundError('no dsgec here')\n"
        "sys.meta_path.insert(0, Refuse())\n"
    )
    return folder


@pytest.mark.campaign
def test_workers_with_another_dsgec_are_told(tmp_path, start_cluster):
    """At the start, and of one that joins later."""
    file = written(tmp_path, 2000, 1000)  # not over before the other worker is there
    (tmp_path / "other").mkdir()
    cluster = start_cluster(1)
    out = tmp_path / "late"
    with studying(file, out, cluster) as process:
        wait_until(lambda: runs_of(out))
        cluster.add(2, path=other_dsgec(tmp_path / "other"))
        assert process.wait(120) == 1
    late = out.with_suffix(".err").read_text()
    early = dsgec("study", file, "--out", tmp_path / "x", "--cluster", cluster.address, code=1)
    here = re.escape(identity())

    for errors in (late, early.stderr):
        pattern = rf"the worker tcp://\S+ has dsgec \S+ \(\w+\), and here it is {here}"
        assert re.search(pattern, errors)
        assert "Install the same dsgec on every worker" in errors
    assert not (tmp_path / "x").exists()
    assert runs_of(out)


@pytest.mark.campaign
def test_workers_without_dsgec_do_no_harm(tmp_path, start_cluster):
    """One is told of at the start; one that joins later is, or ends when it is given a run."""
    file = written(tmp_path, 30, 500)
    whole = made(studied_here(file, tmp_path / "here"))
    (tmp_path / "none").mkdir()
    cluster = start_cluster(1)
    out = tmp_path / "late"
    with studying(file, out, cluster) as process:
        wait_until(lambda: runs_of(out))
        cluster.add(path=no_dsgec(tmp_path / "none"))
        code = process.wait(600)
    told = "has no dsgec, or an old one: ModuleNotFoundError('no dsgec here')"
    if code == 0:
        assert made(out) == whole
        log = (tmp_path / "cluster" / "dask_worker.log").read_text()
        assert "ModuleNotFoundError: no dsgec here" in log
        assert cluster.workers[-1].wait(60) is not None
        cluster.add(path=tmp_path / "none")
        cluster.wait_for_workers(2)
    else:
        assert told in out.with_suffix(".err").read_text()
    early = dsgec("study", file, "--out", tmp_path / "x", "--cluster", cluster.address, code=1)

    assert told in early.stderr
    assert "Install dsgec" in early.stderr
    assert not (tmp_path / "x").exists()
