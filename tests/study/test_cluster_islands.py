"""Islands on a cluster end with the bytes that they have here."""

import os
import signal
import subprocess

import pytest

from dsgec.run.checkpoint import NAME
from dsgec.run.history import history_row
from dsgec.search.choose import choose_evolver
from dsgec.search.settings import Settings
from dsgec.study.cluster_islands import ClusterIslands
from tests.support.clusters import ROOT, ImmediateCluster, wait_until
from tests.support.command_line import COMMAND, dsgec
from tests.support.engine_runs import make, make_data
from tests.support.runs import made

SETTINGS = Settings(population=9, generations=9, seed=5, islands=3, migrate_every=4, migrants=2)
RUN = "wdbc-one_layer-seed1"
ISLANDS = ["evolve", "one_layer", "wdbc", "--islands", "3", "--migrate-every", "60", "--quiet"]


@pytest.fixture(scope="module")
def problem():
    return make("one_layer", SETTINGS, make_data(4, 50, 3))


@pytest.fixture(scope="module")
def here(problem):
    evolver = choose_evolver(problem, SETTINGS, "reference")
    rows = [history_row(state) for state in evolver.generations()]
    return rows, evolver.save(), evolver.champions


def test_the_same_generations_state_and_champions(problem, here):
    evolver = ClusterIslands(problem, SETTINGS, ImmediateCluster(), "reference")
    rows = [history_row(state) for state in evolver.generations()]
    assert (rows, evolver.save(), evolver.champions) == here


@pytest.mark.parametrize(
    "done", [3, *(pytest.param(done, marks=pytest.mark.campaign) for done in (0, 4, 5))]
)
def test_a_run_goes_on_there_and_back(problem, here, done):
    """From this machine to the cluster, and from the cluster to this machine."""
    for start, end in ((local, remote), (remote, local)):
        first = start(problem)
        rows = []
        while len(rows) <= done:
            rows += first.advance(1, 60.0)
        second = end(problem)
        second.restore(first.save())
        assert second.next_generation == done + 1
        assert second.best_phenotype == rows[-1].phenotype
        rows += second.generations()
        assert ([history_row(row) for row in rows], second.save(), second.champions) == here


def local(problem):
    return choose_evolver(problem, SETTINGS, "reference")


def remote(problem):
    return ClusterIslands(problem, SETTINGS, ImmediateCluster(), "reference")


def test_a_cluster_is_for_islands():
    pytest.importorskip("distributed")
    asked = ["evolve", "one_layer", "wdbc", "--cluster", "tcp://127.0.0.1:9", "--generations", "1"]
    assert "Say how many with --islands" in dsgec(*asked, code=1).stderr
    assert "study --cluster" in dsgec(*asked, "--islands", "2", "--runs", "2", code=1).stderr


def under_way(folder, cluster, trouble):
    """A run here and one on the cluster, which meets with trouble after its first checkpoint.

    Gives the exit code and the folders of both.
    """
    asked = [*ISLANDS, "--generations", "1500", "--save-every", "0"]
    dsgec(*asked, "--out", folder / "here")
    there = folder / "there" / RUN
    command = [*COMMAND, *asked, "--out", str(folder / "there"), "--cluster", cluster.address]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: (there / NAME).exists() or process.poll() is not None)
        trouble(process)
        _, errors = process.communicate()
    assert "Traceback" not in errors
    return process.returncode, folder / "here" / RUN, there


@pytest.mark.campaign
@pytest.mark.needs_cc
def test_workers_die_and_join_and_the_bytes_are_the_same(tmp_path, start_cluster):
    pytest.importorskip("distributed")
    cluster = start_cluster(3)

    def trouble(_):
        cluster.workers[0].kill()
        cluster.workers[1].kill()
        cluster.add()

    code, here, there = under_way(tmp_path, cluster, trouble)
    assert code == 0
    assert made(there) == made(here)


@pytest.mark.campaign
@pytest.mark.needs_cc
def test_an_interrupted_run_goes_on_here(tmp_path, start_cluster):
    pytest.importorskip("distributed")

    def trouble(process):
        process.send_signal(signal.SIGTERM)

    code, here, there = under_way(tmp_path, start_cluster(2), trouble)
    assert code == 143
    dsgec("resume", there, "--quiet")
    assert made(there) == made(here)
