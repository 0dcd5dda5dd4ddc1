"""A run to its folder, and back: what was asked, what came of it, how it went."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec import __version__
from dsgec.bnf.load import GrammarFile
from dsgec.codegen.artefact import model_id
from dsgec.codegen.names import safe_name
from dsgec.data.ir import Dataset, Plan
from dsgec.errors import DsgecError
from dsgec.evolution.evolver import Generation
from dsgec.evolution.measure import measured, parts
from dsgec.evolution.problem import Problem
from dsgec.evolution.settings import Settings
from dsgec.fitness import metrics
from dsgec.fitness.objectives import natural
from dsgec.folder import Folder
from dsgec.network.check import check
from dsgec.network.description import describe
from dsgec.network.description import read_model as described
from dsgec.network.evaluate import evaluate
from dsgec.network.ir import Network
from dsgec.network.measure import size
from dsgec.network.model import Model
from dsgec.network.simplify import simplify
from dsgec.network.text import text
from dsgec.run.history import HistoryRow, history_text
from dsgec.run.manifest import NAME as MANIFEST
from dsgec.run.manifest import TIMING, Files, digests, read_manifest, write_manifest

_MOST_BYTES = 256 << 20
_DATA_OPTIONS = ("test_sha256", "ignore", "missing", "scale", "constant", "reading")
RECORD, HISTORY, NETWORK = "run.json", "history.csv", "best.net"
HALL, EVIDENCE, PAGE = "hall_of_fame.csv", "report.json", "report.html"
_OWN_FILES = (HISTORY, NETWORK, HALL, EVIDENCE, PAGE, TIMING)


def make_record(
    problem: Problem,
    settings: Settings,
    grammar: GrammarFile,
    last: Generation,
    ended: str = "generations",
) -> dict[str, Any]:
    """The content of run.json: no dates and no paths, so the same run gives the same bytes."""
    model = best_model(problem, last)
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
        },
        "settings": asked["settings"],
        "model": {
            "id": model_id(model),
            "name": safe_name(dataset.name),
            **describe(model),
        },
        "result": {
            "fitness": last.best,
            "objective": problem.objective,
            "score": natural(problem.objective, last.best),
            "generations": last.generation,
            "ended": ended,
            "evaluations": last.evaluations,
            "reused": last.reused,
            **measured(problem, outputs),
            **_confusions(problem, outputs),
            "network": asdict(size(network)),
            "phenotype": last.phenotype,
        },
    }


def best_model(problem: Problem, state: Generation) -> Model:
    """The best individual as a model."""
    dataset = problem.dataset
    network = check(simplify(problem.parse(state.phenotype)))
    return Model(network, dataset.inputs, dataset.classes, dataset.target)


def _confusions(problem: Problem, outputs: NDArray[np.float64]) -> dict[str, Any]:
    classes, numbers = problem.dataset.classes, problem.dataset.class_numbers
    if not classes:
        return {}
    return {
        "confusion": {
            part: metrics.confusion(outputs[rows], numbers[rows], len(classes))
            for part, rows in parts(problem)
        }
    }


def identity(grammar: GrammarFile, dataset: Dataset, settings: Settings) -> dict[str, Any]:
    """All that a run's outcome depends on."""
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


def is_same_run(record: dict[str, Any], asked: dict[str, Any]) -> bool:
    """Whether a record is of the run that is asked for, by whatever version and file name."""

    def relevant(run: dict[str, Any]) -> tuple[Any, ...]:
        data = run.get("data")
        told = {**data} if isinstance(data, dict) else {}
        for name in ("name", "train_rows", "test_rows"):
            told.pop(name, None)
        grammar = run.get("grammar")
        by = grammar if isinstance(grammar, dict) else {}
        return run.get("settings"), by.get("name"), by.get("sha256"), told

    return relevant(record) == relevant(asked)


def _data_options(dataset: Dataset) -> dict[str, Any]:
    """What was asked of the table, as far as it is not the usual."""
    plan, usual = dataset.plan, Plan()
    asked = (
        dataset.test_digest,
        list(plan.ignore),
        plan.missing if plan.missing != usual.missing else "",
        plan.scale if plan.scale != usual.scale else "",
        plan.constant if plan.constant != usual.constant else "",
        dict(dataset.reading),
    )
    return {name: value for name, value in zip(_DATA_OPTIONS, asked, strict=True) if value}


