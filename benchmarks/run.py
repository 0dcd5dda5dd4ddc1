"""Tables, learners and splits to a file of results, without those that it has already."""

import os
import sys
import time
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.learner import Learner, Request
from benchmarks.results import FILE, Result, append, read
from benchmarks.splits import Split, make_split
from benchmarks.tables import Table, load_table
from benchmarks.with_dsgec import REFERENCE

AUTO = "auto"
LEAST_SECONDS = 1.0
"""For formulas: in less, they do not get beyond a generation."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run. `limit` is `auto`, or the CPU seconds of dsgec and of formulas; `rows` is how
    many of a table there are at most, 0 for all."""

    tables: tuple[str, ...]
    learners: tuple[Learner, ...]
    splits: int
    limit: str
    out: Path
    jobs: int = 1
    data: Path | None = None
    report: bool = False
    rows: int = 0


def run(plan: Plan) -> list[Result]:
    """All results of the plan, those in the file included."""
    plan.out.mkdir(parents=True, exist_ok=True)
    _refuse_others(plan)
    # What depends on dsgec's result of the same split comes after it.
    later = [one for one in plan.learners if _follows(one, plan.limit)]
    for learners in ([one for one in plan.learners if one not in later], later):
        _run_part(plan, learners)
    wanted = {one.name for one in plan.learners}
    return [
        result
        for result in read(plan.out / FILE)
        if result.table in plan.tables and result.learner in wanted and result.split < plan.splits
    ]


def run_one(
    table: Table, number: int, learner: Learner, request: Request, limit: str, rows: int = 0
) -> Result:
    """Fit a learner on a split, on one core, and score it."""
    from threadpoolctl import threadpool_limits

    split = make_split(table, number, rows)
    place = (table.name, number, learner.name, split.task, limit)
    try:
        for module in learner.modules:
            import_module(module)
        before = _cpu_seconds()
        with threadpool_limits(1), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            model = learner.fit(split, request)
            after = _cpu_seconds()
            score = score_of(split, model.predict(split.x_test), split.y_test)
            train_score = score_of(split, model.predict(split.x_train), split.y_train)
    except Exception as error:
        return Result(*place, error=f"{type(error).__name__}: {error}", rows=rows)
    return Result(
        *place,
        score=score,
        train_score=train_score,
        weights=model.weights,
        neurons=model.neurons,
        cpu_seconds=round(after[0] - before[0], 3),
        compile_seconds=round(after[1] - before[1], 3),
        rows=rows,
        length=model.length,
    )


def score_of(split: Split, predicted: NDArray[np.float64], target: NDArray[np.float64]) -> float:
    """Accuracy; or R², where a prediction that is not finite counts as the training mean."""
    if split.classes:
        return float(np.mean(predicted == target))
    mean = split.y_train.mean()
    predicted = np.where(np.isfinite(predicted), predicted, mean)
    # Beyond that, squares overflow, and the score is far below 0 already.
    predicted = np.clip(predicted, -1e100, 1e100)
    return float(1 - np.sum((target - predicted) ** 2) / np.sum((target - target.mean()) ** 2))


def _run_part(plan: Plan, learners: Sequence[Learner]) -> None:
    path = plan.out / FILE
    known = {result.key: result for result in read(path) if not result.error}
    jobs = []
    for name in plan.tables:
        task = _table(name, plan.data, plan.report).task
        for number in range(plan.splits):
            reference = known.get((name, number, REFERENCE))
            for learner in learners:
                if task not in learner.tasks or (name, number, learner.name) in known:
                    continue
                if learner.needs == "neurons" and reference is None:
                    continue
                request = _request(learner, number, plan.limit, reference)
                jobs.append((name, number, learner, request))
    shared = (plan.limit, plan.data, plan.report, plan.rows)
    if plan.jobs == 1:
        for done, job in enumerate(jobs, 1):
            _save(path, _run_job(*job, *shared), done, len(jobs))
        return
    with ProcessPoolExecutor(plan.jobs, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(_run_job, *job, *shared) for job in jobs]
        for done, future in enumerate(as_completed(futures), 1):
            _save(path, future.result(), done, len(jobs))


def _run_job(
    name: str,
    number: int,
    learner: Learner,
    request: Request,
    limit: str,
    data: Path | None,
    report: bool,
    rows: int,
) -> Result:
    return run_one(_table(name, data, report), number, learner, request, limit, rows)


def _request(learner: Learner, number: int, limit: str, reference: Result | None) -> Request:
    seconds = None
    if learner.is_timed and limit != AUTO:
        seconds = float(limit)
    elif learner.needs == "seconds" and reference is not None:
        seconds = max(reference.cpu_seconds or 0.0, LEAST_SECONDS)
    return Request(number + 1, seconds, reference.neurons if reference else None)


def _follows(learner: Learner, limit: str) -> bool:
    """Whether a learner's request depends on a result of dsgec."""
    return learner.needs == "neurons" or (learner.needs == "seconds" and limit == AUTO)


def _cpu_seconds() -> tuple[float, float]:
    """Of this process, and of those that it has started and waited for: compilers."""
    times = os.times()
    return time.process_time(), times.children_user + times.children_system


def _refuse_others(plan: Plan) -> None:
    """A folder has results of one limit and of tables of one size."""
    for option, field, own in (("seconds", "limit", plan.limit), ("rows", "rows", plan.rows)):
        others = {getattr(result, field) for result in read(plan.out / FILE)} - {own}
        if others:
            raise ValueError(
                f"{plan.out / FILE} has results with --{option}"
                f" {', '.join(map(str, sorted(others)))}; give another folder with --out"
            )


def _save(path: Path, result: Result, done: int, total: int) -> None:
    append(path, result)
    what = result.error or f"{result.cpu_seconds:.1f} s"
    print(f"{done}/{total} {result.table} {result.split} {result.learner}: {what}", file=sys.stderr)


@lru_cache(maxsize=2)
def _table(name: str, data: Path | None, report: bool) -> Table:
    return load_table(name, data=data, report=report)
