"""Several states as one, and the error of a damaged one."""

import struct
from collections.abc import Sequence

from dsgec.errors import DsgecError


def pack(parts: Sequence[bytes]) -> bytes:
    """Join several states, each after its length."""
    return b"".join(struct.pack("<Q", len(part)) + part for part in parts)


def unpack(data: bytes, count: int) -> list[bytes]:
    """Return the `count` parts that `pack` joined."""
    parts, at = [], 0
    for _ in range(count):
        if len(data) - at < struct.calcsize("<Q"):
            raise damaged_state()
        (length,) = struct.unpack_from("<Q", data, at)
        at += struct.calcsize("<Q")
        parts.append(data[at : at + length])
        at += length
    if at != len(data):
        raise damaged_state()
    return parts


def damaged_state() -> DsgecError:
    """Return the error for a state that does not have the parts that it should have."""
    return DsgecError(
        "the saved state is not one of this run",
        "The file may be damaged: start the run from scratch.",
    )
