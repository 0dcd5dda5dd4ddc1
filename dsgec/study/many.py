"""Make several runs side by side, by processes of this machine."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from dsgec.errors import DsgecError
from dsgec.pipeline import DEFAULT_SESSION, finished_run, run
from dsgec.run.job import Job, WrittenRun
from dsgec.run.session import Session, ignore
from dsgec.search.choose import choose
from dsgec.study.workers import process
from dsgec.study.workers.crew import Crew

_SECONDS_BETWEEN_LOOKS = 0.2  # at whether several runs are to stop


def run_many(
    each: Sequence[Callable[[], Job]],
    crew: Crew,
    backend: str,
    threads: int,
    on_run: Callable[[WrittenRun], None],
    session: Session = DEFAULT_SESSION,
    stop: threading.Event | None = None,
) -> list[WrittenRun]:
    """Several runs over the processes of a crew; `on_run` is called in their order.

    A job is made when its turn comes, where it runs, as each may hold a table of its own: by a
    function that a process can import. One whose folder has its result already is not run again.
    When `stop` is set, or one fails, those that run end with what they have, and no more begin.
    """
    stop = stop or threading.Event()
    # Which are for this process.
    quiet = replace(session, on_stop=ignore, on_trouble=ignore, on_stage=ignore)
    ended: dict[int, WrittenRun] = {}
    failures: list[Exception] = []
    reported = 0
    is_stopped = False
    crew.on_remark = session.on_trouble
    shared = crew.share(tuple(each))
    calls = {
        crew.submit(_one_of, shared, number, backend, threads, quiet): number
        for number in range(0 if stop.is_set() else len(each))
    }
    while calls:
        for call in crew.ended(_SECONDS_BETWEEN_LOOKS):
            number = calls.pop(call)
            try:
                ended[number] = call.result()
            except DsgecError as error:
                failures.append(error.of(f"run {number + 1} of {len(each)}"))
            except Exception as error:
                failures.append(error)
        while reported in ended:
            on_run(ended[reported])
            reported += 1
        if (failures or stop.is_set()) and not is_stopped:
            is_stopped = True  # those that run end soon, and then a failure is raised
            if not failures:
                session.on_stop()
            for call in crew.stop():
                del calls[call]
    if failures:
        raise failures[0]
    in_order = [ended[number] for number in sorted(ended)]
    for single in in_order[reported:]:
        on_run(single)
    return in_order


def _one_of(
    each: Sequence[Callable[[], Job]], number: int, backend: str, threads: int, session: Session
) -> WrittenRun:
    """What a process of the crew does."""
    job = each[number]()
    found = None if session.overwrite else finished_run(job)
    if found is not None:
        return found
    evolver = choose(job.problem, job.settings, backend, threads)
    here = replace(session, on_trouble=process.remark)
    return run(job, evolver, lambda _: None, here, process.stop)
