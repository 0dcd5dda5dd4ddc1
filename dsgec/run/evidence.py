"""report.json: what the report of a run draws and no other file of its folder has.

ROC curves, calibration, pairs of actual and predicted values, the columns' values and importances,
and a few rows with their results: plain data, without dates and paths.
"""

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.data.dataset import Dataset
from dsgec.network.decide import predict_classes
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Column, Model, compose
from dsgec.plain_data import from_plain
from dsgec.run.importance import Importances, importances, spread_evenly
from dsgec.run.played import PlayedRecording, choose_recording
from dsgec.search.metrics import auroc
from dsgec.search.problem import Problem

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
Points = tuple[tuple[float, float], ...]

MOST_CORNERS, MOST_PAIRS, MOST_EXAMPLES, MOST_CURVES = 200, 400, 10, 6
BINS, LEAST_ROWS = 10, 50
_MOST_READ = {"points": 1000, "examples": 100}


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnValues:
    """The values of a column in the training rows: counts of its categories, or a range."""

    counts: tuple[int, ...] | None = None
    least: float | None = None
    median: float | None = None
    most: float | None = None
    missing: int

    @property
    def mode(self) -> int:
        """The number of the most frequent category."""
        assert self.counts
        return self.counts.index(max(self.counts))

    @property
    def range(self) -> tuple[float, float, float]:
        """The least number, the median and the greatest."""
        assert self.least is not None and self.median is not None and self.most is not None
        return self.least, self.median, self.most

    def is_of(self, column: Column) -> bool:
        """Return whether these can be the values of a column."""
        if column.categories:
            return len(self.counts or ()) == len(column.categories)
        numbers = [self.least, self.median, self.most]
        return None not in numbers and list(self.range) == sorted(self.range)


@dataclass(frozen=True, slots=True)
class RocCurve:
    """The ROC curve of a class against the rest; points are counts of false and true positives."""

    class_: int
    auc: float | None
    positives: int
    negatives: int
    points: tuple[tuple[int, int], ...]

    def validate(self) -> None:
        """Raise a ValueError if a point exceeds the class counts or if there are too many."""
        if len(self.points) > _MOST_READ["points"] or any(
            false > self.negatives or true > self.positives for false, true in self.points
        ):
            raise ValueError("the points of a ROC curve are wrong")


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Rows of similar probability: their mean probability, and for how many it came true."""

    rows: int
    promised: float
    true: int

    def validate(self) -> None:
        """Raise a ValueError if the numbers contradict each other."""
        if not (self.rows > 0 and self.true <= self.rows and 0.0 <= self.promised <= 1.0):
            raise ValueError("a bin of `calibration` is wrong")


@dataclass(frozen=True, slots=True)
class Example:
    """A row of the table with the outputs of the network; `row` counts from 1."""

    part: str
    row: int
    values: tuple[float | str | None, ...]
    outputs: tuple[float | None, ...]
    wanted: str | float

    def is_of(self, model: Model) -> bool:
        """Return whether this can be a row of a model."""
        return (
            self.part in ("train", "test")
            and len(self.values) == len(model.columns)
            and all(
                value is None
                or (value in c.categories if c.categories else not isinstance(value, str))
                for value, c in zip(self.values, model.columns, strict=True)
            )
            and len(self.outputs) == (len(model.classes) or len(model.network.outputs))
            and isinstance(self.wanted, str) == model.is_classifier
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The content of report.json; runs of earlier versions lack calibration and importances.

    A classifier has ROC curves, by part; a model of a numeric target has pairs of values.
    """

    columns: tuple[ColumnValues, ...]
    roc: Mapping[str, tuple[RocCurve, ...]] | None = None
    calibration: Mapping[str, tuple[CalibrationBin, ...]] | None = None
    pairs: Mapping[str, Points] | None = None
    importance: Importances | None = None
    examples: tuple[Example, ...]
    played: PlayedRecording | None = None


def parse_evidence(value: Any, model: Model) -> Evidence:
    """Return the evidence of a model in untrusted JSON data, or raise a ValueError."""
    found = from_plain(Evidence, value)
    is_right = (
        _has_columns(found, model)
        and _has_quality(found, model)
        and len(found.examples) <= _MOST_READ["examples"]
        and all(example.is_of(model) for example in found.examples)
        and (found.played is None or _is_played(found.played, model))
    )
    if not is_right:
        raise ValueError("it does not belong to the model beside it")
    return found


def _has_columns(found: Evidence, model: Model) -> bool:
    """Return whether the columns, and those that have an importance, can be those of a model."""
    read = [one.column for one in found.importance.columns] if found.importance else []
    return (
        len(found.columns) == len(model.columns)
        and all(one.is_of(c) for one, c in zip(found.columns, model.columns, strict=True))
        and all(column < len(model.columns) for column in read)
        and len({*read}) == len(read)
    )


