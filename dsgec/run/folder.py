"""The folder of a run: a result is written to it, and read back as untrusted input."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from dsgec import __version__
from dsgec.errors import DsgecError
from dsgec.export.artefact import model_id
from dsgec.export.names import safe_name
from dsgec.folder import Folder
from dsgec.manifest import (
    BEST,
    CONFIG,
    DIVERSITY,
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
from dsgec.plain_data import MOST_BYTES, as_plain, read_json, to_json
from dsgec.run.checkpoint import has_checkpoint, read_checkpoint, refuse_other_search
from dsgec.run.evidence import Evidence, parse_evidence
from dsgec.run.hall import HallRow, parse_hall
from dsgec.run.history import history_text, parse_history
from dsgec.run.pick import Hall, export_name, pick
from dsgec.run.record import RunRecord, is_same_run, parse_record
from dsgec.run.result import Result

_OWN_FILES = (HISTORY, NETWORK, BEST, DIVERSITY, HALL, EVIDENCE, PAGE, TIMING, CONFIG)
_ADVICE = "`dsgec evolve … --overwrite` makes it again."


def write_result(folder: Folder, result: Result, exports: Files) -> None:
    """Write a result and its exports, in the place of an earlier run.

    run.json is written last, so that a folder with it is complete.
    """
    files = {
        **exports,
        **({HALL: result.hall} if result.hall else {}),
        **({EVIDENCE: to_json(as_plain(result.evidence))} if result.evidence else {}),
        **({CONFIG: result.config} if result.config else {}),
        HISTORY: history_text(result.history),
        NETWORK: f"# evolved by dsgec {__version__}\n{model_text(result.model)}",
        RECORD: to_json(result.record.as_json()),
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
    """Remove the files of an earlier run: its record first, so that no folder is half and half."""
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
    """Return whether the folder is that of a run which has ended, or was interrupted."""
    return folder.has(RECORD)


def read_result(folder: Folder) -> Result:
    """Return the content of a run's folder."""
    record = read_record(folder)
    model, name = _read_model(folder, record)
    hall = _read_text(folder, HALL) if folder.has(HALL) else ""
    if hall:
        parse_hall(hall, str(folder.path / HALL), list(record.result.train))
    return Result(
        record,
        model,
        name,
        parse_history(_read_text(folder, HISTORY), str(folder.path / HISTORY)),
        read_timing(folder) or {},
        hall,
        _read_evidence(folder, model) if folder.has(EVIDENCE) else None,
        _read_text(folder, CONFIG) if folder.has(CONFIG) else "",
    )


def read_record(folder: Folder) -> RunRecord:
    """Return the record of a run's folder; raise a DsgecError if it has none, or a damaged one."""
    found = _read_json_record(folder)
    data = found.get("data") if isinstance(found, dict) else None
    if isinstance(data, dict) and data.get("task") == "fitness":
        raise DsgecError(
            f"{folder.path} holds a search by a fitness, which has no network",
            "`dsgec show` prints its best phenotype, and `dsgec.SearchRun.load` reads it.",
        )
    try:
        return parse_record(found)
    except ValueError as error:
        message = f"{folder.path / RECORD} is not the record of a run: {error}"
        raise DsgecError(message, _ADVICE) from error


def _read_json_record(folder: Folder) -> Any:
    if not has_record(folder):
        raise DsgecError(
            f"{folder.path} is not the folder of a finished run", "`dsgec evolve` makes one."
        )
    return read_json(folder, RECORD)


def read_model(folder: Folder) -> tuple[Model, str]:
    """Return the model of a run, and the name for its exports."""
    return _read_model(folder, read_record(folder))


def _read_model(folder: Folder, record: RunRecord) -> tuple[Model, str]:
    path, record_path = folder.path / NETWORK, folder.path / RECORD
    around, equations = read_header(_read_text(folder, NETWORK), str(path))
    model = described(dict(record.model.description), equations, str(record_path), str(path))
    # best.net of an earlier version does not have the surroundings, and agrees with any.
    if model_id(model) != record.model.id or not around.agrees(model):
        raise DsgecError(
            f"{path} is not the network that {RECORD} beside it describes",
            "`dsgec compile` takes a network that was written or changed by hand.",
        )
    return model, safe_name(record.model.name)


def read_hall(folder: Folder) -> list[HallRow]:
    """Return the networks of a run's hall of fame, by size."""
    if not folder.has(HALL):
        raise DsgecError(
            f"{folder.path} has no {HALL}",
            "Runs of earlier versions lack it: make the run again.",
        )
    return parse_hall(_read_text(folder, HALL), str(folder.path / HALL))


def read_picked(
    folder: Folder,
    way: str,
    value: str,
    chip: str = DEFAULT_CHIP,
    dtype: str = "double",
    given: Mapping[str, Range] = NO_RANGES,
) -> tuple[Model, str]:
    """Return the network that `--pick WAY VALUE` asks for, and the name for its exports.

    For fixed point, `given` has ranges of columns by name; the others are those of the training
    rows.
    """
    record = read_record(folder)
    best, name = _read_model(folder, record)
    ranges = choose_ranges(best.columns, record.ranges, given)
    source = str(folder.path / HALL)
    hall = Hall(read_hall(folder), record, best, source, chip, dtype, ranges)
    chosen = pick(hall, way, value)
    return hall.model(chosen), export_name(name, chosen, hall.rows)


def read_timing(folder: Folder) -> dict[str, Any] | None:
    """Return the content of timing.json, or None if it is missing or damaged."""
    try:
        timing = read_json(folder, TIMING)
    except DsgecError:
        return None
    return timing if isinstance(timing, dict) else None


def _read_evidence(folder: Folder, model: Model) -> Evidence:
    try:
        return parse_evidence(read_json(folder, EVIDENCE), model)
    except ValueError as error:
        message = f"{folder.path / EVIDENCE} is not the data of a report: {error}"
        raise DsgecError(message, _ADVICE) from error


def _read_text(folder: Folder, name: str) -> str:
    return folder.read_text(name, MOST_BYTES)


def refuse_other_run(folder: Folder, asked: Mapping[str, Any], advice: str) -> None:
    """Raise a DsgecError if the folder holds another run than asked for, finished or not."""
    if has_checkpoint(folder):
        try:
            checkpoint = read_checkpoint(folder)
            refuse_other_search(folder, checkpoint, asked)
        except DsgecError as error:
            raise DsgecError(error.faults[0].message, advice) from error
        if checkpoint.arguments.get("overwrites"):
            return
    if has_record(folder):
        record = _read_json_record(folder)
        # One that is damaged, but is of the same run, may be written again.
        if not isinstance(record, dict) or not is_same_run(record, asked):
            raise DsgecError(f"{folder.path} holds another run", advice)
