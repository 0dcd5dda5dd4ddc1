"""A call to its result, by a thread beside what is done until then."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from dsgec.workers.calls import PendingCall

T = TypeVar("T")


def beside(function: Callable[..., T], *arguments: Any) -> Callable[[], T]:
    """Begin the call; what is given waits for its end and gives the result, or raises its error.

    It pays where the time until then is spent outside Python, as by an engine. Nobody has to wait:
    the end of the process ends the call, too.
    """
    call = PendingCall(function, arguments)

    def work() -> None:
        try:
            call.value = function(*arguments)
        except BaseException as error:
            call.error = error

    thread = threading.Thread(target=work, daemon=True)
    thread.start()

    def result() -> T:
        thread.join()
        value: T = call.result()
        return value

    return result
