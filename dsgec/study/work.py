"""Cells to outcomes: run what is not finished, several runs side by side.

Threads, not processes: the engine works outside Python's lock, so they are as fast; one lock and
one Ctrl-C serve them all; and where the process is killed, nothing goes on writing behind its back.
Each finished run is one file, written whole, so a kill loses only the runs under way.
"""

import threading
import time
from collections.abc import Callable, Container, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from dsgec.errors import DsgecError, Fault
from dsgec.evolution.choose import choose
from dsgec.evolution.evolver import Evolver
from dsgec.evolution.scoring import NothingValid
from dsgec.run.files import write_whole
from dsgec.run.record import make_record
from dsgec.study.ir import Cell
from dsgec.study.prepare import Task
from dsgec.study.results import Outcome, failure_text, outcome_text, read_outcome

Ended = tuple[Task, str, float]


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
) -> None:
    """Run them all, in their order; an error or an interrupt ends those under way, unwritten.

    `on_note` is told what a user should know, `on_end` each run that has ended and its seconds.
    """
    stop = threading.Event()

    def one(task: Task) -> Ended:
        try:
            evolver = choose(task.problem, task.cell.settings, backend, 1)
            start = time.monotonic()  # the engine has been compiled, which is done but once
            _run(task, evolver, stop)
        except DsgecError as error:
            cell = task.cell
            raise DsgecError(
                Fault(
                    f"{cell.settings.engine} with {cell.grammar.name} on {cell.data.name},"
                    f" seed {cell.settings.seed}: {fault.message}",
                    fault.advice,
                )
                for fault in error.faults
            ) from error
        return task, evolver.remark, time.monotonic() - start

    def take(waiting: set[Future[Ended]]) -> set[Future[Ended]]:
        done, rest = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            task, remark, seconds = future.result()
            on_note(remark)
            on_end(task, seconds)
        return rest

    with ThreadPoolExecutor(jobs) as pool:
        waiting: set[Future[Ended]] = set()
        try:
            for task in tasks:
                waiting.add(pool.submit(one, task))
                if len(waiting) > jobs:
                    waiting = take(waiting)
            while waiting:
                waiting = take(waiting)
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


class _Stopped(Exception):
    """The study ends before this run does."""


def _run(task: Task, evolver: Evolver, stop: threading.Event) -> None:
    """Evolve, and write the file."""
    changes: list[tuple[int, float]] = []
    try:
        for last in evolver.generations():
            if stop.is_set():
                raise _Stopped
            if not changes or changes[-1][1] != last.best.fitness:
                changes.append((last.generation, last.best.fitness))
    except NothingValid as error:  # which it would be each time: that is this run's outcome
        write_whole(task.path, failure_text(task.asked, error.faults[0].message))
        return
    record = make_record(task.problem, task.cell.settings, task.grammar, last)
    write_whole(task.path, outcome_text(task.asked, record["result"], changes))
