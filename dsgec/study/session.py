"""One session of a study: open its folder, make the runs that are left, write the outputs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from dsgec.engine.processors import processors
from dsgec.folder import Folder, open_locked, remove_if_empty
from dsgec.report.page import write_page
from dsgec.study import processes
from dsgec.study.cluster import connect
from dsgec.study.definition import Study
from dsgec.study.outputs import write_outputs
from dsgec.study.page import study_page
from dsgec.study.prepare import RUNS, Task
from dsgec.study.processes import Workers
from dsgec.study.work import collect, finished_results, unfinished_tasks, work


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
