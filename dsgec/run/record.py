"""A run to its record: what was asked, and the result."""

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec import __version__
from dsgec.data.dataset import Dataset
from dsgec.data.options import Preprocessing
from dsgec.export.artefact import model_id
from dsgec.export.names import safe_name
from dsgec.grammar.directives import LINEAR
from dsgec.grammar.load import GrammarFile
from dsgec.network.description import describe_model
from dsgec.network.evaluate import evaluate
from dsgec.network.model import Model, TargetScale
from dsgec.network.notation import TEXT, is_formula, readable_formula, write_formula
from dsgec.network.ranges import Range, read_ranges
from dsgec.network.rounding import probe_rows
from dsgec.network.structure import measure_size
from dsgec.plain_data import is_count, is_figure, is_list, is_number, is_text
from dsgec.run.compared import is_compared
from dsgec.search import metrics
from dsgec.search.evolver import Generation
from dsgec.search.intervals import Intervals
from dsgec.search.measure import measured, parts, test_intervals
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings
from dsgec.setting import settings_of


def make_record(
    problem: Problem,
    settings: Settings,
    grammar: GrammarFile,
    last: Generation,
    model: Model,
    ended: str,
) -> dict[str, Any]:
    """The content of run.json: no dates and no paths, so the same run gives the same bytes."""
    network, dataset = model.network, problem.dataset
    outputs = evaluate(network, dataset.x)
    asked = identity(grammar, dataset, settings)
    return {
        "dsgec": asked["dsgec"],
        "grammar": {
            **asked["grammar"],
            "layered": bool(problem.grammar.directives.layer),
            "output": problem.grammar.directives.output,
        },
        "data": {
            **asked["data"],
            "train_rows": len(problem.split.train),
            "test_rows": len(problem.split.test),
            **_group_counts(problem),
            **({"target_scale": list(dataset.target_scale)} if dataset.target_scale else {}),
            "ranges": training_ranges(problem),
        },
        "settings": asked["settings"],
        "model": {
            "id": model_id(model),
            "name": safe_name(dataset.name),
            **describe_model(model),
        },
        "result": {
            "fitness": last.best,
            "objective": problem.objective,
            "score": problem.natural(last.best)
            if problem.is_fitness_read
            else problem.score(outputs[problem.split.train]),
            "generations": last.generation,
            "ended": ended,
            "evaluations": last.evaluations,
            "reused": last.reused,
            **measured(problem, outputs),
            "intervals": {"test": _as_lists(test_intervals(problem, outputs))},
            **_confusions(problem, model, outputs),
            "network": asdict(measure_size(network)),
            **(_formula(problem, model) if settings.variation == "trees" else {}),
            "phenotype": problem.complete(last.phenotype),
        },
    }


def _as_lists(intervals: Intervals) -> dict[str, list[float] | None]:
    """Return the intervals as JSON has them."""
    return {name: None if one is None else list(one) for name, one in intervals.items()}


def test_interval(result: dict[str, Any], metric: str) -> tuple[float, float] | None:
    """Return the 95 % interval of a metric on the test rows; None if the record has none."""
    found = result.get("intervals", {}).get("test", {}).get(metric)
    return None if found is None else (found[0], found[1])


def _are_intervals(found: Any, metrics: list[str]) -> bool:
    """Return whether a record's intervals are right; runs of earlier versions have none."""
    if not isinstance(found, dict) or set(found) != {"test"} or not isinstance(found["test"], dict):
        return False
    return set(found["test"]) <= set(metrics) and all(
        one is None or (is_list(one, is_number, 2) and one[0] <= one[1])
        for one in found["test"].values()
    )


def _group_counts(problem: Problem) -> dict[str, int]:
    """Return the numbers of groups to train and to test with; nothing where there are none."""
    groups = problem.dataset.groups
    if groups is None:
        return {}
    counts = {part: len(np.unique(groups[rows])) for part, rows in parts(problem)}
    return {f"{part}_groups": count for part, count in counts.items()}


def _formula(problem: Problem, model: Model) -> dict[str, str]:
    """Return the formula as people read it, of a run for one.

    The paper's runs have none: their records are what they always were.
    """
    if not is_formula(model, linear=problem.is_linear):
        return {}
    ranges = [None if one is None else (one[0], one[1]) for one in training_ranges(problem)]
    found = readable_formula(model, ranges)
    if found is None:
        return {}
    return {"formula": write_formula(found, model, probe_rows(model.columns, ranges), TEXT)}


def _confusions(problem: Problem, model: Model, outputs: NDArray[np.float64]) -> dict[str, Any]:
    classes = problem.dataset.classes
    if not classes:
        return {}
    numbers = problem.dataset.class_numbers
    return {
        "confusion": {
            part: metrics.confusion(outputs[rows], numbers[rows], len(classes), model.threshold)
            for part, rows in parts(problem)
        }
    }


def identity(grammar: GrammarFile, dataset: Dataset, settings: Settings) -> dict[str, Any]:
    """Everything that a run's outcome depends on."""
    return {
        "dsgec": __version__,
        "grammar": {"name": grammar.name, "sha256": grammar.digest},
        "data": {
            "name": dataset.name,
            "sha256": dataset.digest,
            "target": dataset.target,
            "task": dataset.task,
            **_data_options(dataset),
        },
        "settings": settings.as_json(),
    }


