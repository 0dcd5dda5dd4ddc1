"""`dsgec.evolve`, and the evolution of the estimators."""

import numbers
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from dsgec import pipeline
from dsgec.api.datasets import accept_grammar_keyword, add_test_rows, read_dataset, sort_arguments
from dsgec.api.individuals import Populations
from dsgec.api.notebook import live_curve
from dsgec.api.printed.keywords import Keywords
from dsgec.api.run import OTHER_FOLDER, Run
from dsgec.api.settings import (
    KEYWORDS,
    KeywordSettings,
    check_choice,
    check_string,
    document_settings,
    read_keywords,
)
from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.data.dataset import Dataset
from dsgec.errors import PYTHON, DsgecError, setting_error
from dsgec.folder import make_folder, open_folder, remove_if_empty
from dsgec.grammar.load import GrammarFile, load_grammar
from dsgec.manifest import POPULATIONS
from dsgec.pipeline import Hooks, prepare
from dsgec.run.config import Inputs
from dsgec.run.history import history_row
from dsgec.run.job import Job, identity
from dsgec.run.populations import population_of
from dsgec.run.record import is_same_run
from dsgec.run.result import make_later
from dsgec.run.result_folder import refuse_other_run
from dsgec.run.search import Search
from dsgec.search.choose import choose_evolver
from dsgec.search.defaults import default_grammar
from dsgec.search.evolver import Evolver, Generation, HistoryRow
from dsgec.search.presets import Execution
from dsgec.search.settings import Settings
from dsgec.search.signal_features import name_features


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run, which a callback gets.

    :param generation: The number of the last generation.
    :param generations: The number of generations that the run has at most.
    :param best: The best fitness.
    :param mean: The mean fitness of the last generation.
    :param invalid: The number of invalid individuals in the last generation.
    :param evaluations: The number of individuals evaluated so far.
    :param seconds: The time since the start.
    :param rows: The generations since the last call, as rows of the history; none in a walk.
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


@accept_grammar_keyword
@standard_arithmetic()
@document_settings(KEYWORDS)
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
    log: str = "",
    **keywords: Unpack[Keywords],
) -> Run:
    """Evolve a network of `grammar` that predicts `y` from the rows `X`.

    `dsgec.evolve(X, y)` and `dsgec.evolve(frame, "column")` choose a shipped grammar for the task;
    `grammar=` can be added to them. The run ends early when the score reaches `stop_at`, or after
    `patience` generations without a better one. In a notebook, a curve shows the progress, unless
    there is a `callback`.

    :param grammar: A file, the name of a shipped grammar, or a grammar from `parse_grammar`.
        Default: `shared` for two classes, `shared_softmax` for more and `regression` for a numeric
        target; `network` and `network_softmax` with settings of an evolution; `signal`,
        `signal_softmax` and `signal_regression` for windows.
    :param X: A 2-D array, a list of rows, a data frame, a dictionary of columns, a list of
        dictionaries, or a file; or series, an array of series × channels × samples, whose windows
        are learned from: whole series, or as long as `window`.
    :param y: A label or a number for each row, or the name of a column of `X`.
    :param target: The name of a column of a data frame or a file, instead of `y`.
    :param sample_weight: The weight of each row in the objective; rows of weight 0 are left out.
    :param groups: The group of each row, instead of a column that `group` names: training and test
        rows do not share a group.
    :param test: The share of rows to test with, or test rows: a file, a data frame, or a pair of
        rows and targets. Default: 0.3.
    :param name: The name of the data, which is also that of the exported module.
    :param out: The folder to write the run to. Default: nothing is written.
    :param overwrite: Overwrite another run in that folder.
    :param callback: A function that gets a `Progress` a few times a second; if it returns True, the
        run stops and its result is that of the generations so far.
    :param log: `populations` keeps all generations, for `individuals` and the folder.
    """
    check_string("name", name)
    grammar, X, y, target = sort_arguments(grammar, X, y, target)
    _check_callback(callback)
    is_share = isinstance(test, numbers.Real)
    options = read_keywords(keywords, test=test if is_share else 0.0)
    file = None if grammar is None else _load_grammar(grammar)
    if groups is not None and options.preprocessing.group:
        raise DsgecError("group and groups both say which rows belong together", "Give one.")
    dataset = read_dataset(
        *(X, y, target, options.preprocessing),
        name=name,
        sample_weight=sample_weight,
        groups=groups,
    )
    if not is_share:
        dataset = add_test_rows(dataset, test)
    is_default = grammar is None
    grammar = grammar or default_grammar(dataset, options.keywords)
    inputs = None
    files = (grammar, X) if is_share else (grammar, X, test)
    if not name and all(isinstance(one, str | Path) for one in files):
        test_file = None if is_share else str(test)
        inputs = Inputs(str(grammar), str(X), test_file, options.preset.preset)
    file, dataset = name_features(file or _load_grammar(grammar), dataset)
    settings = options.settings_for(dataset, file.grammar, is_default=is_default)
    job = prepare(file, dataset, settings, inputs=inputs)
    with reserved_folder(out, job, overwrite=overwrite):
        evolver = _make_evolver(job, options.execution)
        hooks = make_hooks(callback or live_curve(), log)
        _, result = pipeline.evolve(job, evolver, hooks)
    run = Run.of(result, collect_notes(job, evolver))
    if log:
        logged, own = result.logged, population_of(evolver)
        populations = Populations(job.problem, job.settings, logged, own)
        run = replace(run, population=populations)
    if out is not None:
        run.save(out, overwrite=True)
    return run


