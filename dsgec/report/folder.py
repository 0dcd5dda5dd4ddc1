"""A run's folder to what its page shows; everything in it is checked as a stranger's."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.errors import DsgecError
from dsgec.folder import Folder
from dsgec.network.model import Model
from dsgec.report.shapes import (
    expect,
    is_count,
    is_figure,
    is_list,
    is_number,
    is_text,
)
from dsgec.run.record import (
    EVIDENCE,
    HALL,
    HISTORY,
    RECORD,
    read_json,
    read_model,
    read_record,
)

_MOST_BYTES = 256 << 20
_SIZES = ("connections", "neurons", "layers", "features")
_MOST_NETWORKS = 1_002  # as many sizes as are kept, and the best


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """A row for each generation; `size` only where the file has it."""

    generation: NDArray[np.float64]
    best: NDArray[np.float64]
    mean: NDArray[np.float64]
    size: NDArray[np.float64] | None


@dataclass(frozen=True, slots=True)
class Famous:
    """The best network of its number of connections."""

    sizes: dict[str, int]
    train: dict[str, float | None]
    test: dict[str, float | None]
    model_id: str


@dataclass(frozen=True, slots=True, eq=False)
class RunFolder:
    """All that a run's page is made of."""

    record: dict[str, Any]
    model: Model
    name: str
    history: History
    hall: tuple[Famous, ...]
    evidence: dict[str, Any]

    @property
    def result(self) -> dict[str, Any]:
        result: dict[str, Any] = self.record["result"]
        return result

    @property
    def metrics(self) -> list[str]:
        """The names of the figures, the main one first."""
        return list(self.result["train"])


def read_run(folder: Folder) -> RunFolder:
    """The folder of a finished run."""
    record = read_record(folder)
    model, name = read_model(folder)
    expect(_is_record(record, model), folder.path / RECORD, "the record of a run")
    return RunFolder(
        record,
        model,
        name,
        _history(folder),
        _hall(folder, list(record["result"]["train"])),
        _evidence(folder, model),
    )


def _is_record(record: dict[str, Any], model: Model) -> bool:
    result, data = record.get("result"), record.get("data")
    grammar, settings = record.get("grammar"), record.get("settings")
    if not all(isinstance(part, dict) for part in (result, data, grammar, settings)):
        return False
    assert isinstance(result, dict) and isinstance(data, dict)
    assert isinstance(grammar, dict) and isinstance(settings, dict)
    train, test, size = (result.get(name) for name in ("train", "test", "network"))
    confusion = result.get("confusion", {})
    count = len(model.classes)
    return (
        isinstance(train, dict)
        and isinstance(test, dict)
        and bool(train)
        and list(train) == list(test)
        and all(map(is_figure, (*train.values(), *test.values(), result.get("score"))))
        and isinstance(size, dict)
        and all(is_count(size.get(name)) for name in _SIZES)
        and all(is_text(result.get(name)) for name in ("objective", "phenotype"))
        and all(is_count(result.get(name)) for name in ("generations", "evaluations"))
        and all(is_text(part.get(name)) for part in (data, grammar) for name in ("name", "sha256"))
        and all(is_count(data.get(name)) for name in ("train_rows", "test_rows"))
        and is_text(record.get("dsgec"))
        and all(is_count(settings.get(name, 0)) for name in ("folds", "fold"))
        and is_list(data.get("ignore", []), is_text)
        and isinstance(confusion, dict)
        and set(confusion) == ({"train", "test"} if count else set())
        and all(
            is_list(rows, lambda row: is_list(row, is_count, count), count)
            for rows in confusion.values()
        )
    )


