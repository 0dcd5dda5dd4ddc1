"""Read the record, the networks and the timing of a run's folder, which is untrusted input."""

from collections.abc import Mapping
from typing import Any

from dsgec.errors import DsgecError
from dsgec.export.artefact import model_id
from dsgec.export.names import safe_name
from dsgec.folder import Folder
from dsgec.manifest import HALL, NETWORK, RECORD, TIMING
from dsgec.network.cost.chips import DEFAULT_CHIP
from dsgec.network.description import read_model as described
from dsgec.network.model import Model
from dsgec.network.model_text import read_header
from dsgec.network.ranges import NO_RANGES, Range, choose_ranges
from dsgec.plain_data import MOST_BYTES, read_json
from dsgec.run.hall import HallRow, parse_hall
from dsgec.run.pick import Hall, export_name, pick
from dsgec.run.record import RunRecord, parse_record

ADVICE = "`dsgec evolve … --overwrite` makes it again."


def has_record(folder: Folder) -> bool:
    """Return whether the folder is that of a run which has ended, or was interrupted."""
    return folder.has(RECORD)


def read_record(folder: Folder) -> RunRecord:
    """Return the record of a run's folder; raise a DsgecError if it has none, or a damaged one."""
    found = read_json_record(folder)
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
        raise DsgecError(message, ADVICE) from error


def read_json_record(folder: Folder) -> Any:
    if not has_record(folder):
        raise DsgecError(
            f"{folder.path} is not the folder of a finished run", "`dsgec evolve` makes one."
        )
    return read_json(folder, RECORD)


def read_model(folder: Folder) -> tuple[Model, str]:
    """Return the model of a run, and the name for its exports."""
    return parse_model(folder, read_record(folder))


def parse_model(folder: Folder, record: RunRecord) -> tuple[Model, str]:
    path, record_path = folder.path / NETWORK, folder.path / RECORD
    around, equations = read_header(read_text(folder, NETWORK), str(path))
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
    return parse_hall(read_text(folder, HALL), str(folder.path / HALL))


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
    best, name = parse_model(folder, record)
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


def read_text(folder: Folder, name: str) -> str:
    return folder.read_text(name, MOST_BYTES)
