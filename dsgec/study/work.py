"""Run the cells of a study that are not finished, by processes of this machine or a cluster.

Wherever a run was made, its file is written here, whole: a kill loses only the unfinished runs, and
nothing writes behind the back of a process that was killed.
"""

from collections import deque
from collections.abc import Callable, Container, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial

from dsgec.errors import DsgecError, counted
from dsgec.folder import Folder
from dsgec.study.definition import Cell
from dsgec.study.outcome import CellFile, outcome_of
from dsgec.study.prepare import Task
from dsgec.study.processes import Workers
from dsgec.study.results import CellResult, read_outcome

_SECONDS_BETWEEN_LOOKS = 1.0
_AHEAD = 2
_WRITERS = 4  # a file that must have reached the disk takes a while, and no processor


def finished_results(tasks: Sequence[Task], runs: Folder) -> dict[Cell, CellResult]:
    """Return the results that are in the folder already."""
    found = ((task.cell, read_outcome(runs, task.file, task.asked)) for task in tasks)
    return {cell: outcome for cell, outcome in found if outcome is not None}


def unfinished_tasks(tasks: Sequence[Task], there: Container[Cell]) -> list[Task]:
    """Return the tasks that are left to do; a run that belongs to two parts is made once."""
    return list({task.file: task for task in tasks if task.cell not in there}.values())


def collect(tasks: Sequence[Task], runs: Folder) -> dict[Cell, CellResult]:
    """Return the results of all tasks; raise an error if one is missing."""
    found = finished_results(tasks, runs)
    missing = [task.file for task in tasks if task.cell not in found]
    if missing:
        raise DsgecError(
            f"{counted(len(missing), 'file')} of finished runs cannot be read:"
            f" {runs.path / missing[0]}" + (" and others" if len(missing) > 1 else ""),
            "Does another program change the study's folder? Start the study again.",
        )
    return found


def work(
    tasks: Sequence[Task],
    runs: Folder,
    workers: Workers,
    backend: str,
    on_note: Callable[[str], None],
    on_end: Callable[[Task, float], None],
) -> None:
    """Run all tasks, in their order, into the folder `runs`; an error or an interrupt ends them.

    `on_note` is called with notes for the user, `on_end` with each finished task and its seconds.
    """
    left = deque(tasks)
    keep = partial(_keep, runs)
    running: dict[Future[CellFile], Task] = {}
    with ThreadPoolExecutor(_WRITERS) as writers:
        try:
            while left or running:
                on_note(workers.want)
                # More than can be made at once, so that no worker waits for the next.
                while left and len(running) < _AHEAD * max(workers.threads, 1):
                    task = left.popleft()
                    inputs = (task.cell, task.grammar, task.dataset, backend)
                    running[workers.submit(outcome_of, *inputs)] = task
                ended = list(wait(running, _SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED).done)
                done = [running.pop(call) for call in ended]
                for task, made in zip(done, writers.map(keep, done, ended), strict=True):
                    on_note(made.remark)
                    on_end(task, made.seconds)
        finally:
            for call in running:
                call.cancel()


def _keep(runs: Folder, task: Task, call: "Future[CellFile]") -> CellFile:
    """Write the file of a finished run, and return it."""
    try:
        made = call.result()
    except DsgecError as error:
        cell = task.cell
        kind = f"{cell.settings.representation} with {cell.grammar.name} on {cell.data.name}"
        raise error.of(f"{kind}, seed {cell.settings.seed}") from error
    runs.write(task.file, made.text)
    return made
