"""The progress display: its content and place on the screen; it never stops a run."""

import io
import os
import re
import select
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pyte
import pytest

from dsgec.cli.terminal import live, progress
from dsgec.cli.terminal.live import (
    LiveDisplay,
    RunView,
    curve,
    curve_lines,
    figure_lines,
    runs_line,
)
from dsgec.cli.terminal.progress import LineDisplay, ProgressDisplay, make_display
from dsgec.cli.terminal.styled import StyledText, crop, length, plain
from dsgec.report.format import shorten, text_width
from dsgec.search.evolver import Generation
from dsgec.search.objectives import as_score
from tests.support.command_line import COMMAND, NO_COMPILER, QUICK_OPTIONS
from tests.support.records import run_record

pty = pytest.importorskip("pty")

NOTE = "stopping; Ctrl-C again stops at once"


def job(generations=1000, objective="exp-rmse"):
    names = {"name": "table", "features": ["a", "b"], "classes": ("no", "yes"), "target": "t"}
    dataset = SimpleNamespace(**names, groups=None)
    split = SimpleNamespace(train=[0, 1, 2], test=[3])
    problem = SimpleNamespace(
        dataset=dataset,
        split=split,
        objective=objective,
        as_score=partial(as_score, objective),
        fitness=None,
    )
    return SimpleNamespace(
        problem=problem,
        grammar=SimpleNamespace(name="grammar"),
        settings=SimpleNamespace(generations=generations),
    )


def state(generation, fitness=1.5, size=9):
    return Generation(generation, fitness, 2.5, 0, 100 * generation, 0, size, "x_1")


def ended(seed):
    figures = {"train": {"accuracy": 0.5}, "test": {"accuracy": 0.25}}
    record = run_record({"seed": seed}, objective="exp-rmse", score=1.25, **figures)
    return SimpleNamespace(record=record)


class Terminal(io.StringIO):
    """A stream that pretends to be a terminal; its size is unknown, so 80 × 24 is assumed."""

    encoding = "utf-8"

    def isatty(self):
        return True


class Clock:
    """A clock that advances by a step whenever it is read."""

    def __init__(self, step):
        self.now, self.step = 100.0, step

    def monotonic(self):
        self.now += self.step
        return self.now


@pytest.fixture
def clock(monkeypatch):
    def set_clock(step):
        made = Clock(step)
        monkeypatch.setattr(live, "time", made)
        monkeypatch.setattr(progress, "time", made)
        return made

    return set_clock


def screen_of(text, columns=80, rows=24):
    screen = pyte.Screen(columns, rows)
    pyte.Stream(screen).feed(text.replace("\n", "\r\n"))
    lines = [line.rstrip() for line in screen.display]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def view(**changed):
    figures = {
        "generation": 312,
        "total": 500,
        "best": "1.2134",
        "mean": "1.5432",
        "speed": 148211.4,
        "spent": 2.5,
        "left": 61.0,
        "size": 21,
        "is_last": False,
    }
    return RunView(**{**figures, **changed})


@pytest.mark.parametrize("columns", [39, 79, 199])
@pytest.mark.parametrize("rows", [5, 24])
def test_a_frame_fits_its_columns_and_is_complete(columns, rows):
    steps = [(0, 2.5), (9, 1.2134)]
    lines = [*figure_lines(view(), columns), *curve_lines(steps, 312, columns, rows)]
    text = "\n".join(map(plain, lines))

    assert all(length(line) <= columns for line in lines)
    for part in ("312/500", "best 1.2134", "mean 1.5432", "148,211 evaluations/s"):
        assert part in text
    assert "21 connections" in text
    assert "1 min 01 s left" in text
    assert ("2.5000 │" in text) == (rows == 24)


@pytest.mark.parametrize(("columns", "rows"), [(12, 24), (29, 6), (100, 3), (1, 1)])
def test_no_terminal_is_too_small(columns, rows, clock, monkeypatch):
    clock(1.0)
    monkeypatch.setattr(live, "size_of", lambda stream: (columns, rows))
    terminal = Terminal()
    watching = LiveDisplay(job(), "", terminal)
    start = len(terminal.getvalue())
    for generation in range(20):
        watching(state(generation))
    lines = screen_of(terminal.getvalue()[start:], 100, 24)

    assert len(lines) <= max(rows - 1, 1)
    assert all(len(line) < max(columns, 2) for line in lines)


def test_the_size_is_shown():
    assert "1 connection  " in plain(figure_lines(view(size=1), 199)[1])


