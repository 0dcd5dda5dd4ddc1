"""What runs in a process of a crew: calls come by standard input, results go by a pipe.

The process belongs to the one that started it: when that is gone, however it ended, standard input
ends too, and so does this process, at once. Files are whole or not there, so nothing is damaged.
"""

import contextlib
import importlib
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

from dsgec.errors import DsgecError
from dsgec.study.workers.calls import Shared
from dsgec.study.workers.pipe import packed, receive, send, unpacked

STOP = b""
"""In the place of a question: end early."""

stop = threading.Event()
"""Set when calls that can end early, with what they have, should do so."""


@dataclass(frozen=True, slots=True)
class Question:
    """A call, the values to hold from now on, and those to let go."""

    values: dict[str, Any]
    dropped: tuple[str, ...]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """A message for the user, while the call continues."""

    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call gave, or the error that it ended with."""

    value: Any = None
    error: BaseException | None = None


_remarks: list[Callable[[Remark], None]] = []


def remark(text: str) -> None:
    """Tell the user something, from within a call."""
    for tell in _remarks:
        tell(Remark(text))


def main(descriptor: int, module: str) -> None:
    """Answer questions until there are no more; the answers go to this descriptor.

    A `module` is imported before the first of them, which will want it.
    """
    answers = os.fdopen(descriptor, "wb")

    def tell(message: Remark | Answer) -> None:
        try:
            data = packed(message)
        except Exception as error:
            data = packed(Answer(error=_unsendable(error, message)))
        send(answers, data)

    _remarks.append(tell)
    questions: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    messages = sys.stdin.buffer
    try:
        threading.Thread(target=_listen, args=(messages, questions), daemon=True).start()
    except RuntimeError:
        receive(messages)
        tell(Answer(error=DsgecError("no thread could be started", "Try fewer --jobs.")))
        return
    _end_with_parent()
    if module:
        with contextlib.suppress(ImportError):  # which a question will raise
            importlib.import_module(module)
    held: dict[str, Any] = {}
    while True:
        tell(_answer(questions.get(), held))


def _answer(data: bytes, held: dict[str, Any]) -> Answer:
    try:
        question: Question = unpacked(data)
        for digest in question.dropped:
            held.pop(digest, None)
        held |= question.values
        arguments = [held[a.digest] if isinstance(a, Shared) else a for a in question.arguments]
        return Answer(question.function(*arguments))
    except BaseException as error:
        if not isinstance(error, DsgecError):  # whoever has to mend this wants to know where it was
            error.add_note(traceback.format_exc())  # a traceback itself does not travel
        return Answer(error=error)


def _end_with_parent() -> None:
    """Have the system end this process, too: one that was stopped does not see its input end."""
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig = 1
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def _unsendable(error: Exception, message: object) -> RuntimeError:
    return RuntimeError(f"cannot be sent: {error}: {message!r:.500}")


def _listen(messages: IO[bytes], questions: "queue.SimpleQueue[bytes]") -> None:
    try:
        while True:
            data = receive(messages)
            if data == STOP:
                stop.set()
            else:
                questions.put(data)
    except EOFError:
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
