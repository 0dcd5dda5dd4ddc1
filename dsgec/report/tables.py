"""A run to the tables of its page: metrics, confusion, importance of columns, fields to fill."""

from collections.abc import Sequence
from dataclasses import dataclass

from dsgec.network.ir import Input
from dsgec.network.model import Model, compose
from dsgec.report.figures import metric_label
from dsgec.report.scales import figure
from dsgec.run.evidence import ColumnValues
from dsgec.run.result import Result

MOST_CLASSES, MOST_FIELDS, MOST_BARS = 30, 16, 12


@dataclass(frozen=True, slots=True)
class TableCell:
    """A number of rows, and how much of its class that is."""

    count: int
    share: int
    shade: int
    right: bool


@dataclass(frozen=True, slots=True)
class Confusion:
    """What was predicted, class by class; for many classes, only how many were found."""

    title: str
    rows: tuple[tuple[str, tuple[TableCell, ...], str], ...]


@dataclass(frozen=True, slots=True)
class Importance:
    """How much worse the network is without what a column says; places are per cent of a bar."""

    name: str
    text: str
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Field:
    """A column that the network reads, as something to type into."""

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
    """The figures of the network and of each baseline, train and test side by side."""
    baselines = run.result.baselines or ()
    parts = [run.result.train, run.result.test]
    parts += [part for one in reversed(baselines) for part in (one.train, one.test)]
    rows = [
        (metric_label(name), [figure(part.get(name)) for part in parts]) for name in run.metrics
    ]
    return [one.name for one in reversed(baselines)], rows


def confusions(run: Result) -> list[Confusion]:
    """The matrices of both parts that have rows."""
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
    """The class that rows of this one are most often taken for."""
    others = [(count, -i) for i, count in enumerate(row) if i != number and count]
    if not others:
        return "none"
    count, place = max(others)
    return f"{labels[-place]} ({count})"


def columns_read(model: Model) -> list[int]:
    """The numbers of the columns that the network reads, in the order of the table."""
    return sorted(node.column for node in compose(model).nodes if isinstance(node, Input))


def importances(run: Result) -> list[Importance]:
    """What the columns are worth, the most important first; none of a run that lacks them."""
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
            f"{figure(mean)} ± {figure(deviation)}",
            share(mean),
            share(mean - deviation),
            share(mean + deviation),
        )
        for column, mean, deviation in sorted(known, key=lambda one: (-one[1], one[0]))
    ]


def fields(model: Model, values: Sequence[ColumnValues]) -> list[Field]:
    """Return fields for the columns that the network reads, in the order of the table."""
    return [_field(number, model, values[number]) for number in columns_read(model)]


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
