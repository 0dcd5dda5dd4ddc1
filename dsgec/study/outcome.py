"""Run a cell of a study, and write the text of its file; a worker does so, here or elsewhere."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from dsgec.data.ir import Dataset
from dsgec.grammar.load import GrammarFile
from dsgec.pipeline import Hooks, evolve
from dsgec.run.baselines import make_baselines
from dsgec.run.job import Job
from dsgec.search.choose import choose
from dsgec.search.evolver import HistoryRow
from dsgec.search.measure import measured
from dsgec.search.problem import Problem, make_problem
from dsgec.search.scoring import NothingValid
from dsgec.search.settings import Settings
from dsgec.study.ir import Cell
from dsgec.study.prepare import asked_of
from dsgec.study.results import failure_text, outcome_text
from dsgec.study.workers import worker


@dataclass(frozen=True, slots=True)
class CellFile:
    """The content of a cell's file, a remark for the user, and how long the run took."""

    text: str
    remark: str
    seconds: float


def outcome_of(cell: Cell, grammar: GrammarFile, dataset: Dataset, backend: str) -> CellFile:
    """Run a cell, or raise `Abandoned` soon after the cell has been given up.

    The problem is made here, and kept for the next cell: then only the table has to travel.
    """
    is_given_up = worker.is_abandoned()
    problem = _problem(grammar, dataset, replace(cell.settings, seed=0))
    evolver = choose(problem, cell.settings, backend, 1)
    started = time.perf_counter()  # after the engine was compiled
    asked = asked_of(grammar, problem.dataset, cell)

    def on_slice(*_: object) -> str:
        if is_given_up():
            raise worker.Abandoned
        return ""

    try:
        job = Job(grammar, problem, cell.settings)
        evolution = evolve(job, evolver, Hooks(on_slice=on_slice), in_full=False)
    except NothingValid as error:  # which it would be each time: that is this run's outcome
        text = failure_text(asked, error.faults[0].message)
    else:
        rivals = _rival_figures(grammar, dataset, replace(cell.settings, seed=0))
        record = {**evolution.result.result, **({"baselines": rivals} if rivals else {})}
        text = outcome_text(asked, record, _changes(evolution.outcome.history))
    return CellFile(text, evolver.remark, time.perf_counter() - started)


def _changes(history: Sequence[HistoryRow]) -> list[tuple[int, float]]:
    """Return the generations at which the best fitness changed, with that fitness."""
    first = [(history[0].generation, history[0].best)]
    return first + [(b.generation, b.best) for a, b in pairwise(history) if a.best != b.best]


@lru_cache(maxsize=8)
def _problem(grammar: GrammarFile, dataset: Dataset, settings: Settings) -> Problem:
    return make_problem(grammar.grammar, dataset, settings)


@lru_cache(maxsize=8)
def _rival_figures(
    grammar: GrammarFile, dataset: Dataset, settings: Settings
) -> list[dict[str, Any]]:
    """Return the figures of the models that the study compares with, fitted once for all seeds."""
    if not settings.compare:
        return []
    problem = _problem(grammar, dataset, settings)
    _, *rivals = make_baselines(problem, settings.compare)
    return [{"name": one.name, **measured(problem, one.outputs)} for one in rivals]


def _forget() -> None:
    _problem.cache_clear()
    _rival_figures.cache_clear()


worker.at_drop(_forget)
