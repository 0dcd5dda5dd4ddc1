"""A run to what its report draws and no other file of the folder has: `report.json`.

Curves, pairs of wanted and predicted values, the columns' ranges and importances, and a few rows
with their results: plain data, without dates and paths.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.data.dataset import Dataset
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Column, Model, compose
from dsgec.plain_data import is_count, is_figure, is_list, is_number, is_text
from dsgec.run.calibration import calibration, is_calibration
from dsgec.run.importance import are_importances, importances, spread_evenly
from dsgec.run.thin import thinned
from dsgec.search.metrics import auroc
from dsgec.search.problem import Problem

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

MOST_CORNERS, MOST_PAIRS, MOST_EXAMPLES, MOST_CURVES = 200, 400, 10, 6


def evidence(problem: Problem, model: Model) -> dict[str, Any]:
    """The content of report.json."""
    dataset, split = problem.dataset, problem.split
    network = compose(model)
    raw = dataset.raw if dataset.raw is not None else dataset.x
    parts = {"train": split.train, "test": split.test}
    outputs = {part: evaluate(network, raw[rows]) for part, rows in parts.items()}
    found: dict[str, Any] = {
        "columns": [_range(c, raw[split.train, i]) for i, c in enumerate(model.columns)]
    }
    if model.classes:
        drawn = _most_frequent(dataset.class_numbers[split.train], len(model.classes))
        found["roc"] = {
            part: _curves(outputs[part], dataset.class_numbers[rows], len(model.classes), drawn)
            for part, rows in parts.items()
        }
        found["calibration"] = {
            part: calibration(outputs[part], dataset.class_numbers[rows], len(model.classes))
            for part, rows in parts.items()
        }
    else:
        found["pairs"] = {
            part: _pairs(outputs[part][:, 0], dataset.y[rows]) for part, rows in parts.items()
        }
    judged = "test" if len(split.test) else "train"
    wanted = dataset.class_numbers if model.classes else dataset.y
    found["importance"] = {"part": judged, **importances(model, raw, wanted, parts[judged])}
    found["examples"] = [
        _example(dataset, model, part, place, parts[part], raw, outputs[part])
        for part, place in _chosen(dataset, model, parts, raw)
    ]
    return found


def results_of(outputs: Array, model: Model) -> list[float]:
    """What an export gives for a row: a probability for each class, or values."""
    values: list[float] = outputs.tolist()
    lone = len(model.classes) == 2 and len(values) == 1
    return [1.0 - values[0], values[0]] if lone else values


def _range(column: Column, values: Array) -> dict[str, Any]:
    """Of the training rows: the range of the numbers, or how often each text occurs."""
    known = values[~np.isnan(values)]
    missing = len(values) - len(known)
    if column.categories:
        counts = [int((known == number).sum()) for number in range(len(column.categories))]
        return {"counts": counts, "missing": missing}
    if not len(known):
        return {"least": 0.0, "median": 0.0, "most": 0.0, "missing": missing}
    ordered = np.sort(known)
    return {
        "least": float(ordered[0]),
        # Of two middle values the lower, so that it is one of the table's.
        "median": float(ordered[(len(known) - 1) // 2]),
        "most": float(ordered[-1]),
        "missing": missing,
    }


def _most_frequent(classes: Rows, count: int) -> list[int]:
    """The classes whose curves are drawn: of two the second, of many the most frequent."""
    if count == 2:
        return [1]
    counts = np.bincount(classes, minlength=count)
    return sorted(np.argsort(-counts, kind="stable")[:MOST_CURVES].tolist())


def _curves(outputs: Array, classes: Rows, count: int, drawn: list[int]) -> list[dict[str, Any]]:
    """Each class against the rest: the area, and of some the corners of the curve, as counts."""
    curves = []
    for number in (1,) if count == 2 else range(count):
        scores = outputs[:, -1] if count == 2 else outputs[:, number]
        positive = classes == number
        area = auroc(scores, positive) if len(scores) else None
        positives = int(positive.sum())
        points = _corners(scores, positive) if area is not None and number in drawn else []
        curves.append(
            {
                "class": number,
                "auc": area,
                "positives": positives,
                "negatives": len(positive) - positives,
                "points": points,
            }
        )
    return curves


def _corners(scores: Array, positive: NDArray[np.bool_]) -> list[list[int]]:
    """False and true positives as the threshold falls; rows of one score come in together."""
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    hits = np.cumsum(positive[order])[ends]
    false = np.append(0, ends + 1 - hits).astype(np.float64)
    true = np.append(0, hits).astype(np.float64)
    places = thinned(false, true, MOST_CORNERS)
    return [[int(false[i]), int(true[i])] for i in places.tolist()]


def _pairs(outputs: Array, wanted: Array) -> list[list[float]]:
    """Wanted and predicted values of rows that lie evenly over the table; finite ones."""
    places = spread_evenly(len(wanted), MOST_PAIRS)
    pairs = zip(wanted[places].tolist(), outputs[places].tolist(), strict=True)
    return [list(pair) for pair in pairs if np.isfinite(pair).all()]


def _chosen(
    dataset: Dataset, model: Model, parts: dict[str, Rows], raw: Array
) -> list[tuple[str, int]]:
    """The examples: half of either part, spread over the classes or values of the target."""
    kinds = np.array([bool(column.categories) for column in model.columns])
    texts = np.flatnonzero(kinds)
    chosen: list[tuple[str, int]] = []
    for part, most in (("test", MOST_EXAMPLES // 2), ("train", MOST_EXAMPLES)):
        rows = parts[part]
        # A text that no training row has is not kept, so such a row cannot be given again.
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
) -> dict[str, Any]:
    row = int(rows[place])
    own = dataset.fixed_split is not None and part == "test"
    wanted = float(dataset.y[row])
    return {
        "part": part,
        "row": (row - int(rows[0]) if own else row) + 1,
        "values": [_given(c, v) for c, v in zip(model.columns, raw[row].tolist(), strict=True)],
        "outputs": results_of(outputs[place], model),
        "wanted": str(model.classes[int(wanted)]) if model.classes else wanted,
    }


def _given(column: Column, value: float) -> float | str | None:
    """A value as it stood in the table."""
    if value != value:
        return None
    return column.categories[int(value)] if column.categories else value


def is_evidence(found: dict[str, Any], model: Model) -> bool:
    """Whether it has all that the report draws."""
    columns: Any = found.get("columns")
    examples: Any = found.get("examples")
    parts = found.get("roc" if model.classes else "pairs")
    if not (isinstance(parts, dict) and set(parts) == {"train", "test"}):
        return False
    if not is_list(columns, lambda one: isinstance(one, dict), len(model.columns)):
        return False
    if not all(
        _is_range(one, len(c.categories)) for one, c in zip(columns, model.columns, strict=True)
    ):
        return False
    if not _has_later_parts(found, model):
        return False
    if not is_list(examples, lambda one: isinstance(one, dict)) or len(examples) > 100:
        return False
    is_part = _is_roc if model.classes else _is_pair
    return all(_is_example(one, model) for one in examples) and all(
        is_list(values, lambda one: is_part(one, len(model.classes))) for values in parts.values()
    )


def _has_later_parts(found: dict[str, Any], model: Model) -> bool:
    """What runs of earlier versions lack is right where it is there."""
    return ("importance" not in found or are_importances(found["importance"], model)) and (
        "calibration" not in found or (model.is_classifier and is_calibration(found["calibration"]))
    )


def _is_range(found: dict[str, Any], categories: int) -> bool:
    if categories:
        return is_list(found.get("counts"), is_count, categories) and is_count(found.get("missing"))
    numbers: list[Any] = [found.get(name) for name in ("least", "median", "most")]
    if not all(map(is_number, numbers)) or not is_count(found.get("missing")):
        return False
    return numbers == sorted(numbers)


def _is_roc(curve: Any, classes: int) -> bool:
    return (
        isinstance(curve, dict)
        and is_count(curve.get("class"))
        and curve["class"] < classes
        and "auc" in curve
        and is_figure(curve["auc"])
        and is_count(curve.get("positives"))
        and is_count(curve.get("negatives"))
        and is_list(curve.get("points"), lambda point: is_list(point, is_count, 2))
        and len(curve["points"]) <= 1000
        and all(fp <= curve["negatives"] and tp <= curve["positives"] for fp, tp in curve["points"])
    )


def _is_pair(pair: Any, _: int) -> bool:
    return is_list(pair, is_number, 2)


def _is_example(example: dict[str, Any], model: Model) -> bool:
    values, outputs = example.get("values"), example.get("outputs")
    if not is_list(values, lambda v: is_figure(v) or is_text(v), len(model.columns)):
        return False
    wanted = example.get("wanted")
    return (
        all(
            value is None or (value in c.categories if c.categories else is_number(value))
            for value, c in zip(values or (), model.columns, strict=True)
        )
        and is_list(outputs, is_figure, len(model.classes) or len(model.network.outputs))
        and example.get("part") in ("train", "test")
        and is_count(example.get("row"))
        and (is_text(wanted) if model.classes else is_number(wanted))
    )
