"""A run to the tables of its page: metrics, confusion, use of the features, fields to type into."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from dsgec.drawing.scales import figure, short
from dsgec.network.ir import Input
from dsgec.network.links import links
from dsgec.network.model import Model, composed
from dsgec.report.figures import metric_label
from dsgec.run.result import Result

MOST_CLASSES, MOST_FIELDS, MOST_BARS = 12, 16, 12


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
class Use:
    """How a network uses a feature."""

    name: str
    times: int
    weight: str
    share: float
    plain: bool


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


def metric_rows(run: Result) -> list[tuple[str, str, str]]:
    """The figures, train and test side by side."""
    train, test = run.result["train"], run.result["test"]
    return [(metric_label(name), figure(train[name]), figure(test[name])) for name in train]


def confusions(run: Result) -> list[Confusion]:
    """The matrices of both parts that have rows."""
    labels = [str(label) for label in run.model.classes]
    found = []
    for part, title in (("train", "Training rows"), ("test", "Test rows")):
        counts = run.result.get("confusion", {}).get(part, [])
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


def _mistake(row: list[int], number: int, labels: list[str]) -> str:
    """The class that rows of this one are most often taken for."""
    others = [(count, -i) for i, count in enumerate(row) if i != number and count]
    if not others:
        return "none"
    count, place = max(others)
    return f"{labels[-place]} ({count})"


def feature_use(model: Model) -> tuple[list[Use], list[str]]:
    """How often, and with which weights, each feature is used; and those that are not."""
    network = model.network
    times: Counter[int] = Counter()
    weights: defaultdict[int, float] = defaultdict(float)
    plain: dict[int, bool] = {}
    for link in links(network):
        node = network.nodes[link.source]
        if isinstance(node, Input):
            times[node.column] += 1
            weights[node.column] += abs(link.weight or 0.0)
            plain[node.column] = plain.get(node.column, True) and link.weight is not None
    largest = max(weights.values(), default=0.0) or 1.0
    order = sorted(times, key=lambda column: (-weights[column], -times[column], column))
    used = [
        Use(
            model.features[column],
            times[column],
            short(weights[column]),
            round(100 * weights[column] / largest, 1),
            plain[column],
        )
        for column in order
    ]
    return used, [name for i, name in enumerate(model.features) if i not in times]


def fields(run: Result) -> list[Field]:
    """Fields for the columns that the network reads, in the order of the table."""
    model = run.model
    nodes = composed(model).nodes
    read = sorted(node.column for node in nodes if isinstance(node, Input))
    return [_field(number, model, run.evidence["columns"][number]) for number in read]


def _field(number: int, model: Model, values: dict[str, Any]) -> Field:
    column = model.columns[number]
    may_miss = column.fill is not None
    if column.categories:
        default = values["counts"].index(max(values["counts"]))
        return Field(number, column.name, column.kind, column.categories, may_miss, default=default)
    least, most = float(values["least"]), float(values["most"])
    if least == most:  # a slider needs room
        least, most = least - 1.0, most + 1.0
    median = float(values["median"])
    return Field(number, column.name, "number", (), may_miss, least, most, median)
