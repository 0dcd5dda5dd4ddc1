"""An unfinished run to a file, and back: what `dsgec resume` continues from.

One file, written whole: a kill at any moment leaves the one before or the new one.
"""

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from dsgec import __version__
from dsgec.errors import DsgecError
from dsgec.folder import Folder
from dsgec.manifest import CHECKPOINT as NAME
from dsgec.search.evolver import HistoryRow

_MAGIC = b"dsgec checkpoint 1\n"
_ROW = struct.Struct("<q2d4q")
_FIGURES = attrgetter(*(field.name for field in fields(HistoryRow)))
_SIZES = struct.Struct("<3Q")  # bytes of the header, rows of the history, bytes of the state
_MOST_BYTES = 16 << 30
FROM_SCRATCH = "Start from scratch with `dsgec evolve … --overwrite`."


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`asked` is the run's identity, `arguments` what was said on the command line.

    `seconds` is how long it has evolved, `rows` its history, packed, and `state` what its evolver
    saved after the last generation of that.
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
    """The history as a checkpoint has it, of which the beginning is `packed` already."""
    new = history[len(packed) // _ROW.size :]
    return packed + b"".join(_ROW.pack(*_FIGURES(row)) for row in new)


def has_checkpoint(folder: Folder) -> bool:
    """Whether there is a checkpoint."""
    return folder.has(NAME)


def write_checkpoint(folder: Folder, checkpoint: Checkpoint) -> None:
    """Write it in the place of the one before."""
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
    """The run has ended, or starts from scratch."""
    folder.remove(NAME)


def read_checkpoint(folder: Folder) -> Checkpoint:
    """The checkpoint of a run's folder; a DsgecError where it is damaged, or no checkpoint."""
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
        raise ValueError("it has another length than it says")
    header = json.loads(body[_SIZES.size : first_row])
    version, asked, arguments = header["dsgec"], header["asked"], header["arguments"]
    if not (isinstance(version, str) and isinstance(asked, dict) and isinstance(arguments, dict)):
        raise TypeError("it does not say which run it is of")
    seconds = float(header["seconds"])
    if not 0.0 <= seconds < 1e12:
        raise ValueError("it does not say how long it took")
    return Checkpoint(version, asked, arguments, seconds, body[first_row:state], body[state:])


def refuse_other_version(folder: Folder, checkpoint: Checkpoint) -> None:
    """The generations of another version may be others."""
    if checkpoint.version != __version__:
        raise DsgecError(
            f"{folder.path / NAME} was made by dsgec {checkpoint.version}, not by {__version__}",
            f"Resume it with that version. {FROM_SCRATCH}",
        )
