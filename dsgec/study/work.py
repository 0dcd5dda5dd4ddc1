"""Run the cells of a study that are not finished, by processes of this machine or a cluster.

Wherever a run was made, its file is written here, whole: a kill loses only the unfinished runs, and
nothing writes behind the back of a process that was killed.
"""

from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dsgec.background import processors
from dsgec.errors import DsgecError, counted
from dsgec.folder import Folder, open_locked, remove_if_empty
from dsgec.report.page import write_page
from dsgec.study import processes
from dsgec.study.cluster import connect
from dsgec.study.definition import Cell, Study
from dsgec.study.outcome import CellFile, outcome_of
from dsgec.study.outputs import write_outputs
from dsgec.study.page import study_page
from dsgec.study.prepare import RUNS, Task
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


def start_workers(address: str | None, jobs: int | None) -> Workers:
    """Connect to the cluster at an address, or start processes here, by default one per processor.

    The processes import what they need while the caller continues.
    """
    if address is not None:
        return connect(address)
    return processes.Processes(jobs or processors(), "dsgec.study.outcome")


@dataclass(frozen=True, slots=True)
class StudySession:
    """A study in its locked folder: `finished` of its tasks are done, and `todo` are left."""

    study: Study
    tasks: Sequence[Task]
    todo: Sequence[Task]
    finished: int
    folder: Folder
    runs: Folder

    def work(
        self,
        workers: Workers,
        backend: str,
        on_note: Callable[[str], None],
        on_end: Callable[[Task, float], None],
    ) -> None:
        """Make the runs that are left; see `dsgec.study.work.work`."""
        work(self.todo, self.runs, workers, backend, on_note, on_end)

    def write(self) -> tuple[str, list[str]]:
        """Write all outputs; return the tables as text, and the names of the files."""
        text, files = write_outputs(self.study, collect(self.tasks, self.runs), self.folder)
        return text, [*files, write_page(self.folder, study_page(self.folder)).name]


@contextmanager
def open_session(study: Study, tasks: Sequence[Task], path: Path) -> Iterator[StudySession]:
    """Open and lock the folder of a study, and find out which of its tasks are left."""
    with ExitStack() as exits:
        folder = exits.enter_context(open_locked(path, "study"))
        runs = exits.enter_context(folder.below(RUNS, make=True))
        exits.callback(remove_if_empty, path / RUNS)
        runs.remove_unfinished()
        done = finished_results(tasks, runs)
        todo = unfinished_tasks(tasks, done)
        yield StudySession(study, tasks, todo, len(done), folder, runs)
