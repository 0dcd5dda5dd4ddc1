"""Jobs to runs, with what a person sees of them and how they are interrupted."""

import shlex
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import Any

from dsgec.cli.output import complain, hand_over, say
from dsgec.cli.session import SessionOptions
from dsgec.cli.signals import Signals
from dsgec.cli.terminal.display import ProgressDisplay, progress
from dsgec.cli.terminal.result import result_lines, summary_lines
from dsgec.cli.terminal.waiting import compiling
from dsgec.errors import MOST_ALIKE, DsgecError, at_most_three, clean, counted, message_kind
from dsgec.folder import locked, open_folder
from dsgec.pipeline import finished_run, run
from dsgec.plain_data import to_json
from dsgec.run.crossvalidation import write_scores
from dsgec.run.job import Job, WrittenRun
from dsgec.run.session import Session
from dsgec.search.choose import choose, sensible_threads
from dsgec.search.evolver import Evolver
from dsgec.search.settings import OPTIONS
from dsgec.study.many import run_many
from dsgec.study.processes import Processes

_MOST_NOTES = 10


def start(
    job: Job, options: SessionOptions, arguments: dict[str, Any], *, overwrite: bool = False
) -> None:
    """Run or resume a job and print the result; `overwrite`, whatever its folder holds."""
    found = None if overwrite else finished_run(job)
    if found is not None:
        if not options.quiet:
            complain(f"note: {job.folder} has this run already; --overwrite runs it again")
        _tell(found, options)
        return
    _find_unwritable(job)
    with ExitStack() as held:
        evolver = _evolver(job, options, held)
        _tell_notes(job, evolver, options)
        signals = held.enter_context(Signals())
        watching = held.enter_context(_watching(job, evolver.description, options))
        session = _session(options, arguments | _again(overwrite), watching, overwrite)
        ended = run(job, evolver, watching, session, signals.stop)
    if ended.ended != "interrupted":
        _tell(ended, options)
        return
    with suppress(OSError):  # where the terminal has gone, the exit code is all that is left
        _tell(ended, options)
    sys.exit(signals.exit_code)


def _find_unwritable(job: Job) -> None:
    """Refuse a folder that cannot be written to, or that another process writes to."""
    with locked(job.named, "run", job.fold):
        pass


def _evolver(job: Job, options: SessionOptions, held: ExitStack) -> Evolver:
    """What is asked for; a connection to a cluster is held until the run has ended."""
    if options.cluster is None:
        threads = options.threads or sensible_threads(job.problem, job.settings.islands)
        return choose(
            *(job.problem, job.settings, options.backend, threads),
            soon=True,
            waiting=compiling(options.quiet or options.as_json),
        )
    if job.settings.islands == 1:
        raise DsgecError(
            "--cluster spreads islands, and there is one population only",
            "Say how many with --islands; `dsgec study --cluster` spreads runs.",
        )
    from dsgec.study.cluster import connect
    from dsgec.study.cluster_islands import ClusterIslands

    cluster = connect(options.cluster)
    held.callback(cluster.close)
    return ClusterIslands(job.problem, job.settings, cluster, options.backend)


def start_many(
    each: Sequence[Callable[[], Job]],
    first: Job,
    options: SessionOptions,
    arguments: dict[str, Any],
    workers: Processes,
    *,
    overwrite: bool,
    folds: bool,
) -> None:
    """Run several jobs, of which `first` is one, over processes; they may be folds."""
    if options.cluster is not None:
        raise DsgecError(
            "--cluster goes with one run of several islands",
            "`dsgec study --cluster` spreads many runs.",
        )
    jobs = workers.threads
    threads = options.threads or sensible_threads(first.problem, jobs * first.settings.islands)
    _find_unwritable(first)
    waiting = compiling(options.quiet or options.as_json)
    evolver = choose(first.problem, first.settings, options.backend, threads, waiting=waiting)
    _tell_notes(first, evolver, options)
    over = f"{jobs} at a time, each in a process of its own" if jobs > 1 else "one at a time"
    what = "folds" if folds else "runs"
    how = f"{evolver.description}; {len(each)} {what}, {over}"
    with Signals() as signals, _watching(first, how, options, len(each)) as watching:
        ended = run_many(
            each,
            workers,
            evolver.name,
            threads,
            watching.run_ended,
            _session(options, arguments | _again(overwrite), watching, overwrite),
            signals.stop,
        )
    whole = len(ended) == len(each) and not any(_can_go_on(one) for one in ended)
    if folds and whole:
        with open_folder(first.named) as folder:
            write_scores(folder, ended)
    if options.as_json:
        hand_over(to_json([_as_json(one) for one in ended]).removesuffix("\n"))
    elif not options.quiet and ended:
        with suppress(OSError) if signals.stop.is_set() else nullcontext():
            say("\n".join(summary_lines(ended, what if whole else f"{what} so far")))
    if not whole:
        done = sum(not _can_go_on(one) for one in ended)
        again = shlex.join(["dsgec", *(word for word in sys.argv[1:] if word != "--overwrite")])
        why = "interrupted" if signals.stop.is_set() else "their time was over"
        complain(f"{why}: {done} of {len(each)} have ended; `{again}` resumes the rest")
    if signals.stop.is_set() and not whole:
        sys.exit(signals.exit_code)


