"""Run jobs with progress on a terminal, stop them by signals, and print their results."""

import os
import shlex
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing, nullcontext, suppress
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, Self

from dsgec.cli.output import EXIT_INTERRUPTED, print_data, print_message, print_result
from dsgec.cli.shared_options import SessionOptions
from dsgec.cli.terminal.progress import ProgressDisplay, make_display, show_compiling
from dsgec.cli.terminal.result import result_lines, search_lines, summary_lines
from dsgec.errors import MOST_ALIKE, DsgecError, at_most_three, clean, counted, message_kind
from dsgec.folder import open_folder, open_locked
from dsgec.pipeline import EndedRun, finished_run, run
from dsgec.plain_data import to_json
from dsgec.run.checkpoint import Checkpoint
from dsgec.run.job import Job, WrittenRun
from dsgec.run.session import Session
from dsgec.search.budget import make_budget
from dsgec.search.choose import choose_evolver, default_threads
from dsgec.search.evolver import Evolver
from dsgec.search.settings import OPTIONS
from dsgec.study.many import run_many, write_scores
from dsgec.study.processes import Processes

_MOST_NOTES = 10
_REASONS = {"interrupted": "interrupted", "max-seconds": "its time was over"}
"""Why a run that can be resumed has ended, as a message says it."""
_SECONDS_OF_ONE_SIGNAL = 0.5  # some programs send a signal to a process and to its group


class Interrupts:
    """A context in which SIGTERM and SIGHUP raise KeyboardInterrupt, as Ctrl-C does."""

    names: tuple[str, ...] = ("SIGTERM", "SIGHUP")

    def __init__(self) -> None:
        self.exit_code = EXIT_INTERRUPTED
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for name in self.names:
            number = getattr(signal, name, None)
            # An ignored signal stays ignored: `nohup` wants that.
            if number is not None and signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.exit_code = 128 + number
        raise KeyboardInterrupt


