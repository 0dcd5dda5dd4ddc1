"""A line that says what a person waits for: with a clock on a terminal, once in a log."""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext

from dsgec.cli.terminal.display import Voice
from dsgec.cli.terminal.styled import is_capable

COMPILING = "compiling the engine, once for all grammars of this kind"

_SECONDS_BETWEEN_UPDATES = 0.2


def compiling(quiet: bool) -> Callable[[], AbstractContextManager[None]]:
    """Return what is to be entered while the engine is compiled."""
    return nullcontext if quiet or sys.stderr is None else lambda: waiting(COMPILING)


@contextlib.contextmanager
def waiting(words: str) -> Iterator[None]:
    """Say on standard error what is being done, and for how long already."""
    say = Voice(sys.stderr)
    if not is_capable(sys.stderr):
        say(f"{words} …\n")
        yield
        return
    over = threading.Event()
    started = time.monotonic()

    def tick() -> None:
        while True:
            say(f"\r{words}: {time.monotonic() - started:.1f} s\x1b[K")
            if over.wait(_SECONDS_BETWEEN_UPDATES):
                return

    clock = threading.Thread(target=tick, daemon=True)
    clock.start()
    try:
        yield
    finally:
        over.set()
        clock.join()
        say("\r\x1b[K")