def _history(folder: Folder) -> History:
    path = folder.path / HISTORY
    names, lines = _csv(folder, HISTORY)
    wanted = ["generation", "best", "mean", *(["size"] if "size" in names else [])]
    expect(all(name in names for name in wanted) and bool(lines), path, "the history of a run")
    places = [names.index(name) for name in wanted]
    try:
        table = np.loadtxt(lines, delimiter=",", ndmin=2, comments=None, usecols=places)
    except ValueError as error:
        raise DsgecError(f"{path} is not the history of a run: {error}") from error
    columns = {name: table[:, number] for number, name in enumerate(wanted)}
    generation = columns["generation"]
    counted = bool((generation >= 0).all() and (generation < 2**53).all())
    expect(counted and bool((np.diff(generation) > 0).all()), path, "the history of a run")
    return History(generation, columns["best"], columns["mean"], columns.get("size"))


def _hall(folder: Folder, metrics: Sequence[str]) -> tuple[Famous, ...]:
    """The hall of fame; nothing where there is none."""
    if not folder.has(HALL):
        return ()
    path = folder.path / HALL
    names, lines = _csv(folder, HALL)
    parts = {part: [f"{part}_{name}" for name in metrics] for part in ("train", "test")}
    wanted = [*_SIZES, *parts["train"], *parts["test"], "model_id"]
    expect(all(name in names for name in wanted), path, "a hall of fame")
    found = []
    try:
        for values in csv.reader(lines[:_MOST_NETWORKS], strict=True):
            row = dict(zip(names, values, strict=True))
            sizes = {name: int(row[name]) for name in _SIZES}
            figures = {
                part: {name.removeprefix(f"{part}_"): _figure(row[name]) for name in columns}
                for part, columns in parts.items()
            }
            expect(all(map(is_count, sizes.values())), path, "a hall of fame")
            found.append(Famous(sizes, figures["train"], figures["test"], row["model_id"]))
    except (ValueError, csv.Error) as error:
        raise DsgecError(f"{path} is not a hall of fame: {error}") from error
    return tuple(sorted(found, key=lambda one: one.sizes["connections"]))


def _figure(text: str) -> float | None:
    value = float(text) if text else math.nan
    return value if math.isfinite(value) else None


def _csv(folder: Folder, name: str) -> tuple[list[str], list[str]]:
    """The names in the first line, and the other lines."""
    try:
        lines = io.StringIO(folder.read_text(name, _MOST_BYTES)).read().splitlines()
        return (next(csv.reader(lines[:1])) if lines else []), lines[1:]
    except csv.Error as error:
        raise DsgecError(f"cannot read {folder.path / name}: {error}") from error


def _evidence(folder: Folder, model: Model) -> dict[str, Any]:
    path = folder.path / EVIDENCE
    if not folder.has(EVIDENCE):
        raise DsgecError(
            f"{path} is not there", "Runs of an earlier version lack it: `dsgec evolve` writes it."
        )
    found = read_json(folder, EVIDENCE)
    expect(isinstance(found, dict) and _is_evidence(found, model), path, "what a report draws")
    evidence: dict[str, Any] = found
    return evidence


def _is_evidence(found: dict[str, Any], model: Model) -> bool:
    columns: Any = found.get("columns")
    examples: Any = found.get("examples")
    parts = found.get("roc" if model.classes else "pairs")
    if not (isinstance(parts, dict) and set(parts) == {"train", "test"}):
        return False
    if not is_list(columns, lambda one: isinstance(one, dict), len(model.columns)):
        return False
    if not all(
        _is_range(told, len(c.categories)) for told, c in zip(columns, model.columns, strict=True)
    ):
        return False
    if not is_list(examples, lambda one: isinstance(one, dict)) or len(examples) > 100:
        return False
    is_part = _is_roc if model.classes else _is_pair
    return all(_is_example(one, model) for one in examples) and all(
        is_list(values, lambda one: is_part(one, len(model.classes))) for values in parts.values()
    )


def _is_range(told: dict[str, Any], categories: int) -> bool:
    if categories:
        return is_list(told.get("counts"), is_count, categories) and is_count(told.get("missing"))
    numbers: list[Any] = [told.get(name) for name in ("least", "median", "most")]
    if not all(map(is_number, numbers)) or not is_count(told.get("missing")):
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
