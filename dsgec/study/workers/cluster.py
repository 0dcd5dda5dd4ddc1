"""Calls to results: sent to whichever worker is free, and sent again where a worker was lost."""

import contextlib
import queue
import time
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

from dsgec.errors import DsgecError, Fault, counted
from dsgec.study.workers import worker
from dsgec.study.workers.calls import MOST_RESTARTS, PendingCall, Shared
from dsgec.study.workers.worker import Missing

_MOST_SENDINGS = 100
_SECONDS_OF_KNOWING = 2.0
_SECONDS_TO_CLOSE = 3.0
_MOST_FAULTS = 5


@dataclass(slots=True, eq=False)
class Sent(PendingCall):
    """A call, and what is known of it on the cluster."""

    future: Any = None
    is_fetched: bool = False
    sendings: int = 0


class Cluster:
    """A connection to a scheduler; `dsgec.study.workers.connect` makes one. For one thread."""

    def __init__(self, client: Any, address: str) -> None:
        self.address = address
        self._client = client
        self._ended: queue.SimpleQueue[Sent] = queue.SimpleQueue()
        self._under_way: set[Sent] = set()
        self._values: dict[str, Any] = {}
        self._digests: dict[int, Shared] = {}
        self._known: tuple[float, int, int] | None = None
        self._checked: frozenset[str] = frozenset()

    @property
    def workers(self) -> int:
        """How many workers there are."""
        return self._size()[0]

    @property
    def threads(self) -> int:
        """How many calls the workers can make at once."""
        return self._size()[1]

    @property
    def want(self) -> str:
        """What is to be done where there is no worker."""
        if self.threads:
            return ""
        return f"no worker: runs wait until `dask worker {self.address}` starts one"

    def __str__(self) -> str:
        workers, threads = self._size()
        return f"{self.address}: {counted(workers, 'worker')}, {counted(threads, 'thread')}"

    def share(self, value: Any) -> Shared:
        """A handle for a value that goes to each worker once, to be given as an argument."""
        from dask.base import tokenize

        if id(value) not in self._digests:
            shared = Shared(tokenize(value))
            if shared.digest not in self._values:
                self._run(worker.hold, {shared.digest: value})
            self._values[shared.digest] = value
            self._digests[id(value)] = shared
            self._values[f"{shared.digest} {id(value)}"] = value  # so that no other gets its id
        return self._digests[id(value)]

    def submit(self, function: Callable[..., Any], *arguments: Any) -> PendingCall:
        """Have a function of dsgec called on a worker; its arguments are data or handles."""
        call = Sent(function, arguments)
        self._under_way.add(call)
        self._start(call)
        return call

    def ended(self, seconds: float) -> list[Sent]:
        """The calls that have ended since it was last asked; none if none does so in time."""
        until = time.monotonic() + seconds
        found: list[Sent] = []
        while not found:
            try:
                answered = [self._ended.get(timeout=max(until - time.monotonic(), 0.0))]
            except queue.Empty:
                self._require_scheduler()
                break
            while not self._ended.empty():
                answered.append(self._ended.get())
            calls = [call for call in answered if call in self._under_way]
            self._fetch(calls)
            found = [call for call in calls if self._is_settled(call)]
        for call in found:
            self._under_way.discard(call)
            call.future = None
        return found

    def cancel(self, calls: Iterable[PendingCall]) -> None:
        """Give calls up; a function that looks at `is_abandoned` ends soon after."""
        given_up = [c for c in calls if isinstance(c, Sent) and c in self._under_way]
        self._under_way.difference_update(given_up)
        futures = [call.future for call in given_up if call.future is not None]
        if futures:
            with contextlib.suppress(Exception):  # the scheduler has gone, and they with it
                self._client.cancel(futures, force=True)

    def close(self) -> None:
        """Give up the unfinished calls, and let the workers' copies of shared values go."""
        self.cancel(list(self._under_way))
        with contextlib.suppress(Exception):
            if self._values and self._client.status == "running":
                self._client.run(worker.drop, list(self._values), on_error="ignore")
        with contextlib.suppress(Exception):
            self._client.close(timeout=_SECONDS_TO_CLOSE)

    def check_workers(self, addresses: Iterable[str] | None = None) -> None:
        """Refuse workers, all or these, that have no dsgec, or another than this."""
        expected = worker.identity()
        faults = []
        chosen = None if addresses is None else list(addresses)
        for address, answer in sorted(self._run(worker.identity, workers=chosen).items()):
            if isinstance(answer, OSError):
                continue  # it has just gone
            if isinstance(answer, Exception):
                faults.append(
                    Fault(
                        f"the worker {address} has no dsgec, or an old one: {answer}",
                        f"Install dsgec {expected} for the Python that runs the worker.",
                    )
                )
            elif answer != expected:
                faults.append(Fault(*worker.other_version(address, answer, expected)))
        if faults:
            raise DsgecError(faults[:_MOST_FAULTS])

    def _start(self, call: Sent) -> None:
        call.is_fetched = False
        try:
            call.future = self._client.submit(
                worker.call,
                worker.identity(),
                call.function,
                *call.arguments,
                key=f"{call.function.__name__}-{uuid.uuid4().hex}",
                pure=False,
            )
        except Exception as error:
            raise self._told(error) from error
        call.future.add_done_callback(lambda _: self._ended.put(call))

    def _fetch(self, calls: list[Sent]) -> None:
        """Get many results by one question, where all is well with them."""
        good = [call for call in calls if call.future.status == "finished"]
        if len(good) > 1:
            with contextlib.suppress(Exception):  # then each is asked for, and raises what it was
                values = self._client.gather([call.future for call in good])
                for call, value in zip(good, values, strict=True):
                    call.value, call.is_fetched = value, True

    def _is_settled(self, call: Sent) -> bool:
        """Take the outcome of a call; False if it was sent again."""
        from distributed import KilledWorker

        try:
            value = call.value if call.is_fetched else call.future.result()
        except (KilledWorker, CancelledError, worker.Abandoned) as error:
            self._require_scheduler()
            self.check_workers()
            call.restarts += 1
            if call.restarts <= MOST_RESTARTS:
                self._start(call)
                return False
            call.error = _given_up(error)
        except worker.OtherVersion:
            raise
        except DsgecError as error:
            call.error = error
        except Exception as error:
            self._require_scheduler()
            self.check_workers()  # on another dsgec, a call can fail in any way
            call.error = DsgecError(
                f"a worker failed: {type(error).__name__}: {error}",
                "The worker's own log has more.",
            )
        else:
            if isinstance(value, Missing):
                self._send(call, value)
                return False
            call.value = value
        return True

    def _send(self, call: Sent, missing: Missing) -> None:
        """Send a worker what it lacks, and the call once more to whoever is free."""
        call.sendings += 1
        if call.sendings > _MOST_SENDINGS:
            raise DsgecError(
                f"the worker {missing.worker} does not keep what is sent to it",
                "Look at its log: it may have too little memory.",
            )
        values = {digest: self._values[digest] for digest in missing.digests}
        self._run(worker.hold, values, workers=[missing.worker])
        self._start(call)

    def _run(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> dict[str, Any]:
        """Call a function on all workers, or some; an error stands in the place of its result."""
        try:
            found = self._client.run(function, *arguments, on_error="return", **options)
        except Exception as error:
            raise self._told(error) from error
        return dict(found or {})

    def _size(self) -> tuple[int, int]:
        now = time.monotonic()
        if self._known is None or now - self._known[0] > _SECONDS_OF_KNOWING:
            try:
                threads = self._client.nthreads()
            except Exception as error:
                raise self._told(error) from error
            self._known = now, len(threads), sum(threads.values())
            if new := threads.keys() - self._checked:
                self.check_workers(new)  # a call would raise, too, but not where there is no dsgec
            self._checked = frozenset(threads)
        return self._known[1:]

    def _require_scheduler(self) -> None:
        if self._client.status != "running":
            raise self._gone()

    def _told(self, error: Exception) -> DsgecError:
        """What an error in talking to the scheduler comes to."""
        if isinstance(error, DsgecError):
            return error
        if self._client.status != "running" or isinstance(error, OSError | CancelledError):
            return self._gone()
        return DsgecError(f"the cluster {self.address}: {type(error).__name__}: {error}")

    def _gone(self) -> DsgecError:
        return DsgecError(
            f"the scheduler of the cluster {self.address} is gone",
            "What has finished is kept: start the cluster and the command again.",
        )


def _given_up(error: Exception) -> DsgecError:
    return DsgecError(
        f"every worker that it was given to died or lost it ({type(error).__name__})",
        "Look at the workers' logs: they may have too little memory for it, or no dsgec.",
    )
