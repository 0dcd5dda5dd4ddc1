"""Show a run live on a terminal: its figures, and a curve of the best fitness.

The display is a few lines that are overwritten a few times a second, by hand: there is no thread,
no hidden cursor and nothing to undo if the process is killed. The cursor stands below it.
"""

import math
import textwrap
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from dsgec.cli.terminal.progress import (
    ProgressDisplay,
    SafeStream,
    describe_walk,
    duration,
    heading,
    limit_seconds,
    score,
)
from dsgec.cli.terminal.result import plain_number, run_line
from dsgec.cli.terminal.styled import (
    Line,
    StyledText,
    colour_line,
    crop,
    flow,
    length,
    palette,
    size_of,
)
from dsgec.errors import clean
from dsgec.run.job import Job, WrittenRun
from dsgec.search.evolver import Generation
from dsgec.search.walk.front import WalkProgress

_SECONDS_BETWEEN_UPDATES = 0.18
_SECONDS_BETWEEN_CURVES = 0.5  # which cost more than the figures
_UPDATES_FOR_A_SPEED = 32
_CURVE_ROWS = 4
_ROOM_FOR_A_CURVE = (30, 12)  # columns and rows of the terminal
_ERASE_LINE, _ERASE_BELOW = "\x1b[K", "\x1b[J"
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))  # by column, from the top
_EMPTY = 0x2800
_LOGARITHMIC_RATIO = 50.0

Steps = Sequence[tuple[int, float]]
"""Generations in order, each with the value from there on."""


@dataclass(frozen=True, slots=True)
class RunView:
    """The figures of a run at one moment; `left` is None while it is unknown."""

    generation: int
    total: int
    best: str
    mean: str
    speed: float
    spent: float
    left: float | None
    size: int
    is_last: bool


