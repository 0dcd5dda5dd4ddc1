"""Show the progress of a run on standard error: a live display, plain lines, or nothing."""

import contextlib
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TextIO

from dsgec.cli.terminal.result import MOST_CLASSES_SHOWN, plain_number, run_line
from dsgec.cli.terminal.styled import is_capable
from dsgec.errors import clean, counted
from dsgec.run.job import Job, WrittenRun
from dsgec.search.evolver import Generation
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings
from dsgec.search.walk.front import WalkProgress

COMPILING = "compiling the engine, once for all grammars of this kind"

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_TICKS = 0.2


class ProgressDisplay:
    """A display that shows nothing, and the interface of the others.

    No failure to show something stops a run.
    """

    def __call__(self, state: Generation) -> None:
        """Show a generation."""

    def stage(self, words: str) -> None:
        """Show what is being done after the last generation."""

    def walk(self, progress: WalkProgress) -> None:
        """Show how much of the walk after the last generation is done."""

    def run_ended(self, run: WrittenRun) -> None:
        """Show one of several runs that has ended."""

    def note(self, text: str) -> None:
        """Show a message on its own line; a signal handler may call this at any time."""

    def close(self) -> None:
        """End the display, so that what is printed next starts on its own line."""


def make_display(
    job: Job,
    description: str,
    shows_progress: bool,
    *,
    runs: int = 1,
    max_seconds: float | None = None,
) -> ProgressDisplay:
    """Return the display that standard error can show.

    `description` names the backend. The run ends after `max_seconds` at the latest.
    """
    if not shows_progress or sys.stderr is None:
        return ProgressDisplay()
    if not is_capable(sys.stderr):
        return LineDisplay(job, description, sys.stderr, max_seconds=max_seconds)
    from dsgec.cli.terminal.live import LiveDisplay

    return LiveDisplay(job, description, sys.stderr, runs=runs, max_seconds=max_seconds)


