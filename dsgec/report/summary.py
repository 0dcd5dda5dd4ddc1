"""The tables of a run's page: figures, baselines, confusion, importance of columns, and fields."""

from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.errors import counted
from dsgec.network.ir import Input
from dsgec.network.model import Model, compose
from dsgec.report.format import format_metric, metric_label
from dsgec.run.cost_text import cycles_text
from dsgec.run.evidence import ColumnValues
from dsgec.run.record import BaselineFigures
from dsgec.run.result import Result

_HEADLINES = {"rmse": ("r2", "rmse")}


@dataclass(frozen=True, slots=True)
class Rival:
    """A row of the comparison with baselines: a model, and its metrics in the order of the head."""

    name: str
    figures: tuple[str, ...]
    own: bool


@dataclass(frozen=True, slots=True)
class Rivals:
    """The comparison of the network with the baselines, by the main metrics."""

    head: tuple[str, ...]
    rows: tuple[Rival, ...]


def tiles(run: Result, read: int) -> list[tuple[str, str, str]]:
    """Return the tiles at the top of a page: a name, a number, and an explanation.

    `read` is the number of columns that the network reads.
    """
    size, data = run.result.network, run.record.data
    found = []
    for part, count, words in (
        ("test", data.test_rows, "test row"),
        ("train", data.train_rows, "training row"),
    ):
        rows = f"of {counted(count, words)}"
        for name in headlines(run):
            value = run.result.part(part)[name]
            if value is None:
                continue
            interval = run.result.test_interval(name) if part == "test" else None
            about = rows
            if interval is not None:
                low, high = map(format_metric, interval)
                about = f"95\u00a0%: {low} to {high}, {rows}"
            found.append((f"{part} {metric_label(name)}", format_metric(value), about))
    validated = run.result.validation
    if validated is not None and validated.score is not None:
        label = metric_label(validated.measure)
        about = f"± {format_metric(validated.error)}, of {validated.rows:,} held-out training rows"
        found.append((f"cross-validated {label}", format_metric(validated.score), about))
    layers = size.layers
    if run.result.kind == "network":
        neurons = f"{counted(size.neurons, 'neuron')} in {counted(layers, 'layer')}"
        about = f"weights of {neurons}" if layers else "weights, no hidden layer"
        found.append(("connections", f"{size.connections:,}", about))
    else:
        found.append(("connections", f"{size.connections:,}", "mentions of features"))
    found.append(("features", f"{read:,}", f"of {len(run.model.columns):,} are read"))
    if cost := run.result.cost:
        about = f"bytes and {cycles_text(cost.cost)} on {cost.chip}, {cost.dtype}"
        if cost.state is not None:
            about = f"bytes, and {cost.cost.ram:,} of RAM, on {cost.chip}, {cost.dtype}"
        found.append(("flash (estimated)", f"{cost.flash:,}", about))
    return found


def headlines(run: Result) -> tuple[str, ...]:
    """Return the metrics to show first: the main one, after R² if it is RMSE."""
    main = run.metrics[0]
    return tuple(name for name in _HEADLINES.get(main, (main,)) if name in run.metrics)


def rivals(run: Result) -> Rivals | None:
    """Return the comparison with the baselines, or None if the run has none."""
    result = run.result
    if not result.baselines:
        return None
    part = "test" if run.record.data.test_rows else "train"
    own = f"this {result.kind}"
    models = [BaselineFigures(own, result.train, result.test), *reversed(result.baselines)]
    return Rivals(
        tuple(f"{part} {metric_label(name)}" for name in headlines(run)),
        tuple(
            Rival(
                model.name,
                tuple(format_metric(getattr(model, part).get(name)) for name in headlines(run)),
                model.name == own,
            )
            for model in models
        ),
    )


def verdict(run: Result) -> tuple[str, str]:
    """Return a sentence that compares the network with the baselines, and the test behind it."""
    found = run.result.comparison
    if not found:
        return "", ""
    return f"The {run.result.kind} is {found.verdict}", found.significance.replace(" ", "\u00a0")


