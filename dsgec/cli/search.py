"""`dsgec search`: evolve any texts by a fitness of the user's own."""

import contextlib
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dsgec.cli.options import GroupedCommand, collect, complete_grammar, option
from dsgec.cli.output import print_message
from dsgec.cli.shared_options import SessionOptions, absolute, run_options
from dsgec.errors import DsgecError
from dsgec.search.text_settings import SEARCH_BACKENDS, TEXT_SETTINGS, make_text_settings
from dsgec.setting import setting, settings_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dsgec.run.checkpoint import Checkpoint
    from dsgec.run.job import Job
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

    backend: str = setting(
        "auto", "Backend of the evolution; all give the same results.", choices=SEARCH_BACKENDS
    )
    batched: bool = setting(False, "The function takes a list of phenotypes and returns a list.")
    processes: int = setting(0, "Number of processes that evaluate; 0: this process does.", 0, 256)
    seconds_per_evaluation: float = setting(
        0.0,
        "An evaluation that takes longer is a failure; 0: no limit.",
        0.0,
        metavar="SECONDS",
    )


class _RedirectedEvaluator:
    """An evaluator whose function prints to standard error: standard output has the result."""

    def __init__(self, evaluator: "Evaluator") -> None:
        self._evaluator, self.description = evaluator, evaluator.description

    def __call__(self, phenotypes: "Sequence[str]") -> "list[Answer]":
        with contextlib.redirect_stdout(sys.stderr):
            return self._evaluator(phenotypes)


_SESSION = [option(one) for one in settings_of(SearchOptions) if one.name not in _NOT_OFFERED]


@click.command(cls=GroupedCommand, common=_COMMON, examples=_EXAMPLES)
@click.argument("grammar", required=False, shell_complete=complete_grammar)
@click.argument("fitness", required=False, metavar="FITNESS")
@partial(collect, name="settings", make=dict, options=[option(one) for one in TEXT_SETTINGS])
@partial(run_options, left_out=("jobs",))
@partial(collect, name="session", make=lambda values: SearchOptions(**values), options=_SESSION)
def search(
    grammar: str | None,
    fitness: str | None,
    runs: int,
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
    from dsgec.cli.jobs import run_job
    from dsgec.pipeline import refuse_other
    from dsgec.study.many import with_seed

    if grammar is None:
        raise click.UsageError("Missing argument 'FITNESS'.", click.get_current_context())
    place, named = (grammar, None) if fitness is None else (fitness, grammar)
    given = {key: value for key, value in settings.items() if _is_given(key) and value is not None}
    with ExitStack() as exits:
        job, arguments = _prepare(place, named, given, session, exits, out=out, name=name)
        each = [job]
        if runs > 1:
            each = [with_seed(job, job.settings.seed + number) for number in range(runs)]
        for one in () if overwrite else each:  # every error is found before a run begins
            refuse_other(one)
        for one in each:
            run_job(one, session, arguments, overwrite=overwrite)


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
    from dsgec.grammar.load import load_grammar
    from dsgec.pipeline import prepare_search
    from dsgec.study.evaluators import FileSource, close_evaluator, make_evaluator
    from dsgec.study.problem_file import ProblemFile

    own = ProblemFile.load(place)
    _ = own.fitness  # or there is an error
    chosen = make_text_settings({**({} if grammar else own.settings), **given})
    if grammar is not None:
        file = load_grammar(grammar, any_text=True)
    else:
        file = own.grammar(
            f'Name one: dsgec search GRAMMAR {place}; or write `grammar = "<s> ::= …"` in the file.'
        )
    source = FileSource(f"{absolute(own.place)}:{own.function}")
    evaluator = make_evaluator(
        source,
        processes=options.processes,
        batched=options.batched,
        seconds=options.seconds_per_evaluation,
    )
    exits.callback(close_evaluator, evaluator)
    job = prepare_search(
        *(file, _RedirectedEvaluator(evaluator), chosen),
        function=own.name,
        digest=own.digest,
        operators=own.operators,
        out=out,
        name=name,
    )
    for warning in file.warnings:
        print_message(str(warning))
    arguments = {
        "search": source.place,
        "grammar": None if grammar is None else absolute(grammar),
        "options": {key: getattr(options, key) for key in _KEPT},
    }
    return job, arguments


def resume_search(run: Path, checkpoint: "Checkpoint", session: SessionOptions) -> None:
    """Resume the search of a checkpoint; its grammar and its function are read again."""
    from dsgec.cli.jobs import refuse_changed, run_job

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
        names = {"grammar": grammar or place, "data": place}
        refuse_changed(run, checkpoint, job, names, "search", "search")
        run_job(job, options, again)
