"""Show the progress of a study: how many runs have ended, and the time left."""

import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence

from dsgec.cli.terminal.progress import SafeStream, duration
from dsgec.cli.terminal.styled import size_of
from dsgec.errors import clean
from dsgec.study.prepare import Task

_SECONDS_BETWEEN_LINES = 10.0
_NARROWEST_BAR = 4

Kind = tuple[str, str, str, int]


class TimeEstimate:
    """An estimate of the time left, from the runs that have ended.

    A run takes as long as others of its kind, or in proportion to its size if there are none.
    """

    def __init__(self, tasks: Iterable[Task], jobs: int) -> None:
        self.jobs = jobs
        self.left: defaultdict[Kind, int] = defaultdict(int)
        self.sizes: dict[Kind, int] = {}
        self.seconds: defaultdict[Kind, list[float]] = defaultdict(list)
        for task in tasks:
            self.left[_kind(task)] += 1
            self.sizes[_kind(task)] = task.size

    def run_ended(self, task: Task, seconds: float) -> None:
        """Count a run that has ended."""
        self.left[_kind(task)] -= 1
        self.seconds[_kind(task)].append(seconds)

    def estimate(self) -> float | None:
        """Return the seconds left, or None before a run has ended."""
        if not self.seconds:
            return None
        means = {kind: sum(seen) / len(seen) for kind, seen in self.seconds.items()}
        rate = sum(means.values()) / sum(self.sizes[kind] for kind in means)
        total = sum(
            count * means.get(kind, rate * self.sizes[kind]) for kind, count in self.left.items()
        )
        return total / min(self.jobs, max(sum(self.left.values()), 1))


class StudyDisplay:
    """The progress of a study: one line that is updated on a terminal, or one every ten seconds."""

    def __init__(self, tasks: Sequence[Task], finished: int, jobs: int, *, quiet: bool) -> None:
        self.done, self.total = finished, finished + len(tasks)
        self.remaining = TimeEstimate(tasks, jobs)
        self.quiet = quiet or sys.stderr is None
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self._stream = SafeStream(sys.stderr)
        self.shown = -_SECONDS_BETWEEN_LINES
        self.has_note = False
        if tasks:
            self._show(is_last=False)

    def note(self, text: str) -> None:
        """Print the first note; later ones are ignored."""
        if text and not self.has_note and not self.quiet:
            self.has_note = True
            self._stream.write(clean(f"note: {text}") + "\n")

    def run_ended(self, task: Task, seconds: float) -> None:
        """Count a run that has ended, and show the progress."""
        self.done += 1
        self.remaining.run_ended(task, seconds)
        self._show(is_last=self.done == self.total)

    def _show(self, *, is_last: bool) -> None:
        now = time.monotonic()
        soon = not self.terminal and now - self.shown < _SECONDS_BETWEEN_LINES
        if self.quiet or (soon and not is_last):
            return
        self.shown = now
        left = self.remaining.estimate()
        text = f"{self.done:>{len(str(self.total))}}/{self.total} runs"
        text += "" if left is None or is_last else f"  {duration(left)} left"
        if self.terminal:
            self._stream.write(
                f"\r\x1b[K{_bar(self.done / self.total, text)}{text}" + "\n" * is_last
            )
        else:
            self._stream.write(text + "\n")

    def close(self) -> None:
        """End the line that is updated."""
        if self.terminal and not self.quiet and self.done < self.total:
            self._stream.write("\n")


def _bar(share: float, text: str) -> str:
    """Return a bar that leaves room for the text and for a longer one."""
    width = size_of(sys.stderr)[0] - 1 - max(len(text), len("1000/1000 runs  59 min 59 s left")) - 2
    full = round(width * share)
    return "━" * full + "─" * (width - full) + "  " if width >= _NARROWEST_BAR else ""


def _kind(task: Task) -> Kind:
    cell = task.cell
    return (
        cell.settings.representation,
        cell.grammar.file,
        cell.data.name,
        cell.settings.generations * cell.settings.population,
    )
