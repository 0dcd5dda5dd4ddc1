"""Generations to a live display on a terminal: figures, and a curve of the best fitness.

The display is a few lines that are drawn over, by hand and a few times a second; no thread, no
hidden cursor, nothing to undo if the process is killed. The cursor stands below it.
"""

import math
import textwrap
import time
from collections import deque
from dataclasses import dataclass
from typing import TextIO

from dsgec.cli.terminal.curve import Steps, curve, is_logarithmic
from dsgec.cli.terminal.display import Voice, duration, heading, score, sooner
from dsgec.cli.terminal.result import plain_number, run_line
from dsgec.cli.terminal.styled import (
    Line,
    StyledText,
    coloured,
    crop,
    flow,
    length,
    palette,
    size_of,
)
from dsgec.errors import clean
from dsgec.run.job import Job, WrittenRun
from dsgec.search.evolver import Generation

_SECONDS_BETWEEN_UPDATES = 0.18
_SECONDS_BETWEEN_CURVES = 0.5  # which cost more than the figures
_UPDATES_FOR_A_SPEED = 32
_CURVE_ROWS = 4
_ROOM_FOR_A_CURVE = (30, 12)  # columns and rows of the terminal
_ERASE_LINE, _ERASE_BELOW = "\x1b[K", "\x1b[J"


@dataclass(frozen=True, slots=True)
class RunView:
    """What is known of a run at a moment; `left` is None before anything can be said."""

    generation: int
    total: int
    best: str
    mean: str
    speed: float
    spent: float
    left: float | None
    size: int
    is_last: bool


@dataclass(frozen=True, slots=True)
class _Moment:
    time: float
    generation: int
    evaluations: int


class Watch:
    """The live display of a run, or of how many of several runs have ended."""

    def __init__(
        self,
        job: Job,
        description: str,
        stream: TextIO,
        *,
        runs: int = 1,
        max_seconds: float | None = None,
    ) -> None:
        self.problem = job.problem
        self.total = job.settings.generations
        self.runs, self.ended = runs, 0
        self.max_seconds = max_seconds
        self._write = Voice(stream)
        self._colours = palette()
        self._pane: list[Line] = []  # as it stands on the screen
        self._columns = 0  # of the terminal when it was last looked at
        self._drawing = self._torn = False
        self._notes: list[str] = []
        self._steps: list[tuple[int, float]] = []
        self._fitness: float | None = None
        self._last: Generation | None = None
        self._moments: deque[_Moment] = deque(maxlen=_UPDATES_FOR_A_SPEED)
        self._lines: list[Line] = []
        self._stage: list[Line] = []  # what is being done after the last generation
        self._is_over = False
        self._curve: list[Line] = []
        self._curve_columns = 0
        self._write(_wrapped(heading(job, description), self._size()[0]) + "\n")
        self._started = self._due = self._curve_due = time.monotonic()
        if runs > 1:
            self._show_runs()

    def __call__(self, state: Generation) -> None:
        fitness = state.best
        if fitness != self._fitness:
            self._fitness = fitness
            self._steps.append((state.generation, self.problem.natural(fitness)))
        self._last = state
        now = time.monotonic()
        if now >= self._due or state.generation == self.total:
            self._show(state, now, is_last=state.generation == self.total)

    def _show(self, state: Generation, now: float, *, is_last: bool) -> None:
        self._due = now + _SECONDS_BETWEEN_UPDATES
        columns, rows = self._size()
        if now >= self._curve_due or is_last or columns != self._curve_columns:
            self._curve_due = now + _SECONDS_BETWEEN_CURVES
            self._curve_columns = columns
            self._curve = curve_lines(self._steps, state.generation, columns, rows)
        self._lines = [*figure_lines(self._view(state, now, is_last), columns), *self._curve]
        self._draw()

    def stage(self, words: str) -> None:
        """In the last line of the display, below the figures of the last generation."""
        self._show_last()
        self._stage = [[StyledText(f"{words} …", "dim")]]
        self._draw()

    def run_ended(self, run: WrittenRun) -> None:
        """Its figures scroll away above the line that counts the runs."""
        self.ended += 1
        self._notes.append(run_line(run))
        self._show_runs()

    def note(self, text: str) -> None:
        """A line above the display; may be called at any time, by a signal's handler too."""
        self._notes.append(text)
        self._draw()

    def close(self) -> None:
        """Leave the last display where it is; what is printed next follows below."""
        self._show_last()
        if self._notes or self._stage:
            self._stage = []
            self._draw()
        # A terminal drops what it has not shown yet when Ctrl-C is pressed, and echoes `^C`.
        self._write(("\n" if self._torn else "\r") + _ERASE_BELOW)

    def _show_last(self) -> None:
        """The figures of a run that was stopped, as they stay; of any other they are there."""
        if self._last is not None and self._last.generation != self.total and not self._is_over:
            self._is_over = True
            self._show(self._last, time.monotonic(), is_last=True)

    def _view(self, state: Generation, now: float, is_last: bool) -> RunView:
        if not self._moments:
            # A resumed run has generations behind it.
            fresh = state.generation == 0
            begun = _Moment(self._started, 0, 0)
            self._moments.append(
                begun if fresh else _Moment(now, state.generation, state.evaluations)
            )
        self._moments.append(_Moment(now, state.generation, state.evaluations))
        # Generations come in bursts, so those of the first moments are reported late.
        since = self._moments[1 if len(self._moments) > 3 and not is_last else 0]
        seconds = now - since.time
        done = state.generation - since.generation
        spent = now - self._started
        left = (self.total - state.generation) * seconds / done if done else math.inf
        left = sooner(left, spent, self.max_seconds)
        return RunView(
            generation=state.generation,
            total=self.total,
            best=score(self.problem, state.best),
            mean=score(self.problem, state.mean),
            speed=(state.evaluations - since.evaluations) / seconds if seconds else 0.0,
            spent=spent,
            left=left if math.isfinite(left) else None,
            size=state.size,
            is_last=is_last,
        )

    def _show_runs(self) -> None:
        spent = time.monotonic() - self._started
        left = spent / self.ended * (self.runs - self.ended) if self.ended else None
        self._lines = [runs_line(self.ended, self.runs, spent, left, self._size()[0])]
        self._draw()

    def _size(self) -> tuple[int, int]:
        columns, rows = size_of(self._write.stream)
        return columns - 1, rows  # the last column would wrap in some terminals

    def _draw(self) -> None:
        """Notes, then the display in the place of the last one, in one write."""
        if self._drawing:
            return  # what was noted meanwhile is drawn by whoever draws
        self._drawing = self._torn = True
        try:
            self._draw_once()
            while self._notes and self._write.heard:
                self._draw_once()
            self._torn = False
        finally:
            self._drawing = False

    def _draw_once(self) -> None:
        if not self._write.heard:
            return
        columns, rows = size_of(self._write.stream)
        before = self._columns
        self._columns = columns
        up = len(self._pane)
        if any(length(line) > columns for line in self._pane):
            # The window became narrower, and nobody knows how it broke our lines: when its size
            # has settled we start again below them.
            if columns != before and not self._notes:
                return
            up = 0
        notes, self._notes = self._notes, []
        lines = [*self._lines[: max(rows - 1 - len(self._stage), 1)], *self._stage]
        pane = [crop(line, columns - 1) for line in lines]
        texts = [f"{clean(note)}{_ERASE_LINE}" for note in notes]
        # What stands there already is passed over.
        stands = self._pane if up == len(pane) and not notes else []
        for number, line in enumerate(pane):
            same = number < len(stands) and stands[number] == line
            texts.append("" if same else coloured(line, self._colours) + _ERASE_LINE)
        start = "\r" + (f"\x1b[{up}A" if up else "")
        self._pane = pane
        self._write(start + "".join(f"{text}\n" for text in texts) + _ERASE_BELOW)