def _has_quality(found: Evidence, model: Model) -> bool:
    """Return whether curves, calibration and pairs are of both parts, and can be of a model."""
    calibration = found.calibration or {}
    parts: list[Mapping[str, Any]] = [(found.roc if model.classes else found.pairs) or {}]
    parts += [] if found.calibration is None else [calibration]
    return (
        all({*part} == {"train", "test"} for part in parts)
        and all(c.class_ < len(model.classes) for part in (found.roc or {}).values() for c in part)
        and (found.calibration is None or model.is_classifier)
        and all(len(bins) <= BINS for bins in calibration.values())
    )


def _is_played(played: PlayedRecording, model: Model) -> bool:
    """Return whether samples can be those of a model."""
    if model.signal is None:
        return False
    count, kind = len(model.signal.channels), str if model.classes else float
    are_samples = all(len(sample) == count for sample in played.samples)
    return are_samples and all(isinstance(one.wanted, kind) for one in played.windows)


def make_evidence(problem: Problem, model: Model) -> Evidence:
    """Return all that the report of a run draws beside its record, history and hall of fame."""
    dataset, split = problem.dataset, problem.split
    network = compose(model)
    raw = dataset.raw if dataset.raw is not None else dataset.x
    parts = {"train": split.train, "test": split.test}
    outputs = {part: evaluate(network, raw[rows]) for part, rows in parts.items()}
    count = len(model.classes)
    drawn = _most_frequent(dataset.class_numbers[split.train], count) if count else []
    wanted = dataset.class_numbers if count else dataset.y
    judged = "test" if len(split.test) else "train"
    classes = {
        part: (outputs[part], dataset.class_numbers[rows]) for part, rows in parts.items() if count
    }
    return Evidence(
        columns=tuple(_values(c, raw[split.train, i]) for i, c in enumerate(model.columns)),
        roc={part: _curves(*classes[part], count, drawn) for part in parts} if count else None,
        calibration={part: calibrate(*classes[part], count) for part in parts} if count else None,
        pairs=None
        if count
        else {part: _pairs(outputs[part][:, 0], dataset.y[rows]) for part, rows in parts.items()},
        importance=importances(model, raw, wanted, parts[judged], judged),
        examples=tuple(
            _example(dataset, model, part, place, parts[part], raw, outputs[part])
            for part, place in _choose_examples(dataset, model, parts, raw)
        ),
        played=choose_recording(problem, model),
    )


