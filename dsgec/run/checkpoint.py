"""An unfinished run in one file of its folder, which `dsgec resume` continues from.

The file is written whole: a kill at any moment leaves the earlier checkpoint or the new one.
"""

import hashlib
import json
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from dsgec import __version__
from dsgec.errors import DsgecError
from dsgec.folder import Folder
from dsgec.manifest import CHECKPOINT as NAME
from dsgec.run.job import Job
from dsgec.run.record import is_same_run
from dsgec.run.search import Search
from dsgec.run.session import Session
from dsgec.search.evolver import HistoryRow

_MAGIC = b"dsgec checkpoint 1\n"
_ROW = struct.Struct("<q2d4q")
_FIGURES = attrgetter(*(field.name for field in fields(HistoryRow)))
_SIZES = struct.Struct("<3Q")  # bytes of the header, rows of the history, bytes of the state
_MOST_BYTES = 16 << 30
FROM_SCRATCH = "Start from scratch with `dsgec evolve … --overwrite`."


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of an unfinished run between two generations.

    `asked` is the identity of the run and `arguments` are those of the command line. `seconds` is
    the time spent on evolving, `rows` the packed history, and `state` what the evolver saved after
    the last generation of it.
    """

    version: str
    asked: dict[str, Any]
    arguments: dict[str, Any]
    seconds: float
    rows: bytes
    state: bytes

    @property
    def history(self) -> list[HistoryRow]:
        """A row for each generation."""
        return [HistoryRow(*row) for row in _ROW.iter_unpack(self.rows)]


def pack_rows(history: Sequence[HistoryRow], packed: bytes) -> bytes:
    """Return the history as a checkpoint has it; `packed` is the part that is packed already."""
    new = history[len(packed) // _ROW.size :]
    return packed + b"".join(_ROW.pack(*_FIGURES(row)) for row in new)


def has_checkpoint(folder: Folder) -> bool:
    """Return whether a run's folder has a checkpoint."""
    return folder.has(NAME)


def write_checkpoint(folder: Folder, checkpoint: Checkpoint) -> None:
    """Write a checkpoint, in the place of an earlier one."""
    header = json.dumps(
        {
            "dsgec": __version__,
            "asked": checkpoint.asked,
            "arguments": checkpoint.arguments,
            "seconds": checkpoint.seconds,
        }
    ).encode()
    rows, state = checkpoint.rows, checkpoint.state
    sizes = _SIZES.pack(len(header), len(rows) // _ROW.size, len(state))
    body = sizes + header + rows + state
    folder.write(NAME, _MAGIC + hashlib.sha256(body).digest() + body)


def remove_checkpoint(folder: Folder) -> None:
    """Remove the checkpoint of a run that has ended, or that starts from scratch."""
    folder.remove(NAME)


def read_checkpoint(folder: Folder) -> Checkpoint:
    """Return the checkpoint of a run's folder; raise a DsgecError if it is damaged."""
    path = folder.path / NAME
    data = folder.read(NAME, _MOST_BYTES)
    if not data.startswith(_MAGIC):
        raise DsgecError(f"{path} is not a checkpoint of this version of dsgec", FROM_SCRATCH)
    start = len(_MAGIC) + hashlib.sha256().digest_size
    body = data[start:]
    if hashlib.sha256(body).digest() != data[len(_MAGIC) : start]:
        raise DsgecError(f"{path} is damaged: part of it is missing or changed", FROM_SCRATCH)
    try:
        return _parse(body)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError, struct.error) as error:
        raise DsgecError(f"{path} is not a checkpoint: {error}", FROM_SCRATCH) from error


def _parse(body: bytes) -> Checkpoint:
    header_bytes, rows, state_bytes = _SIZES.unpack(body[: _SIZES.size])
    first_row = _SIZES.size + header_bytes
    state = first_row + rows * _ROW.size
    if state + state_bytes != len(body) or not rows:
        raise ValueError("its length is not the one in its header")
    header = json.loads(body[_SIZES.size : first_row])
    version, asked, arguments = header["dsgec"], header["asked"], header["arguments"]
    if not (isinstance(version, str) and isinstance(asked, dict) and isinstance(arguments, dict)):
        raise TypeError("its header does not describe a run")
    seconds = float(header["seconds"])
    if not 0.0 <= seconds < 1e12:
        raise ValueError("its header has no time")
    return Checkpoint(version, asked, arguments, seconds, body[first_row:state], body[state:])


def refuse_other_version(folder: Folder, checkpoint: Checkpoint) -> None:
    """Raise a DsgecError for the checkpoint of another version, whose generations may differ."""
    if checkpoint.version != __version__:
        raise DsgecError(
            f"{folder.path / NAME} was made by dsgec {checkpoint.version}, not by {__version__}",
            f"Resume it with that version. {FROM_SCRATCH}",
        )


def refuse_other_search(folder: Folder, checkpoint: Checkpoint, asked: Mapping[str, Any]) -> None:
    """Raise a DsgecError for a checkpoint of another run or of another version."""
    if not is_same_run(checkpoint.asked, asked):
        raise DsgecError(f"{folder.path} holds another run, which has not ended")
    refuse_other_version(folder, checkpoint)


class Checkpoints:
    """The checkpoints of one search in its folder."""

    def __init__(self, job: Job, folder: Folder, session: Session) -> None:
        self.folder, self.session = folder, session
        self._job = job
        self._identity = job.identity
        self._packed = b""  # the history as checkpoints have it; only what is new is added
        self._trouble = ""

    def resume(self, search: Search) -> None:
        """Resume a search from the checkpoint in the folder, if there is one."""
        self._search = search
        if self.session.overwrite:
            remove_checkpoint(self.folder)
        elif has_checkpoint(self.folder):
            self._restore(read_checkpoint(self.folder))
        self._saved = time.perf_counter()

    def _restore(self, checkpoint: Checkpoint) -> None:
        refuse_other_search(self.folder, checkpoint, self._identity)
        try:
            self._search.resume(checkpoint.state, checkpoint.history, checkpoint.seconds)
        except ValueError as error:
            raise DsgecError(
                f"the checkpoint in {self.folder.path} is damaged: {error}", FROM_SCRATCH
            ) from error
        self._packed = checkpoint.rows

    @property
    def is_due(self) -> bool:
        """True if it is time for the next checkpoint."""
        return time.perf_counter() - self._saved >= self.session.save_every

    def try_to_save(self) -> None:
        """Write a checkpoint; the run continues if that fails."""
        try:
            self.save()
        except DsgecError as error:
            self.session.on_trouble(f"{error.faults[0].message}; the run continues and tries again")
        self._saved = time.perf_counter()

    def save_last(self) -> None:
        """Write the checkpoint of a run that ends early; `raise_trouble` raises if that failed."""
        try:
            self.save()
        except DsgecError as error:
            self._trouble = error.faults[0].message

    def raise_trouble(self) -> None:
        """Raise an error if the last checkpoint could not be written."""
        if self._trouble:
            raise DsgecError(
                self._trouble,
                f"The best network so far is in {self._job.folder}, but the run can only be resumed"
                " from an earlier checkpoint, if there is one.",
            )

    def save(self) -> None:
        """Write a checkpoint; only between two generations, or in the walk."""
        if self._search.log is not None:
            self._search.log.flush()
        self._packed = pack_rows(self._search.history, self._packed)
        write_checkpoint(
            self.folder,
            Checkpoint(
                __version__,
                self._identity,
                self.session.arguments,
                self._search.seconds,
                self._packed,
                self._search.save(),
            ),
        )
