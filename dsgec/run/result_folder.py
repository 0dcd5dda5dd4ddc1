"""Write the result of a run to its folder, in the place of an earlier one, and read it whole."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from dsgec import __version__
from dsgec.errors import DsgecError
from dsgec.folder import Folder
from dsgec.manifest import (
    BEST,
    CONFIG,
    DIVERSITY,
    EVIDENCE,
    GENEALOGY,
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
from dsgec.network.model import Model
from dsgec.network.model_text import model_text
from dsgec.plain_data import as_plain, read_json, to_json
from dsgec.run.checkpoint import has_checkpoint, read_checkpoint, refuse_other_search
from dsgec.run.evidence import Evidence, parse_evidence
from dsgec.run.folder import (
    ADVICE,
    has_record,
    parse_model,
    read_json_record,
    read_record,
    read_text,
    read_timing,
)
from dsgec.run.hall import parse_hall
from dsgec.run.history import history_text, parse_history
from dsgec.run.populations import read_log
from dsgec.run.record import is_same_run
from dsgec.run.result import Result

_OWN_FILES = (HISTORY, NETWORK, BEST, DIVERSITY, GENEALOGY, HALL, EVIDENCE, PAGE, TIMING, CONFIG)


def write_result(folder: Folder, result: Result, exports: Files) -> None:
    """Write a result and its exports, in the place of an earlier run.

    run.json is written last, so that a folder with it is complete.
    """
    files = {
        **exports,
        **result.logged,
        **({HALL: result.hall} if result.hall else {}),
        **({EVIDENCE: to_json(as_plain(result.evidence))} if result.evidence else {}),
        **({CONFIG: result.config} if result.config else {}),
        HISTORY: history_text(result.history),
        NETWORK: f"# evolved by dsgec {__version__}\n{model_text(result.model)}",
        RECORD: to_json(result.record.as_json()),
    }
    replace_run(folder, files, result.timing)


def replace_run(folder: Folder, files: Files, timing: dict[str, Any]) -> None:
    """Write the files of a run in the place of an earlier one, run.json last."""
    clear_run(folder)
    folder.remove_unfinished(files)
    folder.write(TIMING, to_json(timing))
    for name, content in files.items():
        if name != RECORD:
            folder.write(name, content)
    write_manifest(folder, digests(files))
    folder.write(RECORD, files[RECORD])


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


def read_result(folder: Folder) -> Result:
    """Return the content of a run's folder."""
    record = read_record(folder)
    model, name = parse_model(folder, record)
    hall = read_text(folder, HALL) if folder.has(HALL) else ""
    if hall:
        parse_hall(hall, str(folder.path / HALL), list(record.result.train))
    return Result(
        record,
        model,
        name,
        parse_history(read_text(folder, HISTORY), str(folder.path / HISTORY)),
        read_timing(folder) or {},
        hall,
        _read_evidence(folder, model) if folder.has(EVIDENCE) else None,
        read_text(folder, CONFIG) if folder.has(CONFIG) else "",
        read_log(folder),
    )


def _read_evidence(folder: Folder, model: Model) -> Evidence:
    try:
        return parse_evidence(read_json(folder, EVIDENCE), model)
    except ValueError as error:
        message = f"{folder.path / EVIDENCE} is not the data of a report: {error}"
        raise DsgecError(message, ADVICE) from error


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
        record = read_json_record(folder)
        # One that is damaged, but is of the same run, may be written again.
        if not isinstance(record, dict) or not is_same_run(record, asked):
            raise DsgecError(f"{folder.path} holds another run", advice)