def _values(column: Column, values: Array) -> ColumnValues:
    known = values[~np.isnan(values)]
    missing = len(values) - len(known)
    if column.categories:
        counts = [int((known == number).sum()) for number in range(len(column.categories))]
        return ColumnValues(counts=tuple(counts), missing=missing)
    if not len(known):
        return ColumnValues(least=0.0, median=0.0, most=0.0, missing=missing)
    ordered = np.sort(known)
    # Of two middle values the lower is the median, so that it is one of the table's.
    least, median, most = (float(ordered[i]) for i in (0, (len(known) - 1) // 2, -1))
    return ColumnValues(least=least, median=median, most=most, missing=missing)


def _most_frequent(classes: Rows, count: int) -> list[int]:
    """Return the classes whose curves are drawn: the second of two, the most frequent of many."""
    if count == 2:
        return [1]
    counts = np.bincount(classes, minlength=count)
    return sorted(np.argsort(-counts, kind="stable")[:MOST_CURVES].tolist())


def _curves(outputs: Array, classes: Rows, count: int, drawn: list[int]) -> tuple[RocCurve, ...]:
    """Return the ROC curve of each class against the rest; only those drawn have points."""
    curves = []
    for number in (1,) if count == 2 else range(count):
        scores = outputs[:, -1] if count == 2 else outputs[:, number]
        positive = classes == number
        area = auroc(scores, positive) if len(scores) else None
        positives = int(positive.sum())
        points = _corners(scores, positive) if area is not None and number in drawn else ()
        curves.append(RocCurve(number, area, positives, len(positive) - positives, points))
    return tuple(curves)


def _corners(scores: Array, positive: NDArray[np.bool_]) -> tuple[tuple[int, int], ...]:
    """Return false and true positives as the threshold falls; rows of one score come together."""
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    hits = np.cumsum(positive[order])[ends]
    false = np.append(0, ends + 1 - hits).astype(np.float64)
    true = np.append(0, hits).astype(np.float64)
    places = thin_line(false, true, MOST_CORNERS)
    return tuple((int(false[i]), int(true[i])) for i in places.tolist())


def calibrate(outputs: Array, classes: Rows, count: int) -> tuple[CalibrationBin, ...]:
    """Group rows by probability in bins of equal width: a reliability diagram.

    The probability is that of the second of two classes, or of the predicted one of many. There are
    no bins without enough rows, nor if an output is not a probability.
    """
    if count == 2:
        promised, came_true = outputs[:, -1], classes == 1
    else:
        predicted = predict_classes(outputs)
        promised = outputs[np.arange(len(outputs)), predicted]
        came_true = classes == predicted
    if len(promised) < LEAST_ROWS or not ((promised >= 0.0) & (promised <= 1.0)).all():
        return ()
    numbers = np.minimum((promised * BINS).astype(np.intp), BINS - 1)
    rows = np.bincount(numbers, minlength=BINS)
    sums = np.bincount(numbers, promised, BINS)  # row after row, so the same everywhere
    true = np.bincount(numbers, came_true, BINS)
    return tuple(
        CalibrationBin(int(rows[i]), float(sums[i] / rows[i]), int(true[i]))
        for i in np.flatnonzero(rows).tolist()
    )


def _pairs(outputs: Array, wanted: Array) -> Points:
    """Return finite actual and predicted values of rows that are spread over the table."""
    places = spread_evenly(len(wanted), MOST_PAIRS)
    pairs = zip(wanted[places].tolist(), outputs[places].tolist(), strict=True)
    return tuple(pair for pair in pairs if np.isfinite(pair).all())


def _choose_examples(
    dataset: Dataset, model: Model, parts: dict[str, Rows], raw: Array
) -> list[tuple[str, int]]:
    """Return part and place of the examples: half of either part, spread over the target."""
    kinds = np.array([bool(column.categories) for column in model.columns])
    texts = np.flatnonzero(kinds)
    chosen: list[tuple[str, int]] = []
    for part, most in (("test", MOST_EXAMPLES // 2), ("train", MOST_EXAMPLES)):
        rows = parts[part]
        # A category that no training row has is not kept, so such a row cannot be shown.
        usable = np.flatnonzero((raw[np.ix_(rows, texts)] != -1.0).all(axis=1))
        by_target = usable[np.argsort(dataset.y[rows[usable]], kind="stable")]
        places = by_target[spread_evenly(len(by_target), most - len(chosen))].tolist()
        chosen += [(part, place) for place in places]
    return chosen


def _example(
    dataset: Dataset,
    model: Model,
    part: str,
    place: int,
    rows: Rows,
    raw: Array,
    outputs: Array,
) -> Example:
    row = int(rows[place])
    has_own_table = dataset.fixed_split is not None and part == "test"
    wanted = float(dataset.y[row])
    return Example(
        part,
        (row - int(rows[0]) if has_own_table else row) + 1,
        tuple(_cell(c, v) for c, v in zip(model.columns, raw[row].tolist(), strict=True)),
        tuple(_results(outputs[place], model)),
        str(model.classes[int(wanted)]) if model.classes else wanted,
    )


def _results(outputs: Array, model: Model) -> list[float]:
    """Return the results of an export for a row: a probability for each class, or values."""
    values: list[float] = outputs.tolist()
    has_one = len(model.classes) == 2 and len(values) == 1
    return [1.0 - values[0], values[0]] if has_one else values


def _cell(column: Column, value: float) -> float | str | None:
    """Return a value as it stood in the table."""
    if value != value:
        return None
    return column.categories[int(value)] if column.categories else value


def thin_line(x: Array, y: Array, most: int) -> Rows:
    """Return the places of at most so many points that keep the shape of a line, with both ends.

    Each next one is the point that is farthest from the line so far (Ramer, Douglas and Peucker);
    a point on that line is never taken. Both axes count alike, whatever their units.
    """
    count = len(x)
    if count <= 2:
        return np.arange(count)
    across, up = _scale_to_unit(x), _scale_to_unit(y)
    kept = {0, count - 1}
    waiting: list[tuple[float, int, int, int]] = []

    def push(first: int, last: int) -> None:
        if last - first < 2:
            return
        inside = slice(first + 1, last)
        dx, dy = across[last] - across[first], up[last] - up[first]
        length = float(np.hypot(dx, dy))
        if length:
            turned = (across[inside] - across[first]) * dy - (up[inside] - up[first]) * dx
            distance = np.abs(turned) / length
        else:
            distance = np.hypot(across[inside] - across[first], up[inside] - up[first])
        place = int(distance.argmax())
        if distance[place] > 1e-12:
            heapq.heappush(waiting, (-float(distance[place]), first, first + 1 + place, last))

    push(0, count - 1)
    while waiting and len(kept) < most:
        _, first, place, last = heapq.heappop(waiting)
        kept.add(place)
        push(first, place)
        push(place, last)
    return np.array(sorted(kept), dtype=np.intp)


def _scale_to_unit(values: Array) -> Array:
    """Scale values to 0 … 1; halves first, as a span can overflow."""
    halves = values / 2.0
    low, high = float(halves.min()), float(halves.max())
    return (halves - low) / ((high - low) or 1.0)