def _again(overwrite: bool) -> dict[str, Any]:
    """What the checkpoint of a run says that was to overwrite another."""
    return {"overwrites": True} if overwrite else {}


def reference(name: str) -> str:
    """A file that a user named, as it can be found again from another folder."""
    return str(Path(name).absolute()) if name != "-" and Path(name).exists() else name


def _watching(
    job: Job, description: str, options: SessionOptions, runs: int = 1
) -> "closing[ProgressDisplay]":
    quiet = options.quiet or options.as_json
    return closing(progress(job, description, quiet, runs=runs, max_seconds=options.max_seconds))


def _session(
    options: SessionOptions, arguments: dict[str, Any], watching: ProgressDisplay, overwrite: bool
) -> Session:
    return Session(
        options.save_every,
        float("inf") if options.max_seconds is None else options.max_seconds,
        overwrite,
        arguments,
        cache(lambda: watching.note("finishing this generation; Ctrl-C again stops at once")),
        _warn_at_most_three_times(watching.note),
        watching.stage,
    )


def _warn_at_most_three_times(note: Callable[[str], None]) -> Callable[[str], None]:
    """Print trouble that comes again, such as that of checkpoints on a full disk, a few times."""
    counts: Counter[str] = Counter()

    def warn(trouble: str) -> None:
        counts[trouble] += 1
        if counts[trouble] <= MOST_ALIKE:
            last = "; this is not reported again" if counts[trouble] == MOST_ALIKE else ""
            note(f"warning: {trouble}{last}")

    return warn


def _tell_notes(job: Job, evolver: Evolver, options: SessionOptions) -> None:
    all_notes = tuple(at_most_three(job.problem.dataset.notes, message_kind))
    notes = all_notes[:_MOST_NOTES]
    if len(all_notes) > len(notes):
        more = len(all_notes) - len(notes)
        notes = (*notes, f"{counted(more, 'more note')}: `dsgec inspect` prints all")
    for remark in (*notes, job.problem.remark, evolver.remark):
        if remark and not options.quiet:
            complain(clean(OPTIONS.write(f"note: {remark}")))


def _tell(ended: WrittenRun, options: SessionOptions) -> None:
    if options.as_json:
        hand_over(to_json(_as_json(ended)).removesuffix("\n"))
    elif not options.quiet:
        say("\n".join(result_lines(ended)))
    if _can_go_on(ended):
        result, asked = ended.record.result, ended.record.settings
        resume = f"dsgec resume {shlex.quote(str(ended.folder))}"
        if "-" in sys.argv:  # the table came by standard input, and has to come again
            resume = shlex.join(["dsgec", *sys.argv[1:]])
        complain(
            f"{_WHY[ended.ended]} after generation {result.generations} of"
            f" {asked['generations']}: this is the best so far; `{resume}` resumes it"
        )


_WHY = {"interrupted": "interrupted", "max-seconds": "its time was over"}


def _can_go_on(ended: WrittenRun) -> bool:
    return ended.ended in _WHY


def _as_json(ended: WrittenRun) -> dict[str, Any]:
    return {**ended.record.as_json(), "timing": ended.timing}
