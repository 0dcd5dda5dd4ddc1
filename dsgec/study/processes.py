"""Call functions in processes of this machine, each call in a process that can be lost.

Python's lock lets one thread at a time work, and much of a run is Python: its exports, its page,
all of it where no compiler is. So runs go over processes. `concurrent.futures` has a pool of them,
but there a killed process takes the calls of all others with it; here it costs one call, which is
made again.
"""

import atexit
import contextlib
import importlib
import multiprocessing
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, Protocol

from dsgec.engine import cache
from dsgec.errors import DsgecError, reason

MOST_RESTARTS = 2
"""How often a call is made again after the process that made it was lost."""

stop = threading.Event()
"""Set in a process whose calls should end early, with what they have."""

_SPAWN = multiprocessing.get_context("spawn")  # a fork could copy a lock that is held
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_STOP = b""
_GONE = (EOFError, OSError)

_listeners: list[Callable[[str, Any], None]] = []


def remark(text: str) -> None:
    """Send a message for the user from within a call."""
    for listener in _listeners:
        listener("remark", text)


def begin() -> None:
    """Start the time of `submit_within`, from within a call that has imported what it needs."""
    for listener in _listeners:
        listener("begin", None)


class Workers(Protocol):
    """Processes here, or the workers of a cluster, that call functions; for one thread."""

    @property
    def threads(self) -> int:
        """Return how many calls can be made at once."""

    @property
    def want(self) -> str:
        """Return a request to the user that must be met before any call, or "" if there is none."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """Submit the call of a function of dsgec; its arguments are data that can be pickled."""

    def close(self) -> None:
        """Give up the unfinished calls, and release everything."""


class Processes:
    """Up to `threads` processes, each of which makes one call at a time.

    With the name of a `module` that calls will need, the processes start at once and import it
    while the caller continues; otherwise each starts when there is a call for it. `on_remark` is
    called with the messages of calls, by other threads. A call is made again after a lost process
    at most so often as `restarts` says.
    """

    def __init__(self, threads: int, module: str = "", restarts: int = MOST_RESTARTS) -> None:
        self.threads, self.want = threads, ""
        self._restarts = restarts
        self.on_remark: Callable[[str], None] = lambda text: None
        self._module = module
        self._waiting: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self._attendants: list[threading.Thread] = []
        self._submitted = 0
        self._processes: set[_Process] = set()
        self._lock = threading.Lock()  # of the processes, and of whether there may be more
        self._is_stopped = self._is_closed = False
        resource_tracker.ensure_running()  # it changes the signals of the thread that starts it
        atexit.register(self.close)  # multiprocessing would wait for them
        for _ in range(threads if module else 0):
            self._add_attendant()

    def __str__(self) -> str:
        return "1 process" if self.threads == 1 else f"{self.threads} processes"

    def submit(self, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """Submit the call of a function of dsgec; its arguments are data that can be pickled."""
        return self.submit_within(None, function, *arguments)

    def submit_within(
        self, seconds: float | None, function: Callable[..., Any], *arguments: Any
    ) -> "Future[Any]":
        """Submit a call whose process is killed so many seconds after `begin`.

        It then raises TimeoutError.
        """
        call = _Call(function, arguments, seconds)
        self._waiting.put(call)
        self._submitted += 1
        if len(self._attendants) < min(self.threads, self._submitted):
            self._add_attendant()
        return call.future

    def _add_attendant(self) -> None:
        attendant = threading.Thread(target=self._attend, daemon=True)
        try:
            attendant.start()
        except RuntimeError as error:  # the system has no more; one is enough
            if not self._attendants:
                raise DsgecError("no thread could be started", "Try fewer --jobs.") from error
        else:
            self._attendants.append(attendant)

    def stop(self) -> None:
        """Ask the running calls to end early with what they have."""
        with self._lock:
            self._is_stopped = True
            for process in self._processes:
                process.stop()

    def close(self) -> None:
        """Kill all processes at once."""
        atexit.unregister(self.close)
        with self._lock:
            self._is_closed = True
            for process in self._processes:
                process.kill()
        with contextlib.suppress(queue.Empty):
            while (call := self._waiting.get_nowait()) is not None:
                call.future.cancel()
        for _ in self._attendants:
            self._waiting.put(None)
        for attendant in self._attendants:
            attendant.join()

    def _attend(self) -> None:
        """Make the waiting calls, one after the other, by one process."""
        if hasattr(signal, "pthread_sigmask"):
            # A process inherits it, until it ignores these signals itself.
            signal.pthread_sigmask(signal.SIG_BLOCK, {getattr(signal, name) for name in _SIGNALS})
        process = None
        if self._module:
            with contextlib.suppress(_LostProcess):  # it is tried again when there is a call
                process = self._begin()
        while (call := self._waiting.get()) is not None:
            if call.future.set_running_or_notify_cancel():
                process = self._make(call, process)
        if process is not None:
            self._end(process)

    def _make(self, call: "_Call", process: "_Process | None") -> "_Process | None":
        """Make a call, again if its process is lost; return the process that is there after it."""
        for attempt in range(self._restarts + 1):
            try:
                process = process or self._begin()
                call.future.set_result(process.call(call, self.on_remark))
                return process
            except _LostProcess as error:
                code = self._end(process) if process is not None else 0
                failure = _explain_exit(code) if process is not None else _explain_start(error)
                process = None
                if self._is_closed or attempt == self._restarts:
                    call.future.set_exception(failure)
                    return None
            except _LateProcess:
                assert process is not None
                process.kill()
                self._end(process)
                call.future.set_exception(TimeoutError())
                return None
            except BaseException as error:
                call.future.set_exception(error)
                return process
        return process

    def _begin(self) -> "_Process":
        with self._lock:
            if self._is_closed:
                raise _LostProcess("closed")
            try:
                process = _Process(self._module)
            except OSError as error:
                raise _LostProcess(reason(error)) from error
            self._processes.add(process)
            if self._is_stopped:
                process.stop()
        return process

    def _end(self, process: "_Process") -> int:
        with self._lock:
            self._processes.discard(process)
        return process.end()


class _Call:
    """A function with its arguments, and the future of its result."""

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        seconds: float | None = None,
    ) -> None:
        self.function, self.arguments, self.seconds = function, arguments, seconds
        self.future: Future[Any] = Future()


class _LostProcess(Exception):
    """The process of a call could not be started, or is gone."""


class _LateProcess(Exception):
    """A call takes longer than it may."""


class _Process:
    """A process that makes calls, and the connection to it."""

    def __init__(self, module: str) -> None:
        self._connection, theirs = _SPAWN.Pipe()
        # Its cache may belong to this process alone.
        arguments = (theirs, module, str(cache.folder()))
        self._process = _SPAWN.Process(target=_serve, args=arguments, daemon=True)
        before = os.environ.get("PYTHONSAFEPATH")
        os.environ["PYTHONSAFEPATH"] = "1"  # so that it imports nothing from the current folder
        try:
            self._process.start()
        finally:
            theirs.close()
            if before is None:
                del os.environ["PYTHONSAFEPATH"]
            else:
                os.environ["PYTHONSAFEPATH"] = before
        self._sending = threading.Lock()

    def call(self, call: _Call, on_remark: Callable[[str], None]) -> Any:
        """Make a call and return its result, or raise its error or `_LostProcess`."""
        data = bytes(ForkingPickler.dumps((call.function, call.arguments)))
        failure: Exception | None = None
        limit: float | None = None
        try:
            self._send(data)
            while True:
                if limit is not None and not self._connection.poll(limit):
                    raise _LateProcess
                answer = self._connection.recv_bytes()
                try:
                    kind, value = ForkingPickler.loads(answer)
                except Exception as error:
                    raise RuntimeError(f"an answer cannot be read: {error}") from error
                if kind == "begin":
                    limit = call.seconds
                    continue
                if kind != "remark":
                    break
                try:
                    on_remark(value)
                except Exception as error:
                    failure = error
        except _GONE as error:
            raise _LostProcess(reason(error)) from error
        if failure is not None or kind == "error":
            raise failure or value
        return value

    def _send(self, data: bytes) -> None:
        with self._sending:
            self._connection.send_bytes(data)

    def stop(self) -> None:
        """Ask the running call to end early."""
        with contextlib.suppress(OSError):  # it has ended
            self._send(_STOP)

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()

    def end(self) -> int:
        """End the process, and return its exit code."""
        self._connection.close()
        self._process.join()
        return self._process.exitcode or 0


def _serve(connection: Connection, module: str, cache_folder: str) -> None:
    """Make calls until the connection ends: the main function of a process."""
    for name in _SIGNALS:  # Ctrl-C reaches all processes of a terminal, but is for the caller
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    os.environ["DSGEC_CACHE"] = cache_folder
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # standard output belongs to the caller
    calls: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        with contextlib.suppress(*_GONE):
            while True:
                data = connection.recv_bytes()
                if data == _STOP:
                    stop.set()
                else:
                    calls.put(data)
        os._exit(0)  # the caller is gone; files are whole or not there, so nothing is damaged

    def send(kind: str, value: Any) -> None:
        try:
            data = bytes(ForkingPickler.dumps((kind, value)))
        except Exception as error:
            failure = RuntimeError(f"cannot be sent: {error}: {value!r:.500}")
            data = bytes(ForkingPickler.dumps(("error", failure)))
        connection.send_bytes(data)

    _listeners.append(send)
    _end_with_parent()
    threading.Thread(target=listen, daemon=True).start()
    if module:
        with contextlib.suppress(ImportError):  # which a call will raise
            importlib.import_module(module)
    while True:
        send(*_answer(calls.get()))


def _answer(data: bytes) -> tuple[str, Any]:
    """Make a call, and return its result or its error."""
    try:
        function, arguments = ForkingPickler.loads(data)
        return "result", function(*arguments)
    except BaseException as error:
        if not isinstance(error, DsgecError):
            error.add_note(traceback.format_exc())  # a traceback itself cannot be pickled
        return "error", error


def _end_with_parent() -> None:
    """Ask the system to kill this process with its parent, even while it is stopped."""
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig = 1
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def _explain_start(error: Exception) -> DsgecError:
    return DsgecError(f"no process could be started: {error}", "Try fewer --jobs.")


def _explain_exit(code: int) -> DsgecError:
    """Return the error of a call whose processes ended before it did."""
    if code >= 0:
        return DsgecError(f"the process that made it ended by itself, with exit code {code}")
    name = next((one.name for one in signal.Signals if one == -code), f"signal {-code}")
    return DsgecError(
        f"the process that made it was killed ({name}), and so were those that tried again",
        "There may be too little memory: try fewer --jobs.",
    )
