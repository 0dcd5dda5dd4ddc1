"""Calls on a cluster, whose scheduler is played by the tests, and workers that refuse."""

import importlib.util
import os
import signal
import socket
import subprocess
import sys

import pytest

from dsgec.errors import DsgecError
from dsgec.study.cluster import Cluster, OtherVersion, call_here, connect, identity
from tests.support.clusters import other_dsgec
from tests.support.command_line import dsgec

pytest.importorskip("distributed")


def die():
    os.kill(os.getpid(), signal.SIGKILL)


class FakeFuture:
    def __init__(self, outcome):
        self.outcome = outcome

    def add_done_callback(self, tell):
        tell(self)

    def result(self):
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


class FakeClient:
    """Answers calls with what it was given, in that order."""

    status = "running"

    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)

    def submit(self, function, *arguments, **options):
        return FakeFuture(self.outcomes.pop(0))

    def run(self, function, *arguments, **options):
        return {}


def killed():
    from distributed import KilledWorker

    class State:
        address = "tcp://127.0.0.1:1"

    return KilledWorker("cell", State(), 3)


def test_the_error_of_a_call_is_explained():
    client = FakeClient(7, killed(), DsgecError("a fault"), KeyError("x"))
    cluster = Cluster(client, "tcp://there")
    good, lost, mistake, bug = (cluster.submit(die) for _ in range(4))

    assert good.result() == 7
    with pytest.raises(DsgecError, match="every worker that it was given to died"):
        lost.result()
    with pytest.raises(DsgecError, match="a fault"):
        mistake.result()
    with pytest.raises(DsgecError, match="a worker failed: KeyError"):
        bug.result()


def test_a_scheduler_that_is_gone_is_told():
    from concurrent.futures import CancelledError

    client = FakeClient(CancelledError())
    client.status = "closed"
    call = Cluster(client, "tcp://there").submit(die)

    with pytest.raises(DsgecError, match="the scheduler of the cluster tcp://there is gone"):
        call.result()


def test_a_worker_with_another_dsgec_makes_no_call(monkeypatch):
    class Worker:
        address = "tcp://me"

    monkeypatch.setattr("distributed.get_worker", lambda: Worker)
    assert call_here(identity(), max, 3, 4) == 4
    with pytest.raises(OtherVersion, match=r"tcp://me has dsgec .*, and here it is 9\.9"):
        call_here("9.9", max, 3, 4)


def test_every_change_of_the_code_is_another_identity(tmp_path):
    same, changed = tmp_path / "same", tmp_path / "changed"
    for folder in (same, changed):
        folder.mkdir()
        other_dsgec(folder)
    random = same / "dsgec" / "random.py"
    random.write_text(random.read_text().removesuffix("# changed\n"))
    ask = "from dsgec.study.cluster import identity; print(identity())"
    told = [
        subprocess.run(
            [sys.executable, "-P", "-c", ask],
            env={**os.environ, "PYTHONPATH": str(path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for path in (same, changed)
    ]

    assert told[0] == identity()
    assert told[1] != told[0]


SLOW = pytest.param("127.0.0.1:99999", marks=pytest.mark.campaign)  # five seconds


@pytest.mark.parametrize(
    "address",
    ["", "nowhere", "tcp://", "http://x", "a:b:c", "tls://127.0.0.1:9", SLOW],
)
def test_a_wrong_address_is_told(address):
    with pytest.raises(DsgecError, match="no scheduler of a dask cluster answers at") as error:
        connect(address)
    assert "dask scheduler" in error.value.faults[0].advice


@pytest.mark.campaign
def test_whoever_is_no_scheduler_is_told(tmp_path):
    """Somebody who listens and never answers, and the command as a whole."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        answer = dsgec("study", "example", "--out", tmp_path / "x", "--cluster", address, code=1)

    assert f"error: no scheduler of a dask cluster answers at `{address}`" in answer.stderr
    assert not (tmp_path / "x").exists()
    both = dsgec("study", "example", "--jobs", "2", "--cluster", address, code=2)
    assert "--jobs is for this machine" in both.stderr


def test_a_cluster_without_dask_is_told(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        DsgecError, match=r"needs dask.distributed\n.*pip install 'dsgec\[cluster\]'"
    ):
        connect("tcp://127.0.0.1:1")
