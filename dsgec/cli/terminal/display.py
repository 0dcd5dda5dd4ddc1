"""A run to what a person sees of it: progress while it goes, the result when it ends."""

import sys
import time
from collections import deque
from typing import Protocol, TextIO

from dsgec.cli.terminal.result import MOST_CLASSES_SHOWN, plain_number, run_line
from dsgec.cli.terminal.styled import is_capable
from dsgec.errors import clean, counted
from dsgec.run.job import Job, WrittenRun
from dsgec.search.evolver import Generation
from dsgec.search.problem import Problem

_SECONDS_BETWEEN_LINES = 10.0


class ProgressDisplay(Protocol):
    """What standard error shows of a run; no failure to show it can stop the run."""

    def __call__(self, state: Generation) -> None:
        """Called with every generation."""

    def stage(self, words: str) -> None:
        """Called with what is being done after the last generation."""

    def run_ended(self, run: WrittenRun) -> None:
        """Called with every run where there are several."""

    def note(self, text: str) -> None:
        """A remark on a line of its own; may be called at any time, by a signal's handler too."""

    def close(self) -> None:
        """The end: what is printed next stands on a line of its own."""


def progress(
    job: Job,
    description: str,
    quiet: bool,
    *,
    runs: int = 1,
    max_seconds: float | None = None,
) -> ProgressDisplay:
    """What suits whoever reads standard error: a live display, plain lines, or nothing.

    `description` is the backend's. With `max_seconds` the run ends then, if not before.
    """
    if quiet or sys.stderr is None:
        return Silence()
    if not is_capable(sys.stderr):
        return Lines(job, description, sys.stderr, max_seconds=max_seconds)
    from dsgec.cli.terminal.watch import Watch

    return Watch(job, description, sys.stderr, runs=runs, max_seconds=max_seconds)


class Silence:
    """Tells nothing."""

    def __call__(self, state: Generation) -> None:
        pass

    def stage(self, words: str) -> None:
        pass

    def run_ended(self, run: WrittenRun) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def close(self) -> None:
        pass


class Voice:
    """A stream, until nobody hears it any more.

    What a signal's handler says during a write follows after it.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.heard = True
        self._busy = False
        self._waiting: deque[str] = deque()

    def __call__(self, text: str) -> None:
        self._waiting.append(text)
        if self._busy:
            return
        self._busy = True
        try:
            while self._waiting and self.heard:
                self.stream.write(self._waiting.popleft())
                self.stream.flush()
        except (OSError, ValueError):  # gone, or closed
            self.heard = False
        except IndexError:  # another thread has said it
            pass
        finally:
            self._busy = False


class Lines:
    """Plain lines, one every ten seconds: for files, pipes and terminals that cannot do more."""

    def __init__(
        self, job: Job, description: str, stream: TextIO, *, max_seconds: float | None = None
    ) -> None:
        self.job = job
        self.max_seconds = max_seconds
        self.started = time.monotonic()
        self.due = self.started
        self.first: Generation | None = None
        self.unsaid: Generation | None = None  # the latest, where it has no line
        self._say = Voice(stream)
        self._say(heading(job, description) + "\n")

    def __call__(self, state: Generation) -> None:
        now = time.monotonic()
        self.first = self.first or state  # of this session
        is_last = state.generation == self.job.settings.generations
        if now < self.due and not is_last:
            self.unsaid = state
            return
        self.due = now + _SECONDS_BETWEEN_LINES
        self._tell(state, self.first, now, is_last=is_last)

    def _tell(self, state: Generation, first: Generation, now: float, *, is_last: bool) -> None:
        self.unsaid = None
        total = self.job.settings.generations
        spent = now - self.started
        done = state.generation - first.generation
        left = spent / done * (total - state.generation) if done else float("inf")
        speed = (state.evaluations - first.evaluations) / spent if spent else 0.0
        left = sooner(left, spent, self.max_seconds)
        when = f"{left:.0f} s left" if left < float("inf") else ""
        problem = self.job.problem
        self._say(
            f"generation {state.generation:>{len(str(total))}}/{total}"
            f"  best {score(problem, state.best)}  mean {score(problem, state.mean)}"
            f"  {speed:,.0f} evaluations/s"
            f"  {when if not is_last else f'{spent:.1f} s'}".rstrip()
            + "\n"
        )

    def stage(self, words: str) -> None:
        """A line of its own, after that of the last generation."""
        self._tell_last()
        self._say(f"{words}\n")

    def _tell_last(self) -> None:
        """The figures of a run that ended before its last generation."""
        if self.unsaid is not None and self.first is not None:
            self._tell(self.unsaid, self.first, time.monotonic(), is_last=True)

    def run_ended(self, run: WrittenRun) -> None:
        """A line of its own."""
        self._say(run_line(run) + "\n")

    def note(self, text: str) -> None:
        """A line of its own."""
        self._say(clean(text) + "\n")

    def close(self) -> None:
        """What is still to be said."""
        self._tell_last()
        self._say("")


def sooner(left: float, spent: float, max_seconds: float | None) -> float:
    """Seconds that are left of a run that also ends after `max_seconds`."""
    return left if max_seconds is None else max(0.0, min(left, max_seconds - spent))


def heading(job: Job, description: str) -> str:
    """What is about to run, in two lines."""
    problem, dataset = job.problem, job.problem.dataset
    train, test = len(problem.split.train), len(problem.split.test)
    labels = ", ".join(map(str, dataset.classes[:MOST_CLASSES_SHOWN]))
    more = len(dataset.classes) - MOST_CLASSES_SHOWN
    goal = f"{labels} and {more} more" if more > 0 else labels or "a number"
    what = (
        f"predicting {dataset.target} ({goal}) from {counted(len(dataset.features), 'feature')} of"
        f" {dataset.name}; {counted(train, 'training row')}, {counted(test, 'test row')}"
        f"{_groups(problem)}"
    )
    return f"{clean(what)}\ngrammar {clean(job.grammar.name)}, backend {clean(description)}"


def _groups(problem: Problem) -> str:
    """Return how many groups the training and the test rows are of, where they have groups."""
    groups, split = problem.dataset.groups, problem.split
    if groups is None:
        return ""
    counts = [len({*groups[rows].tolist()} - {-1}) for rows in (split.train, split.test)]
    return f" (of {counts[0]:,} and {counts[1]:,} groups)"


def choices(job: Job) -> str:
    """What was chosen by the table, and how to choose otherwise."""
    settings, dataset = job.settings, job.problem.dataset
    task = f"{len(dataset.classes)} classes" if dataset.classes else "a numeric target"
    scaled = (
        "" if dataset.preprocessing.scale == "none" else f", {dataset.preprocessing.scale} scaling"
    )
    each = f"an ensemble of {settings.ensemble}, each " if settings.ensemble > 1 else ""
    return (
        f"chosen for {task}: grammar {job.grammar.name}, objective {job.problem.objective}{scaled},"
        f" {each}{settings.generations} generations of {settings.population}\n"
        "choose otherwise with dsgec evolve GRAMMAR DATA, --objective, --scale, --effort, --target"
    )


def score(problem: Problem, fitness: float) -> str:
    """A fitness as people read it."""
    return plain_number(problem.natural(fitness))


def duration(seconds: float) -> str:
    """A time as people say it."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
