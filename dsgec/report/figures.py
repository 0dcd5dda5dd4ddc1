"""What a run left to its charts: history, hall of fame, ROC curves, values against predictions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.report.chart import (
    BOTTOM,
    LEFT,
    RIGHT,
    TOP,
    Chart,
    DataTable,
    Mark,
    Series,
    line,
    marks,
    stairs,
)
from dsgec.report.folder import Famous, History, RunFolder
from dsgec.report.scales import LOG_RATIO, Scale, figure, linear, short, suited
from dsgec.run.thin import thinned

MOST_POINTS = 500
MOST_TABLE_ROWS = 25
_MOST_RISE = 4.0
_LARGEST = 1e300

_FITNESS = {
    "exp-rmse": "fitness (exp-RMSE; 1 is perfect)",
    "accuracy": "share of wrong rows (1 − accuracy)",
    "r2": "1 − R²",
}
METRICS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "auroc": "AUROC",
    "f1": "F1",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
}
_GREATER = ("accuracy", "balanced_accuracy", "auroc", "f1", "r2")


def metric_label(name: str) -> str:
    """A metric as people write it."""
    return METRICS.get(name, name.replace("_", " "))


def fitness_chart(run: RunFolder) -> Chart:
    """Best and mean over the generations."""
    history = run.history
    best = _points(history.generation, history.best)
    values = [y for _, y in best[0]] if best else []
    cap = _cap(values)
    mean = _points(history.generation, history.mean, cap)
    scale = suited(values, BOTTOM, TOP)
    drawn = [*values, *(y for piece in mean for _, y in piece)]
    scale = suited(drawn, BOTTOM, TOP) if scale.is_log else linear(drawn, BOTTOM, TOP)
    beyond = int((~(history.mean <= cap)).sum())
    left_out = f"The mean is left out of {beyond:,} generations in which it is far above."
    across = _generations(history)
    objective = str(run.result["objective"])
    told = f"{short(values[0])} at first and {short(values[-1])} in the end" if values else "none"
    return Chart(
        "fitness",
        "Fitness over the generations",
        f"A line chart; less is better. The best network's fitness was {told}.",
        across,
        scale,
        "generation",
        _FITNESS.get(objective, objective) + (", logarithmic" if scale.is_log else ""),
        (
            Series("mean of the population", 1, _path(mean, across, scale)),
            Series("best network", 0, stairs(best[0] if best else (), across, scale)),
        ),
        _history_table(history, ("best", "mean")),
        notes=(left_out,) if beyond else (),
    )


def size_chart(history: History) -> Chart | None:
    """Connections of the best network over the generations; None where the file has none."""
    if history.size is None:
        return None
    pieces = _points(history.generation, history.size)
    if not pieces:
        return None
    points = pieces[0]
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


def hall_chart(run: RunFolder) -> Chart | None:
    """The main metric against the size, with the front of those that no smaller one beats."""
    metric = run.metrics[0]
    greater = metric in _GREATER
    known = [one for one in run.hall if one.train[metric] is not None]
    if not known:
        return None
    figures = [
        value
        for one in known
        for value in (one.train[metric], one.test[metric])
        if value is not None
    ]
    across = linear([one.sizes["connections"] for one in known], LEFT + 8, RIGHT, whole=True)
    up = linear(figures, BOTTOM, TOP) if greater else suited(figures, BOTTOM, TOP)
    own = run.record["model"]["id"]
    series = []
    for style, part in ((1, "test"), (0, "train")):
        pairs = [(one.sizes["connections"], getattr(one, part)[metric]) for one in known]
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
        words = "rows to learn from" if part == "train" else "test rows"
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
        notes=("A ring marks the network of this page.",)
        if any(one.model_id == own for one in known)
        else (),
    )


def hall_rows(run: RunFolder) -> list[dict[str, Any]]:
    """The hall of fame as lines of a table."""
    metric = run.metrics[0]
    greater = metric in _GREATER

    def fronts(part: str) -> set[int]:
        pairs = [(one.sizes["connections"], getattr(one, part)[metric]) for one in run.hall]
        return set(front(pairs, greater=greater))

    on = {part: fronts(part) for part in ("train", "test")}
    return [
        {
            "sizes": one.sizes,
            "train": figure(one.train[metric]),
            "test": figure(one.test[metric]),
            "train_front": place in on["train"],
            "test_front": place in on["test"],
            "own": one.model_id == run.record["model"]["id"],
            "first": place in on["train"] or place in on["test"],
            "command": pick_command(one),
        }
        for place, one in enumerate(run.hall)
    ]


def pick_command(one: Famous) -> str:
    """What exports this network of the hall of fame."""
    return f"dsgec export RUN --pick {one.sizes['connections']}"


def roc_chart(run: RunFolder, part: str) -> Chart | None:
    """True against false positives; of many classes, each against the rest."""
    curves = [curve for curve in run.evidence["roc"][part] if curve["points"]]
    if not curves:
        return None
    side = BOTTOM - TOP
    across = Scale(0.0, 1.0, LEFT, LEFT + side, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
    up = Scale(0.0, 1.0, BOTTOM, TOP, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
    series = []
    for style, curve in enumerate(curves):
        label = str(run.model.classes[curve["class"]])
        points = [
            (fp / (curve["negatives"] or 1), tp / (curve["positives"] or 1))
            for fp, tp in curve["points"]
        ]
        area = f", AUC {figure(curve['auc'])}"
        series.append(Series(f"{shortened(label)}{area}", style, line(points, across, up)))
    words = "rows to learn from" if part == "train" else "test rows"
    rows = tuple(
        (
            str(run.model.classes[curve["class"]]),
            figure(curve["auc"]),
            f"{curve['positives']:,}",
            f"{curve['negatives']:,}",
        )
        for curve in run.evidence["roc"][part]
    )
    left_out = len(run.evidence["roc"][part]) - len(curves)
    return Chart(
        f"roc-{part}",
        f"ROC, {words}",
        "A line chart of the share of a class that is found against the share of the other rows"
        " that are taken for it. The dotted diagonal is chance.",
        across,
        up,
        "false positive rate",
        "true positive rate",
        tuple(series),
        DataTable(("class", "AUC", "rows of it", "other rows"), rows),
        guide=f"M{LEFT} {BOTTOM} L{LEFT + side} {TOP}",
        notes=(f"Curves of the {len(curves)} most frequent classes; the table has all.",)
        if left_out and len(run.model.classes) > 2
        else (),
        width=LEFT + side + 14,
        right=LEFT + side,
    )


def value_charts(run: RunFolder) -> list[Chart]:
    """Of a quantity: predicted against actual, and what is left over against predicted."""
    pairs = {part: [tuple(p) for p in run.evidence["pairs"][part]] for part in ("train", "test")}
    every = [value for part in pairs.values() for pair in part for value in pair]
    if not every:
        return []
    target = shortened(run.model.target or "the target")
    names = (("train", "rows to learn from", 0), ("test", "test rows", 1))
    across, up = linear(every, LEFT, RIGHT), linear(every, BOTTOM, TOP)
    residuals = {
        part: [(predicted, actual - predicted) for actual, predicted in values]
        for part, values in pairs.items()
    }
    left_over = [y for part in residuals.values() for _, y in part]
    below = linear([x for part in residuals.values() for x, _ in part], LEFT, RIGHT)
    beside = linear([*left_over, 0.0], BOTTOM, TOP)
    shown = ", ".join(f"{len(pairs[part])} of the {words}" for part, words, _ in names)
    table = tuple(
        (words, short(actual), short(predicted), short(actual - predicted))
        for part, words, _ in names
        for actual, predicted in pairs[part][:MOST_TABLE_ROWS]
    )
    data = DataTable(("rows", "actual", "predicted", "residual"), table, "The first rows of each.")
    return [
        Chart(
            "values",
            "Predicted against actual",
            f"A scatter chart: {shown}. On the dotted diagonal, predictions are exact.",
            across,
            up,
            f"actual {target}",
            "predicted",
            tuple(
                Series(words, style, "", marks(pairs[part], across, up))
                for part, words, style in names
                if pairs[part]
            ),
            data,
            guide=line([(across.low, across.low), (across.high, across.high)], across, up),
        ),
        Chart(
            "residuals",
            "Residuals",
            f"A scatter chart of actual less predicted values: {shown}.",
            below,
            beside,
            f"predicted {target}",
            "actual − predicted",
            tuple(
                Series(words, style, "", marks(residuals[part], below, beside))
                for part, words, style in names
                if pairs[part]
            ),
            data,
            guide=line([(below.low, 0.0), (below.high, 0.0)], below, beside),
        ),
    ]


def shortened(text: str, most: int = 24) -> str:
    """A name that takes no more room than that."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _generations(history: History) -> Scale:
    first, last = float(history.generation[0]), float(history.generation[-1])
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
        places = places[thinned(x[places], y[places], MOST_POINTS)]
    gaps = np.cumsum(~known)[places]
    pieces: list[list[tuple[float, float]]] = []
    last = -1
    for gap, point in zip(gaps.tolist(), zip(x[places].tolist(), y[places].tolist())):  # noqa: B905
        if gap != last:
            pieces.append([])
            last = gap
        pieces[-1].append(point)
    return pieces


def _path(pieces: list[list[tuple[float, float]]], across: Scale, up: Scale) -> str:
    return " ".join(line(piece, across, up) for piece in pieces if len(piece) > 1)


def _history_table(history: History, names: tuple[str, ...]) -> DataTable:
    count = len(history.generation)
    places = np.unique(np.linspace(0, count - 1, min(count, MOST_TABLE_ROWS)).round()).astype(int)
    rows = tuple(
        (
            short(float(history.generation[place])),
            *(short(float(getattr(history, name)[place])) for name in names),
        )
        for place in places.tolist()
    )
    note = f"{len(rows)} of {count:,} generations; history.csv has all." if count > len(rows) else ""
    return DataTable(("generation", *names), rows, note)
