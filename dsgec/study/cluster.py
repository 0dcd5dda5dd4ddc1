"""Call functions on the workers of a dask cluster, which must all have this dsgec.

dask itself makes a call again when the worker that made it is lost.
"""

import asyncio
import contextlib
import hashlib
import importlib.util
import logging
import sys
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, InvalidStateError
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from dsgec import __version__
from dsgec.errors import DsgecError, Fault, counted, reason
from dsgec.resources import TEMPLATES

_CODE = (".py", ".lark")
_MOST_FAULTS = 5
_SECONDS_TO_CONNECT = 5.0
_SECONDS_OF_KNOWING = 2.0
_SECONDS_TO_CLOSE = 3.0


class OtherVersion(DsgecError):
    """The worker's dsgec is not the caller's."""


class AbandonedCall(Exception):
    """A call ended early, because it has been given up."""


class Cluster:
    """A connection to a scheduler; `connect` makes one. For one thread."""

    def __init__(self, client: Any, address: str) -> None:
        self.address = address
        self._client = client
        self._unfinished: set[Future[Any]] = set()
        self._known: tuple[float, int, int] | None = None
        self._checked: frozenset[str] = frozenset()

    @property
    def threads(self) -> int:
        """Return how many calls the workers can make at once."""
        return self._size()[1]

    @property
    def want(self) -> str:
        """Return a request to the user to start workers, or "" if there are some."""
        if self.threads:
            return ""
        return f"no worker: runs wait until `dask worker {self.address}` starts one"

    def __str__(self) -> str:
        workers, threads = self._size()
        return f"{self.address}: {counted(workers, 'worker')}, {counted(threads, 'thread')}"

    def submit(self, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """Submit the call of a function of dsgec to a worker; its arguments are data."""
        future: Future[Any] = Future()
        key = f"{function.__name__}-{uuid.uuid4().hex}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a large table travels with each call
                task = self._client.submit(
                    call_here, identity(), function, *arguments, key=key, pure=False
                )
        except Exception as error:
            raise self._explain(error) from error

        def settle(_: Any) -> None:
            with contextlib.suppress(InvalidStateError):  # it was cancelled
                try:
                    future.set_result(task.result())
                except Exception as error:
                    future.set_exception(self._explain_failure(error))

        def release(_: Any) -> None:
            self._unfinished.discard(future)
            if future.cancelled():
                with contextlib.suppress(Exception):  # the scheduler has gone, and the call with it
                    self._client.cancel([task], force=True, asynchronous=True)

        self._unfinished.add(future)
        future.add_done_callback(release)
        task.add_done_callback(settle)
        return future

    def close(self) -> None:
        """Give up the unfinished calls; functions that look at `is_abandoned` end soon after."""
        for future in list(self._unfinished):
            future.cancel()
        with contextlib.suppress(Exception):
            self._client.close(timeout=_SECONDS_TO_CLOSE)

    def check_workers(self, addresses: Iterable[str] | None = None) -> None:
        """Raise an error if workers, all or these, have no dsgec or another one."""
        chosen = None if addresses is None else list(addresses)
        try:
            answers = self._client.run(identity, on_error="return", workers=chosen) or {}
        except Exception as error:
            raise self._explain(error) from error
        faults = []
        for address, answer in sorted(answers.items()):
            if isinstance(answer, OSError):
                continue  # it has just gone
            if isinstance(answer, Exception):
                faults.append(
                    Fault(
                        f"the worker {address} has no dsgec, or an old one: {answer}",
                        f"Install dsgec {identity()} for the Python that runs the worker.",
                    )
                )
            elif answer != identity():
                faults.append(_other_version(address, answer, identity()))
        if faults:
            raise DsgecError(faults[:_MOST_FAULTS])

    def _size(self) -> tuple[int, int]:
        """Return the number of workers and of their threads; new workers are checked."""
        now = time.monotonic()
        if self._known is None or now - self._known[0] > _SECONDS_OF_KNOWING:
            try:
                threads = self._client.nthreads()
            except Exception as error:
                raise self._explain(error) from error
            self._known = now, len(threads), sum(threads.values())
            if new := threads.keys() - self._checked:
                self.check_workers(new)  # a call would raise, too, but not where there is no dsgec
            self._checked = frozenset(threads)
        return self._known[1:]

    def _explain_failure(self, error: Exception) -> Exception:
        """Return the error of a call as a user can understand it."""
        from distributed import KilledWorker

        if isinstance(error, DsgecError):
            return error
        try:
            if self._client.status != "running":
                return self._lost_scheduler_error()
            self.check_workers()  # on another dsgec, a call can fail in any way
        except DsgecError as wrong:
            return wrong
        if isinstance(error, KilledWorker | CancelledError | AbandonedCall):
            return DsgecError(
                f"every worker that it was given to died or lost it ({type(error).__name__})",
                "Look at the workers' logs: they may have too little memory for it, or no dsgec.",
            )
        return DsgecError(
            f"a worker failed: {type(error).__name__}: {error}", "The worker's own log has more."
        )

    def _explain(self, error: Exception) -> DsgecError:
        """Return an error in talking to the scheduler as a user can understand it."""
        if isinstance(error, DsgecError):
            return error
        if self._client.status != "running" or isinstance(error, OSError | CancelledError):
            return self._lost_scheduler_error()
        return DsgecError(f"the cluster {self.address}: {type(error).__name__}: {error}")

    def _lost_scheduler_error(self) -> DsgecError:
        return DsgecError(
            f"the scheduler of the cluster {self.address} is gone",
            "What has finished is kept: start the cluster and the command again.",
        )


@cache
def identity() -> str:
    """Return the version and a digest of the code, which changes more often than the version.

    It is the digest when it is first asked for, so that a process whose files were replaced does
    not pass for a new one.
    """
    digest = hashlib.sha256()
    for start, folder in (("", files("dsgec")), ("templates/", TEMPLATES)):
        for name, data in sorted(_contents(folder, start)):
            if start or (name.endswith(_CODE) and not name.startswith("templates/")):
                digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return f"{__version__} ({digest.hexdigest()[:12]})"


def _contents(folder: Traversable, start: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _contents(entry, f"{start}{entry.name}/")
        elif not entry.name.endswith((".pyc", ".so")):
            yield start + entry.name, entry.read_bytes()


def call_here(expected: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function on a worker, if this is the dsgec that the caller expects."""
    if identity() != expected:
        from distributed import get_worker

        raise OtherVersion([_other_version(get_worker().address, identity(), expected)])
    return function(*arguments)


def _other_version(worker: str, has: str, expected: str) -> Fault:
    return Fault(
        f"the worker {worker} has dsgec {has}, and here it is {expected}",
        "Install the same dsgec on every worker, and start the workers again.",
    )


def is_abandoned() -> Callable[[], bool]:
    """Return a function that returns whether the current call has been given up."""
    if "distributed" not in sys.modules:
        return lambda: False  # a process of this machine: it is ended together with its call
    from distributed import get_worker

    try:
        worker = get_worker()
    except ValueError:  # somebody has imported it without need
        return lambda: False
    key, tasks = worker.get_current_task(), worker.state.tasks

    def abandoned() -> bool:
        task = tasks.get(key)
        return task is None or task.state == "cancelled"

    return abandoned


def connect(address: str) -> Cluster:
    """Connect to a cluster; raise an error if nothing answers or a worker has another dsgec."""
    if importlib.util.find_spec("distributed") is None:
        raise DsgecError(
            "a cluster needs dask.distributed", "`pip install 'dsgec[cluster]'` brings it."
        )
    import distributed

    _silence_dask()
    kind = asyncio.run(_ask_kind(address))
    if kind != "Scheduler":
        raise DsgecError(
            f"what answers at {address} is not the scheduler of a cluster, but a {kind}",
            "Give the address that `dask scheduler` prints.",
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other versions of dask's parts, which may well do
        try:
            client = distributed.Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except Exception as error:
            raise _unreachable(address, error) from error
    cluster = Cluster(client, address)
    try:
        cluster.check_workers()
    except BaseException:
        cluster.close()
        raise
    return cluster


def _silence_dask() -> None:
    """Keep dask's own messages back: we report lost connections ourselves, where it matters."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":  # several have a level of their own
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


async def _ask_kind(address: str) -> str:
    """Return the kind of the server at an address; a client alone is slow to give up."""
    from distributed.core import rpc
    from distributed.security import Security

    async def ask() -> Any:
        arguments = Security().get_connection_args("client")
        async with rpc(address, timeout=_SECONDS_TO_CONNECT, connection_args=arguments) as remote:
            return await remote.identity()

    try:
        answer = await asyncio.wait_for(ask(), _SECONDS_TO_CONNECT)
        return str(answer["type"])[:40]
    except Exception as error:
        raise _unreachable(address, error) from error


def _unreachable(address: str, error: Exception) -> DsgecError:
    cause = "" if isinstance(error, TimeoutError) else f": {reason(error)}"
    return DsgecError(
        f"no scheduler of a dask cluster answers at `{address[:200]}`{cause[:300]}",
        "`dask scheduler` starts one and prints its address, tcp://HOST:PORT, and"
        " `dask worker ADDRESS` a worker; tls:// needs dask's settings for TLS.",
    )
