"""A grammar and data in memory to a Run: `dsgec evolve` for programs."""

import numbers
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from dsgec.api.keywords import Keywords
from dsgec.api.machinery import OnSlice, Outcome, run_problem
from dsgec.api.network import Network
from dsgec.api.run import Run, refuse_other
from dsgec.api.settings import KEYWORDS, documented, is_text, read_keywords
from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.bnf.load import GrammarFile, load_grammar
from dsgec.data.arrays import table_of
from dsgec.data.dataset import make_dataset, with_test
from dsgec.data.ir import Dataset, Plan, Table
from dsgec.data.plan import Reading
from dsgec.data.table import read_table
from dsgec.errors import PYTHON, DsgecError, wrong
from dsgec.evolution.evolver import Generation
from dsgec.evolution.problem import Problem, make_problem
from dsgec.evolution.scoring import Champion
from dsgec.evolution.settings import Settings
from dsgec.folder import make_folder, open_folder, remove_if_empty
from dsgec.run.evidence import evidence
from dsgec.run.hall import hall_text
from dsgec.run.history import HistoryRow, history_row
from dsgec.run.record import best_model, identity, make_record


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run is: its last generation, of how many, and `rows`, those since the last call."""

    generation: int
    generations: int
    best: float
    mean: float
    invalid: int
    evaluations: int
    seconds: float
    rows: tuple[HistoryRow, ...]


_SHARE = Settings().test

Callback = Callable[[Progress], object]


@standard_arithmetic()
@documented(KEYWORDS)
def evolve(
    grammar: str | Path | GrammarFile,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    test: Any = _SHARE,
    name: str = "",
    out: str | Path | None = None,
    overwrite: bool = False,
    callback: Callback | None = None,
    **keywords: Unpack[Keywords],
) -> Run:
    """Evolve a network of `grammar` on the rows `X` and what they should give, `y`.

    It ends early at a score as good as `stop_at`, or after `patience` generations without a better
    one.

    :param grammar: A file, the name of a shipped grammar, or what `parse_grammar` gives.
    :param X: A 2-D array, a list of rows, a data frame, or a file.
    :param y: A label or a number for each row.
    :param target: A column of a data frame or a file, in the place of `y`.
    :param test: A share of the rows to test with, a file, a data frame, or a pair of rows and their
        targets. Default: 0.3.
    :param name: What the data is called, and so the exported module.
    :param out: The folder to write the run to; without one, nothing is written.
    :param overwrite: Write over another run in that folder.
    :param callback: Called a few times a second; if it returns True, the run ends with what it has.
    """
    is_text("name", name)
    if callback is not None and not callable(callback):
        raise wrong("callback", f"is {callback!r}", "It must be a function of a dsgec.Progress.")
    shares = isinstance(test, numbers.Real)
    settings, plan, execution = read_keywords(keywords, test=test if shares else 0.0)
    file = grammar if isinstance(grammar, GrammarFile) else load_grammar(str(grammar))
    dataset = _dataset(X, y, target, name, plan)
    if not shares:
        dataset = with_test(dataset, _test_table(test, dataset))
    problem = make_problem(file.grammar, dataset, settings)
    folder = None if out is None else Path(out)
    if folder is not None:
        if not overwrite and folder.exists():
            with open_folder(folder) as opened:
                refuse_other(opened, identity(file, problem.dataset, settings))
        make_folder(folder).close()
    try:
        outcome = run_problem(
            problem,
            settings,
            execution.backend,
            execution.threads,
            on_slices(callback, settings.generations),
        )
    except BaseException:
        if folder is not None:
            remove_if_empty(folder)
        raise
    run = made(problem, settings, file, outcome, in_full=True)
    if folder is not None:
        run.save(folder, overwrite=True)
    return run


def made(
    problem: Problem,
    settings: Settings,
    file: GrammarFile,
    outcome: Outcome,
    *,
    in_full: bool = False,
) -> Run:
    """The outcome of a problem as a Run; `in_full`, with what takes a moment to be measured."""
    last = outcome.last
    record = make_record(problem, settings, file, last, outcome.ended)
    model = best_model(problem, last)
    network = Network(model, record["model"]["name"])
    hall, drawn = "", {}
    if in_full:
        best = Champion(last.size, last.best.fitness, last.best.derivation.phenotype)
        hall = hall_text(problem, outcome.champions, best, outcome.measurer())
        drawn = evidence(problem, model)
    warnings = (fault.message for fault in file.warnings)
    told = (*warnings, *problem.dataset.notes, problem.remark, outcome.remark)
    notes = tuple(PYTHON.write(note) for note in told if note)
    return Run(network, outcome.history, record, outcome.timing, hall, drawn, notes)


def on_slices(callback: Callback | None, generations: int) -> OnSlice:
    """The callback, called with what a slice of generations came to."""
    started = time.monotonic()

    def called(states: Sequence[Generation]) -> bool:
        if callback is None:
            return False
        last = states[-1]
        return (
            callback(
                Progress(
                    last.generation,
                    generations,
                    last.best.fitness,
                    last.mean,
                    last.invalid,
                    last.evaluations,
                    time.monotonic() - started,
                    tuple(map(history_row, states)),
                )
            )
            is True
        )

    return called


def _dataset(X: Any, y: Any, target: str | None, name: str, plan: Plan) -> Dataset:
    if isinstance(X, str | Path):
        if y is not None:
            raise DsgecError("X is a file, so y is a column of it", "Name it with target=.")
        if target is not None:
            is_text("target", target)
        table = read_table(str(X))
        return make_dataset(replace(table, name=name or table.name), target, plan)
    if y is None and target is None:
        raise DsgecError("y is missing", "Give it, or name a column of X with target=.")
    wanted = "" if target is None else str(target)  # pandas has numbers as names, too
    table = table_of(X, y, target=wanted if y is not None else "", name=name or "data")
    if y is None and wanted not in table.columns and not isinstance(target, str):
        raise DsgecError(f"X has no column {target!r}", f"Its columns: {table.columns[:40]}.")
    return make_dataset(table, wanted if y is None else table.columns[-1], plan)


def _test_table(test: Any, dataset: Dataset) -> Table:
    """The rows to test with, as a table that has the target."""
    if isinstance(test, str | Path):
        names = tuple(column.name for column in dataset.columns)
        return read_table(str(test), Reading(names=(*names, dataset.target)))
    if isinstance(test, tuple) and len(test) == 2:
        return table_of(*test, target=dataset.target, shown="test")
    if hasattr(test, "columns"):
        return table_of(test, shown="test")
    raise wrong(
        "test",
        f"is a {type(test).__name__}",
        "It must be a share, a file, a data frame with the target, or a pair (rows, targets).",
    )
