"""Run a function in a thread beside the caller's own work, and count processors."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


def beside(function: Callable[..., T], *arguments: Any) -> Callable[[], T]:
    """Start a call, and return a function that waits for it and returns its result or raises.

    It pays where the caller's own time is spent outside Python, as by an engine. Nobody has to
    wait: the thread ends with the process.
    """
    future: Future[T] = Future()

    def work() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return future.result


def processors() -> int:
    """Return the number of processors this process may use; `taskset` or a queue can limit it."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