class SafeStream:
    """A stream that is written to until it breaks.

    A text that a signal handler writes during another write follows that one.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.is_open = True
        self._is_busy = False
        self._waiting: deque[str] = deque()

    def write(self, text: str) -> None:
        """Write and flush a text, unless the stream is broken."""
        self._waiting.append(text)
        if self._is_busy:
            return
        self._is_busy = True
        try:
            while self._waiting and self.is_open:
                self.stream.write(self._waiting.popleft())
                self.stream.flush()
        except (OSError, ValueError):  # gone, or closed
            self.is_open = False
        except IndexError:  # another thread has written it
            pass
        finally:
            self._is_busy = False


class LineDisplay(ProgressDisplay):
    """Plain lines, one every ten seconds: for files, pipes and simple terminals."""

    def __init__(
        self, job: Job, description: str, stream: TextIO, *, max_seconds: float | None = None
    ) -> None:
        self.job = job
        self.max_seconds = max_seconds
        self.started = time.monotonic()
        self.due = self.started
        self.first: Generation | None = None
        self.pending: Generation | None = None  # the latest, if it has no line yet
        self._stream = SafeStream(stream)
        self._stream.write(heading(job, description) + "\n")

    def __call__(self, state: Generation) -> None:
        now = time.monotonic()
        self.first = self.first or state  # of this session
        is_last = state.generation == self.job.settings.generations
        self.pending = state
        if now >= self.due or is_last:
            self.due = now + _SECONDS_BETWEEN_LINES
            self._write_pending(is_last=is_last)

    def _write_pending(self, *, is_last: bool) -> None:
        """Write the line of the latest generation, if it has none yet."""
        state, first = self.pending, self.first
        if state is None or first is None:
            return
        self.pending = None
        total = self.job.settings.generations
        spent = time.monotonic() - self.started
        done = state.generation - first.generation
        left = spent / done * (total - state.generation) if done else float("inf")
        speed = (state.evaluations - first.evaluations) / spent if spent else 0.0
        left = limit_seconds(left, spent, self.max_seconds)
        when = f"{left:.0f} s left" if left < float("inf") else ""
        problem = self.job.problem
        self._stream.write(
            f"generation {state.generation:>{len(str(total))}}/{total}"
            f"  best {score(problem, state.best)}  mean {score(problem, state.mean)}"
            f"  {speed:,.0f} evaluations/s"
            f"  {when if not is_last else f'{spent:.1f} s'}".rstrip()
            + "\n"
        )

    def walk(self, progress: WalkProgress) -> None:
        now = time.monotonic()
        if now >= self.due or self.pending is not None:
            self.due = now + _SECONDS_BETWEEN_LINES
            self._write_pending(is_last=True)
            self._stream.write(f"{describe_walk(progress)}\n")

    def stage(self, words: str) -> None:
        self._write_pending(is_last=True)
        self._stream.write(f"{words}\n")

    def run_ended(self, run: WrittenRun) -> None:
        self._stream.write(run_line(run) + "\n")

    def note(self, text: str) -> None:
        self._stream.write(clean(text) + "\n")

    def close(self) -> None:
        self._write_pending(is_last=True)
        self._stream.write("")


def show_compiling(shows_progress: bool) -> Callable[[], AbstractContextManager[None]]:
    """Return a function whose context shows that the engine is being compiled."""
    return (
        (lambda: _show_waiting(COMPILING))
        if shows_progress and sys.stderr is not None
        else nullcontext
    )


@contextlib.contextmanager
def _show_waiting(words: str) -> Iterator[None]:
    """Show what is being done: with a clock on a terminal, once in a log."""
    stream = SafeStream(sys.stderr)
    if not is_capable(sys.stderr):
        stream.write(f"{words} …\n")
        yield
        return
    over = threading.Event()
    started = time.monotonic()

    def tick() -> None:
        while True:
            stream.write(f"\r{words}: {time.monotonic() - started:.1f} s\x1b[K")
            if over.wait(_SECONDS_BETWEEN_TICKS):
                return

    clock = threading.Thread(target=tick, daemon=True)
    clock.start()
    try:
        yield
    finally:
        over.set()
        clock.join()
        stream.write("\r\x1b[K")


def limit_seconds(left: float, spent: float, max_seconds: float | None) -> float:
    """Return the seconds left of a run that ends after `max_seconds` at the latest."""
    return left if max_seconds is None else max(0.0, min(left, max_seconds - spent))


def heading(job: Job, description: str) -> str:
    """Return two lines that say what is about to run."""
    if (fitness := job.problem.fitness) is not None:
        goal = "maximising" if fitness.maximise else "minimising"
        what = f"{goal} {fitness.name}, evaluated {fitness.evaluate.description}"
        return f"{clean(what)}\ngrammar {clean(job.grammar.name)}, backend {clean(description)}"
    problem, dataset = job.problem, job.problem.dataset
    train, test = len(problem.split.train), len(problem.split.test)
    labels = ", ".join(map(str, dataset.classes[:MOST_CLASSES_SHOWN]))
    more = len(dataset.classes) - MOST_CLASSES_SHOWN
    goal = f"{labels} and {more} more" if more > 0 else labels or "a number"
    what = (
        f"predicting {dataset.target} ({goal}) from {counted(len(dataset.features), 'feature')} of"
        f" {dataset.name}; {counted(train, 'training row')}, {counted(test, 'test row')}"
        f"{_describe_groups(problem)}"
    )
    return f"{clean(what)}\ngrammar {clean(job.grammar.name)}, backend {clean(description)}"


def _describe_groups(problem: Problem) -> str:
    groups, split = problem.dataset.groups, problem.split
    if groups is None:
        return ""
    counts = [len({*groups[rows].tolist()} - {-1}) for rows in (split.train, split.test)]
    return f" (of {counts[0]:,} and {counts[1]:,} groups)"


def describe_choices(job: Job) -> str:
    """Return what was chosen for the table, and the options that choose otherwise."""
    settings, dataset = job.settings, job.problem.dataset
    task = f"{len(dataset.classes)} classes" if dataset.classes else "a numeric target"
    scale = dataset.preprocessing.scale
    scaled = "" if scale == "none" else f", {scale} scaling"
    each = f"an ensemble of {settings.ensemble}, each " if settings.ensemble > 1 else ""
    return (
        f"chosen for {task}: grammar {job.grammar.name}, objective {job.problem.objective}{scaled},"
        f" {each}{_describe_search(settings)}\n"
        "choose otherwise with dsgec evolve GRAMMAR DATA, --objective, --scale, --effort, --target"
    )


def _describe_search(settings: Settings) -> str:
    """Return how long a search is, in words."""
    walk = f"a pruning walk of {settings.walk:,} steps" if settings.walk else ""
    generations = f"{settings.generations} generations of {settings.population}"
    return " and ".join(filter(None, (walk, generations if settings.generations else "")))


def describe_walk(progress: WalkProgress) -> str:
    """Return how much of a walk is done."""
    return f"walk: {progress.words}, {progress.done} of {progress.total}"


def score(problem: Problem, fitness: float) -> str:
    """Return a fitness as the value of the objective."""
    return plain_number(problem.as_score(fitness))


def duration(seconds: float) -> str:
    """Return a time in seconds, minutes or hours."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