MOST_CLASSES, MOST_FIELDS, MOST_BARS = 30, 16, 12


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of a confusion matrix: a number of rows, and its share of the class in per cent."""

    count: int
    share: int
    shade: int
    right: bool


@dataclass(frozen=True, slots=True)
class Confusion:
    """A confusion matrix: the label, the cells and the most frequent mistake of each class."""

    title: str
    rows: tuple[tuple[str, tuple[TableCell, ...], str], ...]


@dataclass(frozen=True, slots=True)
class Importance:
    """The importance of a column, as a bar: `share`, `low` and `high` are per cent of its width."""

    name: str
    text: str
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Field:
    """An input field of a page, for a column that the network reads."""

    number: int
    name: str
    kind: str
    categories: tuple[str, ...]
    may_miss: bool
    least: float = 0.0
    most: float = 1.0
    median: float = 0.0
    default: int = 0


def metric_table(run: Result) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Return the names of the baselines, and all metrics of the network and of each of them."""
    baselines = run.result.baselines or ()
    parts = [run.result.train, run.result.test]
    parts += [part for one in reversed(baselines) for part in (one.train, one.test)]
    rows = [
        (metric_label(name), [format_metric(part.get(name)) for part in parts])
        for name in run.metrics
    ]
    return [one.name for one in reversed(baselines)], rows


def confusions(run: Result) -> list[Confusion]:
    """Return the confusion matrices of the training and the test rows, if there are any."""
    labels = [str(label) for label in run.model.classes]
    found = []
    for part, title in (("train", "Training rows"), ("test", "Test rows")):
        counts = (run.result.confusion or {}).get(part, ())
        if not any(map(sum, counts)):
            continue
        rows = []
        for number, row in enumerate(counts):
            total = sum(row)
            cells = tuple(_cell(c, total, i == number) for i, c in enumerate(row))
            rows.append((labels[number], cells, _mistake(row, number, labels)))
        found.append(Confusion(title, tuple(rows)))
    return found


def _cell(count: int, total: int, right: bool) -> TableCell:
    share = count / total if total else 0.0
    return TableCell(count, round(100 * share), round(32 * share), right)


def _mistake(row: Sequence[int], number: int, labels: list[str]) -> str:
    """Return the class that rows of this one are most often mistaken for."""
    others = [(count, -i) for i, count in enumerate(row) if i != number and count]
    if not others:
        return "none"
    count, place = max(others)
    return f"{labels[-place]} ({count})"


def read_columns(model: Model) -> list[int]:
    """Return the numbers of the columns that the network reads, in the order of the table."""
    return sorted(node.column for node in compose(model).nodes if isinstance(node, Input))


def importances(run: Result) -> list[Importance]:
    """Return the importances of the columns, the most important first."""
    found = run.evidence.importance if run.evidence else None
    known = [
        (one.column, one.mean, one.deviation)
        for one in (found.columns if found else ())
        if one.mean is not None and one.deviation is not None
    ]
    largest = max((mean + deviation for _, mean, deviation in known), default=0.0)

    def share(value: float) -> float:
        return round(100 * min(max(value, 0.0) / largest, 1.0), 1) if largest > 0.0 else 0.0

    return [
        Importance(
            run.model.columns[column].name,
            f"{format_metric(mean)} ± {format_metric(deviation)}",
            share(mean),
            share(mean - deviation),
            share(mean + deviation),
        )
        for column, mean, deviation in sorted(known, key=lambda one: (-one[1], one[0]))
    ]


def input_fields(model: Model, values: Sequence[ColumnValues]) -> list[Field]:
    """Return fields for the columns that the network reads, in the order of the table."""
    return [_field(number, model, values[number]) for number in read_columns(model)]


def _field(number: int, model: Model, values: ColumnValues) -> Field:
    column = model.columns[number]
    may_miss = column.fill is not None
    if column.categories:
        default = values.mode
        return Field(number, column.name, column.kind, column.categories, may_miss, default=default)
    least, median, most = values.range
    if least == most:  # a slider needs room
        least, most = least - 1.0, most + 1.0
    return Field(number, column.name, "number", (), may_miss, least, most, median)
