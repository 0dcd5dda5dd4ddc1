"""The history of a run to its charts: fitness and size over the generations."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dsgec.manifest import HISTORY
from dsgec.report.chart import BOTTOM, LEFT, RIGHT, TOP, Chart, DataTable, Series, line, stairs
from dsgec.report.figures import MOST_TABLE_ROWS
from dsgec.report.scales import LOG_RATIO, Scale, linear, short, suited
from dsgec.run.result import Result
from dsgec.search.evolver import HistoryRow
from dsgec.search.objectives import OBJECTIVES

MOST_POINTS = 500
_MOST_RISE = 4.0
_LARGEST = 1e300


def fitness_chart(history: Sequence[HistoryRow], label: str) -> Chart:
    """Best and mean over the generations; `label` is what the fitness is."""
    generations = _column(history, "generation")
    means = _column(history, "mean")
    best = _points(generations, _column(history, "best"))
    values = [y for _, y in best[0]] if best else []
    cap = _cap(values)
    mean = _points(generations, means, cap)
    scale = suited(values, BOTTOM, TOP)
    drawn = [*values, *(y for piece in mean for _, y in piece)]
    scale = suited(drawn, BOTTOM, TOP) if scale.is_log else linear(drawn, BOTTOM, TOP)
    beyond = int((~(means <= cap)).sum())
    left_out = f"The mean is left out of {beyond:,} generations in which it is far above."
    across = _generations(history)
    course = f"{short(values[0])} at first and {short(values[-1])} in the end" if values else "none"
    return Chart(
        "fitness",
        "Fitness over the generations",
        f"A line chart; less is better. The best network's fitness was {course}.",
        across,
        scale,
        "generation",
        label + (", logarithmic" if scale.is_log else ""),
        (
            Series("mean of the population", 1, _path(mean, across, scale)),
            Series("best network", 0, stairs(best[0] if best else (), across, scale)),
        ),
        _history_table(history, ("best", "mean")),
        notes=(left_out,) if beyond else (),
    )


def size_chart(history: Sequence[HistoryRow]) -> Chart:
    """Connections of the best network over the generations."""
    (points,) = _points(_column(history, "generation"), _column(history, "size"))
    across = _generations(history)
    up = linear([0.0, *(y for _, y in points)], BOTTOM, TOP, whole=True)
    return Chart(
        "size",
        "Size over the generations",
        "A line chart of the connections of the best network, as the grammar wrote it:"
        f" {short(points[0][1])} at first and {short(points[-1][1])} in the end.",
        across,
        up,
        "generation",
        "connections of the best, as written",
        (Series("connections", 0, stairs(points, across, up)),),
        _history_table(history, ("size",)),
    )


def fitness_label(run: Result) -> str:
    """What evolution minimised, in words."""
    objective = run.result.objective
    known = OBJECTIVES.get(objective)
    if known and known.degree and run.record.data.target_scale:
        return f"{objective} of the scaled target"
    return (known.label if known else "") or objective


def _column(history: Sequence[HistoryRow], name: str) -> NDArray[np.float64]:
    return np.array([getattr(row, name) for row in history], np.float64)


def _generations(history: Sequence[HistoryRow]) -> Scale:
    first, last = float(history[0].generation), float(history[-1].generation)
    scale = linear([first, last], LEFT, RIGHT, whole=True)
    ticks = tuple(tick for tick in scale.ticks if tick <= max(last, first + 1))
    return Scale(first, max(last, first + 1), LEFT, RIGHT, ticks)


def _cap(best: list[float]) -> float:
    """How far up the mean is drawn: a poor beginning would make the best a flat line below it."""
    if not best:
        return _LARGEST
    span = (max(best) - min(best)) or abs(max(best)) or 1.0
    wide = min(best) > 0 and max(best) / min(best) >= LOG_RATIO
    return min(max(best) * 10.0 if wide else max(best) + _MOST_RISE * span, _LARGEST)


def _points(
    x: NDArray[np.float64], y: NDArray[np.float64], most: float = _LARGEST
) -> list[list[tuple[float, float]]]:
    """A line in pieces without what cannot be drawn; few enough points for a page."""
    known = np.abs(y) <= most  # so neither a NaN nor an infinity
    places = np.flatnonzero(known)
    if len(places) > MOST_POINTS:
        places = places[envelope(y[places], MOST_POINTS)]
    gaps = np.cumsum(~known)[places]
    pieces: list[list[tuple[float, float]]] = []
    last = -1
    for gap, point in zip(gaps.tolist(), zip(x[places].tolist(), y[places].tolist())):  # noqa: B905
        if gap != last:
            pieces.append([])
            last = gap
        pieces[-1].append(point)
    return pieces


def envelope(y: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """The numbers of at most so many points: both ends, and of equal pieces the least and the most.

    A line that goes up and down at every point so keeps its width everywhere.
    """
    edges = np.linspace(0, len(y), (most - 2) // 2 + 1).astype(np.intp)
    kept = {0, len(y) - 1}
    for first, last in pairwise(edges.tolist()):
        if first < last:
            kept |= {first + int(y[first:last].argmin()), first + int(y[first:last].argmax())}
    return np.array(sorted(kept), dtype=np.intp)


def _path(pieces: list[list[tuple[float, float]]], across: Scale, up: Scale) -> str:
    return " ".join(line(piece, across, up) for piece in pieces if len(piece) > 1)


def _history_table(history: Sequence[HistoryRow], names: tuple[str, ...]) -> DataTable:
    count = len(history)
    places = np.unique(np.linspace(0, count - 1, min(count, MOST_TABLE_ROWS)).round()).astype(int)
    rows = tuple(
        (
            short(float(history[place].generation)),
            *(short(float(getattr(history[place], name))) for name in names),
        )
        for place in places.tolist()
    )
    note = f"{len(rows)} of {count:,} generations; {HISTORY} has all." if count > len(rows) else ""
    return DataTable(("generation", *names), rows, note if count > len(rows) else "")
