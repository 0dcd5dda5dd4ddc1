"""A result to a run's folder, and back: what is read is checked, as it may come from anyone."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from dsgec import __version__
from dsgec.errors import DsgecError
from dsgec.export.artefact import model_id
from dsgec.export.names import safe_name
from dsgec.folder import Folder
from dsgec.manifest import (
    CONFIG,
    EVIDENCE,
    HALL,
    HISTORY,
    MANIFEST,
    NETWORK,
    PAGE,
    RECORD,
    TIMING,
    Files,
    digests,
    read_manifest,
    write_manifest,
)
from dsgec.network.cost.chips import DEFAULT_CHIP
from dsgec.network.description import read_model as described
from dsgec.network.model import Model
from dsgec.network.model_text import model_text, read_header
from dsgec.network.ranges import NO_RANGES, Range, choose_ranges
from dsgec.plain_data import MOST_BYTES, expect, read_json, to_json
from dsgec.run.checkpoint import has_checkpoint, read_checkpoint, refuse_other_version
from dsgec.run.evidence import is_evidence
from dsgec.run.hall import HallRow, parse_hall, picked_name
from dsgec.run.history import history_text, parse_history
from dsgec.run.pick import Hall, pick
from dsgec.run.record import is_record, is_same_run, record_ranges
from dsgec.run.result import Result
from dsgec.search.evolver import HistoryRow

_OWN_FILES = (HISTORY, NETWORK, HALL, EVIDENCE, PAGE, TIMING, CONFIG)


def write_result(folder: Folder, result: Result, exports: Files) -> None:
    """Write the folder in the place of an earlier run's; run.json last, so that one with it is
    complete.
    """
    files = {
        **exports,
        **({HALL: result.hall} if result.hall else {}),
        **({EVIDENCE: to_json(result.evidence)} if result.evidence else {}),
        **({CONFIG: result.config} if result.config else {}),
        HISTORY: history_text(result.history),
        NETWORK: f"# evolved by dsgec {__version__}\n{model_text(result.model)}",
        RECORD: to_json(result.record),
    }
    clear_run(folder)
    write_timing(folder, result.timing)
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


def has_record(folder: Folder) -> bool:
    """Whether the folder is that of a run which has ended, or was interrupted."""
    return folder.has(RECORD)


def read_result(folder: Folder) -> Result:
    """All that a run's folder holds."""
    record = read_record(folder)
    model, name = read_model(folder)
    expect(is_record(record, model), folder.path / RECORD, "the record of a run")
    hall = _text(folder, HALL) if folder.has(HALL) else ""
    if hall:
        parse_hall(hall, str(folder.path / HALL), list(record["result"]["train"]))
    return Result(
        record,
        model,
        name,
        _read_history(folder),
        read_timing(folder) or {},
        hall,
        _read_evidence(folder, model) if folder.has(EVIDENCE) else {},
        _text(folder, CONFIG) if folder.has(CONFIG) else "",
    )


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


def read_model(folder: Folder) -> tuple[Model, str]:
    """The model of a run, and the name for its exports."""
    record = read_record(folder)
    path, of_record = folder.path / NETWORK, folder.path / RECORD
    source = _text(folder, NETWORK)
    description = record.get("model")
    if not isinstance(description, dict):
        raise DsgecError(f"{of_record} does not describe a model")
    said, equations = read_header(source, str(path))  # runs of earlier versions say nothing
    model = described(description, equations, str(of_record), str(path))
    if model_id(model) != description.get("id") or not said.agrees(model):
        raise DsgecError(
            f"{path} is not the network that {RECORD} beside it describes",
            "`dsgec compile` takes a network that was written or changed by hand.",
        )
    return model, safe_name(str(description.get("name")))


def read_hall(folder: Folder) -> list[HallRow]:
    """The networks of a run's hall of fame."""
    if not folder.has(HALL):
        raise DsgecError(
            f"{folder.path} has no {HALL}",
            "Runs of earlier versions lack it: make the run again.",
        )
    return parse_hall(_text(folder, HALL), str(folder.path / HALL))


def read_picked(
    folder: Folder,
    way: str,
    value: str,
    chip: str = DEFAULT_CHIP,
    dtype: str = "double",
    given: Mapping[str, Range] = NO_RANGES,
) -> tuple[Model, str]:
    """The network of a run's hall of fame that was asked for, and the name for its exports.

    In fixed point, `given` has ranges of columns by name; others are those of the training rows.
    """
    record = read_record(folder)
    best, name = read_model(folder)
    source = str(folder.path / HALL)
    ranges = choose_ranges(best.columns, record_ranges(record, best), given)
    hall = Hall(read_hall(folder), record, best, source, chip, dtype, ranges)
    chosen = pick(hall, way, value)
    return hall.model(chosen), picked_name(name, chosen, hall.rows)


def read_timing(folder: Folder) -> dict[str, Any] | None:
    """timing.json of a run's folder, if it has one."""
    try:
        timing = read_json(folder, TIMING)
    except DsgecError:
        return None
    return timing if isinstance(timing, dict) else None


def _read_history(folder: Folder) -> tuple[HistoryRow, ...]:
    return parse_history(_text(folder, HISTORY), str(folder.path / HISTORY))


def _read_evidence(folder: Folder, model: Model) -> dict[str, Any]:
    evidence = read_json(folder, EVIDENCE)
    is_right = isinstance(evidence, dict) and is_evidence(evidence, model)
    expect(is_right, folder.path / EVIDENCE, "what a report draws")
    found: dict[str, Any] = evidence
    return found


def _text(folder: Folder, name: str) -> str:
    return folder.read_text(name, MOST_BYTES)


def refuse_other_run(folder: Folder, asked: dict[str, Any], advice: str) -> None:
    """A folder with another run, finished or not, is overwritten only on request."""
    path: Path = folder.path
    if has_checkpoint(folder):
        try:
            checkpoint = read_checkpoint(folder)
            if not is_same_run(checkpoint.asked, asked):
                raise DsgecError(f"{path} holds another run, which has not ended")
            refuse_other_version(folder, checkpoint)
        except DsgecError as error:
            raise DsgecError(error.faults[0].message, advice) from error
        if checkpoint.arguments.get("overwrites"):
            return
    if has_record(folder) and not is_same_run(read_record(folder), asked):
        raise DsgecError(f"{path} holds another run", advice)
