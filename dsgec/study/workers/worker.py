"""What a worker of a cluster does: hold values that many calls share, and call functions of dsgec.

Functions come by name and values as data, as dask pickles them; a worker that has another dsgec
than the one that asks says so before it computes anything.
"""

import hashlib
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from dsgec import __version__
from dsgec.errors import DsgecError
from dsgec.resources import TEMPLATES
from dsgec.study.workers.calls import Shared

MOST_HELD = 256
"""Values; beyond it the one that was used longest ago goes, and is sent again when it is missed."""

_CODE = (".py", ".lark", ".j2")


@dataclass(frozen=True, slots=True)
class Missing:
    """What a call gives in the place of its result on a worker that does not hold all it needs."""

    worker: str
    digests: tuple[str, ...]


class OtherVersion(DsgecError):
    """The worker's dsgec is not the one of whoever asks."""


class Abandoned(Exception):
    """A call ended early, because its result seemed to be wanted no more."""


_held: OrderedDict[str, Any] = OrderedDict()
_lock = threading.Lock()
_at_drop: list[Callable[[], None]] = []


@cache
def identity() -> str:
    """The version and a digest of the code, which a checkout changes more often than its version.

    It is that of the files when it is first asked for, so that a process whose files were replaced
    under it does not pass for a new one.
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


def hold(values: Mapping[str, Any]) -> None:
    """Keep values, by their digests, for the calls to come."""
    with _lock:
        _held.update(values)
        while len(_held) > MOST_HELD:
            _held.popitem(last=False)


def drop(digests: Iterable[str]) -> None:
    """Let values go, and what was made of them."""
    with _lock:
        for digest in digests:
            _held.pop(digest, None)
    for forget in _at_drop:
        forget()


def at_drop(forget: Callable[[], None]) -> None:
    """Have a function called when values go: for a module that keeps what it made of them."""
    _at_drop.append(forget)


def call(expected: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call the function with the shared values in their places, if this is the dsgec expected."""
    if identity() != expected:
        raise OtherVersion(*other_version(_address(), identity(), expected))
    found: list[Any] = []
    missing = []
    with _lock:
        for argument in arguments:
            if not isinstance(argument, Shared):
                found.append(argument)
            elif argument.digest in _held:
                _held.move_to_end(argument.digest)
                found.append(_held[argument.digest])
            else:
                missing.append(argument.digest)
    return Missing(_address(), tuple(missing)) if missing else function(*found)


def other_version(worker: str, has: str, expected: str) -> tuple[str, str]:
    """What is said of a worker with another dsgec, and what to do."""
    return (
        f"the worker {worker} has dsgec {has}, and here it is {expected}",
        "Install the same dsgec on every worker, and start the workers again.",
    )


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)


def is_abandoned() -> Callable[[], bool]:
    """For the current call: a function that says whether nobody waits for it any more."""
    if "distributed" not in sys.modules:
        return lambda: False  # a process of a crew: it is ended together with its call
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
