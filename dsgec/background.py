"""Run a function in a thread beside the caller's own work."""

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
