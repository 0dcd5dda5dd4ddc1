"""Measure what a cluster costs: many workers on this machine stand for many machines.

python examples/measure_cluster.py overhead [CELLS [ROUNDS]]
    cells of about a second, in turns with one worker of one thread and with one process
python examples/measure_cluster.py client [CELLS [WORKERS]]
    cells of one generation: cells a second, processor and bytes a cell

Both print the load of the machine: figures of a busy one are worth little. All processes listen on
loopback, on ports that the system chooses, and end with this script.
"""

import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from dsgec.folder import make_folder
from dsgec.study.cluster import connect
from dsgec.study.definition import cells
from dsgec.study.parse import load_study
from dsgec.study.prepare import prepare
from dsgec.study.processes import Processes
from dsgec.study.work import work

STUDY = """
runs = {runs}
generations = {generations}
[settings]
population = 100
[[part]]
representations = ["dsge"]
grammars = ["one_layer"]
data = ["wdbc"]
"""


def start(stack, kind, *arguments):
    """A process of dask's that ends with us."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{kind}", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def start_cluster(stack, folder, workers):
    """The address of a scheduler with so many workers of one thread, and all their processes."""
    from distributed import Client

    file = folder / "scheduler.json"
    options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file)
    scheduler = start(stack, "scheduler", *options)
    while not (file.exists() and file.read_text().endswith("}")):
        time.sleep(0.1)
    address = json.loads(file.read_text())["address"]
    options = ("--no-nanny", "--no-dashboard", "--nthreads", 1)
    processes = [scheduler, *(start(stack, "worker", address, *options) for _ in range(workers))]
    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=600)
    return address, processes


class Counter:
    """Stands between client and scheduler, and counts what passes, in either direction."""

    def __init__(self, address):
        host, _, port = address.removeprefix("tcp://").rpartition(":")
        self.to = host, int(port)
        self.up = self.down = 0
        started = threading.Event()
        threading.Thread(target=asyncio.run, args=[self._serve(started)], daemon=True).start()
        started.wait()

    async def _serve(self, started):
        server = await asyncio.start_server(self._join, "127.0.0.1", 0)
        self.address = f"tcp://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        started.set()
        await server.serve_forever()

    async def _join(self, reader, writer):
        other_reader, other_writer = await asyncio.open_connection(*self.to)
        await asyncio.gather(
            self._pass(reader, other_writer, "up"), self._pass(other_reader, writer, "down")
        )

    async def _pass(self, reader, writer, way):
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                setattr(self, way, getattr(self, way) + len(data))
                writer.write(data)
                await writer.drain()
        writer.close()


def tasks_of(folder, name, runs, generations):
    """Return cells that have not been run, and the folder for their files."""
    file = folder / f"{name}.toml"
    file.write_text(STUDY.format(runs=runs, generations=generations))
    return prepare(list(cells(load_study(str(file))))), folder / name


def timed(tasks_and_path, workers):
    """Return the seconds of clock that all cells took, and the seconds of the runs themselves."""
    tasks, path = tasks_and_path
    own = []
    with make_folder(path) as runs:
        begin = time.monotonic()
        work(tasks, runs, workers, "auto", lambda _: None, lambda _, seconds: own.append(seconds))
        return time.monotonic() - begin, sum(own)


def cpu_of(pid):
    """Seconds of processor that another process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def used():
    """Seconds of processor of this process and all that it has started."""
    tasks = Path("/proc/self/task").iterdir()
    started = [pid for task in tasks for pid in (task / "children").read_text().split()]
    return time.process_time() + sum(map(cpu_of, started))


def overhead(stack, folder, count=10, rounds=5):
    """In turns: the same cells here and there; what is not in the runs themselves is overhead."""
    address, _ = start_cluster(stack, folder, 1)
    crew = stack.enter_context(contextlib.closing(Processes(1)))
    generations = 500
    while (seconds := timed(tasks_of(folder, f"try{generations}", 1, generations), crew)[1]) < 0.8:
        generations = round(generations * min(1.1 / seconds, 8)) + 1
    print(f"cells of {generations} generations, {seconds:.2f} s; {os.cpu_count()} processors")
    with contextlib.closing(connect(address)) as cluster:
        timed(tasks_of(folder, "first", 1, 1), cluster)  # imports, and the engine
        ratios, processor, shares = [], [], {"here": [], "cluster": []}
        for number in range(rounds):
            ours = tasks_of(folder, f"here{number}", count, generations)
            theirs = tasks_of(folder, f"there{number}", count, generations)
            marks = [used()]
            here = timed(ours, crew)
            marks.append(used())
            there = timed(theirs, cluster)
            marks.append(used())
            ratios.append(there[0] / here[0])
            processor.append((marks[2] - marks[1]) / (marks[1] - marks[0]))
            for name, (clock, own) in (("here", here), ("cluster", there)):
                shares[name].append((clock - own) / count)
            print(
                f"  here {here[0]:6.2f} s, cluster {there[0]:6.2f} s, ratio {ratios[-1]:.3f},"
                f" of processor {processor[-1]:.3f};"
                f" outside the runs {shares['here'][-1] * 1e3:.0f} and"
                f" {shares['cluster'][-1] * 1e3:.0f} ms a cell; load {os.getloadavg()[0]:.1f}"
            )
    print(
        f"median ratio {statistics.median(ratios):.3f}, of processor, scheduler and all,"
        f" {statistics.median(processor):.3f}; outside the runs, median a cell:"
        f" {statistics.median(shares['here']) * 1e3:.0f} ms here,"
        f" {statistics.median(shares['cluster']) * 1e3:.0f} ms on the cluster"
    )


def client(stack, folder, count=1000, workers=4):
    """The client's and the scheduler's own time a cell, and what passes between them."""
    address, (scheduler, *_) = start_cluster(stack, folder, workers)
    counter = Counter(address)
    with contextlib.closing(connect(counter.address)) as cluster:
        first = counter.up, counter.down
        timed(tasks_of(folder, "first", 20 * workers, 1), cluster)
        sent = counter.up - first[0]
        tasks, path = tasks_of(folder, "cells", count + 20 * workers, 1)
        todo = tasks[20 * workers :], path
        before = counter.up, counter.down, time.process_time(), cpu_of(scheduler.pid)
        clock, own = timed(todo, cluster)
        after = counter.up, counter.down, time.process_time(), cpu_of(scheduler.pid)
    up, down, ours, theirs = ((b - a) / count for a, b in zip(before, after, strict=True))
    print(
        f"{workers} workers, {count} cells of one generation; load {os.getloadavg()[0]:.1f}\n"
        f"  {count / clock:.0f} cells a second of clock; {own / count * 1e3:.1f} ms in a run\n"
        f"  processor a cell: {ours * 1e3:.2f} ms client (and counting bytes),"
        f" {theirs * 1e3:.2f} ms scheduler\n"
        f"  a cell: {up / 1e3:.1f} kB to the scheduler, {down / 1e3:.1f} kB back;"
        f" with the first ones, and grammar and table: {sent / 1e3:.0f} kB"
    )
    most = 1 / max(ours, theirs)
    print(f"  so at most {most:.0f} cells a second, which keep busy")
    for seconds in (1, 10, 100):
        print(f"    {most * seconds:,.0f} threads with cells of {seconds} s")


if __name__ == "__main__":
    measure = {"overhead": overhead, "client": client}.get((sys.argv[1:] or [""])[0])
    if measure is None:
        sys.exit(__doc__)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        measure(stack, folder, *map(int, sys.argv[2:]))
