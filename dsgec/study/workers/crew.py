"""Calls to results, by processes of this machine.

Python's lock lets one thread at a time work, and much of a run is Python: its exports, its page,
all of it where no compiler is. So runs go over processes. Each is a fresh interpreter with pipes to
this one, and not a copy of it, which could have copied a lock that was held.
"""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from dsgec.engine import cache
from dsgec.errors import DsgecError, reason
from dsgec.study.workers.calls import MOST_RESTARTS, PendingCall, Shared
from dsgec.study.workers.pipe import GONE, packed, receive, send, unpacked
from dsgec.study.workers.process import STOP, Answer, Question, Remark

MOST_HELD = 32
"""Shared values in a process; beyond it the one that was used longest ago goes."""

# It finds the same modules; a variable of the environment would reach compilers, too.
_START = """
import sys
answers, module = int(sys.argv[1]), sys.argv[2]
sys.path[:] = sys.argv[3:]
from dsgec.study.workers.process import main
main(answers, module)
"""
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class Crew:
    """So many processes, each of which makes one call at a time; for one thread.

    With the name of a `module` that calls will want, the processes start at once, and import it
    while this one continues; otherwise each starts when there is a call for it. `on_remark` is
    called with the messages of calls, by other threads.
    """

    def __init__(self, size: int, module: str = "") -> None:
        self.threads, self.want = size, ""
        self.on_remark: Callable[[str], None] = lambda _: None
        self._module = module
        self._values: list[Any] = []
        self._handles: dict[int, Shared] = {}
        self._waiting: queue.SimpleQueue[PendingCall | None] = queue.SimpleQueue()
        self._ended: queue.SimpleQueue[PendingCall] = queue.SimpleQueue()
        self._under_way: set[PendingCall] = set()
        self._attendants: list[threading.Thread] = []
        self._processes: set[_Process] = set()
        self._lock = threading.Lock()  # of the processes, and whether there may be more
        self._packing = threading.Lock()
        self._is_stopped = self._is_closed = False
        if module:
            for _ in range(size):
                self._add_attendant()

    def __str__(self) -> str:
        return "1 process" if self.threads == 1 else f"{self.threads} processes"

    def share(self, value: Any) -> Shared:
        """A handle for a value that goes to each process once, to be given as an argument."""
        if id(value) not in self._handles:
            self._handles[id(value)] = Shared(str(len(self._values)))
            self._values.append(value)  # and so no other gets its id
        return self._handles[id(value)]

    def submit(self, function: Callable[..., Any], *arguments: Any) -> PendingCall:
        """Have a function of dsgec called; its arguments are data or handles."""
        call = PendingCall(function, arguments)
        self._under_way.add(call)
        self._waiting.put(call)
        if len(self._attendants) < min(self.threads, len(self._under_way)):
            self._add_attendant()
        return call

    def _add_attendant(self) -> None:
        attendant = threading.Thread(target=self._attend, daemon=True)
        try:
            attendant.start()
        except RuntimeError as error:  # the system has no more; one is enough
            if not self._attendants:
                raise DsgecError("no thread could be started", "Try fewer --jobs.") from error
        else:
            self._attendants.append(attendant)

    def ended(self, seconds: float) -> list[PendingCall]:
        """The calls that have ended since it was last asked; none if none does so in time."""
        try:
            found = [self._ended.get(timeout=seconds)]
        except queue.Empty:
            return []
        while not self._ended.empty():
            found.append(self._ended.get())
        found = [call for call in found if call in self._under_way]
        self._under_way.difference_update(found)
        return found

    def cancel(self, calls: Iterable[PendingCall]) -> None:
        """Give calls up: those that have not begun never do, the others end unreported."""
        self._under_way.difference_update(calls)

    def stop(self) -> list[PendingCall]:
        """Ask the running calls to end early with what they have; gives the others, given up."""
        waiting = []
        with contextlib.suppress(queue.Empty):
            while (call := self._waiting.get_nowait()) is not None:
                waiting.append(call)
        self.cancel(waiting)
        with self._lock:
            self._is_stopped = True
            for process in self._processes:
                process.stop()
        return waiting

    def close(self) -> None:
        """End all processes, at once."""
        with self._lock:
            self._is_closed = True
            for process in self._processes:
                process.kill()
        self.cancel(list(self._under_way))
        for _ in self._attendants:
            self._waiting.put(None)
        for attendant in self._attendants:
            attendant.join()

    def _attend(self) -> None:
        """See to one process: it gets the next call that waits, and another takes its place."""
        if hasattr(signal, "pthread_sigmask"):
            # A process inherits it. Ctrl-C reaches all that run in a terminal, but it is for this
            # one to say what becomes of the calls.
            signal.pthread_sigmask(signal.SIG_BLOCK, {getattr(signal, name) for name in _SIGNALS})
        process = None
        if self._module:
            with contextlib.suppress(*GONE):  # it is tried again when there is a call
                process = self._begin()
        while (call := self._waiting.get()) is not None:
            while call in self._under_way:
                try:
                    process = process or self._begin()
                    answer = self._ask(process, call)
                except GONE as error:
                    why = _why(error) if process is None else _how(self._end(process))
                    process = None
                    call.restarts += 1
                    if call.restarts <= MOST_RESTARTS and not self._is_closed:
                        continue
                    call.error = why
                except Exception as error:  # a bug of ours, which no other call is to suffer from
                    if process is not None:
                        process.kill()
                        self._end(process)
                    process, call.error = None, error
                else:
                    call.value, call.error = answer.value, answer.error
                self._ended.put(call)
                break
        if process is not None:
            self._end(process)

    def _begin(self) -> "_Process":
        with self._lock:
            if self._is_closed:
                raise EOFError
            process = _Process(self._module)
            self._processes.add(process)
            if self._is_stopped:
                process.stop()
        return process

    def _ask(self, process: "_Process", call: PendingCall) -> Answer:
        """The result of a call; one of GONE if the process died."""
        wanted = [a.digest for a in call.arguments if isinstance(a, Shared)]
        values = {digest: self._values[int(digest)] for digest in wanted}
        try:
            with self._packing:  # one table at a time
                data = process.question(call, values)
        except Exception as error:
            return Answer(error=error)
        process.send(data)
        failure: Exception | None = None
        while not isinstance(message := process.hear(), Answer):
            try:
                self.on_remark(message.text)
            except Exception as error:
                failure = error
        return message if failure is None else Answer(error=failure)

    def _end(self, process: "_Process") -> int:
        with self._lock:
            self._processes.discard(process)
        return process.end()


