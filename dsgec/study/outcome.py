"""A cell to the text of its file: what a worker, here or elsewhere, does of a study."""

import time
from dataclasses import dataclass, replace
from functools import lru_cache

from dsgec.bnf.load import GrammarFile
from dsgec.data.ir import Dataset
from dsgec.evolution.choose import choose
from dsgec.evolution.evolver import with_best
from dsgec.evolution.problem import Problem, make_problem
from dsgec.evolution.scoring import NothingValid
from dsgec.evolution.settings import Settings
from dsgec.run.record import make_record
from dsgec.study.ir import Cell
from dsgec.study.prepare import asked_of
from dsgec.study.results import failure_text, outcome_text
from dsgec.workers import worker


@dataclass(frozen=True, slots=True)
class Made:
    """The content of a run's file, what a user should know, and how long the run took."""

    text: str
    remark: str
    seconds: float


def outcome_of(cell: Cell, grammar: GrammarFile, dataset: Dataset, backend: str) -> Made:
    """Run a cell; it ends with `Abandoned` soon after it has been given up.

    The problem is made here, and kept for the next cell: then only the table has to travel.
    """
    is_given_up = worker.is_abandoned()
    problem = _problem(grammar, dataset, replace(cell.settings, seed=0))
    evolver = choose(problem, cell.settings, backend, 1)
    start = time.monotonic()  # the engine has been compiled, which is done but once
    asked = asked_of(grammar, problem.dataset, cell)
    changes: list[tuple[int, float]] = []
    try:
        for last in evolver.generations():
            if is_given_up():
                raise worker.Abandoned
            if not changes or changes[-1][1] != last.best:
                changes.append((last.generation, last.best))
    except NothingValid as error:  # which it would be each time: that is this run's outcome
        text = failure_text(asked, error.faults[0].message)
    else:
        best = with_best(last, evolver.champions)
        record = make_record(problem, cell.settings, grammar, best)
        text = outcome_text(asked, record["result"], changes)
    return Made(text, evolver.remark, time.monotonic() - start)


@lru_cache(maxsize=8)
def _problem(grammar: GrammarFile, dataset: Dataset, settings: Settings) -> Problem:
    return make_problem(grammar.grammar, dataset, settings)


worker.at_drop(_problem.cache_clear)
