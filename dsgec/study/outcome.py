"""Run a cell of a study, and write the text of its file; a worker does so, here or elsewhere."""

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from dsgec.data.dataset import Dataset
from dsgec.grammar.load import GrammarFile
from dsgec.pipeline import Hooks, evolve, evolve_texts
from dsgec.plain_data import to_json
from dsgec.run.baselines import make_baselines
from dsgec.run.job import Job, identity
from dsgec.search.choose import choose_evolver
from dsgec.search.evolver import HistoryRow
from dsgec.search.measure import measure_outputs
from dsgec.search.problem import Problem, make_problem
from dsgec.search.scoring import NoValidIndividual
from dsgec.search.settings import Settings
from dsgec.study.cluster import AbandonedCall, is_abandoned
from dsgec.study.definition import Cell
from dsgec.study.prepare import asked_of, cell_record, make_cell_problem
from dsgec.study.results import failure_text, outcome_text


@dataclass(frozen=True, slots=True)
class CellFile:
    """The content of a cell's file, a remark for the user, and how long the run took."""

    text: str
    remark: str
    seconds: float


def outcome_of(cell: Cell, grammar: GrammarFile, dataset: Dataset, backend: str) -> CellFile:
    """Run a cell, or raise `AbandonedCall` soon after the cell has been given up.

    The problem is made here: only the table has to travel.
    """
    hooks = _abandoning_hooks()
    rivals: list[dict[str, Any]] = []
    if cell.data.fitness:
        problem = make_cell_problem(grammar, cell.data, cell.settings)
    else:
        problem, rivals = _cached_problem(grammar, dataset, cell.settings)
    evolver = choose_evolver(problem, cell.settings, backend, 1)
    started = time.perf_counter()  # after the engine was compiled
    asked = asked_of(grammar, problem, cell)

    try:
        job = Job(grammar, problem, cell.settings)
        if cell.data.fitness:
            found = evolve_texts(job, evolver, hooks)
            record, history = cell_record(cell, problem, found.result), found.history
        else:
            _, result = evolve(job, evolver, hooks, in_full=False)
            record, history = result.result.as_json(), result.history
    except NoValidIndividual as error:  # which it would be each time: that is this run's outcome
        text = failure_text(asked, error.faults[0].message)
    else:
        record |= {"baselines": rivals} if rivals else {}
        text = outcome_text(asked, record, _changes(history))
    return CellFile(text, evolver.remark, time.perf_counter() - started)


def _abandoning_hooks() -> Hooks:
    """Return hooks that end the search of a cell that has been given up."""
    is_given_up = is_abandoned()

    def on_slice(*_: object) -> str:
        if is_given_up():
            raise AbandonedCall
        return ""

    return Hooks(on_slice=on_slice)


def _changes(history: Sequence[HistoryRow]) -> list[tuple[int, float]]:
    """Return the generations at which the best fitness changed, with that fitness."""
    first = [(history[0].generation, history[0].best)]
    return first + [(b.generation, b.best) for a, b in pairwise(history) if a.best != b.best]


_MOST_KEPT = 8
_problems: OrderedDict[str, tuple[Problem, list[dict[str, Any]]]] = OrderedDict()


def _cached_problem(
    grammar: GrammarFile, dataset: Dataset, settings: Settings
) -> tuple[Problem, list[dict[str, Any]]]:
    """Return the problem of a cell and the scores of the baseline models, from a cache.

    Both are kept for the cells that differ in the seed alone. They are found by what they depend
    on, since each call brings a table of its own.
    """
    settings = replace(settings, seed=0)
    key = to_json(identity(grammar, dataset, settings))
    if key not in _problems:
        problem = make_problem(grammar.grammar, dataset, settings)
        rivals: list[dict[str, Any]] = []
        if settings.compare:
            _, *others = make_baselines(problem, settings.compare)
            rivals = [{"name": one.name, **measure_outputs(problem, one.outputs)} for one in others]
        _problems[key] = problem, rivals
        if len(_problems) > _MOST_KEPT:
            _problems.popitem(last=False)
    _problems.move_to_end(key)
    return _problems[key]