def write_run(
    folder: Folder,
    record: dict[str, Any],
    network: Network,
    history: Sequence[HistoryRow],
    timing: dict[str, Any],
    further: Files,
) -> None:
    """Write the folder; run.json last, so that a folder with one is complete.

    `further` are the exports and other files of the run.
    """
    files = {
        **further,
        HISTORY: history_text(history),
        NETWORK: f"# evolved by dsgec {__version__}\n{text(network)}",
        RECORD: to_json(record),
    }
    write_timing(folder, timing)
    for name, content in files.items():
        if name != RECORD:
            folder.write(name, content)
    write_manifest(folder, digests(files))
    folder.write(RECORD, files[RECORD])


def write_timing(folder: Folder, timing: dict[str, Any]) -> None:
    """Write timing.json, in the place of one with fewer stages."""
    folder.write(TIMING, to_json(timing))


def clear_run(folder: Folder) -> None:
    """Remove what an earlier run left: its record first, so that no folder is half and half."""
    folder.remove(RECORD)
    try:
        listed = [*read_manifest(folder)]
    except DsgecError:
        listed = []
    folder.remove_unfinished(listed)
    for name in (*listed, *_OWN_FILES):
        if name.endswith(".py"):
            folder.remove_folder(str(PurePosixPath(name).with_name("__pycache__")))
        folder.remove(name)
    folder.remove(MANIFEST)


def to_json(value: Any) -> str:
    """JSON for people and programs: indented, and without the NaN that JSON does not have."""
    return json.dumps(_finite(value), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def has_record(folder: Folder) -> bool:
    """Whether the folder is that of a run which has ended, or was interrupted."""
    return folder.has(RECORD)


def read_record(folder: Folder) -> dict[str, Any]:
    """run.json of a run's folder."""
    if not has_record(folder):
        raise DsgecError(
            f"{folder.path} is not the folder of a finished run", "`dsgec evolve` makes one."
        )
    record = read_json(folder, RECORD)
    if not isinstance(record, dict):
        raise DsgecError(f"{folder.path / RECORD} is not the record of a run")
    return record


def read_json(folder: Folder, name: str) -> Any:
    """The value in a JSON file of a run's or a study's folder."""
    try:
        return json.loads(folder.read(name, _MOST_BYTES))
    except (ValueError, RecursionError) as error:
        raise DsgecError(f"cannot read {folder.path / name}: {error}") from error


def make_timing(backend: str, seconds: float, evaluations: int) -> dict[str, Any]:
    """The content of timing.json: what differs from one time to another."""
    return {
        "backend": backend,
        "evolve_seconds": round(seconds, 3),
        "evaluations_per_second": round(evaluations / seconds, 1) if seconds else None,
        "stages": {"evolve": round(seconds, 3)},
    }


def with_stages(timing: dict[str, Any], seconds: dict[str, float]) -> dict[str, Any]:
    """The timing with the seconds of further stages; one of an earlier version had none."""
    before = timing.get("stages")
    stages = {**before} if isinstance(before, dict) else {}
    return {**timing, "stages": stages | {name: round(s, 3) for name, s in seconds.items()}}


def read_timing(folder: Folder) -> dict[str, Any] | None:
    """timing.json of a run's folder, if it has one."""
    try:
        timing = read_json(folder, TIMING)
    except DsgecError:
        return None
    return timing if isinstance(timing, dict) else None


def read_model(folder: Folder) -> tuple[Model, str]:
    """The model of a run, and the name for its exports."""
    record = read_record(folder)
    path, of_record = folder.path / NETWORK, folder.path / RECORD
    source = folder.read_text(NETWORK, _MOST_BYTES)
    description = record.get("model")
    if not isinstance(description, dict):
        raise DsgecError(f"{of_record} does not describe a model")
    model = described(description, source, str(of_record), str(path))
    if model_id(model) != description.get("id"):
        raise DsgecError(
            f"{path} is not the network that {RECORD} beside it describes",
            "`dsgec compile` takes a network that was written or changed by hand.",
        )
    return model, safe_name(str(description.get("name")))
