"""run.json as a typed record: what was asked of a run, and its result."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dsgec.grammar.ir import LINEAR
from dsgec.network.cost.chips import Cost
from dsgec.network.model import TargetScale
from dsgec.network.ranges import Range
from dsgec.network.structure import Size
from dsgec.plain_data import REST, as_plain, from_plain, is_count, is_list, is_text, to_json
from dsgec.search.individual import ERROR_RATE

NO_BETTER = "no better"
"""How the verdict on a network starts that does not beat the baseline without features."""
RISING = "r2"
"""The measure of cross-validation that is better the higher it is; the others are losses."""

Metrics = Mapping[str, float | None]
Counts = tuple[tuple[int, ...], ...]
"""A confusion matrix: a row for each class, a column for each predicted one."""


@dataclass(frozen=True, slots=True)
class GrammarRecord:
    """The grammar of a run. Runs of earlier versions do not say how its phenotypes are read."""

    name: str
    sha256: str
    layered: bool | None = None
    output: str | None = None


@dataclass(frozen=True, slots=True)
class DataRecord:
    """The table of a run, how it was read, and what was measured of it.

    `options` are the settings of the table that are not the default. `ranges` are the least and the
    greatest number of each column of the training rows.
    """

    name: str
    sha256: str
    target: str
    task: str
    options: Mapping[str, Any] = field(metadata=REST)
    train_rows: int
    test_rows: int
    train_groups: int | None = None
    test_groups: int | None = None
    target_scale: TargetScale | None = None
    ranges: tuple[Range | None, ...] | None = None

    def validate(self) -> None:
        """Raise a ValueError if a value has the right type but is wrong."""
        for name in ("ignore", "categorical"):
            if not is_list(self.options.get(name, []), is_text):
                raise ValueError(f"`data.{name}` is wrong")
        if not is_text(self.options.get("group", "")):
            raise ValueError("`data.group` is wrong")
        if self.target_scale is not None and not self.target_scale[1] > 0.0:
            raise ValueError("`data.target_scale` is wrong")
        if any(pair is not None and pair[0] > pair[1] for pair in self.ranges or ()):
            raise ValueError("`data.ranges` is wrong")


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """The id of a model, the name of its exports, and its description without the network."""

    id: str
    name: str
    description: Mapping[str, Any] = field(metadata=REST)

    @property
    def classes(self) -> list[Any]:
        """The labels of the classes; empty for a numeric target."""
        found: list[Any] = self.description.get("classes", [])
        return found

    def validate(self) -> None:
        """Raise a ValueError if there are no lists of columns and classes."""
        if not all(isinstance(self.description.get(x, []), list) for x in ("columns", "classes")):
            raise ValueError("`model` does not describe a model")


@dataclass(frozen=True, slots=True)
class BaselineFigures:
    """The metrics of a baseline."""

    name: str
    train: Metrics
    test: Metrics


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """The difference between a network and the linear baseline on the test rows.

    `test` is the name of the statistical test that gave `p`.
    """

    with_: str
    metric: str
    difference: float
    p: float
    test: str
    verdict: str

    @property
    def significance(self) -> str:
        """The test and its p; empty if the verdict is about another baseline than the linear."""
        if self.verdict.startswith(NO_BETTER):
            return ""
        p = f"p = {self.p:.2g}" if self.p >= 0.001 else "p < 0.001"
        return f"{self.test}, {p}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """The cross-validation that chose the network.

    The mean of an ensemble has no score, because its members are validated each on its own.
    `factor` scales a network towards the mean, if it is not supported.
    """

    measure: str
    score: float | None = None
    error: float | None = None
    baseline: float | None = None
    rows: int
    candidates: int
    supported: bool
    factor: float | None = None

    def validate(self) -> None:
        """Raise a ValueError if there is a score without its error."""
        if self.score is not None and self.error is None:
            raise ValueError("`result.validation.error` is missing")


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """The estimated cost of a network as C of a type on a chip; see `Cost`."""

    chip: str
    dtype: str
    flash: int
    stack: int
    cycles: int
    state: int | None = None
    sample: int | None = None

    @property
    def cost(self) -> Cost:
        """Return the figures."""
        return Cost(self.flash, self.stack, self.cycles, self.state, self.sample)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal(Footprint):
    """The network of the hall of fame that a run proposes to export for the chip."""

    pick: tuple[str, str]
    connections: int
    test: Metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontRecord:
    """A cross-validated network of the front: no figure is of the test rows.

    `flash` is its estimate for the chip and the number type of the run's cost, if it has one.
    """

    connections: int
    flash: int | None = None
    score: float
    validation: float
    error: float
    recommended: bool


@dataclass(frozen=True, slots=True)
class IntervalRecord:
    """The 95 % confidence intervals of the metrics on the test rows."""

    test: Mapping[str, Range | None]


@dataclass(frozen=True, slots=True)
class PartDecision:
    """The rows of a part that are unknown, and the accuracy of the others; None without rows."""

    unknown: float | None
    accuracy: float | None


@dataclass(frozen=True, slots=True)
class UnknownRecord:
    """A row is unknown if its greatest probability is below the `limit`.

    `share` of the training rows may be, by the settings.
    """

    share: float
    limit: float
    train: PartDecision
    test: PartDecision


@dataclass(frozen=True, slots=True)
class SmoothingPart:
    """The accuracy of windows and of events, and the mean delay of events, in windows.

    An event is a stretch of windows of one class. It is right if most of its windows are; the delay
    is the number of windows until the first one that is right.
    """

    windows: float
    events: float
    delay: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothingRecord:
    """The decisions on test windows, each alone and by the votes of the last windows."""

    votes: int
    events: int
    seconds: float | None = None  # from one window to the next
    alone: SmoothingPart
    smoothed: SmoothingPart


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRecord:
    """The result of a run. Runs of earlier versions lack some of the optional parts."""

    fitness: float
    objective: str
    score: float
    generations: int
    ended: str
    evaluations: int
    reused: int | None = None
    train: Metrics
    test: Metrics
    intervals: IntervalRecord | None = None
    confusion: Mapping[str, Counts] | None = None
    network: Size
    formula: str | None = None
    phenotype: str
    validation: Validation | None = None
    baselines: tuple[BaselineFigures, ...] | None = None
    comparison: BaselineComparison | None = None
    warnings: tuple[str, ...] | None = None
    cost: Footprint | None = None
    proposed: Proposal | None = None
    front: tuple[FrontRecord, ...] | None = None
    unknown: UnknownRecord | None = None
    smoothing: SmoothingRecord | None = None

    @property
    def kind(self) -> str:
        """The word for the result: `formula` or `network`."""
        return "formula" if self.formula else "network"

    @property
    def is_of_integers(self) -> bool:
        """True if the figures are those of the integers that are exported for a budget."""
        return self.validation is not None and self.validation.measure == ERROR_RATE

    def part(self, name: str) -> Metrics:
        """Return the metrics of the `train` or the `test` rows."""
        return self.train if name == "train" else self.test

    def test_interval(self, metric: str) -> Range | None:
        """Return the 95 % interval of a metric on the test rows, or None if there is none."""
        return self.intervals.test.get(metric) if self.intervals else None

    def validate(self) -> None:
        """Raise a ValueError if parts do not have the same metrics, or an interval is reversed."""
        metrics = list(self.train)
        parts = [self.test, *(m for one in self.baselines or () for m in (one.train, one.test))]
        parts += [self.proposed.test] if self.proposed else []
        if not metrics or any(list(part) != metrics for part in parts):
            raise ValueError("the parts of `result` do not have the same metrics")
        intervals = self.intervals.test if self.intervals else {}
        pairs = [pair for pair in intervals.values() if pair is not None]
        if not {*intervals} <= {*metrics} or any(low > high for low, high in pairs):
            raise ValueError("`result.intervals` is wrong")

    def as_json(self) -> dict[str, Any]:
        """Return the result as run.json has it."""
        plain: dict[str, Any] = as_plain(self)
        if self.baselines is not None and self.comparison is None:  # null without test rows
            later = ("warnings", "cost", "proposed", "front", "unknown", "smoothing")
            moved = {name: plain.pop(name) for name in later if name in plain}
            plain |= {"comparison": None, **moved}
        return plain


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The content of run.json: no dates and no paths, so the same run gives the same bytes."""

    dsgec: str
    grammar: GrammarRecord
    data: DataRecord
    settings: Mapping[str, Any]
    model: ModelRecord
    result: ResultRecord

    @property
    def ranges(self) -> tuple[Range | None, ...]:
        """The ranges of the columns in the training rows; empty in runs of earlier versions."""
        return self.data.ranges or ()

    @property
    def signal_rate(self) -> float | None:
        """The samples of a signal in a second; None for a table, or if it is not known."""
        signal = self.model.description.get("signal")
        return signal.get("rate") if isinstance(signal, dict) else None

    @property
    def network_scale(self) -> TargetScale | None:
        """The scale to apply to phenotypes: those of a linear output are in the target's units."""
        return None if self.grammar.output == LINEAR else self.data.target_scale

    def as_json(self) -> dict[str, Any]:
        """Return the content of run.json."""
        return {**as_plain(self), "result": self.result.as_json()}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the record as data, which `parse_record` checks."""
        return parse_record, (json.loads(to_json(self.as_json())),)

    def validate(self) -> None:
        """Raise a ValueError if parts of the record contradict each other."""
        count, columns = len(self.model.classes), self.model.description.get("columns", [])
        if not all(is_count(self.settings.get(name, 0)) for name in ("folds", "fold")):
            raise ValueError("`settings.folds` is wrong")
        if self.data.target_scale and count:
            raise ValueError("`data.target_scale` is not of a numeric target")
        if self.data.ranges is not None and len(self.data.ranges) != len(columns):
            raise ValueError("`data.ranges` is not of the columns of the model")
        confusion = self.result.confusion or {}
        if {*confusion} != ({"train", "test"} if count else set()) or any(
            [len(row) for row in rows] != [count] * count for rows in confusion.values()
        ):
            raise ValueError("`result.confusion` is not of the classes of the model")


def parse_record(value: Any) -> RunRecord:
    """Return the record that untrusted JSON data holds; raise a ValueError if it holds none."""
    record = from_plain(RunRecord, value)
    if None in value["data"].values():
        raise ValueError("`data` has a value that is null")
    return record


_MEASURED = ("train_rows", "test_rows", "train_groups", "test_groups", "target_scale", "ranges")


def is_same_run(record: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    """Return whether two identities are of one run, whatever the version and the table's name.

    Either may also be the content of run.json, and is untrusted.
    """

    def relevant(run: Mapping[str, Any]) -> tuple[Any, ...]:
        parts = (run.get("grammar"), run.get("data"))
        grammar, data = (part if isinstance(part, dict) else {} for part in parts)
        options = {name: v for name, v in data.items() if name not in ("name", *_MEASURED)}
        return run.get("settings"), grammar.get("name"), grammar.get("sha256"), options

    return relevant(record) == relevant(asked)
