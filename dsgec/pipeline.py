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
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsgec.bnf.load import GrammarFile, load_grammar
from dsgec.data.dataset import make_dataset
from dsgec.data.table import read_table
from dsgec.errors import DsgecError
from dsgec.evolution.loop import State, evolve
from dsgec.evolution.problem import Problem, make_problem
from dsgec.evolution.scoring import Scorer
from dsgec.evolution.settings import Settings
from dsgec.fitness.backends import Backend
from dsgec.network.model import Model
from dsgec.run.export import export
from dsgec.run.record import (
    HistoryRow,
    best_network,
    history_row,
    make_record,
    read_record,
    write_run,
)

EXPORTED = ("numpy", "c")
"""The targets that every run's folder has."""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A run that can start."""

    grammar: GrammarFile
    problem: Problem
    settings: Settings
    folder: Path


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run that has ended; `interrupted` if a person ended it before its last generation."""

    folder: Path
    record: dict[str, Any]
    timing: dict[str, Any]
    files: tuple[Path, ...]
    interrupted: bool


def prepare(
    grammar: str,
    data: str,
    settings: Settings,
    *,
    target: str | None = None,
    out: Path | None = None,
    name: str = "",
    overwrite: bool = False,
) -> Job:
    """Read and check everything that a run needs, so that no mistake is found later."""
    grammar_file = load_grammar(grammar)
    dataset = make_dataset(read_table(data), target)
    problem = make_problem(grammar_file.grammar, dataset, settings)
    folder = (out or Path("build")) / (
        name or f"{dataset.name}-{grammar_file.name}-seed{settings.seed}"
    )
    job = Job(grammar_file, problem, settings, folder)
    if not overwrite:
        _refuse_other_run(job)
    return job


def run(job: Job, backend: Backend, on_generation: Callable[[State], None]) -> Run:
    """Evolve, and write the folder; a KeyboardInterrupt ends the run early, with what it has."""
    scorer = Scorer(job.problem, backend)
    history: list[HistoryRow] = []
    last: State | None = None
    interrupted = False
    start = time.perf_counter()
    try:
        for last in evolve(job.problem, job.settings, scorer):
            history.append(history_row(last))
            on_generation(last)
    except KeyboardInterrupt:
        if last is None:
            raise
        interrupted = True
    seconds = time.perf_counter() - start
    assert last is not None
    timing = {
        "backend": backend.name,
        "evolve_seconds": round(seconds, 3),
        "evaluations_per_second": round(last.evaluations / seconds, 1) if seconds else None,
    }
    record = make_record(job.problem, job.settings, job.grammar, last)
    network = best_network(job.problem, last)
    dataset = job.problem.dataset
    model = Model(network, dataset.features, dataset.classes)
    files = export(model, EXPORTED, record["model"]["name"], job.folder)
    write_run(job.folder, record, network, history[: last.generation + 1], timing)
    return Run(job.folder, record, timing, tuple(files), interrupted)


def _refuse_other_run(job: Job) -> None:
    """A folder with the result of another run is not written over unasked."""
    if not (job.folder / "run.json").exists():
        return
    found = read_record(job.folder)
    same = (
        found.get("settings") == job.settings.as_json()
        and found.get("grammar", {}).get("sha256") == job.grammar.digest
        and found.get("data", {}).get("sha256") == job.problem.dataset.digest
        and found.get("data", {}).get("target") == job.problem.dataset.target
    )
    if not same:
        raise DsgecError(
            f"{job.folder} holds another run",
            "Choose another --name, or write over it with --overwrite.",
        )