def dots(rows):
    """Return the places of the dots, from the top left, by Unicode's definition of braille."""
    places = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]
    return {
        (2 * column + x, 4 * row + y)
        for row, line in enumerate(rows)
        for column, character in enumerate(line)
        for bit, (x, y) in enumerate(places)
        if character != " " and ord(character) - 0x2800 >> bit & 1
    }


def test_the_curve_has_its_dots_where_the_values_are():
    # Eight places in the generations 0 to 7; the value falls from 7 to 0 in generation 4.
    found = dots(curve([(0, 7.0), (4, 0.0)], 7, columns=4, rows=2))

    assert found == {(x, 0) for x in range(4)} | {(4, y) for y in range(8)} | {
        (x, 7) for x in range(4, 8)
    }


def test_the_curve_is_logarithmic_for_a_large_ratio_and_has_gaps_for_nonfinite_values():
    steps = [(0, float("inf")), (1, 1000.0), (2, 100.0), (3, 10.0)]
    found = dots(curve(steps, 3, columns=2, rows=1))

    assert {min(y for x, y in found if x == place) for place in (1,)} == {0}
    assert not [y for x, y in found if x == 0]
    assert max(y for x, y in found if x == 3) == 3
    # 100 is half way between 10 and 1000.
    assert max(y for x, y in found if x == 2) in (1, 2)
    assert curve([(0, float("nan"))], 3, 2, 1) == ["  "]
    assert len(dots(curve([(0, 5.0)], 9, 3, 2))) == 6


def test_a_run_leaves_its_heading_and_one_display(clock):
    clock(0.01)
    terminal = Terminal()
    watching = LiveDisplay(job(), "backend's name", terminal)
    for generation in range(1001):
        watching(state(generation, 3.0 - generation / 1000, size=7))
    watching.close()
    lines = screen_of(terminal.getvalue() + "the result\n")

    goal = "predicting t (no, yes) from 2 features of table"
    assert lines[0] == f"{goal}; 3 training rows, 1 test row"
    assert lines[1] == "grammar grammar, backend backend's name"
    assert re.fullmatch(r"generation 1000/1000  ━+  \d+\.\d s", lines[2])
    assert lines[3].startswith("best 2.0000  mean 2.5000  7 connections  ")
    assert [line[:10] for line in lines[4:9]] == [
        "  3.0000 │",
        "         │",
        "         │",
        "  2.0000 │",
        "         └",
    ]
    assert lines[9:] == ["the result"]


def test_it_is_drawn_only_a_few_times_a_second(clock):
    clock(0.001)
    terminal = Terminal()
    watching = LiveDisplay(job(5000), "", terminal)
    for generation in range(5000):  # five seconds, as long as nothing is drawn
        watching(state(generation))

    drawn = terminal.getvalue().count("\x1b[J")
    assert 10 <= drawn <= 8 * 6


def test_speed_and_time_left_are_those_of_the_last_seconds(clock):
    now = clock(0.0)
    terminal = Terminal()
    watching = LiveDisplay(job(1000), "", terminal)
    for generation in range(401):
        watching(state(generation))
        now.now += 0.05 if generation < 200 else 0.1
    lines = screen_of(terminal.getvalue())

    assert "1,000 evaluations/s" in lines[3]
    assert "1 min 00 s left" in lines[2]


def test_the_time_left_ends_with_the_time_allowed(clock):
    now = clock(0.0)
    for make in (LiveDisplay, LineDisplay):
        terminal = Terminal()
        watching = make(job(10_000), "", terminal, max_seconds=30.0)
        for generation in range(41):
            watching(state(generation))
            now.now += 0.5
        lines = screen_of(terminal.getvalue())
        assert "10 s left" in (lines[2] if make is LiveDisplay else lines[-1])


def test_the_speed_of_a_resumed_run_does_not_count_earlier_generations(clock):
    now = clock(0.0)
    terminal = Terminal()
    watching = LiveDisplay(job(10_000), "", terminal)
    for generation in range(9000, 9011):
        watching(state(generation))
        now.now += 1.0

    assert "100 evaluations/s" in screen_of(terminal.getvalue())[3]


def test_a_stopped_run_shows_its_last_generation(clock):
    now = clock(0.0)
    terminal = Terminal()
    watching = LiveDisplay(job(), "", terminal)
    for generation in range(8):
        watching(state(generation, 3.0 - generation / 10))
    now.now += 2.0
    watching.close()
    lines = screen_of(terminal.getvalue())

    assert re.fullmatch(r"generation    7/1000  ─+  2\.0 s", lines[2])
    assert lines[3].startswith("best 2.3000")
    assert lines[7].startswith("  2.3000 │")
    assert lines[8].endswith("─7")


