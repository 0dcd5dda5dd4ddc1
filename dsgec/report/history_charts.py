"""Charts of the history of a run: fitness and size over the generations."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dsgec.manifest import HISTORY
from dsgec.report.chart import (
    BOTTOM,
    LOG_RATIO,
    TOP,
    Chart,
    DataTable,
    Scale,
    Series,
    generation_scale,
    line_path,
    linear_scale,
    step_path,
    suitable_scale,
)
from dsgec.report.format import format_number
from dsgec.report.quality_charts import MOST_TABLE_ROWS
from dsgec.run.result import Result
from dsgec.search.evolver import HistoryRow
from dsgec.search.objectives import OBJECTIVES

MOST_POINTS = 500
_MOST_RISE = 4.0
_LARGEST = 1e300


def fitness_chart(
    history: Sequence[HistoryRow], label: str, kind: str = "network", *, rises: bool = False
) -> Chart:
    """Draw the best and the mean fitness over the generations; `label` names the fitness.

    `kind` is the word for what has it. With `rises`, more is better.
    """
    generations = _column(history, "generation")
    means = _column(history, "mean")
    best = _points(generations, _column(history, "best"))
    values = [y for _, y in best[0]] if best else []
    cap = _LARGEST if rises else _mean_limit(values)
    mean = _points(generations, means, cap)
    scale = suitable_scale(values, BOTTOM, TOP)
    drawn = [*values, *(y for piece in mean for _, y in piece)]
    scale = suitable_scale(drawn, BOTTOM, TOP) if scale.is_log else linear_scale(drawn, BOTTOM, TOP)
    beyond = int((~(np.abs(means) <= cap)).sum()) if rises else int((~(means <= cap)).sum())
    left_out = f"The mean is left out of {beyond:,} generations in which it is far above."
    across = generation_scale(float(generations[0]), float(generations[-1]))
    course = (
        f"{format_number(values[0])} at first and {format_number(values[-1])} in the end"
        if values
        else "none"
    )
    return Chart(
        "fitness",
        "Fitness over the generations",
        f"A line chart; {'more' if rises else 'less'} is better. The best {kind}'s fitness was"
        f" {course}.",
        across,
        scale,
        "generation",
        label + (", logarithmic" if scale.is_log else ""),
        (
            Series("mean of the population", 1, _path(mean, across, scale)),
            Series(f"best {kind}", 0, step_path(best[0] if best else (), across, scale)),
        ),
        _history_table(history, ("best", "mean")),
        notes=(left_out,) if beyond else (),
    )


def size_chart(
    history: Sequence[HistoryRow],
    unit: str = "connections",
    of: str = "the best network, as the grammar wrote it",
) -> Chart:
    """Draw the size of the best individual over the generations."""
    generations = _column(history, "generation")
    (points,) = _points(generations, _column(history, "size"))
    across = generation_scale(float(generations[0]), float(generations[-1]))
    up = linear_scale([0.0, *(y for _, y in points)], BOTTOM, TOP, whole=True)
    return Chart(
        "size",
        "Size over the generations",
        f"A line chart of the {unit} of {of}:"
        f" {format_number(points[0][1])} at first and {format_number(points[-1][1])} in the end.",
        across,
        up,
        "generation",
        f"{unit} of the best, as written",
        (Series(unit, 0, step_path(points, across, up)),),
        _history_table(history, ("size",)),
    )


def fitness_label(run: Result) -> str:
    """Return the name of the fitness that evolution minimised."""
    objective = run.result.objective
    known = OBJECTIVES.get(objective)
    if known and known.degree and run.record.data.target_scale:
        return f"{objective} of the scaled target"
    return (known.label if known else "") or objective


def _column(history: Sequence[HistoryRow], name: str) -> NDArray[np.float64]:
    return np.array([getattr(row, name) for row in history], np.float64)


def _mean_limit(best: list[float]) -> float:
    """Return up to which fitness the mean is drawn, so that the best is not a flat line below."""
    if not best:
        return _LARGEST
    span = (max(best) - min(best)) or abs(max(best)) or 1.0
    wide = min(best) > 0 and max(best) / min(best) >= LOG_RATIO
    return min(max(best) * 10.0 if wide else max(best) + _MOST_RISE * span, _LARGEST)


def _points(
    x: NDArray[np.float64], y: NDArray[np.float64], most: float = _LARGEST
) -> list[list[tuple[float, float]]]:
    """Return a line in pieces, without values above `most`, with few enough points for a page."""
    known = np.abs(y) <= most  # so neither a NaN nor an infinity
    places = np.flatnonzero(known)
    if len(places) > MOST_POINTS:
        places = places[thin_history(y[places], MOST_POINTS)]
    gaps = np.cumsum(~known)[places]
    pieces: list[list[tuple[float, float]]] = []
    last = -1
    for gap, point in zip(gaps.tolist(), zip(x[places].tolist(), y[places].tolist())):  # noqa: B905
        if gap != last:
            pieces.append([])
            last = gap
        pieces[-1].append(point)
    return pieces


def thin_history(y: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Return the places of at most so many points: both ends, and the extremes of equal pieces.

    So a line that goes up and down at every point keeps its width everywhere.
    """
    edges = np.linspace(0, len(y), (most - 2) // 2 + 1).astype(np.intp)
    kept = {0, len(y) - 1}
    for first, last in pairwise(edges.tolist()):
        if first < last:
            kept |= {first + int(y[first:last].argmin()), first + int(y[first:last].argmax())}
    return np.array(sorted(kept), dtype=np.intp)


def _path(pieces: list[list[tuple[float, float]]], across: Scale, up: Scale) -> str:
    return " ".join(line_path(piece, across, up) for piece in pieces if len(piece) > 1)


def _history_table(history: Sequence[HistoryRow], names: tuple[str, ...]) -> DataTable:
    count = len(history)
    places = np.unique(np.linspace(0, count - 1, min(count, MOST_TABLE_ROWS)).round()).astype(int)
    rows = tuple(
        (
            format_number(float(history[place].generation)),
            *(format_number(float(getattr(history[place], name))) for name in names),
        )
        for place in places.tolist()
    )
    note = f"{len(rows)} of {count:,} generations; {HISTORY} has all." if count > len(rows) else ""
    return DataTable(("generation", *names), rows, note if count > len(rows) else "")
