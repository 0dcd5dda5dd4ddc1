"""Ctrl-C and its like: the first asks a run to end in good order, the second ends it at once."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Signals:
    """While it is entered, the first signal sets `stop`, and any other raises KeyboardInterrupt."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.exit_code = 0
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
        if self.stop.is_set():
            raise KeyboardInterrupt
        self.exit_code = 128 + number  # what a shell says of a program that a signal ended
        self.stop.set()