class _Process:
    """A process, and what it holds."""

    def __init__(self, module: str) -> None:
        # Not standard output: whatever prints there while it starts would be taken for an answer.
        answers, theirs = os.pipe()
        self._answers = os.fdopen(answers, "rb")
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter
                [sys.executable, "-P", "-c", _START, str(theirs), module, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                env=os.environ | {"DSGEC_CACHE": str(cache.folder())},  # it may be ours alone
                pass_fds=[theirs],
            )
        except BaseException:
            self._answers.close()
            raise
        finally:
            os.close(theirs)
        self._held: OrderedDict[str, None] = OrderedDict()
        self._sending = threading.Lock()

    def question(self, call: PendingCall, values: dict[str, Any]) -> bytes:
        """A call, and of the values that it needs those that are not there; to be sent."""
        new = {digest: value for digest, value in values.items() if digest not in self._held}
        held = self._held | dict.fromkeys(values)
        for digest in values:
            held.move_to_end(digest)
        most = max(MOST_HELD, len(values))
        dropped = tuple(held.popitem(last=False)[0] for _ in range(len(held) - most))
        data = packed(Question(new, dropped, call.function, call.arguments))
        self._held = held
        return data

    def send(self, data: bytes) -> None:
        """Send what was packed."""
        assert self._process.stdin is not None
        with self._sending:
            send(self._process.stdin, data)

    def hear(self) -> Answer | Remark:
        """The next thing that it says; one of GONE when it is gone."""
        data = receive(self._answers)
        try:
            message: Answer | Remark = unpacked(data)
        except Exception as error:
            return Answer(error=RuntimeError(f"an answer cannot be read: {error}"))
        return message

    def stop(self) -> None:
        """Ask the running call to end early."""
        with contextlib.suppress(OSError):  # it has ended
            self.send(STOP)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def end(self) -> int:
        """End it, and wait until it has: how it ended."""
        assert self._process.stdin is not None
        for pipe in (self._process.stdin, self._answers):
            with contextlib.suppress(OSError):  # what was not sent yet cannot be
                pipe.close()
        return self._process.wait()


def _why(error: Exception) -> DsgecError:
    return DsgecError(f"no process could be started: {reason(error)}", "Try fewer --jobs.")


def _how(code: int) -> DsgecError:
    """What is said of processes that ended during a call."""
    if code >= 0:
        return DsgecError(f"the process that made it ended by itself, with exit code {code}")
    name = next((one.name for one in signal.Signals if one == -code), f"signal {-code}")
    return DsgecError(
        f"the process that made it was killed ({name}), and so were those that tried again",
        "There may be too little memory: try fewer --jobs.",
    )
