"""Results to pictures: the mean score of each learner against its weights, or its seconds."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.results import Result, scored
from benchmarks.statistics import medians, score_means
from benchmarks.summary import MEASURES, learners_in
from benchmarks.with_dsgec import REFERENCE
from dsgec.report.chart import Scale, linear_scale, suitable_scale
from dsgec.report.curve_figure import Figure, Label, Stroke

_HEIGHT, _TOP, _BOTTOM = 420.0, 84.0, 356.0
_LEFT, _PANEL, _GAP = 62.0, 400.0, 62.0
_INSET, _ROOM = 24.0, 76.0  # beside the points, for their names
_INK, _FAINT, _GRID = "#1a202c", "#4a5568", "#e2e8f0"
_OURS, _OTHERS = "#0b3c8c", "#c2570c"
_RADIUS, _TEXT, _LETTER = 5.0, 13.5, 7.4
_LEFT_OUT = ("constant",)
_AXES = {"weights": "weights (of trees: nodes)", "cpu_seconds": "CPU seconds to learn"}
_LEAST = {"weights": 1.0, "cpu_seconds": 0.001}

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Point:
    """A learner over all tables: geometric mean of `weights` or `cpu_seconds`, mean score."""

    learner: str
    across: float
    score: float


def common_tables(results: Sequence[Result]) -> set[str]:
    """The tables that all learners have which are drawn."""
    tables = [set(of) for name, of in score_means(results).items() if name not in _LEFT_OUT]
    return set.intersection(*tables) if tables else set()


def points_of(results: Sequence[Result], field: str) -> list[Point]:
    """The learners of a task, on the tables that all of them have."""
    chosen = [one for one in scored(results) if one.learner not in _LEFT_OUT]
    means, sizes = score_means(chosen), medians(chosen, field)
    tables = common_tables(results)
    if not tables:
        return []
    return [
        Point(
            learner,
            statistics.geometric_mean(max(sizes[learner][t], _LEAST[field]) for t in tables),
            statistics.fmean(means[learner][t].value for t in tables),
        )
        for learner in learners_in(chosen)
    ]


def draw_scores(results: Sequence[Result], field: str) -> Figure:
    """A panel for each task that has results, side by side."""
    tasks = [task for task in MEASURES if any(one.task == task for one in scored(results))]
    what = "size" if field == "weights" else "time"
    strokes: list[Stroke] = []
    labels = [Label(_LEFT, 28.0, f"Test score against {what}", 17.0, _INK)]
    for place, task in enumerate(tasks):
        left = _LEFT + place * (_PANEL + _GAP)
        some = [one for one in results if one.task == task]
        points, tables = points_of(some, field), len(common_tables(some))
        title = f"Mean {MEASURES[task]} of {tables} tables with {_target(task)}"
        labels.append(Label(left, 58.0, title, 13.5, _INK))
        _draw_panel(points, left, _AXES[field], strokes, labels)
    width = _LEFT + max(1, len(tasks)) * (_PANEL + _GAP) - _GAP + 20.0
    title = f"Test score of each learner against its {what}"
    return Figure(title, width, _HEIGHT, (), tuple(strokes), tuple(labels))


def _draw_panel(
    points: Sequence[Point],
    left: float,
    axis: str,
    strokes: list[Stroke],
    labels: list[Label],
) -> None:
    right = left + _PANEL
    across = suitable_scale([point.across for point in points], left + _INSET, right - _ROOM)
    up = linear_scale([point.score for point in points], _BOTTOM, _TOP)
    for y, word in up.labels():
        strokes.append(Stroke(((left, y), (right, y)), _GRID, 1.0))
        labels.append(Label(left - 8.0, y + 4.5, word, 12.5, _FAINT, "end"))
    for x, word in across.labels():
        strokes.append(Stroke(((x, _BOTTOM), (x, _BOTTOM + 5.0)), _FAINT, 1.2))
        labels.append(Label(x, _BOTTOM + 20.0, word, 12.5, _FAINT, "middle"))
    strokes.append(Stroke(((left, _BOTTOM), (right, _BOTTOM)), _FAINT, 1.2))
    labels.append(Label((left + right) / 2, _BOTTOM + 44.0, axis, 13.0, _FAINT, "middle"))
    for point in points:
        circle = _circle(*_place(point, across, up))
        strokes.append(Stroke(circle, _colour(point.learner), _RADIUS))
    labels += _names(points, across, up, left, right)


def _names(
    points: Sequence[Point], across: Scale, up: Scale, left: float, right: float
) -> list[Label]:
    """The name beside each point, where it covers neither another name nor a point."""
    taken = [_around(*_place(point, across, up)) for point in points]
    found = []
    for point in sorted(points, key=lambda one: (not one.learner.startswith(REFERENCE), one.score)):
        x, y = _place(point, across, up)
        wide = _LETTER * len(point.learner)
        choices = [
            Label(x + dx, y + dy, point.learner, _TEXT, _colour(point.learner), anchor)
            for dx, dy, anchor in (
                *((10.0, 4.5, "start"), (-10.0, 4.5, "end")),
                *((0.0, -10.0, "middle"), (0.0, 20.0, "middle")),
                *((8.0, -8.0, "start"), (-8.0, -8.0, "end")),
                *((8.0, 17.0, "start"), (-8.0, 17.0, "end")),
                *((0.0, -25.0, "middle"), (0.0, 34.0, "middle")),
            )
        ]
        own = _around(x, y)
        others = [box for box in taken if box != own]
        label = min(choices, key=lambda one: _cost(_box(one, wide), others, left, right))
        taken.append(_box(label, wide))
        found.append(label)
    return found


def _cost(box: Box, others: Iterable[Box], left: float, right: float) -> float:
    """The area that is covered already, and what hangs out of the panel."""
    outside = max(0.0, left - box[0]) + max(0.0, box[2] - right) + max(0.0, box[3] - _BOTTOM)
    covered = sum(
        max(0.0, min(box[2], one[2]) - max(box[0], one[0]))
        * max(0.0, min(box[3], one[3]) - max(box[1], one[1]))
        for one in others
    )
    return covered + 100.0 * outside


def _box(label: Label, wide: float) -> Box:
    start = label.x - {"start": 0.0, "middle": wide / 2, "end": wide}[label.anchor]
    return start, label.y - 11.0, start + wide, label.y + 3.0


def _around(x: float, y: float) -> Box:
    return x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS


def _place(point: Point, across: Scale, up: Scale) -> tuple[float, float]:
    return across.place(point.across), up.place(point.score)


def _circle(x: float, y: float) -> tuple[tuple[float, float], ...]:
    """A line as thick as the circle that it goes round is wide: a disc, in front of the grid."""
    turns = [math.tau * step / 20 for step in range(24)]  # the last over the first
    half = _RADIUS / 2
    return tuple((x + half * math.cos(turn), y + half * math.sin(turn)) for turn in turns)


def _colour(learner: str) -> str:
    return _OURS if learner.startswith(REFERENCE) else _OTHERS


def _target(task: str) -> str:
    return "classes" if task == "classification" else "a numeric target"