def _check_callback(callback: Callback | None) -> None:
    if callback is not None and not callable(callback):
        raise setting_error(
            "callback", f"is {callback!r}", "It must be a function of a dsgec.Progress."
        )


@contextmanager
def reserved_folder(out: str | Path | None, job: Job, *, overwrite: bool) -> Iterator[None]:
    """Make the folder of a run, unless it holds another one; remove it again after an error."""
    if out is None:
        yield
        return
    folder = Path(out)
    if not overwrite and folder.exists():
        with open_folder(folder) as opened:
            refuse_other_run(opened, job.identity, OTHER_FOLDER)
    make_folder(folder).close()
    try:
        yield
    except BaseException:
        remove_if_empty(folder)
        raise


@dataclass(frozen=True, slots=True, eq=False)
class FitResult:
    """The run of an estimator, and the state to resume it from, if one was kept."""

    run: Run
    state: bytes | None = None


@standard_arithmetic()
def fit(
    dataset: Dataset,
    grammar: Any,
    options: KeywordSettings,
    *,
    callback: Callback | None = None,
    before: FitResult | None = None,
    keeps_state: bool = False,
) -> FitResult:
    """Evolve on all rows, or resume the run `before` for as many generations more."""
    default = default_grammar(dataset, options.keywords)
    file = _load_grammar(default if grammar is None else grammar)
    file, dataset = name_features(file, dataset)
    own = options.settings_for(dataset, file.grammar, is_default=grammar is None)
    settings = replace(own, test=0.0)
    job = prepare(file, dataset, settings)
    if before is not None and not _is_same(before.run, file, dataset, settings):
        _warn("the data or the parameters differ from before: evolution starts from scratch")
        before = None
    state = None
    if before is not None:
        if not settings.generations:
            return before
        generations = before.run.generations + settings.generations
        job = replace(job, settings=replace(settings, generations=generations))
        state = before.state
    evolver = _make_evolver(job, options.execution)

    def resume(search: Search) -> None:
        if before is not None and state is not None:
            search.resume(state, before.run.history, keeps_patience=False)

    hooks = replace(_call_with_progress(callback), on_search=resume)
    outcome, result = pipeline.evolve(job, evolver, hooks, in_full=False)
    if before is not None and state is None:
        # The same seed gives the same generations, so only time is lost.
        _warn(
            "there was no warm_start before, so no population was kept: the"
            f" {before.run.generations} generations before were run again, with the same result"
        )
    saved = evolver.save() if keeps_state else None
    rest = make_later(job.problem, result.model, outcome)
    return FitResult(Run.of(result, collect_notes(job, evolver), rest), saved)


def _is_same(run: Run, file: GrammarFile, dataset: Dataset, settings: Settings) -> bool:
    """Return whether a run had the same inputs; it may have had other generations."""
    earlier = {**run.record["settings"], "generations": settings.generations}
    return is_same_run({**run.record, "settings": earlier}, identity(file, dataset, settings))


def _warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=6)


def _load_grammar(grammar: Any) -> GrammarFile:
    return grammar if isinstance(grammar, GrammarFile) else load_grammar(str(grammar))


def _make_evolver(job: Job, own: Execution) -> Evolver:
    return choose_evolver(job.problem, job.settings, own.backend, own.threads, soon=True)


def collect_notes(job: Job, evolver: Evolver) -> tuple[str, ...]:
    """Return the notes on a run, with settings named as keywords."""
    warnings = (fault.message for fault in job.grammar.warnings)
    notes = (*warnings, *job.problem.dataset.notes, job.problem.remark, evolver.remark)
    return tuple(PYTHON.write(note) for note in notes if note)


def make_hooks(callback: Callback | None, log: str) -> Hooks:
    """Return hooks that call a callback and, if `log` says so, keep all populations in memory."""
    check_choice("log", log, ("", POPULATIONS))
    hooks = _call_with_progress(callback)
    return replace(hooks, on_search=lambda search: search.log_populations(None)) if log else hooks


def _call_with_progress(callback: Callback | None) -> Hooks:
    """Return hooks that call a callback a few times a second with the progress of a run."""
    if callback is None:
        return Hooks()
    started = time.monotonic()
    waiting: list[Generation] = []
    called = -_SECONDS_BETWEEN_CALLS  # the first generation is reported at once
    last: Generation | None = None

    def on_slice(search: Search, states: Sequence[Generation]) -> str:
        nonlocal called, last
        waiting.extend(states)
        last = waiting[-1] if waiting else last
        seconds = time.monotonic() - started
        # The loop in Python gives one generation at a time: some are reported together.
        is_last = waiting and search.ending.reason
        is_due = is_last or seconds - called >= _SECONDS_BETWEEN_CALLS
        if last is None or not is_due:
            return ""
        called = seconds
        rows = tuple(map(history_row, waiting))
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