@pytest.mark.parametrize("last", [7, 1000])
def test_stages_after_the_last_generation_are_shown_below_it(last, clock):
    now = clock(0.0)
    terminal = Terminal()
    watching = LiveDisplay(job(), "", terminal)
    for generation in range(last + 1):
        watching(state(generation))
    now.now += 2.0
    for words in ("measuring the hall of fame", "writing the report"):
        watching.stage(words)
        lines = screen_of(terminal.getvalue())
        assert lines[2].startswith(f"generation {last:>4}/1000")
        assert lines[9] == f"{words} …"
        now.now += 2.0
    watching.close()
    lines = screen_of(terminal.getvalue() + "the result\n")
    assert lines[2].endswith("2.0 s" if last == 7 else "0.0 s")  # of the evolution alone
    assert lines[9:] == ["the result"]


def test_a_pipe_gets_a_line_every_ten_seconds(clock):
    now = clock(0.0)
    stream = io.StringIO()
    watching = LineDisplay(job(100), "", stream)
    for generation in range(36):  # a generation a second
        watching(state(generation))
        now.now += 1.0
    watching.stage("writing the report")
    watching.close()

    _, _, *lines = stream.getvalue().splitlines()
    generations = [line.split("/")[0].split()[-1] for line in lines[:-1]]
    assert generations == ["0", "10", "20", "30", "35"]  # and where it was stopped
    assert lines[-2].endswith("36.0 s")
    assert lines[-1] == "writing the report"


@pytest.mark.parametrize("columns", [80, 100, 240])
def test_the_display_is_as_wide_as_the_terminal(columns, clock, monkeypatch):
    now = clock(0.0)
    monkeypatch.setattr(live, "size_of", lambda stream: (columns, 24))
    terminal = Terminal()
    watching = LiveDisplay(job(), "", terminal)
    for generation in range(8):
        watching(state(generation))
        now.now += 1.0
    lines = screen_of(terminal.getvalue(), columns)

    assert len(lines[8]) == columns - 1  # the axis of generations
    bar = len(re.findall("[━─]", lines[2]))
    assert bar > columns - len("generation    0/1000") - len("59 min 59 s left") - 6


def test_a_note_is_above_the_display(clock):
    clock(1.0)
    terminal = Terminal()
    watching = LiveDisplay(job(), "", terminal)
    watching(state(1))
    watching.note(NOTE + "\x1b[2J")
    watching(state(2))
    watching.close()
    lines = screen_of(terminal.getvalue())

    assert lines[2] == NOTE + "�[2J"
    assert lines[3].startswith("generation    2/1000")
    assert sum("generation" in line for line in lines) == 1


@pytest.mark.parametrize("midst", ["write", "colour_line"])
def test_a_note_during_drawing_waits(midst, clock, monkeypatch):
    clock(1.0)
    interrupts = []

    def interrupt():
        if interrupts:
            interrupts.pop()
            watching.note(NOTE)

    class Interrupted(Terminal):
        def write(self, text):
            if midst == "write":
                interrupt()
            return super().write(text)

    def colour_line(*arguments):
        if midst == "colour_line":
            interrupt()
        return original(*arguments)

    original = live.colour_line
    monkeypatch.setattr(live, "colour_line", colour_line)
    terminal = Interrupted()
    watching = LiveDisplay(job(), "", terminal)
    interrupts.append(True)
    watching(state(2))
    watching.close()
    lines = screen_of(terminal.getvalue())

    assert lines[2] == NOTE
    assert lines[3].startswith("generation    2/1000")
    assert sum("/1000" in line for line in lines) == 1


def test_several_runs_are_counted_below_their_figures(clock):
    clock(1.0)
    terminal = Terminal()
    watching = LiveDisplay(job(), "", terminal, runs=3)
    watching.run_ended(ended(1))
    watching.run_ended(ended(2))
    watching.close()
    lines = screen_of(terminal.getvalue())

    assert lines[2:4] == [
        f"seed {n}  exp-rmse 1.2500  train accuracy 0.5000  test accuracy 0.2500" for n in (1, 2)
    ]
    assert re.fullmatch(r"runs 2/3  ━+─+  \d+ s left", lines[4])
    assert len(lines) == 5
    assert plain(runs_line(3, 3, 75.0, None, 79)).endswith("1 min 15 s")


