"""Charts and the table of the hall of fame: quality against size or cost."""

from collections.abc import Mapping, Sequence
from typing import Any

from dsgec.report.chart import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    Chart,
    DataTable,
    Mark,
    Scale,
    Series,
    linear_scale,
    step_path,
    suitable_scale,
)
from dsgec.report.format import GREATER, format_metric, metric_label
from dsgec.run.hall import HallRow, front
from dsgec.run.result import Result
from dsgec.search.objectives import OBJECTIVES

SIZE = "connections"
_UNITS = {SIZE: "connections", "flash": "bytes of flash", "cycles": "cycles a row"}


def minimised_cost(run: Result) -> str:
    """Return the cost that the run minimised: connections, flash, cycles, or "" for none."""
    what = run.record.settings.get("minimise", "")
    known = what in _UNITS and all(one.cost(what) is not None for one in run.hall_rows)
    return what if known else ""


def _costs(run: Result, rows: Sequence[HallRow]) -> list[int]:
    return [one.cost(minimised_cost(run) or SIZE) or 0 for one in rows]


def _points(run: Result, rows: Sequence[HallRow], part: str) -> list[tuple[int, float | None]]:
    """Return cost and main metric of networks on the `train` or the `test` rows."""
    parts = [one.train if part == "train" else one.test for one in rows]
    return [*zip(_costs(run, rows), (own[run.metrics[0]] for own in parts), strict=True)]


def hall_chart(run: Result) -> Chart | None:
    """Draw the main metric against the size, or the minimised cost, with the Pareto fronts."""
    metric = run.metrics[0]
    rises = metric in GREATER
    scored = [one for one in run.hall_rows if one.train[metric] is not None]
    if not scored:
        return None
    most, unit = _largest_drawn(run, scored), _UNITS[minimised_cost(run) or SIZE]
    known = [one for one in scored if (one.cost(minimised_cost(run) or SIZE) or 0) <= most]
    points = {part: _points(run, known, part) for part in ("test", "train")}
    figures = [value for some in points.values() for _, value in some if value is not None]
    across = linear_scale(_costs(run, known), LEFT + 8, RIGHT, whole=True)
    up = linear_scale(figures, BOTTOM, TOP) if rises else suitable_scale(figures, BOTTOM, TOP)
    own = run.record.model.id
    series = []
    for style, part in ((1, "test"), (0, "train")):
        pairs = points[part]
        corners = [(cost, value or 0.0) for cost, value in (pairs[i] for i in front(pairs, rises))]
        path = step_path(corners, across, up)
        dots = tuple(
            Mark(
                across.place(cost),
                up.place(value),
                f"{cost} {unit}, {part}: {format_metric(value)}",
                one.model_id == own,
            )
            for one, (cost, value) in zip(known, pairs, strict=True)
            if value is not None
        )
        words = "training rows" if part == "train" else "test rows"
        series.append(Series(words, style, path, dots))
    label = metric_label(metric)
    word = "smaller" if unit == SIZE else "cheaper"
    return Chart(
        "hall",
        f"{label[0].upper()}{label[1:]} against {'size' if unit == SIZE else minimised_cost(run)}",
        f"A scatter chart of {len(known)} networks, the best of each number of {unit}. The"
        f" lines join those that no {word} network equals or beats (the Pareto fronts).",
        across,
        up,
        unit,
        label + (", logarithmic" if up.is_log else ""),
        tuple(series),
        DataTable((), ()),
        notes=_notes(known, own, len(scored) - len(known)),
    )


def front_chart(run: Result) -> Chart | None:
    """Draw the score against the minimised cost, which the search optimised together."""
    what, own = minimised_cost(run), run.record.model.id
    if not what or not run.hall_rows:
        return None
    unit, objective = _UNITS[what], run.result.objective
    costs, scores = _costs(run, run.hall_rows), [one.score for one in run.hall_rows]
    across = linear_scale(costs, LEFT + 8, RIGHT, whole=True)
    rises = objective in OBJECTIVES and OBJECTIVES[objective].rises
    up: Scale = linear_scale(scores, BOTTOM, TOP) if rises else suitable_scale(scores, BOTTOM, TOP)
    kept = sorted(
        (cost, score)
        for cost, score, one in zip(costs, scores, run.hall_rows, strict=True)
        if one.front
    )

    def dots(on_front: bool) -> tuple[Mark, ...]:
        return tuple(
            Mark(
                across.place(cost),
                up.place(one.score),
                f"{cost} {unit}: {format_metric(one.score)}",
                one.model_id == own,
            )
            for cost, one in zip(costs, run.hall_rows, strict=True)
            if one.front == on_front
        )

    series = [Series("front", 0, step_path(kept, across, up), dots(True))]
    if len(kept) < len(costs):
        series.append(Series("others", 1, "", dots(False)))
    return Chart(
        "front",
        f"The front: {objective} against {what}",
        f"The score of {len(costs)} networks on the training rows against their {unit}. The line"
        f" joins the {len(kept)} that no cheaper network equals or beats.",
        across,
        up,
        unit,
        objective + (", logarithmic" if up.is_log else ""),
        tuple(series),
        DataTable((), ()),
        notes=_notes(run.hall_rows, own, 0),
    )


def _largest_drawn(run: Result, scored: Sequence[HallRow]) -> int:
    """Return the largest size or cost that is drawn: twice that of the network and of the fronts.

    The first generations leave larger networks, which are no good.
    """
    own = [one for one in scored if one.model_id == run.record.model.id]
    sizes = _costs(run, own) if minimised_cost(run) else [run.result.network.connections]
    for part in ("train", "test"):
        points = _points(run, scored, part)
        sizes += (points[place][0] for place in front(points, run.metrics[0] in GREATER))
    return 2 * max(sizes)


def _notes(drawn: Sequence[HallRow], own: str, larger: int) -> tuple[str, ...]:
    notes = []
    if any(one.model_id == own for one in drawn):
        notes.append("A ring marks the network of this page.")
    if larger:
        notes.append(f"{larger} larger networks, none of them better, are only in the table.")
    return tuple(notes)


def hall_rows(run: Result) -> list[dict[str, Any]]:
    """Return the rows of the table of the hall of fame."""
    metric, what = run.metrics[0], minimised_cost(run)
    rows, costs = run.hall_rows, _costs(run, run.hall_rows)
    on = {part: {*front(_points(run, rows, part), metric in GREATER)} for part in ("train", "test")}
    return [
        {
            "sizes": one.size,
            "cost": "" if what in ("", SIZE) else f"{costs[place]:,}",
            "score": format_metric(one.score),
            "front": one.front,
            "train": format_metric(one.train[metric]),
            "test": format_metric(one.test[metric]),
            "train_front": place in on["train"],
            "test_front": place in on["test"],
            "own": one.model_id == run.record.model.id,
            "first": one.front if what else place in on["train"] or place in on["test"],
            "command": pick_command(one, what, run.record.settings),
        }
        for place, one in enumerate(rows)
    ]


def pick_command(one: HallRow, what: str, settings: Mapping[str, Any]) -> str:
    """Return the options of `dsgec export` that pick this network of the hall of fame."""
    if what in ("", SIZE):
        return f"--pick size {one.size['connections']}"
    # What is not recorded is the default, of an export, too.
    given = [f"--{name} {settings[name]}" for name in ("chip", "dtype") if name in settings]
    return " ".join([f"--pick {what} {one.cost(what)}", *given])
