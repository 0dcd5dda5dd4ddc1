"""Local clusters of real processes, and one that makes each call at once."""

import contextlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import Future
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECONDS = 240  # for what takes a moment on a machine with nothing else to do


def wait_until(holds):
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


class LocalCluster:
    """A scheduler and workers, each a process, on ports that the system chooses."""

    def __init__(self, folder, stack, tls=False):
        self.folder, self.stack, self.workers = folder, stack, []
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "scheduler.json"
        self.settings = certificate(folder) if tls else {}
        self.scheduler = self.start(
            *("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
            *("--scheduler-file", file, "--protocol", "tls" if tls else "tcp"),
        )
        wait_until(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]

    def start(self, kind, *arguments, path=ROOT):
        log = self.stack.enter_context((self.folder / f"{kind}.log").open("ab"))
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{kind}", *map(str, arguments)],
            env={**os.environ, **self.settings, "PYTHONPATH": str(path), "PYTHONSAFEPATH": "1"},
            cwd=self.folder,
            stdout=log,
            stderr=log,
        )
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process

    def add(self, threads=1, *, path=ROOT):
        arguments = (self.address, "--no-nanny", "--no-dashboard", "--nthreads", threads)
        self.workers.append(self.start("dask_worker", *arguments, path=path))
        return self.workers[-1]

    def wait_for_workers(self, count):
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=SECONDS)


def other_dsgec(folder):
    """Copy the package, change one file by a comment, and return the folder."""
    subprocess.run(["cp", "-r", *(ROOT / n for n in ("dsgec", "templates")), folder], check=True)
    with (folder / "dsgec" / "random.py").open("a") as file:
        file.write("# changed\n")
    return folder


def certificate(folder):
    """Make a certificate and return dask's settings for TLS as environment variables."""
    key, file = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=cluster", "-keyout", key, "-out", file]
    subprocess.run(command, check=True, capture_output=True)
    start = "DASK_DISTRIBUTED__COMM__TLS__"
    settings = {f"{start}CA_FILE": str(file), "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True"}
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        settings |= {f"{start}{role}__KEY": str(key), f"{start}{role}__CERT": str(file)}
    return settings


@pytest.fixture
def start_cluster(tmp_path):
    """Return a function that starts a cluster, which is killed after the test."""
    with contextlib.ExitStack() as stack:

        def start(workers=0, threads=1, tls=False):
            found = LocalCluster(tmp_path / "cluster", stack, tls)
            for _ in range(workers):
                found.add(threads)
            if workers and not tls:  # which this process has no settings for
                found.wait_for_workers(workers)
            return found

        yield start


class ImmediateCluster:
    """A cluster that makes each call at once, in this process."""

    threads = 1

    def submit(self, function, *arguments):
        future = Future()
        future.set_result(function(*arguments))
        return future

    def __str__(self):
        return "of this test"
