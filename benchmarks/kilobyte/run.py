"""Tables, splits and methods to lines of JSON, without those that the file has already."""

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kilobyte.budgets import CHIPS
from benchmarks.kilobyte.candidate import Candidate, choose, fits
from benchmarks.kilobyte.case import Case
from benchmarks.kilobyte.image import ImageError, labels_on_chip, labels_on_host, link
from benchmarks.kilobyte.methods import METHODS
from benchmarks.splits import Split, make_split
from benchmarks.tables import load_table

CHECKED_ROWS = 8

Line = dict[str, Any]
Method = Callable[[Case], Iterator[Candidate]]


@dataclass(frozen=True, slots=True)
class Plan:
    """The methods to run on splits of tables that have at most so many rows."""

    tables: tuple[str, ...]
    methods: tuple[str, ...]
    splits: int
    rows: int
    out: Path
    jobs: int = 1
    report: bool = False


def run(plan: Plan) -> None:
    """Append the lines that the file does not have; first of one split of all tables."""
    plan.out.parent.mkdir(parents=True, exist_ok=True)
    known = {key_of(line) for line in read(plan.out) if not line.get("error")}
    jobs = []
    for number in range(plan.splits):
        for table in plan.tables:
            missing = [name for name in plan.methods if (table, number, name) not in known]
            if missing:
                jobs.append((table, number, missing, plan.rows, plan.report, plan.out))
    # A process for each case: an emulator's memory is not all given back.
    with ProcessPoolExecutor(
        plan.jobs, mp_context=get_context("spawn"), max_tasks_per_child=1
    ) as pool:
        futures = [pool.submit(run_case, *job) for job in jobs]
        for done, future in enumerate(as_completed(futures), 1):
            _show(done, len(jobs), future.result())


def run_case(
    table: str, number: int, methods: Sequence[str], rows: int, report: bool, out: Path
) -> str:
    """Run methods on one split, append their lines, and return what was done in a few words."""
    from threadpoolctl import threadpool_limits

    found = load_table(table, report=report)
    if not found.classes:
        return f"{table}: no classes"
    split = make_split(found, number, rows)
    case = Case(split)
    words = []
    for name in methods:
        before = _cpu_seconds()
        line: Line = {"table": table, "split": number, "method": name, "rows": rows}
        try:
            with threadpool_limits(1), warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                line.update(measure_method(METHODS[name], case))
        except Exception as error:
            line["error"] = f"{type(error).__name__}: {error}"[:300]
        line["seconds"] = round(_cpu_seconds() - before, 2)
        append(out, line)
        words.append(f"{name} {line.get('error') or line['seconds']}")
    return f"{table} {number}: {', '.join(words)}"


def measure_method(method: Method, case: Case) -> Line:
    """Return what the candidates of a method take and, of those that are chosen, how good they are.

    The labels of a chosen candidate are compared with those of the model that it was made from: on
    some test rows in a simulator of each chip and, unless it is exact, on all on this machine.
    """
    split = case.split
    majority = np.bincount(split.y_train).argmax()
    measured: list[Line] = []
    with tempfile.TemporaryDirectory() as name:
        images: list[tuple[Candidate, dict[str, Path]]] = []
        for candidate in sorted(method(case), key=lambda one: -one.validated):
            known = any(candidate.source == other.source for other, _ in images)
            if known or _is_needless(candidate, measured, case.budgets):
                continue
            folders = {chip: Path(name) / f"{len(images)}-{chip}" for chip in candidate.chips}
            flash = {}
            for chip, folder in folders.items():
                folder.mkdir()
                flash[chip] = link(candidate.source, chip, folder, split.x_test.shape[1])
            images.append((candidate, folders))
            line = {"setting": candidate.setting, "validated": round(candidate.validated, 5)}
            measured.append({**line, "flash": flash, "budget": candidate.budget})
        for line, (candidate, own) in zip(measured, images, strict=True):
            chips = [c for c in CHIPS for b in case.budgets if choose(measured, c, b) is line]
            if chips:
                used = {chip: own[chip] for chip in dict.fromkeys(chips)}
                line.update(check_candidate(candidate, used, split))
    base = float(np.mean(split.y_test == majority))
    return {"majority": round(base, 5), "candidates": measured}


def _is_needless(candidate: Candidate, better: Sequence[Line], budgets: Sequence[int]) -> bool:
    """Return whether better candidates fit every budget that this one may fit."""
    if candidate.budget is not None:
        return False
    return all(
        any(fits(one, chip, budget) for one in better)
        for chip in candidate.chips
        for budget in budgets
        if budget >= candidate.least
    )


def check_candidate(candidate: Candidate, folders: Mapping[str, Path], split: Split) -> Line:
    """Return the accuracy on the test rows, and how its C and its model agree."""
    rows, source = candidate.encode(split.x_test), candidate.source
    expected = labels = np.asarray(candidate.predict(split.x_test))
    if not candidate.is_exact:
        labels = labels_on_host(source, rows)
    agreement = float(np.mean(labels == expected))
    if agreement < (1 if candidate.is_exact else candidate.least_agreement):
        raise ImageError(f"{candidate.setting}: the C has {agreement:.3f} of the model's labels")
    different = 0
    for chip, folder in folders.items():
        on_chip = labels_on_chip(source, chip, folder, rows[:CHECKED_ROWS])
        different += int(np.sum(on_chip != labels[:CHECKED_ROWS]))
    if different > (0 if "int" in source.dtype else 1):
        raise ImageError(f"{candidate.setting}: {different} labels of a chip are others")
    test = float(np.mean(labels == split.y_test))
    return {"test": round(test, 5), "agreement": round(agreement, 5)}


def _cpu_seconds() -> float:
    """Return those of this process, and of the compilers and simulators that it has run."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def key_of(line: Line) -> tuple[str, int, str]:
    """Return what a line is the result of."""
    return line["table"], line["split"], line["method"]


def read(path: Path) -> list[Line]:
    """Return the lines of a file, the last of each key; a line that was cut off is left out."""
    found = {}
    for text in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            line = json.loads(text)
        except json.JSONDecodeError:
            continue
        found[key_of(line)] = line
    return list(found.values())


def append(path: Path, line: Line) -> None:
    """Add a line, after the end of one that was cut off before."""
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, 2)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(json.dumps(line).encode() + b"\n")


def _show(done: int, total: int, words: str) -> None:
    print(f"{done}/{total} {words}", file=sys.stderr, flush=True)
