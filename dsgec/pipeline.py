"""The stages, in order: what the command line and a program that uses dsgec call.

bnf        grammar file  → Grammar       rules as values, every fault of the file told
data       table file    → Dataset       features as numbers, the target as classes or values
genome     Grammar       → phenotype     integers choose alternatives; missing ones are drawn
network    phenotype     → Network       flat, checked, simplified
codegen    Network       → source text   C or numpy, one operation a line
native     source text   → functions     compiled, cached, loaded
fitness    outputs       → score         what evolution makes small, what people read
evolution  scores        → generations   select, cross, mutate
run        generations   → a folder      record, history, network, exports
study      many runs     → tables        engines × grammars × data sets × seeds, compared
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from dsgec.bnf.load import GrammarFile, load_grammar
from dsgec.codegen.names import is_portable
from dsgec.data.dataset import make_dataset
from dsgec.data.ir import Dataset
from dsgec.data.table import read_table
from dsgec.errors import DsgecError
from dsgec.evolution.choose import Evolver, Generation
from dsgec.evolution.problem import make_problem
from dsgec.evolution.settings import Settings
from dsgec.run.export import export
from dsgec.run.files import make_folder, remove_if_empty
from dsgec.run.job import Job, Run
from dsgec.run.record import (
    HistoryRow,
    best_model,
    clear_run,
    history_row,
    identity,
    is_same_run,
    make_record,
    read_record,
    write_run,
)

EXPORTED = ("numpy", "c")
"""The targets that every run's folder has."""


def prepare(
    grammar: str | GrammarFile,
    data: str | Dataset,
    settings: Settings,
    *,
    target: str | None = None,
    out: Path | None = None,
    name: str = "",
) -> Job:
    """Read and check everything that a run needs, so that no mistake is found later."""
    if name and not is_portable(name):
        raise DsgecError(
            f"`{name}` cannot name a folder everywhere",
            "Use letters, digits, `_`, `.` and `-`; say where it is to be with --out.",
        )
    grammar_file = load_grammar(grammar) if isinstance(grammar, str) else grammar
    dataset = make_dataset(read_table(data), target) if isinstance(data, str) else data
    problem = make_problem(grammar_file.grammar, dataset, settings)
    folder = (out or Path("build")) / (
        name or f"{dataset.name}-{grammar_file.name}-seed{settings.seed}"
    )
    return Job(grammar_file, problem, settings, folder)


def run(job: Job, evolver: Evolver, on_generation: Callable[[Generation], None]) -> Run:
    """Evolve, and write the folder; a KeyboardInterrupt ends the run early, with what it has."""
    make_folder(job.folder)
    history: list[HistoryRow] = []
    last: Generation | None = None
    interrupted = False
    start = time.perf_counter()
    try:
        for last in evolver.generations():
            history.append(history_row(last))
            on_generation(last)
    except KeyboardInterrupt:
        if last is None:
            remove_if_empty(job.folder)
            raise
        interrupted = True
    except BaseException:
        remove_if_empty(job.folder)
        raise
    seconds = time.perf_counter() - start
    assert last is not None
    timing = {
        "backend": evolver.name,
        "evolve_seconds": round(seconds, 3),
        "evaluations_per_second": round(last.evaluations / seconds, 1) if seconds else None,
    }
    record = make_record(job.problem, job.settings, job.grammar, last)
    model = best_model(job.problem, last)
    clear_run(job.folder)
    files = export(model, EXPORTED, record["model"]["name"], job.folder)
    if len(history) <= last.generation:  # interrupted between two statements
        history.append(history_row(last))
    write_run(job.folder, record, model.network, history, timing)
    return Run(job.folder, record, timing, tuple(files), interrupted)


def run_many(
    each: Sequence[Callable[[], Job]],
    jobs: int,
    start: Callable[[Job], Evolver],
    on_run: Callable[[Run], None],
) -> list[Run]:
    """Several runs, `jobs` of them at a time; `on_run` is called in their order.

    A job is made when its turn comes, as each may hold a table of its own. The engine works outside
    Python's lock, so threads are enough.
    """

    stop = threading.Event()

    def one(make: Callable[[], Job]) -> Run:
        single = make()
        return run(single, start(single), go_on)

    def go_on(_: Generation) -> None:
        if stop.is_set():
            raise KeyboardInterrupt

    finished = []
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(one, make) for make in each]
        try:
            for future in futures:
                finished.append(future.result())
                on_run(finished[-1])
        except BaseException:
            stop.set()  # the runs under way write what they have
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return finished


def seeded(job: Job, seed: int) -> Job:
    """The same job with another seed, in a folder of its own."""
    name = job.folder.name.removesuffix(f"-seed{job.settings.seed}")
    folder = job.folder.with_name(f"{name}-seed{seed}")
    return replace(job, settings=replace(job.settings, seed=seed), folder=folder)


def cross_validated(job: Job, dataset: Dataset, folds: int, fold: int) -> Job:
    """The job of one of so many folds, in a folder of its own within the job's."""
    folder = job.folder.with_name(f"{job.folder.name}-cv{folds}")
    settings = replace(job.settings, folds=folds, fold=fold)
    problem = make_problem(job.grammar.grammar, dataset, settings)
    return Job(job.grammar, problem, settings, folder / f"fold{fold + 1}")


def refuse_other_run(job: Job) -> None:
    """A folder with the result of another run is not written over unasked."""
    if not (job.folder / "run.json").exists():
        return
    asked = identity(job.grammar, job.problem.dataset, job.settings)
    if not is_same_run(read_record(job.folder), asked):
        raise DsgecError(
            f"{job.folder} holds another run",
            "Choose another --name, or write over it with --overwrite.",
        )