_MEASURED = ("train_rows", "test_rows", "train_groups", "test_groups", "target_scale", "ranges")
"""What the record of a run says about its data beyond what was asked for."""


def is_same_run(record: dict[str, Any], asked: dict[str, Any]) -> bool:
    """Whether a record is of the run that is asked for, by whatever version and file name."""

    def relevant(run: dict[str, Any]) -> tuple[Any, ...]:
        data = run.get("data")
        options = {**data} if isinstance(data, dict) else {}
        for name in ("name", *_MEASURED):
            options.pop(name, None)
        grammar = run.get("grammar")
        by = grammar if isinstance(grammar, dict) else {}
        return run.get("settings"), by.get("name"), by.get("sha256"), options

    return relevant(record) == relevant(asked)


def _data_options(dataset: Dataset) -> dict[str, Any]:
    """What was asked of the table, where not the default."""
    asked: dict[str, Any] = {
        "test_sha256": dataset.test_digest,
        "weights_sha256": dataset.weights_digest,
        "groups_sha256": dataset.groups_digest,
    }
    for one in settings_of(Preprocessing):
        value = getattr(dataset.preprocessing, one.name)
        if value != one.default and one.name != "task":  # which is the data set's
            asked[one.name] = list(value) if one.kind is tuple else value
    asked["reading"] = dict(dataset.reading)
    return {name: value for name, value in asked.items() if value}


def make_timing(
    backend: str, seconds: float, evaluations: int, compiling: tuple[float, float] = (0.0, 0.0)
) -> dict[str, Any]:
    """The content of timing.json: what differs from one time to another.

    `compiling` is how long the engine was waited for, and compiled beside the run.
    """
    waited, beside = compiling
    return {
        "backend": backend,
        "evolve_seconds": round(seconds, 3),
        "evaluations_per_second": round(evaluations / seconds, 1) if seconds else None,
        "compiled_in_background_seconds": round(beside, 3),
        "stages": {"compile": round(waited, 3), "evolve": round(seconds, 3)},
    }


def with_stages(timing: dict[str, Any], seconds: dict[str, float]) -> dict[str, Any]:
    """The timing with the seconds of further stages; one of an earlier version had none."""
    before = timing.get("stages")
    stages = {**before} if isinstance(before, dict) else {}
    return {**timing, "stages": stages | {name: round(s, 3) for name, s in seconds.items()}}


def training_ranges(problem: Problem) -> list[list[float] | None]:
    """The least and greatest number of each column of the raw training rows, for fixed point.

    Nothing of a column that has categories or no numbers.
    """
    dataset, found = problem.dataset, []
    raw = dataset.x if dataset.raw is None else dataset.raw
    for number, column in enumerate(dataset.inputs):
        values = raw[problem.split.train, number]
        values = values[np.isfinite(values)]
        is_text = column.categories or not len(values)
        found.append(None if is_text else [float(values.min()), float(values.max())])
    return found


def record_ranges(record: dict[str, Any], model: Model) -> tuple[Range | None, ...]:
    """The ranges that a record says, if it does; it is untrusted, and older ones say nothing."""
    data = record.get("data")
    said: Any = data.get("ranges") if isinstance(data, dict) else None
    return read_ranges(said, len(model.columns)) or ()


def target_scale(record: dict[str, Any]) -> TargetScale | None:
    """The scale of the target that a record says, if it does and it is one; it is untrusted."""
    data = record.get("data")
    said: Any = data.get("target_scale") if isinstance(data, dict) else None
    if not is_list(said, is_number, 2):
        return None
    mean, deviation = map(float, said)
    return (mean, deviation) if deviation > 0.0 else None


def network_scale(record: dict[str, Any]) -> TargetScale | None:
    """The scale that its texts still need: those of a linear output are in the target's units."""
    grammar = record.get("grammar")
    is_linear = isinstance(grammar, dict) and grammar.get("output") == LINEAR
    return None if is_linear else target_scale(record)


_SIZES = ("connections", "neurons", "layers", "features")


def is_record(record: dict[str, Any], model: Model) -> bool:
    """Whether it has all that reports and the library read of it."""
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
        and all(map(is_figure, (*train.values(), *test.values())))
        and all(is_number(result.get(name)) for name in ("score", "fitness"))
        and isinstance(size, dict)
        and all(is_count(size.get(name)) for name in _SIZES)
        and all(is_text(result.get(name)) for name in ("objective", "phenotype"))
        and is_text(result.get("formula", ""))
        and all(is_count(result.get(name)) for name in ("generations", "evaluations"))
        and all(is_text(part.get(name)) for part in (data, grammar) for name in ("name", "sha256"))
        and all(is_count(data.get(name)) for name in ("train_rows", "test_rows"))
        and is_text(record.get("dsgec"))
        and all(is_count(settings.get(name, 0)) for name in ("folds", "fold"))
        and all(is_list(data.get(name, []), is_text) for name in ("ignore", "categorical"))
        and is_text(data.get("group", ""))
        and all(is_count(data.get(name, 0)) for name in ("train_groups", "test_groups"))
        and ("target_scale" not in data or (target_scale(record) is not None and not count))
        and is_compared(result)
        and _are_intervals(result.get("intervals", {"test": {}}), list(train))
        and isinstance(confusion, dict)
        and set(confusion) == ({"train", "test"} if count else set())
        and all(
            is_list(rows, lambda row: is_list(row, is_count, count), count)
            for rows in confusion.values()
        )
    )
