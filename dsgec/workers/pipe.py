"""Messages between a process and those that it started, over pipes that nobody else can write to.

They are pickles, and what unpickles them trusts who wrote them: so nothing that was ever a file, or
came over a network, is read here.
"""

import pickle
from typing import IO, Any

GONE = (EOFError, OSError, pickle.UnpicklingError)
"""What is raised when the other end is no more."""


def packed(message: object) -> bytes:
    """The message as it travels."""
    return pickle.dumps(message)


def send(pipe: IO[bytes], data: bytes) -> None:
    """Write a packed message, so that it arrives now."""
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """The next message; an EOFError when there will be no more."""
    return pickle.load(pipe)  # noqa: S301 - see above
