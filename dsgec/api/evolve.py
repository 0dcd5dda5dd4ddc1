"""A grammar and data in memory to a Run: `dsgec evolve` for programs."""

import numbers
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from dsgec import pipeline
from dsgec.api.arguments import sort_arguments, takes_grammar_by_name
from dsgec.api.notebook import live_curve
from dsgec.api.printed.keywords import Keywords
from dsgec.api.run import OTHER_FOLDER, Run
from dsgec.api.settings import KEYWORDS, documented, is_text, python_default, read_keywords
from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.data.arrays import make_table
from dsgec.data.dataset import Dataset
from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.data.prepare import add_test_table, make_dataset
from dsgec.data.read import read_table
from dsgec.data.row_metadata import add_groups, add_weights
from dsgec.data.table import Table
from dsgec.errors import PYTHON, DsgecError, wrong
from dsgec.folder import make_folder, open_folder, remove_if_empty
from dsgec.grammar.load import GrammarFile, load_grammar
from dsgec.pipeline import Hooks, prepare
from dsgec.run.config import Inputs
from dsgec.run.folder import refuse_other_run
from dsgec.run.history import history_row
from dsgec.run.job import Job
from dsgec.run.search import Search
from dsgec.search.choose import choose_evolver, default_threads
from dsgec.search.defaults import default_grammar
from dsgec.search.evolver import Evolver, Generation, HistoryRow
from dsgec.search.settings import Execution, Preset, Settings


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run is.

    :param generation: Its last generation.
    :param generations: How many it has at most.
    :param best: The best fitness.
    :param mean: The mean fitness of the last generation.
    :param invalid: How many of its individuals are not valid.
    :param evaluations: How many individuals have been evaluated.
    :param seconds: The time since the start.
    :param rows: The generations since the last call, as the history has them.
    """

    generation: int
    generations: int
    best: float
    mean: float
    invalid: int
    evaluations: int
    seconds: float
    rows: tuple[HistoryRow, ...]


_SHARE = Settings().test
_SECONDS_BETWEEN_CALLS = 0.2

STOPPED = "stopped"
"""Why a run ended that a callback stopped."""

Callback = Callable[[Progress], object]


@takes_grammar_by_name
@standard_arithmetic()
@documented(KEYWORDS, python_default)
def evolve(
    grammar: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    target: str | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    test: Any = _SHARE,
    name: str = "",
    out: str | Path | None = None,
    overwrite: bool = False,
    callback: Callback | None = None,
    **keywords: Unpack[Keywords],
) -> Run:
    """Evolve a network of `grammar` on the rows `X` and what they should give, `y`.

    `dsgec.evolve(X, y)` and `dsgec.evolve(frame, "column")` choose a shipped grammar by the task;
    `grammar=` can be added to them.
    It ends early at a score as good as `stop_at`, or after `patience` generations without a better
    one. In a notebook, a curve shows how far it is, unless there is a `callback`.

    :param grammar: A file, the name of a shipped grammar, or what `parse_grammar` gives. Where it
        is left out, it is `network` for two classes, `network_softmax` for more and `regression`
        for a numeric target.
    :param X: A 2-D array, a list of rows, a data frame, a dictionary of columns, a list of
        dictionaries, or a file.
    :param y: A label or a number for each row, or the name of a column of `X`.
    :param target: A column of a data frame or a file, in the place of `y`.
    :param sample_weight: How much each row counts in the objective; a row of weight 0 is left out.
    :param groups: The group of each row, in the place of a column that `group` names: training and
        test rows do not share a group.
    :param test: A share of the rows to test with, a file, a data frame, or a pair of rows and their
        targets. Default: 0.3.
    :param name: What the data is called, and so the exported module.
    :param out: The folder to write the run to; without one, nothing is written.
    :param overwrite: Write over another run in that folder.
    :param callback: Called a few times a second; if it returns True, the run ends with what it has.
    """
    is_text("name", name)
    grammar, X, y, target = sort_arguments(grammar, X, y, target)
    if callback is not None and not callable(callback):
        raise wrong("callback", f"is {callback!r}", "It must be a function of a dsgec.Progress.")
    shares = isinstance(test, numbers.Real)
    said = read_keywords(keywords, test=test if shares else 0.0)
    given = None if grammar is None else _load(grammar)
    if groups is not None and said.preprocessing.group:
        raise DsgecError("group and groups both say which rows belong together", "Give one.")
    dataset = _dataset(X, y, target, (sample_weight, groups), name, said.preprocessing)
    if not shares:
        dataset = add_test_table(dataset, _test_table(test, dataset))
    grammar = grammar or default_grammar(len(dataset.classes))
    file = given or _load(grammar)
    inputs = _inputs(grammar, X, None if shares else test, name, said.preset)
    job = prepare(file, dataset, said.settings_for(dataset), inputs=inputs)
    folder = None if out is None else Path(out)
    if folder is not None:
        if not overwrite and folder.exists():
            with open_folder(folder) as opened:
                refuse_other_run(opened, job.identity, OTHER_FOLDER)
        make_folder(folder).close()
    try:
        evolver = make_evolver(job, said.execution)
        evolution = pipeline.evolve(job, evolver, report_to(callback or live_curve()))
    except BaseException:
        if folder is not None:
            remove_if_empty(folder)
        raise
    run = Run.of(evolution.result, notes_of(job, evolver))
    if folder is not None:
        run.save(folder, overwrite=True)
    return run


def _load(grammar: Any) -> GrammarFile:
    return grammar if isinstance(grammar, GrammarFile) else load_grammar(str(grammar))


def make_evolver(job: Job, execution: Execution) -> Evolver:
    """Return the evolver of a job, with the backend that was asked for."""
    threads = execution.threads or default_threads(job.problem, job.settings.islands)
    return choose_evolver(job.problem, job.settings, execution.backend, threads, soon=True)


def notes_of(job: Job, evolver: Evolver) -> tuple[str, ...]:
    """Return the notes on a run for the user of the library."""
    warnings = (fault.message for fault in job.grammar.warnings)
    notes = (*warnings, *job.problem.dataset.notes, job.problem.remark, evolver.remark)
    return tuple(PYTHON.write(note) for note in notes if note)


def report_to(callback: Callback | None) -> Hooks:
    """Return hooks that call a callback a few times a second with the progress of a run."""
    if callback is None:
        return Hooks()
    started = time.monotonic()
    waiting: list[Generation] = []
    called = -_SECONDS_BETWEEN_CALLS  # the first generation is reported at once

    def on_slice(search: Search, states: Sequence[Generation]) -> str:
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

    return Hooks(on_slice=on_slice)


def _dataset(
    X: Any,
    y: Any,
    target: str | None,
    of_rows: tuple[Any, Any],
    name: str,
    preprocessing: Preprocessing,
) -> Dataset:
    """The data set; `of_rows` are the weights and the groups that were given, or None."""
    if isinstance(X, str | Path):
        if y is not None:
            raise DsgecError("X is a file, so y is a column of it", "Name it with target=.")
        if target is not None:
            is_text("target", target)
        table = read_table(str(X))
        table = with_rows(replace(table, name=name or table.name), *of_rows)
        return make_dataset(table, target, preprocessing)
    if y is None and target is None:
        raise DsgecError("y is missing", "Give it, or name a column of X with target=.")
    wanted = "" if target is None else str(target)  # pandas has numbers as names, too
    table = make_table(X, y, target=wanted if y is not None else "", name=name or "data")
    if y is None and wanted not in table.columns and not isinstance(target, str):
        raise DsgecError(f"X has no column {target!r}", f"Its columns: {table.columns[:40]}.")
    table = with_rows(table, *of_rows)
    return make_dataset(table, wanted if y is None else table.columns[-1], preprocessing)


def with_rows(table: Table, sample_weight: Any, groups: Any) -> Table:
    """The table with what was given for each row: a weight, a group."""
    if groups is not None:
        table = add_groups(table, groups)
    return table if sample_weight is None else add_weights(table, sample_weight)


def _inputs(grammar: Any, X: Any, test: Any, name: str, preset: Preset) -> Inputs | None:
    """What a config.toml names, where all are names and the data has its own."""
    given = (grammar, X) if test is None else (grammar, X, test)
    if name or not all(isinstance(one, str | Path) for one in given):
        return None
    return Inputs(str(grammar), str(X), None if test is None else str(test), preset.preset)


def _test_table(test: Any, dataset: Dataset) -> Table:
    """The rows to test with, as a table that has the target."""
    if isinstance(test, str | Path):
        names = tuple(column.name for column in dataset.columns)
        return read_table(str(test), ReadingOptions(names=(*names, dataset.target)))
    if isinstance(test, tuple) and len(test) == 2:
        return make_table(*test, target=dataset.target, shown="test")
    if hasattr(test, "columns"):
        return make_table(test, shown="test")
    raise wrong(
        "test",
        f"is a {type(test).__name__}",
        "It must be a share, a file, a data frame with the target, or a pair (rows, targets).",
    )
