"""A grammar and data in memory to a Run: `dsgec evolve` for programs."""

import numbers
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.bnf.load import GrammarFile, load_grammar
from dsgec.data.arrays import table_of
from dsgec.data.dataset import make_dataset, with_test
from dsgec.data.dialect import Reading
from dsgec.data.ir import Dataset, Plan, Table
from dsgec.data.table import read_table
from dsgec.errors import DsgecError
from dsgec.evolution.evolver import Generation
from dsgec.evolution.problem import Problem, make_problem
from dsgec.evolution.scoring import Champion
from dsgec.evolution.settings import Settings
from dsgec.folder import make_folder, open_folder, remove_if_empty
from dsgec.library.machinery import OnSlice, Outcome, run_problem
from dsgec.library.network import Network
from dsgec.library.run import Run, refuse_other
from dsgec.library.settings import (
    BACKENDS,
    is_text,
    make_plan,
    make_settings,
    one_of,
    whole_threads,
)
from dsgec.library.wording import in_python, in_words_of_python
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


_USUAL = Settings()

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
                refuse_other(opened, identity(file, problem.dataset, settings))
        make_folder(folder).close()
    try:
        outcome = run_problem(
            problem, settings, backend, threads, on_slices(callback, settings.generations)
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
        best = Champion(last.size, last.best, last.phenotype)
        hall = hall_text(problem, outcome.champions, best, outcome.measurer())
        drawn = evidence(problem, model)
    warnings = (fault.message for fault in file.warnings)
    told = (*warnings, *problem.dataset.notes, problem.remark, outcome.remark)
    notes = tuple(in_python(note) for note in told if note)
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
                    last.best,
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