def figure_lines(view: RunView, columns: int) -> list[Line]:
    """How far the run is, how good and how fast, in so many columns."""
    count = f"{view.generation:>{len(str(view.total))}}/{view.total}"
    when = _when(view.spent, view.left, is_last=view.is_last)
    noun = " connection" if view.size == 1 else " connections"
    figures = [
        [StyledText("best ", "dim"), StyledText(view.best, "best")],
        [StyledText("mean ", "dim"), StyledText(view.mean)],
        [StyledText(str(view.size)), StyledText(noun, "dim")],
        [StyledText(f"{view.speed:,.0f}"), StyledText(" evaluations/s", "dim")],
    ]
    return [
        _bar_line("generation ", count, view.generation, view.total, when, columns),
        *flow(figures, columns),
    ]


def runs_line(ended: int, runs: int, spent: float, left: float | None, columns: int) -> Line:
    """How many of several runs have ended."""
    count = f"{ended:>{len(str(runs))}}/{runs}"
    when = _when(spent, left, is_last=ended == runs)
    return _bar_line("runs ", count, ended, runs, when, columns)


def _wrapped(text: str, columns: int) -> str:
    return "\n".join(textwrap.fill(line, max(columns, 20)) for line in text.split("\n"))


def _when(spent: float, left: float | None, *, is_last: bool) -> str:
    if is_last:
        return f"{spent:.1f} s" if spent < 60 else duration(spent)
    return "" if left is None else f"{duration(left)} left"


def _bar_line(label: str, count: str, done: int, total: int, when: str, columns: int) -> Line:
    """A label, a bar as long as there is room for, and the time."""
    room = columns - len(label) - len(count) - 4 - max(len(when), len("59 min 59 s left"))
    line = [StyledText(label, "dim"), StyledText(count), StyledText("  ")]
    if room >= 4:
        full = room * done // total if total else room
        line += [
            StyledText("━" * full, "done"),
            StyledText("─" * (room - full), "dim"),
            StyledText("  "),
        ]
    return [*line, StyledText(when)]


def curve_lines(steps: Steps, generation: int, columns: int, rows: int) -> list[Line]:
    """The curve with its axes, values on the left, generations below; nothing without room."""
    if columns < _ROOM_FOR_A_CURVE[0] or rows < _ROOM_FOR_A_CURVE[1]:
        return []
    finite = [value for _, value in steps if math.isfinite(value)]
    high, low = (plain_number(max(finite)), plain_number(min(finite))) if finite else ("", "")
    labels = [high, *[""] * (_CURVE_ROWS - 2), low]
    if is_logarithmic(finite):
        labels[1] = "log"
    width = max(8, *map(len, labels))
    drawn = curve(steps, generation, columns - width - 2, _CURVE_ROWS)
    lines: list[Line] = [
        [StyledText(f"{label:>{width}} ", "dim"), StyledText("│", "dim"), StyledText(dots, "best")]
        for label, dots in zip(labels, drawn, strict=True)
    ]
    first, last = str(steps[0][0] if steps else 0), str(generation)
    blank = columns - width - 2 - len(first) - len(last)
    lines.append([StyledText(f"{'':>{width}} └{first}{'─' * blank}{last}", "dim")])
    return lines
