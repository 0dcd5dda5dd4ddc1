"""Messages between a process and those that it started, over pipes that nobody else can write to.

They are pickles, and what unpickles them trusts who wrote them: so nothing that was ever a file, or
came over a network, is read here. Each has its length before it, so that one which cannot be read
does not spoil the next.
"""

import pickle
import struct
from typing import IO, Any

GONE = (EOFError, OSError)
"""Raised when the other end is gone."""

_LENGTH = struct.Struct("<Q")


def packed(message: object) -> bytes:
    """The message as it travels; any error if it cannot."""
    return pickle.dumps(message, protocol=5)  # which does not copy a large table


def unpacked(data: bytes) -> Any:
    """The message; any error if it cannot be made here."""
    return pickle.loads(data)  # noqa: S301 - see above


def send(pipe: IO[bytes], data: bytes) -> None:
    """Write a packed message, so that it arrives now."""
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes:
    """The next packed message; an EOFError when there will be no more."""
    (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
    return _exactly(pipe, length)


def _exactly(pipe: IO[bytes], count: int) -> bytes:
    data = pipe.read(count)
    if len(data) < count:
        raise EOFError
    return data
