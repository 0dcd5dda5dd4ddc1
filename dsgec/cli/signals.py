"""Ctrl-C and its like: the first asks a run to end in good order, the second ends it at once."""

import os
import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_AGAIN = 0.5  # seconds: some programs send the same signal to a process and to its group


class Signals:
    """While it is entered, the first signal sets `stop`, and a later one ends the process."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.exit_code = 0
        self._first = 0.0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Signals":
        for name in _NAMES:
            number = getattr(signal, name, None)
            # What is ignored stays so: `nohup` wants that.
            if number is not None and signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if not self.stop.is_set():
            self._first = now
            self.exit_code = 128 + number  # what a shell says of a program that a signal ended
            self.stop.set()
        elif now - self._first > _AGAIN:
            # An exception would wait for the threads at work; files are whole or not there.
            os._exit(128 + number)
