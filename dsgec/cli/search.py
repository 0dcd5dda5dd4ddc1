"""`dsgec search`: evolve any texts by a fitness of the user's own."""

import contextlib
import shlex
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dsgec.cli.options import GroupedCommand, collect, complete_grammar, option
from dsgec.cli.output import print_data, print_message, print_result
from dsgec.cli.shared_options import SessionOptions, run_options
from dsgec.errors import DsgecError
from dsgec.search.text_settings import TEXT_SETTINGS, make_text_settings
from dsgec.setting import setting, settings_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dsgec.run.checkpoint import Checkpoint
    from dsgec.run.job import Job
    from dsgec.run.text_result import WrittenSearch
    from dsgec.search.fitness import Answer, Evaluator

_NOT_OFFERED = ("threads", "cluster")
_KEPT = ("batched", "processes", "seconds_per_evaluation")
_COMMON = ("population", "generations", "seed", "maximise", "processes", "runs", "out", "name")
_EXAMPLES = (
    ("dsgec search santa_fe", "a shipped problem: grammar and fitness"),
    ("dsgec search grammar.bnf problem.py:fitness", "your own grammar and function"),
    ("dsgec search problem.py --processes 2", "a file with `grammar` and `fitness`"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions(SessionOptions):
    """The options of one session of a search."""

    batched: bool = setting(False, "The function takes a list of phenotypes and returns a list.")
    processes: int = setting(0, "Number of processes that evaluate; 0: this process does.", 0, 256)
    seconds_per_evaluation: float = setting(
        0.0,
        "An evaluation that takes longer is a failure; 0: no limit.",
        0.0,
        metavar="SECONDS",
    )


class _Redirected:
    """An evaluator whose function prints to standard error: standard output has the result."""

    def __init__(self, evaluator: "Evaluator") -> None:
        self._evaluator, self.description = evaluator, evaluator.description

    def __call__(self, phenotypes: "Sequence[str]") -> "list[Answer]":
        with contextlib.redirect_stdout(sys.stderr):
            return self._evaluator(phenotypes)


_SESSION = [option(one) for one in settings_of(SearchOptions) if one.name not in _NOT_OFFERED]


def _make_options(values: dict[str, Any]) -> SearchOptions:
    return SearchOptions(**values)


@click.command(cls=GroupedCommand, common=_COMMON, examples=_EXAMPLES)
@click.argument("grammar", required=False, shell_complete=complete_grammar)
@click.argument("fitness", required=False, metavar="FITNESS")
@partial(collect, name="settings", make=dict, options=[option(one) for one in TEXT_SETTINGS])
@run_options
@partial(collect, name="session", make=_make_options, options=_SESSION)
def search(
    grammar: str | None,
    fitness: str | None,
    runs: int,
    jobs: int | None,
    out: Path | None,
    name: str,
    overwrite: bool,
    settings: dict[str, Any],
    session: SearchOptions,
) -> None:
    """Evolve a text of GRAMMAR that FITNESS finds good.

    FITNESS is a function of yours from a phenotype to a number, `problem.py:fitness` or
    `module:function`. GRAMMAR is a BNF file. A problem alone, such as `santa_fe` or a file that
    defines `grammar` and `fitness`, has both. Your file is executed; phenotypes are not.

    The same command resumes a run that was interrupted or killed.
    """
    del jobs
    if grammar is None:
        raise click.UsageError("Missing argument 'FITNESS'.", click.get_current_context())
    place, named = (grammar, None) if fitness is None else (fitness, grammar)
    given = {key: value for key, value in settings.items() if _is_given(key) and value is not None}
    with ExitStack() as exits:
        job, arguments = _prepare(place, named, given, session, exits, out=out, name=name)
        if not overwrite:
            _refuse_others(job, runs)
        for number in range(runs):
            one = _with_seed(job, number) if runs > 1 else job
            run_search(one, session, arguments, overwrite=overwrite)


def _is_given(name: str) -> bool:
    """Return whether an option was given, and is not the default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _prepare(
    place: str,
    grammar: str | None,
    given: dict[str, Any],
    options: SearchOptions,
    exits: ExitStack,
    *,
    out: Path | None = None,
    name: str = "",
) -> "tuple[Job, dict[str, Any]]":
    """Return the job of a search, and the arguments with which it is resumed."""
    from dsgec.grammar.load import load_grammar, parse_grammar
    from dsgec.pipeline import prepare_search
    from dsgec.search.operators import make_operators
    from dsgec.study.evaluators import (
        FileSource,
        close_evaluator,
        find_function,
        load_problem,
        make_evaluator,
        module_digest,
        problem_name,
        split_place,
    )

    module_place, function = split_place(place)
    module = load_problem(module_place)
    find_function(module, module_place, function)
    own = getattr(module, "settings", {})
    defaults = dict(own) if grammar is None and isinstance(own, dict) else {}
    chosen = make_text_settings({**defaults, **given})
    if grammar is not None:
        file = load_grammar(grammar, any_text=True)
    else:
        text = getattr(module, "grammar", None)
        if not isinstance(text, str):
            raise DsgecError(
                f"{module_place} has no `grammar`",
                f'Name one: dsgec search GRAMMAR {place}; or write `grammar = "<s> ::= …"`'
                " in the file.",
            )
        file = parse_grammar(text, problem_name(module_place), any_text=True)
    source = FileSource(_absolute(module_place), function)
    evaluator = make_evaluator(
        source,
        processes=options.processes,
        batched=options.batched,
        seconds=options.seconds_per_evaluation,
    )
    exits.callback(close_evaluator, evaluator)
    job = prepare_search(
        *(file, _Redirected(evaluator), chosen),
        function=f"{problem_name(module_place)}:{function}",
        digest=module_digest(module),
        operators=make_operators(getattr(module, "operators", {})),
        out=out,
        name=name,
    )
    for warning in file.warnings:
        print_message(str(warning))
    arguments = {
        "search": f"{source.place}:{function}",
        "grammar": None if grammar is None else _absolute(grammar),
        "options": {
            "batched": options.batched,
            "processes": options.processes,
            "seconds_per_evaluation": options.seconds_per_evaluation,
        },
    }
    return job, arguments


def _absolute(name: str) -> str:
    """Return the absolute path of a file, so that `resume` finds it, or the name as it is."""
    return str(Path(name).absolute()) if Path(name).exists() else name


def _with_seed(job: "Job", number: int) -> "Job":
    from dsgec.study.many import with_seed

    return with_seed(job, job.settings.seed + number)


def _refuse_others(job: "Job", runs: int) -> None:
    """Raise an error if a folder holds another run, before the first one begins."""
    from dsgec.pipeline import refuse_other

    for number in range(runs):
        refuse_other(_with_seed(job, number) if runs > 1 else job)


def resume_search(run: Path, checkpoint: "Checkpoint", session: SessionOptions) -> None:
    """Resume the search of a checkpoint; its grammar and its function are read again."""
    arguments, asked = checkpoint.arguments, checkpoint.asked
    place, grammar, given = (arguments.get(name) for name in ("search", "grammar", "options"))
    if not isinstance(place, str) or not isinstance(given, dict):
        raise DsgecError(
            f"the checkpoint in {run} does not say where its fitness is",
            "Start the search again as it was started: that resumes it.",
        )
    own = {one.name: getattr(session, one.name) for one in settings_of(SessionOptions)}
    known = {name: given[name] for name in _KEPT if name in given}
    options = SearchOptions(**own, **known)
    with ExitStack() as exits:
        settings = asked.get("settings")
        found = settings if isinstance(settings, dict) else {}
        job, again = _prepare(place, grammar, found, options, exits)
        job = replace(job, named=run)
        for what, shown in (("grammar", grammar or place), ("data", place)):
            then, now = asked.get(what), job.identity[what]
            if not isinstance(then, dict) or then.get("sha256") != now["sha256"]:
                raise DsgecError(
                    f"{shown} has changed since the search in {run} began",
                    "Put back what it was, or start from scratch with `dsgec search`.",
                )
        run_search(job, options, again)


def run_search(
    job: "Job", options: SearchOptions, arguments: dict[str, Any], *, overwrite: bool = False
) -> None:
    """Run or resume a search and print its result; with `overwrite`, from scratch."""
    from dsgec.cli.jobs import StopSignals, make_session, refuse_unwritable, show_progress
    from dsgec.cli.terminal.progress import show_compiling
    from dsgec.pipeline import finished_search, run_texts
    from dsgec.search.text_evolvers import choose_text_evolver

    found = None if overwrite else finished_search(job)
    if found is not None:
        if not options.quiet:
            print_message(f"note: {job.folder} has this run already; --overwrite runs it again")
        _print_search(found, options)
        return
    refuse_unwritable(job)
    with ExitStack() as exits:
        waiting = show_compiling(options.shows_progress)
        backend = options.backend if options.backend in ("auto", "engine") else "reference"
        evolver = choose_text_evolver(job.problem, job.settings, backend, waiting=waiting)
        if evolver.remark and not options.quiet:
            print_message(f"note: {evolver.remark}")
        signals = exits.enter_context(StopSignals())
        display = exits.enter_context(show_progress(job, evolver.description, options))
        session = make_session(options, arguments, display, overwrite)
        ended = run_texts(job, evolver, display, session, signals.stop)
    _print_search(ended, options)
    if ended.result.result.ended == "interrupted":
        sys.exit(signals.exit_code)


def _print_search(ended: "WrittenSearch", options: SearchOptions) -> None:
    """Print the result of a search, and how to resume it if it was stopped."""
    from dsgec.cli.jobs import REASONS
    from dsgec.cli.terminal.search import search_lines
    from dsgec.plain_data import to_json

    result = ended.result.result
    if options.as_json:
        record = ended.result.record.as_json()
        print_data(to_json({**record, "timing": ended.timing}).removesuffix("\n"))
    elif not options.quiet:
        print_result("\n".join(search_lines(ended)))
    if result.ended in REASONS:
        print_message(
            f"{REASONS[result.ended]} after generation {result.generations} of"
            f" {ended.result.record.settings['generations']}: this is the best so far;"
            f" `dsgec resume {shlex.quote(str(ended.folder))}` resumes it"
        )
