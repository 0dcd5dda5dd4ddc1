"""A grammar and data in memory to a Run: `dsgec evolve` for programs."""

import numbers
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dsgec.api.run import OTHER_FOLDER, Run
from dsgec.api.settings import (
    BACKENDS,
    is_text,
    make_plan,
    make_settings,
    one_of,
    whole_threads,
)
from dsgec.api.wording import in_python, in_words_of_python
from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.bnf.load import GrammarFile, load_grammar
from dsgec.data.arrays import table_of
from dsgec.data.dataset import make_dataset, with_test
from dsgec.data.dialect import Reading
from dsgec.data.ir import Dataset, Plan, Table
from dsgec.data.table import read_table
from dsgec.errors import DsgecError
from dsgec.evolution.choose import choose, sensible_threads
from dsgec.evolution.evolver import Generation, HistoryRow
from dsgec.evolution.problem import Problem, make_problem
from dsgec.evolution.settings import Settings
from dsgec.folder import make_folder, open_folder, remove_if_empty
from dsgec.run.folder import refuse_other_run
from dsgec.run.history import history_row
from dsgec.run.record import identity
from dsgec.run.result import make_result
from dsgec.run.search import OnSlice, Search


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


_USUAL = Settings()
_SECONDS_BETWEEN_CALLS = 0.2

STOPPED = "stopped"
"""Why a run ended that a callback stopped."""

Callback = Callable[[Progress], object]


@standard_arithmetic()
@in_words_of_python
def evolve(
    grammar: str | Path | GrammarFile,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    task: str | None = None,
    ignore: str | Sequence[str] = (),
    missing: str = "error",
    scale: str = "none",
    constant: str = "drop",
    test: Any = _USUAL.test,
    split_seed: int = _USUAL.split_seed,
    name: str = "",
    engine: str = _USUAL.engine,
    population: int = _USUAL.population,
    generations: int = _USUAL.generations,
    seed: int = _USUAL.seed,
    objective: str | None = None,
    max_depth: Mapping[str, int] | None = None,
    connect: str = _USUAL.connect,
    tournament: int = _USUAL.tournament,
    crossover: float = _USUAL.crossover,
    mutation: float = _USUAL.mutation,
    elites: int = _USUAL.elites,
    max_size: int = _USUAL.max_size,
    codons: int = _USUAL.codons,
    wraps: int = _USUAL.wraps,
    stop_at: float | None = None,
    patience: int = 0,
    islands: int = 1,
    migrate_every: int = _USUAL.migrate_every,
    migrants: int = _USUAL.migrants,
    backend: str = "auto",
    threads: int | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    callback: Callback | None = None,
) -> Run:
    """Evolve a network of `grammar` on the rows `X` and what they should give, `y`.

    `grammar` is a file, the name of a shipped one, or what `parse_grammar` gives. `X` is a 2-D
    array, a list of rows, a data frame, or a file; of the last two, `target` names a column in the
    place of `y`. `test` is a share of the rows, a file, or a pair of rows and their targets. The
    run is written to the folder `out`, and to nowhere if there is none. It ends early at a score as
    good as `stop_at`, or after `patience` generations without a better one. `callback` is called a
    few times a second; if it returns True, the run ends with what it has.
    """
    one_of("backend", backend, BACKENDS)
    is_text("name", name)
    threads = whole_threads(threads)
    if callback is not None and not callable(callback):
        raise DsgecError(f"callback is {callback!r}", "It is a function of a dsgec.Progress.")
    shares = isinstance(test, numbers.Real)
    settings = make_settings(
        max_depth,
        engine=engine,
        population=population,
        generations=generations,
        seed=seed,
        objective="" if objective is None else objective,
        connect=connect,
        tournament=tournament,
        crossover=crossover,
        mutation=mutation,
        elites=elites,
        max_size=max_size,
        codons=codons,
        wraps=wraps,
        stop_at=stop_at,
        patience=patience,
        islands=islands,
        migrate_every=migrate_every,
        migrants=migrants,
        split_seed=split_seed,
        test=test if shares else 0.0,
    )
    plan = make_plan(ignore, task, missing, scale, constant)
    file = grammar if isinstance(grammar, GrammarFile) else load_grammar(str(grammar))
    dataset = _dataset(X, y, target, name, plan)
    if not shares:
        dataset = with_test(dataset, _test_table(test, dataset))
    problem = make_problem(file.grammar, dataset, settings)
    folder = None if out is None else Path(out)
    if folder is not None:
        if not overwrite and folder.exists():
            with open_folder(folder) as opened:
                refuse_other_run(opened, identity(file, problem.dataset, settings), OTHER_FOLDER)
        make_folder(folder).close()
    try:
        search = make_search(problem, settings, backend, threads)
        outcome = search.run(on_slices(callback, search))
    except BaseException:
        if folder is not None:
            remove_if_empty(folder)
        raise
    result = make_result(problem, settings, file, outcome)
    run = Run.of(result, notes_of(file, search))
    if folder is not None:
        run.save(folder, overwrite=True)
    return run


def make_search(problem: Problem, settings: Settings, backend: str, threads: int | None) -> Search:
    """A search with the backend that was asked for."""
    threads = threads or sensible_threads(problem, settings.islands)
    return Search(choose(problem, settings, backend, threads))


def notes_of(file: GrammarFile, search: Search) -> tuple[str, ...]:
    """What a person should know about the run."""
    problem, evolver = search.evolver.problem, search.evolver
    warnings = (fault.message for fault in file.warnings)
    notes = (*warnings, *problem.dataset.notes, problem.remark, evolver.remark)
    return tuple(in_python(note) for note in notes if note)


def on_slices(callback: Callback | None, search: Search) -> OnSlice:
    """The callback, called with what the generations since its last call came to."""
    if callback is None:
        return lambda _: ""
    started = time.monotonic()
    waiting: list[Generation] = []
    called = -_SECONDS_BETWEEN_CALLS  # the first generation is reported at once

    def on_slice(states: Sequence[Generation]) -> str:
        nonlocal called
        waiting.extend(states)
        seconds = time.monotonic() - started
        # The loop in Python gives one generation at a time: some are reported together.
        is_due = search.ending.reason or seconds - called >= _SECONDS_BETWEEN_CALLS
        if not waiting or not is_due:
            return ""
        called = seconds
        last, rows = waiting[-1], tuple(map(history_row, waiting))
        waiting.clear()
        progress = Progress(
            last.generation,
            search.evolver.settings.generations,
            last.best,
            last.mean,
            last.invalid,
            last.evaluations,
            seconds,
            rows,
        )
        return STOPPED if callback(progress) is True else ""

    return on_slice


def _dataset(X: Any, y: Any, target: str | None, name: str, plan: Plan) -> Dataset:
    if isinstance(X, str | Path):
        if y is not None:
            raise DsgecError("X is a file, so y is a column of it", "Say which with target=.")
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
    raise DsgecError(
        f"test is a {type(test).__name__}",
        "It is a share, a file, a data frame with the target, or a pair (rows, targets).",
    )