class StopSignals(Interrupts):
    """A context in which the first signal sets `stop`, and a later one ends the process."""

    names = ("SIGINT", "SIGTERM", "SIGHUP")

    def __init__(self) -> None:
        super().__init__()
        self.stop = threading.Event()
        self._first = 0.0

    def _handle(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if not self.stop.is_set():
            self._first = now
            self.exit_code = 128 + number  # as a shell reports a program that a signal ended
            self.stop.set()
        elif now - self._first > _SECONDS_OF_ONE_SIGNAL:
            # An exception would wait for the threads at work; files are complete or absent.
            os._exit(128 + number)


def run_job(
    job: Job, options: SessionOptions, arguments: dict[str, Any], *, overwrite: bool = False
) -> None:
    """Run or resume a job and print its result; with `overwrite`, from scratch."""
    found = None if overwrite else finished_run(job)
    if found is not None:
        if not options.quiet:
            print_message(f"note: {job.folder} has this run already; --overwrite runs it again")
        _print_run(found, options)
        return
    _refuse_unwritable(job)
    with ExitStack() as exits:
        evolver = _make_evolver(job, options, exits)
        _print_notes(job, evolver, options)
        signals = exits.enter_context(StopSignals())
        display = exits.enter_context(_show_progress(job, evolver.description, options))
        session = _make_session(options, arguments, display, overwrite)
        ended = run(job, evolver, display, session, signals.stop)
    if ended.ended != "interrupted":
        _print_run(ended, options)
        _export_for_budget(job, ended, options)
        return
    with suppress(OSError):  # if the terminal has gone, only the exit code is left
        _print_run(ended, options)
    sys.exit(signals.exit_code)


def run_jobs(
    each: Sequence[Callable[[], Job]],
    first: Job,
    options: SessionOptions,
    arguments: dict[str, Any],
    workers: Processes,
    *,
    overwrite: bool,
    what: str,
) -> None:
    """Run several jobs, of which `first` is one, by processes; `what` is "runs" or "folds"."""
    if options.cluster is not None:
        raise DsgecError(
            "--cluster goes with one run of several islands",
            "`dsgec study --cluster` spreads many runs.",
        )
    jobs = workers.threads
    threads = options.threads or default_threads(first.problem, jobs * first.settings.islands)
    _refuse_unwritable(first)
    waiting = show_compiling(options.shows_progress)
    evolver = choose_evolver(
        first.problem, first.settings, options.backend, threads, waiting=waiting
    )
    _print_notes(first, evolver, options)
    over = f"{jobs} at a time, each in a process of its own" if jobs > 1 else "one at a time"
    how = f"{evolver.description}; {len(each)} {what}, {over}"
    with StopSignals() as signals, _show_progress(first, how, options, len(each)) as display:
        session = _make_session(options, arguments, display, overwrite)
        ended = run_many(
            each, workers, evolver.name, threads, display.run_ended, session, signals.stop
        )
    is_complete = len(ended) == len(each) and not any(_is_resumable(one) for one in ended)
    if what == "folds" and is_complete:
        with open_folder(first.named) as folder:
            write_scores(folder, ended)
    if options.as_json:
        print_data(to_json([_as_json(one) for one in ended]).removesuffix("\n"))
    elif not options.quiet and ended:
        with suppress(OSError) if signals.stop.is_set() else nullcontext():
            lines = summary_lines(ended, what if is_complete else f"{what} so far")
            print_result("\n".join(lines))
    if not is_complete:
        done = sum(not _is_resumable(one) for one in ended)
        again = shlex.join(["dsgec", *(word for word in sys.argv[1:] if word != "--overwrite")])
        why = "interrupted" if signals.stop.is_set() else "their time was over"
        print_message(f"{why}: {done} of {len(each)} have ended; `{again}` resumes the rest")
        if signals.stop.is_set():
            sys.exit(signals.exit_code)


def refuse_changed(
    run: Path, checkpoint: Checkpoint, job: Job, names: Mapping[str, str], kind: str, command: str
) -> None:
    """Raise an error if what a run depends on has another digest than when it began.

    `names` are what the user calls the grammar and the data.
    """
    now = job.identity
    for what, name in names.items():
        then = checkpoint.asked.get(what)
        if not isinstance(then, dict) or then.get("sha256") != now[what]["sha256"]:
            raise DsgecError(
                f"{name} has changed since the {kind} in {run} began",
                f"Put back what it was, or start from scratch with `dsgec {command}`.",
            )


def _refuse_unwritable(job: Job) -> None:
    """Raise an error if the folder cannot be written to, or another process writes to it."""
    with open_locked(job.named, "run", job.fold):
        pass


def _make_evolver(job: Job, options: SessionOptions, exits: ExitStack) -> Evolver:
    """Return the evolver of a job; a connection to a cluster is closed by `exits`."""
    if options.cluster is None:
        return choose_evolver(
            *(job.problem, job.settings, options.backend, options.threads),
            soon=True,
            waiting=show_compiling(options.shows_progress),
        )
    if job.settings.islands == 1:
        raise DsgecError(
            "--cluster spreads islands, and there is one population only",
            "Say how many with --islands; `dsgec study --cluster` spreads runs.",
        )
    from dsgec.study.cluster import connect
    from dsgec.study.cluster_islands import ClusterIslands

    cluster = connect(options.cluster)
    exits.callback(cluster.close)
    return ClusterIslands(job.problem, job.settings, cluster, options.backend)


def _show_progress(
    job: Job, description: str, options: SessionOptions, runs: int = 1
) -> "closing[ProgressDisplay]":
    """Return the context of a display of the progress of a job."""
    return closing(
        make_display(
            job, description, options.shows_progress, runs=runs, max_seconds=options.max_seconds
        )
    )


def _make_session(
    options: SessionOptions, arguments: dict[str, Any], display: ProgressDisplay, overwrite: bool
) -> Session:
    """Return the limits and callbacks of a session."""
    return Session(
        options.save_every,
        float("inf") if options.max_seconds is None else options.max_seconds,
        overwrite,
        bool(options.log),
        arguments | ({"overwrites": True} if overwrite else {}),
        cache(lambda: display.note("stopping; Ctrl-C again stops at once")),
        _warn_at_most_three_times(display.note),
        display.stage,
        display.walk,
    )


def _warn_at_most_three_times(note: Callable[[str], None]) -> Callable[[str], None]:
    """Return a function that prints a recurring warning, as of a full disk, a few times only."""
    counts: Counter[str] = Counter()

    def warn(trouble: str) -> None:
        counts[trouble] += 1
        if counts[trouble] <= MOST_ALIKE:
            last = "; this is not reported again" if counts[trouble] == MOST_ALIKE else ""
            note(f"warning: {trouble}{last}")

    return warn


def _print_notes(job: Job, evolver: Evolver, options: SessionOptions) -> None:
    if options.quiet:
        return
    notes = [*at_most_three(job.problem.dataset.notes, message_kind)]
    if len(notes) > _MOST_NOTES:
        more = counted(len(notes) - _MOST_NOTES, "more note")
        notes = [*notes[:_MOST_NOTES], f"{more}: `dsgec inspect` prints all"]
    for note in (*notes, job.problem.remark, evolver.remark):
        if note:
            print_message(clean(OPTIONS.write(f"note: {note}")))


def _export_for_budget(job: Job, ended: EndedRun, options: SessionOptions) -> None:
    """Export the network of a run with a budget, and print what it takes of the chip."""
    budget = make_budget(job.settings)
    if budget is None or _is_resumable(ended):
        return
    from dsgec.run.firmware import write_firmware

    firmware = write_firmware(ended.folder, budget)
    if not options.quiet and not options.as_json:
        print_result(f"exported to {clean(str(firmware.paths[0].parent))}, {firmware}")


def _print_run(ended: EndedRun, options: SessionOptions) -> None:
    """Print the result of a run, and how to resume it if it was stopped."""
    if options.as_json:
        print_data(to_json(_as_json(ended)).removesuffix("\n"))
    elif not options.quiet:
        print_result("\n".join(_result_lines(ended)))
    if _is_resumable(ended):
        result, asked = ended.record.result, ended.record.settings
        resume = f"dsgec resume {shlex.quote(str(ended.folder))}"
        if "-" in sys.argv:  # the table came by standard input, and has to come again
            resume = shlex.join(["dsgec", *sys.argv[1:]])
        where = f"after generation {result.generations} of {asked['generations']}"
        if isinstance(ended, WrittenRun) and result.generations == asked["generations"]:
            where = "in the walk"
        print_message(
            f"{_REASONS[ended.ended]} {where}: this is the best so far; `{resume}` resumes it"
        )


def _result_lines(ended: EndedRun) -> list[str]:
    return result_lines(ended) if isinstance(ended, WrittenRun) else search_lines(ended)


def _is_resumable(ended: EndedRun) -> bool:
    return ended.ended in _REASONS


def _as_json(ended: EndedRun) -> dict[str, Any]:
    return {**ended.record.as_json(), "timing": ended.timing}
