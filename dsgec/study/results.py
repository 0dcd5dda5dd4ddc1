"""Write and read the file of a finished run, and write all of them to results.csv."""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dsgec.errors import DsgecError
from dsgec.folder import Folder
from dsgec.plain_data import csv_text, to_json
from dsgec.search.evolver import ENDS
from dsgec.study.definition import Cell

SIZES = ("layers", "neurons", "features", "connections")
_PARTS = ("train", "test")
_MOST_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class CellResult:
    """The result of a run. `changes` are the generations at which the best fitness changed.

    A figure that is not defined is None; an infinite fitness is one of those. A run that ended
    before its first generation has no figures, but a `fault`. `rivals` are the names and test
    figures of the models that the study compares with.
    """

    fitness: float | None
    task: str
    train: Mapping[str, float | None]
    test: Mapping[str, float | None]
    sizes: Mapping[str, int]
    evaluations: int
    changes: tuple[tuple[int, float | None], ...]
    fault: str = ""
    objective: str = ""
    rivals: tuple[tuple[str, Mapping[str, float | None]], ...] = ()

    def figure(self, name: str) -> float | None:
        """Return a figure by its name: `fitness`, `train rmse`, `neurons` …"""
        if name == "fitness":
            return self.fitness
        part, _, metric = name.partition(" ")
        if part in _PARTS:
            return (self.train if part == "train" else self.test).get(metric)
        return self.sizes.get(name)


Results = Mapping[Cell, CellResult]


def file_name(cell: Cell, asked: dict[str, Any]) -> str:
    """Return the name of a run's file, which is readable and different for every run."""
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:12]
    words = (cell.settings.representation, cell.grammar.name, cell.data.name)
    start = "-".join(re.sub(r"[^A-Za-z0-9_]+", "_", word)[:30] for word in words)
    return f"{start}-seed{cell.settings.seed}-{digest}.json"


def outcome_text(
    asked: dict[str, Any], result: dict[str, Any], changes: Sequence[tuple[int, float]]
) -> str:
    """Return the content of a run's file."""
    return to_json({**asked, "result": result, "changes": changes})


def failure_text(asked: dict[str, Any], fault: str) -> str:
    """Return the content of the file of a run whose first generation had no valid individual."""
    return to_json({**asked, "fault": fault})


def read_outcome(runs: Folder, name: str, asked: dict[str, Any]) -> CellResult | None:
    """Return the result in a run's file; None if it is damaged, or of another run."""
    try:
        found = json.loads(runs.read(name, _MOST_BYTES))
        found_asked = {key: found[key] for key in asked}
        if json.dumps(found_asked, sort_keys=True) != json.dumps(asked, sort_keys=True):
            return None
        task = asked["data"]["task"]
        if "fault" in found:
            nothing: dict[str, Any] = {}
            return CellResult(
                None, task, nothing, nothing, nothing, 0, ((0, None),), found["fault"]
            )
        result = found["result"]
        changes = tuple(
            (_natural_number(number), _figure(best)) for number, best in found["changes"]
        )
        numbers = [number for number, _ in changes]
        if (
            numbers[0] != 0
            or sorted(set(numbers)) != numbers
            or numbers[-1] > _natural_number(result["generations"])
            or not _is_ended(result, asked["settings"]["generations"])
            or not _ends_with(changes[-1][1], _figure(result["fitness"]), asked["settings"])
        ):
            return None
        return CellResult(
            _figure(result["fitness"]),
            task,
            _figures(result["train"]),
            _figures(result["test"]),
            {name: _natural_number(result["network"][name]) for name in SIZES},
            _natural_number(result["evaluations"]),
            changes,
            objective=str(result["objective"]),
            rivals=tuple(
                (str(one["name"]), _figures(one["test"])) for one in result.get("baselines", ())
            ),
        )
    except (
        DsgecError,
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
        RecursionError,
    ):
        return None


def _is_ended(result: dict[str, Any], generations: int) -> bool:
    """Return whether a run came to its end; `patience` and `stop_at` end one early."""
    if result["ended"] == "generations":
        return bool(result["generations"] == generations)
    return result["ended"] in ENDS and bool(result["generations"] <= generations)


def _ends_with(last: float | None, fitness: float | None, settings: dict[str, Any]) -> bool:
    """Return whether the fitness of a result fits the best fitness of the last generation.

    Without an elite, the last generation may have no valid network: then a champion is the result.
    If weights are learned, a tuned or an earlier champion can be better. With batches, the two may
    be measured on different rows.
    """
    if "batch" in settings:
        return True
    learns = "steps" in settings or "variation" in settings
    is_better = learns and last is not None and fitness is not None and fitness < last
    return is_better or last in (None, fitness)


def results_text(results: Results) -> str:
    """Return results.csv: a row for each run, in the order of the study and then of the seeds."""
    first = next(iter(results.values()), None)
    metrics = list(dict.fromkeys(name for outcome in results.values() for name in outcome.train))
    assert first is not None
    head = ["part", "engine", "grammar", "data", "seed", "population", "generations"]
    names = ["fitness", *(f"{part} {metric}" for part in _PARTS for metric in metrics), *SIZES]
    rows = [
        [
            *(cell.part, cell.settings.representation, cell.grammar.name, cell.data.name),
            *(cell.settings.seed, cell.settings.population, cell.settings.generations),
            *("" if (f := outcome.figure(name)) is None else repr(f) for name in names),
            outcome.evaluations,
        ]
        for cell, outcome in _sort_results(results)
    ]
    return csv_text([*head, *(name.replace(" ", "_") for name in names), "evaluations"], rows)


def _sort_results(results: Results) -> list[tuple[Cell, CellResult]]:
    """Return the runs sorted by kind, in the order of the study, and then by seed."""
    kinds: dict[tuple[Any, ...], int] = {}

    def place(entry: tuple[Cell, CellResult]) -> tuple[int, int]:
        cell = entry[0]
        kind = (cell.part, cell.data, cell.grammar, replace(cell.settings, seed=0))
        return kinds.setdefault(kind, len(kinds)), cell.settings.seed

    return sorted(results.items(), key=place)


def _figures(value: Any) -> dict[str, float | None]:
    """Return the plain numbers of a record, without matrices and the like."""
    return {
        str(name): _figure(inner)
        for name, inner in value.items()
        if not isinstance(inner, list | dict | str)
    }


def _figure(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return float(value) if math.isfinite(value) else None


def _natural_number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError
    return value
