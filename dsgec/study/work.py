"""Cells to outcomes: run what is not finished, several runs side by side or on a cluster.

Here they are threads, not processes: the engine works outside Python's lock, so they are as fast;
one lock and one Ctrl-C serve them all; and where the process is killed, nothing goes on writing
behind its back. Wherever a run was made, its file is written here, whole, so that a kill loses only
the runs under way.
"""

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Container, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from dsgec.cluster.client import Call, Cluster
from dsgec.errors import DsgecError, Fault
from dsgec.run.files import write_whole
from dsgec.study.ir import Cell
from dsgec.study.outcome import Made, outcome_of, outcome_on_worker
from dsgec.study.prepare import Task
from dsgec.study.results import Outcome, read_outcome

_SECONDS_BETWEEN_LOOKS = 1.0
_AHEAD = 2
_WRITERS = 4  # a file that must have reached the disk takes a while, and no processor

Runs = Generator[tuple[Task, Made], None, None]


def finished(tasks: Sequence[Task]) -> dict[Cell, Outcome]:
    """The outcomes that are there already."""
    found = ((task.cell, read_outcome(task.path, task.asked)) for task in tasks)
    return {cell: outcome for cell, outcome in found if outcome is not None}


def unfinished(tasks: Sequence[Task], there: Container[Cell]) -> list[Task]:
    """What is left to do; a run that belongs to two parts is done once."""
    return list({task.path: task for task in tasks if task.cell not in there}.values())


def collect(tasks: Sequence[Task]) -> dict[Cell, Outcome]:
    """The outcomes of all tasks, when they have ended."""
    found = finished(tasks)
    if len(found) < len(tasks):
        raise DsgecError(
            f"{len(tasks) - len(found)} files of finished runs cannot be read",
            "Does another program change the study's folder? Start the study again.",
        )
    return found


def work(
    tasks: Sequence[Task],
    jobs: int,
    backend: str,
    on_note: Callable[[str], None],
    on_end: Callable[[Task, float], None],
    cluster: Cluster | None = None,
) -> None:
    """Run them all, in their order; an error or an interrupt ends those under way, unwritten.

    `on_note` is told what a user should know, `on_end` each run that has ended and its seconds.
    With a cluster, its workers say how many run at once.
    """
    if cluster is None:
        runs = _side_by_side(tasks, jobs, backend)
    else:
        runs = _on_cluster(tasks, cluster, backend, on_note)
    with contextlib.closing(runs):
        for task, made in runs:
            on_note(made.remark)
            on_end(task, made.seconds)


def _side_by_side(tasks: Sequence[Task], jobs: int, backend: str) -> Runs:
    """Each run by a thread of this process."""
    stop = threading.Event()

    def one(task: Task) -> Made:
        with _naming(task.cell):
            made = outcome_of(task.cell, task.grammar, task.problem, backend, stop.is_set)
        write_whole(task.path, made.text)
        return made

    with ThreadPoolExecutor(jobs) as pool:
        left = deque(tasks)
        under_way: dict[Future[Made], Task] = {}
        try:
            while left or under_way:
                while left and len(under_way) <= jobs:
                    task = left.popleft()
                    under_way[pool.submit(one, task)] = task
                done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                for future in done:
                    yield under_way.pop(future), future.result()
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)


def _on_cluster(
    tasks: Sequence[Task], cluster: Cluster, backend: str, on_note: Callable[[str], None]
) -> Runs:
    """Each run by a worker; some more than there are threads, so that none waits for the next."""

    def keep(task: Task, call: Call) -> Made:
        with _naming(task.cell):
            made: Made = call.result()
        write_whole(task.path, made.text)
        return made

    left = deque(tasks)
    under_way: dict[Call, Task] = {}
    with ThreadPoolExecutor(_WRITERS) as writers:
        try:
            while left or under_way:
                if not cluster.threads:
                    on_note(
                        f"no worker: runs wait until `dask worker {cluster.address}` starts one"
                    )
                while left and len(under_way) < _AHEAD * max(cluster.threads, 1):
                    task = left.popleft()
                    grammar, dataset = cluster.share(task.grammar), cluster.share(task.dataset)
                    call = cluster.submit(outcome_on_worker, task.cell, grammar, dataset, backend)
                    under_way[call] = task
                ended = cluster.ended(_SECONDS_BETWEEN_LOOKS)
                done = [under_way.pop(call) for call in ended]
                yield from zip(done, writers.map(keep, done, ended), strict=True)
        finally:
            cluster.cancel(under_way)


@contextlib.contextmanager
def _naming(cell: Cell) -> Iterator[None]:
    """Say of an error which run it ended."""
    try:
        yield
    except DsgecError as error:
        raise DsgecError(
            Fault(
                f"{cell.settings.engine} with {cell.grammar.name} on {cell.data.name},"
                f" seed {cell.settings.seed}: {fault.message}",
                fault.advice,
            )
            for fault in error.faults
        ) from error