class LiveDisplay(ProgressDisplay):
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
        self._stream = SafeStream(stream)
        self._colours = palette()
        self._pane: list[Line] = []  # as it stands on the screen
        self._columns = 0  # of the terminal at the last update
        self._is_drawing = self._is_torn = False
        self._notes: list[str] = []
        self._steps: list[tuple[int, float]] = []
        self._fitness: float | None = None
        self._last: Generation | None = None
        # The time, the generation and the evaluations of the last updates.
        self._moments: deque[tuple[float, int, int]] = deque(maxlen=_UPDATES_FOR_A_SPEED)
        self._lines: list[Line] = []
        self._stage: list[Line] = []  # what is being done after the last generation
        self._is_over = False
        self._curve: list[Line] = []
        self._curve_columns = 0
        text, width = heading(job, description), max(self._size()[0], 20)
        wrapped = (textwrap.fill(line, width) for line in text.split("\n"))
        self._stream.write("\n".join(wrapped) + "\n")
        self._started = self._due = self._curve_due = time.monotonic()
        if runs > 1:
            self._show_runs()

    def __call__(self, state: Generation) -> None:
        if state.best != self._fitness:
            self._fitness = state.best
            self._steps.append((state.generation, self.problem.as_score(state.best)))
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
        """Show what is being done below the figures of the last generation."""
        self._show_last()
        self._stage = [[StyledText(f"{words} …", "dim")]]
        self._draw()

    def walk(self, progress: WalkProgress) -> None:
        """Show the progress of the walk below the figures of the last generation."""
        now = time.monotonic()
        if now >= self._due or not self._stage:
            self._due = now + _SECONDS_BETWEEN_UPDATES
            self.stage(f"{describe_walk(progress)}, {duration(now - self._started)}")

    def run_ended(self, run: WrittenRun) -> None:
        """Show the figures of a run above the line that counts the runs."""
        self.ended += 1
        self._notes.append(run_line(run))
        self._show_runs()

    def note(self, text: str) -> None:
        """Show a message above the display; a signal handler may call this at any time."""
        self._notes.append(text)
        self._draw()

    def close(self) -> None:
        """Leave the display as it is; what is printed next follows below."""
        self._show_last()
        if self._notes or self._stage:
            self._stage = []
            self._draw()
        # On Ctrl-C, a terminal drops what it has not shown yet, and echoes `^C`.
        self._stream.write(("\n" if self._is_torn else "\r") + _ERASE_BELOW)

    def _show_last(self) -> None:
        """Show the last generation of a run that was stopped early; others are shown already."""
        if self._last is not None and self._last.generation != self.total and not self._is_over:
            self._is_over = True
            self._show(self._last, time.monotonic(), is_last=True)

    def _view(self, state: Generation, now: float, is_last: bool) -> RunView:
        moment = (now, state.generation, state.evaluations)
        if not self._moments:  # a resumed run has generations behind it
            self._moments.append(moment if state.generation else (self._started, 0, 0))
        self._moments.append(moment)
        # Generations come in bursts, so those of the first moments are reported late.
        since = self._moments[1 if len(self._moments) > 3 and not is_last else 0]
        seconds, done, evaluations = (a - b for a, b in zip(moment, since, strict=True))
        spent = now - self._started
        left = (self.total - state.generation) * seconds / done if done else math.inf
        left = limit_seconds(left, spent, self.max_seconds)
        return RunView(
            generation=state.generation,
            total=self.total,
            best=score(self.problem, state.best),
            mean=score(self.problem, state.mean),
            speed=evaluations / seconds if seconds else 0.0,
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
        columns, rows = size_of(self._stream.stream)
        return columns - 1, rows  # the last column would wrap in some terminals

    def _draw(self) -> None:
        """Write the notes, then the display in the place of the last one."""
        if self._is_drawing:
            return  # whoever draws also writes the notes that were added meanwhile
        self._is_drawing = self._is_torn = True
        try:
            self._draw_once()
            while self._notes and self._stream.is_open:
                self._draw_once()
            self._is_torn = False
        finally:
            self._is_drawing = False

    def _draw_once(self) -> None:
        if not self._stream.is_open:
            return
        columns, rows = size_of(self._stream.stream)
        before = self._columns
        self._columns = columns
        up = len(self._pane)
        if any(length(line) > columns for line in self._pane):
            # The window became narrower, and how it broke our lines is unknown: when its size has
            # settled, the display starts again below them.
            if columns != before and not self._notes:
                return
            up = 0
        notes, self._notes = self._notes, []
        lines = [*self._lines[: max(rows - 1 - len(self._stage), 1)], *self._stage]
        pane = [crop(line, columns - 1) for line in lines]
        texts = [f"{clean(note)}{_ERASE_LINE}" for note in notes]
        # Lines that have not changed are skipped.
        old = self._pane if up == len(pane) and not notes else []
        for number, line in enumerate(pane):
            is_same = number < len(old) and old[number] == line
            texts.append("" if is_same else colour_line(line, self._colours) + _ERASE_LINE)
        start = "\r" + (f"\x1b[{up}A" if up else "")
        self._pane = pane
        self._stream.write(start + "".join(f"{text}\n" for text in texts) + _ERASE_BELOW)


def figure_lines(view: RunView, columns: int) -> list[Line]:
    """Return the lines that show the progress, the fitness and the speed of a run."""
    count = f"{view.generation:>{len(str(view.total))}}/{view.total}"
    when = _describe_time(view.spent, view.left, is_last=view.is_last)
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
    """Return the line that shows how many of several runs have ended."""
    count = f"{ended:>{len(str(runs))}}/{runs}"
    when = _describe_time(spent, left, is_last=ended == runs)
    return _bar_line("runs ", count, ended, runs, when, columns)


def _describe_time(spent: float, left: float | None, *, is_last: bool) -> str:
    if is_last:
        return f"{spent:.1f} s" if spent < 60 else duration(spent)
    return "" if left is None else f"{duration(left)} left"


def _bar_line(label: str, count: str, done: int, total: int, when: str, columns: int) -> Line:
    """Return a line with a label, a bar as long as there is room for, and the time."""
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
    """Return the curve with its axes, or nothing if the terminal is too small."""
    if columns < _ROOM_FOR_A_CURVE[0] or rows < _ROOM_FOR_A_CURVE[1]:
        return []
    finite = [value for _, value in steps if math.isfinite(value)]
    high, low = (plain_number(max(finite)), plain_number(min(finite))) if finite else ("", "")
    labels = [high, *[""] * (_CURVE_ROWS - 2), low]
    if _is_logarithmic(finite):
        labels[1] = "log"
    width = max(8, *map(len, labels))
    dots = curve(steps, generation, columns - width - 2, _CURVE_ROWS)
    lines: list[Line] = [
        [StyledText(f"{label:>{width}} ", "dim"), StyledText("│", "dim"), StyledText(row, "best")]
        for label, row in zip(labels, dots, strict=True)
    ]
    first, last = str(steps[0][0] if steps else 0), str(generation)
    blank = columns - width - 2 - len(first) - len(last)
    lines.append([StyledText(f"{'':>{width}} └{first}{'─' * blank}{last}", "dim")])
    return lines


def curve(steps: Steps, last: int, columns: int, rows: int) -> list[str]:
    """Draw values over generations with braille dots; values that are not finite leave gaps."""
    finite = [value for _, value in steps if math.isfinite(value)]
    if not finite:
        return [" " * columns] * rows
    scale = math.log if _is_logarithmic(finite) else float
    low, high = scale(min(finite)), scale(max(finite))
    top = 4 * rows - 1
    patterns = [[0] * columns for _ in range(rows)]
    before: int | None = None
    for x, value in enumerate(_sample_steps(steps, last, 2 * columns)):
        if not math.isfinite(value):
            before = None
            continue
        share = (scale(value) - low) / (high - low) if high > low else 0.0
        y = top - round(share * top)
        start = y if before is None else before
        for dot in range(min(start, y), max(start, y) + 1):
            patterns[dot // 4][x // 2] |= _DOTS[x % 2][dot % 4]
        before = y
    return ["".join(chr(_EMPTY + bits) if bits else " " for bits in row) for row in patterns]


def _is_logarithmic(values: Sequence[float]) -> bool:
    """Return whether values differ so much that the curve shows their logarithms."""
    return bool(values) and min(values) > 0 and max(values) > _LOGARITHMIC_RATIO * min(values)


def _sample_steps(steps: Steps, last: int, count: int) -> list[float]:
    """Return the values at evenly spaced places from the first generation to the last."""
    first = steps[0][0]
    values = []
    index = 0
    for place in range(count):
        generation = first + place * (last - first) / max(count - 1, 1)
        while index + 1 < len(steps) and steps[index + 1][0] <= generation:
            index += 1
        values.append(steps[index][1])
    return values