def test_a_narrower_window_is_drawn_from_scratch(clock, monkeypatch):
    clock(1.0)
    size = [100, 24]
    monkeypatch.setattr(live, "size_of", lambda stream: tuple(size))
    terminal = Terminal()
    watching = LiveDisplay(job(), "", terminal)
    watching(state(1))
    before = len(terminal.getvalue())
    size[0] = 50
    watching(state(2))
    assert len(terminal.getvalue()) == before  # it may still be moving
    watching(state(3))
    watching(state(4))
    drawn = terminal.getvalue()[before:]

    assert all(len(line) < 50 for line in screen_of(drawn, 100))
    assert "\x1b[" not in drawn[: drawn.index("generation")].replace("\x1b[2m", "")
    assert sum("generation" in line for line in screen_of(drawn, 50)) == 1


@pytest.mark.parametrize("error", [BrokenPipeError(), ValueError("closed"), OSError(5, "gone")])
@pytest.mark.parametrize("make", [LiveDisplay, LineDisplay])
def test_a_broken_stream_is_not_written_to_again(make, error, clock):
    clock(1.0)

    class Breaking(Terminal):
        left = 2
        tried = 0

        def write(self, text):
            self.tried += 1
            if self.left == 0:
                raise error
            self.left -= 1

    stream = Breaking()
    watching = make(job(), "", stream)
    for generation in range(1001):
        watching(state(generation))
    watching.note(NOTE)
    watching.run_ended(ended(1))
    watching.close()

    assert stream.tried == 3  # the third raises


def test_the_display_depends_on_the_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert isinstance(make_display(job(), "", True), LiveDisplay)
    assert type(make_display(job(), "", False)) is ProgressDisplay
    for name in ("dumb", ""):
        monkeypatch.setenv("TERM", name)
        assert isinstance(make_display(job(), "", True), LineDisplay)
    monkeypatch.setenv("TERM", "xterm")
    latin = Terminal()
    latin.encoding = "latin-1"
    for stream in (io.StringIO(), latin):
        monkeypatch.setattr(sys, "stderr", stream)
        assert isinstance(make_display(job(), "", True), LineDisplay)
    monkeypatch.setattr(sys, "stderr", None)
    assert type(make_display(job(), "", True)) is ProgressDisplay


def test_texts_are_shortened_by_their_width():
    assert [shorten("größe", n) for n in (5, 4, 1, 0)] == ["größe", "grö…", "…", ""]
    assert text_width("列a") == 3
    assert shorten("列列列", 5) == "列列…"
    assert shorten("列列列", 4) == "列…"
    assert plain(crop([StyledText("abc"), StyledText("def")], 4)) == "abc…"


ENVIRONMENT = {"PYTHONPATH": str(Path(__file__).parents[2]), "TERM": "xterm-256color"}


def on_a_terminal(command, columns=80, rows=60, **environment):
    """Return what a command writes to a terminal, and its exit code."""
    import fcntl
    import struct
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, **ENVIRONMENT, **environment},
    )
    os.close(slave)
    written = b""
    while select.select([master], [], [], 120)[0]:
        try:
            data = os.read(master, 65536)
        except OSError:  # the other side is closed
            break
        if not data:
            break
        written += data
    os.close(master)
    return written.decode(), process.wait()


def test_on_a_terminal_the_display_comes_before_the_result(tmp_path):
    command = [*COMMAND, "evolve", "one_layer", "wdbc", *QUICK_OPTIONS, "--out", str(tmp_path)]
    few = ["--backend", "numpy", "--population", "4", "--pruning", "1", "--tuning", "1"]
    raw, code = on_a_terminal([*command, *few], 40, NO_COLOR="1")
    lines = screen_of(raw.replace("\r\n", "\n"), 40, 90)

    assert code == 0
    (display_line,) = [n for n, line in enumerate(lines) if line.startswith("generation 4/4")]
    (axis,) = [n for n, line in enumerate(lines) if "└0" in line]
    assert display_line < axis
    assert lines[axis + 1].startswith("best network: log-loss")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", raw)


@pytest.mark.parametrize("way", ["closed", pytest.param("broken", marks=pytest.mark.campaign)])
def test_a_run_ends_well_without_a_standard_error(way, tmp_path):
    command = [*COMMAND, "evolve", "one_layer", "wdbc", *QUICK_OPTIONS, "--out", str(tmp_path)]
    command += ["--population", "4", "--pruning", "1", "--tuning", "1"]
    reader, writer = os.pipe()
    os.close(reader)
    answer = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=writer,
        env={**os.environ, **ENVIRONMENT, **NO_COMPILER},  # of which there is a note
        preexec_fn=(lambda: os.close(2)) if way == "closed" else None,
        check=False,
    )
    os.close(writer)

    assert answer.returncode == 0
    assert b"best network" in answer.stdout
    assert (tmp_path / "wdbc-one_layer-seed1" / "run.json").exists()
