"""Make several runs side by side, by processes, and the scores of a cross-validation of them."""

import statistics
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import replace
from typing import Any

import numpy as np

from dsgec.data.dataset import Dataset
from dsgec.errors import DsgecError
from dsgec.folder import Folder
from dsgec.manifest import SCORES
from dsgec.pipeline import DEFAULT_SESSION, finished_run, run
from dsgec.plain_data import as_plain, to_json
from dsgec.run.job import Job, WrittenRun
from dsgec.run.session import Session, ignore
from dsgec.search.choose import choose_evolver
from dsgec.search.problem import make_problem
from dsgec.study import processes
from dsgec.study.processes import Processes

_SECONDS_BETWEEN_LOOKS = 0.2  # at whether several runs are to stop


def run_many(
    each: Sequence[Callable[[], Job]],
    workers: Processes,
    backend: str,
    threads: int,
    on_run: Callable[[WrittenRun], None],
    session: Session = DEFAULT_SESSION,
    stop: threading.Event | None = None,
) -> list[WrittenRun]:
    """Make several runs by processes, and call `on_run` with each, in their order.

    A job is made in the process that runs it, since each may hold a table of its own. A run whose
    folder has its result already is not made again. When `stop` is set, or a run fails, those that
    are under way end with what they have, and no more begin.
    """
    stop = stop or threading.Event()
    # The callbacks belong to this process.
    quiet = replace(session, on_stop=ignore, on_trouble=ignore, on_stage=ignore, on_walk=ignore)
    ended: dict[int, WrittenRun] = {}
    failures: list[Exception] = []
    reported = 0
    is_stopped = False
    workers.on_remark = session.on_trouble
    calls = {
        workers.submit(_run_one, make_job, backend, threads, quiet): number
        for number, make_job in enumerate(() if stop.is_set() else each)
    }
    while calls:
        done, _ = wait(calls, _SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
        for call in done:
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
            workers.stop()
            calls = {call: number for call, number in calls.items() if not call.cancel()}
    if failures:
        raise failures[0]
    in_order = [ended[number] for number in sorted(ended)]
    for single in in_order[reported:]:
        on_run(single)
    return in_order


def _run_one(
    make_job: Callable[[], Job], backend: str, threads: int, session: Session
) -> WrittenRun:
    """Make one of the runs, in a process."""
    job = make_job()
    ended = None if session.overwrite else finished_run(job)
    if ended is None:
        evolver = choose_evolver(job.problem, job.settings, backend, threads)
        here = replace(session, on_trouble=processes.remark)
        ended = run(job, evolver, ignore, here, processes.stop)
    assert isinstance(ended, WrittenRun)
    return ended


def with_seed(job: Job, seed: int) -> Job:
    """Return the same job with another seed, in a folder of its own."""
    name = job.named.name.removesuffix(f"-seed{job.settings.seed}")
    folder = job.named.with_name(f"{name}-seed{seed}")
    return replace(job, settings=replace(job.settings, seed=seed), named=folder)


def cross_validated(job: Job, dataset: Dataset, folds: int, fold: int) -> Job:
    """Return the job of one fold, whose folder lies within that of the cross-validation."""
    folder = job.named.with_name(f"{job.named.name}-cv{folds}")
    settings = replace(job.settings, folds=folds, fold=fold)
    problem = make_problem(job.grammar.grammar, dataset, settings)
    fold_name = f"fold{fold + 1}"
    return replace(job, problem=problem, settings=settings, named=folder, fold=fold_name)


def scores(runs: Sequence[WrittenRun]) -> dict[str, Any]:
    """Return mean, deviation and the values by fold of each metric on the test rows."""
    records = [run.record for run in runs]
    first = records[0]
    tests = [record.result.test for record in records]
    data = as_plain(first.data)
    found: dict[str, Any] = {
        "dsgec": first.dsgec,
        "grammar": as_plain(first.grammar),
        "data": {name: data[name] for name in ("name", "sha256", "target", "task")},
        "settings": {name: v for name, v in first.settings.items() if name != "fold"},
        "rows": [record.data.test_rows for record in records],
        "test": {name: _summary([test[name] for test in tests]) for name in tests[0]},
    }
    if first.result.confusion:
        matrices = [(record.result.confusion or {})["test"] for record in records]
        found["confusion"] = np.array(matrices).sum(axis=0).tolist()
    return found


def write_scores(folder: Folder, runs: Sequence[WrittenRun]) -> None:
    """Write cv.json into the folder that holds those of the folds."""
    folder.write(SCORES, to_json(scores(runs)))


def _summary(values: list[float | None]) -> dict[str, Any]:
    defined = [value for value in values if value is not None]
    return {
        "mean": statistics.fmean(defined) if defined else None,
        "deviation": statistics.stdev(defined) if len(defined) > 1 else None,
        "folds": values,
    }
