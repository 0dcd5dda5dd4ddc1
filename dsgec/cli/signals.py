"""Ctrl-C and its like, for a run and for a study."""

import os
import signal
import threading
import time
from abc import ABC, abstractmethod
from types import FrameType, TracebackType
from typing import Any, Self

from dsgec.cli.output import EXIT_INTERRUPTED

_AGAIN = 0.5  # seconds: some programs send the same signal to a process and to its group


class _Handled(ABC):
    """While it is entered, these signals are handled here."""

    names: tuple[str, ...]

    def __init__(self) -> None:
        self.exit_code = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for name in self.names:
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

    @abstractmethod
    def _handle(self, number: int, frame: FrameType | None) -> None: ...


class Interrupts(_Handled):
    """SIGTERM and SIGHUP interrupt as Ctrl-C does: by a KeyboardInterrupt."""

    names = ("SIGTERM", "SIGHUP")

    def __init__(self) -> None:
        super().__init__()
        self.exit_code = EXIT_INTERRUPTED

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.exit_code = 128 + number
        raise KeyboardInterrupt


class Signals(_Handled):
    """The first sets `stop`, for a run to end in good order; a later one ends the process."""

    names = ("SIGINT", "SIGTERM", "SIGHUP")

    def __init__(self) -> None:
        super().__init__()
        self.stop = threading.Event()
        self._first = 0.0

    def _handle(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if not self.stop.is_set():
            self._first = now
            self.exit_code = 128 + number  # what a shell says of a program that a signal ended
            self.stop.set()
        elif now - self._first > _AGAIN:
            # An exception would wait for the threads at work; files are whole or not there.
            os._exit(128 + number)
