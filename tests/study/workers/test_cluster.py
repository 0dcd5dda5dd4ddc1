"""Calls on a cluster, whose scheduler is played by the tests, and workers that refuse."""

import os
import signal
import socket
import subprocess
import sys

import pytest

from dsgec.errors import DsgecError
from dsgec.study.workers import worker
from dsgec.study.workers.cluster import MOST_RESTARTS, Cluster
from dsgec.study.workers.connect import connect
from tests.clusters import other_dsgec
from tests.command import dsgec

pytest.importorskip("distributed")


def die(_cell):
    os.kill(os.getpid(), signal.SIGKILL)


class FakeFuture:
    def __init__(self, outcome):
        self.outcome = outcome
        self.status = "error" if isinstance(outcome, Exception) else "finished"

    def add_done_callback(self, tell):
        tell(self)

    def result(self):
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


class FakeClient:
    """Answers calls with what it was given, in that order, and keeps what was asked of it."""

    status = "running"

    def __init__(self, *outcomes):
        self.outcomes, self.ran = list(outcomes), []

    def submit(self, function, *arguments, **options):
        return FakeFuture(self.outcomes.pop(0))

    def gather(self, futures):
        self.gathered = len(futures)
        return [future.result() for future in futures]

    def run(self, function, *arguments, **options):
        self.ran.append((function, arguments, options.get("workers")))
        return {}


def killed():
    from distributed import KilledWorker

    class State:
        address = "tcp://127.0.0.1:1"

    return KilledWorker("cell", State(), 3)


def test_a_lost_call_is_sent_again_so_many_times():
    lost = [killed() for _ in range(MOST_RESTARTS)]
    cluster = Cluster(FakeClient(*lost, 7), "tcp://there")
    call = cluster.submit(die, 1)
    assert cluster.ended(1) == [call]
    assert call.result() == 7

    cluster = Cluster(FakeClient(*lost, killed()), "tcp://there")
    call = cluster.submit(die, 1)
    assert cluster.ended(1) == [call]
    with pytest.raises(DsgecError, match="every worker that it was given to died"):
        call.result()


def test_a_worker_is_sent_what_it_misses():
    missing = worker.Missing("tcp://late", ("unset",))
    client = FakeClient(missing, 7)
    cluster = Cluster(client, "tcp://there")
    shared = cluster.share(("a", "value"))
    assert cluster.share(("a", "value")) == shared
    assert cluster.share(("another", "value")) != shared
    assert [values for _, (values,), _ in client.ran] == [
        {shared.digest: ("a", "value")},
        {cluster.share(("another", "value")).digest: ("another", "value")},
    ]
    client.outcomes[0] = worker.Missing("tcp://late", (shared.digest,))
    call = cluster.submit(die, shared)

    assert cluster.ended(1) == [call]
    assert client.ran[-1] == (worker.hold, ({shared.digest: ("a", "value")},), ["tcp://late"])
    assert call.result() == 7


def test_what_has_ended_comes_together():
    client = FakeClient(7, killed(), DsgecError("a fault"), 9, 8)
    cluster = Cluster(client, "tcp://there")
    first, second, third, fourth = (cluster.submit(die, number) for number in range(4))

    assert cluster.ended(1) == [first, third, fourth]
    assert client.gathered == 2
    assert (first.result(), fourth.result()) == (7, 9)
    with pytest.raises(DsgecError, match="a fault"):
        third.result()
    assert cluster.ended(1) == [second]
    assert second.result() == 8
    assert cluster.ended(0.01) == []


def test_a_scheduler_that_is_gone_is_told():
    from concurrent.futures import CancelledError

    client = FakeClient(CancelledError())
    cluster = Cluster(client, "tcp://there")
    cluster.submit(die, 1)
    client.status = "closed"

    with pytest.raises(DsgecError, match="the scheduler of the cluster tcp://there is gone"):
        cluster.ended(1)


def test_a_worker_holds_values_and_lets_the_oldest_go(monkeypatch):
    monkeypatch.setattr(worker, "_held", type(worker._held)())
    monkeypatch.setattr(worker, "_address", lambda: "tcp://me")
    monkeypatch.setattr(worker, "MOST_HELD", 2)
    a, b, c = map(worker.Shared, "abc")
    worker.hold({"a": 1, "b": 2})
    here = worker.identity()
    assert worker.call(here, max, a, b, -5) == 2
    assert worker.call(here, max, a, 0) == 1  # so b was used longest ago
    worker.hold({"c": 3})
    assert worker.call(here, max, a, b, c) == worker.Missing("tcp://me", ("b",))
    assert worker.call(here, max, a, c) == 3
    worker.drop(["a", "never held"])
    assert worker.call(here, max, a, c) == worker.Missing("tcp://me", ("a",))
    with pytest.raises(worker.OtherVersion, match=r"tcp://me has dsgec .*, and here it is 9\.9"):
        worker.call("9.9", max, c, 4)


def test_every_change_of_the_code_is_another_identity(tmp_path):
    same, changed = tmp_path / "same", tmp_path / "changed"
    for folder in (same, changed):
        folder.mkdir()
        other_dsgec(folder)
    random = same / "dsgec" / "random.py"
    random.write_text(random.read_text().removesuffix("# changed\n"))
    ask = "from dsgec.study.workers.worker import identity; print(identity())"
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

    assert told[0] == worker.identity()
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
    from dsgec.study.workers import connect as module

    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        DsgecError, match=r"needs dask.distributed\n.*pip install 'dsgec\[cluster\]'"
    ):
        connect("tcp://127.0.0.1:1")
