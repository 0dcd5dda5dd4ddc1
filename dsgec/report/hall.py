"""The hall of fame to a chart of quality against size, and to the commands that take a network."""

from collections.abc import Sequence
from typing import Any

from dsgec.drawing.chart import BOTTOM, LEFT, RIGHT, TOP, Chart, DataTable, Mark, Series, stairs
from dsgec.drawing.scales import figure, linear, suited
from dsgec.report.figures import GREATER, metric_label
from dsgec.run.hall import Famous
from dsgec.run.result import Result


def front(values: Sequence[tuple[int, float | None]], *, greater: bool) -> list[int]:
    """The places of those that no smaller network equals or beats."""
    kept: list[int] = []
    sign = 1.0 if greater else -1.0
    best = -float("inf")
    for place, (_, value) in sorted(enumerate(values), key=lambda one: one[1][0]):
        if value is not None and sign * value > best:
            best = sign * value
            kept.append(place)
    return kept


def hall_chart(run: Result) -> Chart | None:
    """The main metric against the size, with the front of those that no smaller one beats."""
    metric = run.metrics[0]
    greater = metric in GREATER
    scored = [one for one in run.famous if one.train[metric] is not None]
    if not scored:
        return None
    most = _worth_drawing(run, scored)
    known = [one for one in scored if one.connections <= most]
    figures = [
        value
        for one in known
        for value in (one.train[metric], one.test[metric])
        if value is not None
    ]
    across = linear([one.connections for one in known], LEFT + 8, RIGHT, whole=True)
    up = linear(figures, BOTTOM, TOP) if greater else suited(figures, BOTTOM, TOP)
    own = run.record["model"]["id"]
    series = []
    for style, part in ((1, "test"), (0, "train")):
        pairs = [(one.connections, getattr(one, part)[metric]) for one in known]
        kept = front(pairs, greater=greater)
        path = stairs([pairs[place] for place in kept], across, up)
        dots = tuple(
            Mark(
                across.place(size),
                up.place(value),
                f"{size} connections, {part}: {figure(value)}",
                one.model_id == own,
            )
            for one, (size, value) in zip(known, pairs, strict=True)
            if value is not None
        )
        words = "training rows" if part == "train" else "test rows"
        series.append(Series(words, style, path, dots))
    label = metric_label(metric)
    return Chart(
        "hall",
        f"{label[0].upper()}{label[1:]} against size",
        f"A scatter chart of {len(known)} networks, the best of each number of connections. The"
        " lines join those that no smaller network equals or beats (the Pareto fronts).",
        across,
        up,
        "connections",
        label + (", logarithmic" if up.is_log else ""),
        tuple(series),
        DataTable((), ()),
        notes=_notes(known, own, len(scored) - len(known)),
    )


def _worth_drawing(run: Result, scored: Sequence[Famous]) -> int:
    """Twice the connections of the page's network and of any that no smaller one beats.

    The first generations leave large networks that are good for nothing.
    """
    metric = run.metrics[0]
    largest = int(run.result["network"]["connections"])
    for part in ("train", "test"):
        pairs = [(one.connections, getattr(one, part)[metric]) for one in scored]
        kept = front(pairs, greater=metric in GREATER)
        largest = max([largest, *(pairs[place][0] for place in kept)])
    return 2 * largest


def _notes(drawn: Sequence[Famous], own: str, larger: int) -> tuple[str, ...]:
    notes = []
    if any(one.model_id == own for one in drawn):
        notes.append("A ring marks the network of this page.")
    if larger:
        notes.append(f"{larger} larger networks, none of them better, are only in the table.")
    return tuple(notes)


def hall_rows(run: Result) -> list[dict[str, Any]]:
    """The hall of fame as lines of a table."""
    metric = run.metrics[0]
    greater = metric in GREATER
    famous = run.famous

    def fronts(part: str) -> set[int]:
        pairs = [(one.connections, getattr(one, part)[metric]) for one in famous]
        return set(front(pairs, greater=greater))

    on = {part: fronts(part) for part in ("train", "test")}
    return [
        {
            "sizes": one.size,
            "train": figure(one.train[metric]),
            "test": figure(one.test[metric]),
            "train_front": place in on["train"],
            "test_front": place in on["test"],
            "own": one.model_id == run.record["model"]["id"],
            "first": place in on["train"] or place in on["test"],
            "command": pick_command(one),
        }
        for place, one in enumerate(famous)
    ]


def pick_command(one: Famous) -> str:
    """What exports this network of the hall of fame."""
    return f"--pick size {one.size['connections']}"
