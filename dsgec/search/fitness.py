"""Call a user's fitness function on phenotypes, and read what it returns.

The phenotype is any text that a grammar derives. dsgec never executes it; the function is the
user's own code. Whatever it does with one phenotype, the others are evaluated all the same.
"""

import math
import os
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol

from dsgec.search.operators import NO_OPERATORS, Operators

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

Function = Callable[[Any], Any]
"""A user's fitness: from a phenotype to its fitness or, if it is batched, from a list to a list."""

_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a phenotype has no fitness."""

    reason: str


Answer = float | tuple[float, ...] | Failure
"""What a fitness function gave for a phenotype: a number, or several of cases or objectives."""


class Evaluator(Protocol):
    """Something that calls a fitness function: in this process or elsewhere.

    The answers depend neither on the order nor on the place of the calls.
    """

    description: str

    def __call__(self, phenotypes: Sequence[str]) -> list[Answer]:
        """Return the answer for each of some different phenotypes."""
        ...


@dataclass(frozen=True, slots=True)
class TextFitness:
    """A user's fitness as a search sees it; `digest` is that of its source.

    With several `objectives`, the values of an answer are these; otherwise they are cases, whose
    sum is the fitness. With `trees`, derivation trees are varied instead of lists. `operators` take
    the place of those of dsgec.
    """

    name: str
    digest: str
    evaluate: Evaluator
    objectives: int = 1
    maximise: bool = False
    trees: bool = True
    operators: Operators = NO_OPERATORS


class LocalEvaluator:
    """Calls a fitness function in this process, by one thread at a time."""

    description = "in this process"

    def __init__(self, function: Function, *, batched: bool = False, seconds: float = 0.0) -> None:
        self._function, self._batched, self._seconds = function, batched, seconds
        self._lock = threading.Lock()

    def __call__(self, phenotypes: Sequence[str]) -> list[Answer]:
        with self._lock:
            return call_fitness(self._function, phenotypes, self._batched, self._seconds)


def call_fitness(
    function: Function, phenotypes: Sequence[str], batched: bool, seconds: float
) -> list[Answer]:
    """Call a fitness function; a call that takes longer than `seconds`, if given, is a failure.

    A batch that fails is called again with one phenotype at a time, to find out which is to blame.
    """
    process = os.getpid()
    with _limited(seconds) as limit:
        if batched:
            answers = _call_batch(function, phenotypes, limit, seconds)
        elif not seconds:
            answers = _call_each(function, phenotypes)
        else:
            answers = [_call(function, one, limit) for one in phenotypes]
    if os.getpid() != process:  # the function has forked, and this is the child
        os._exit(0)
    return answers


def _call_each(function: Function, phenotypes: Sequence[str]) -> list[Answer]:
    """Call a function without limit, with as little as possible around it."""
    values: list[Any] = []
    for phenotype in phenotypes:
        try:
            values.append(function(phenotype))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            values.append(_explain(error))
    return _read_answers(values)


def _read_answers(values: Sequence[Any]) -> list[Answer]:
    """Return what a fitness function gave for each of some phenotypes; failures stay failures."""
    if all(issubclass(kind, float | int) for kind in {*map(type, values)}):
        with suppress(OverflowError):
            numbers = [*map(float, values)]
            if all(map(math.isfinite, numbers)):
                return [*numbers]
    return [value if isinstance(value, Failure) else read_answer(value) for value in values]


def _call(function: Function, phenotype: Any, limit: "_Limit") -> Answer:
    try:
        with limit():
            value = function(phenotype)
        return read_answer(value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return _explain(error)


def _call_batch(
    function: Function, phenotypes: Sequence[str], limit: "_Limit", seconds: float
) -> list[Answer]:
    try:
        with limit(seconds * len(phenotypes)):
            values = [*function([*phenotypes])]
        if len(values) == len(phenotypes):
            return _read_answers(values)
        failure = Failure(f"{len(values)} values for {len(phenotypes)} phenotypes")
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        failure = _explain(error)
    if len(phenotypes) == 1:
        return [failure]
    return [_call_batch(function, [one], limit, seconds)[0] for one in phenotypes]


def read_answer(value: Any) -> Answer:
    """Return what a fitness function gave as a number or numbers, all finite, or as a failure."""
    if isinstance(value, str | bytes | dict) or value is None:
        return Failure(f"the fitness is {type(value).__name__}, not a number")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    else:
        return number if math.isfinite(number) else Failure(f"the fitness is {number}")
    try:
        numbers = tuple(map(float, value))
    except (TypeError, ValueError, OverflowError):
        return Failure(f"the fitness is {type(value).__name__}, not a number")
    if not numbers:
        return Failure("the fitness has no values")
    wrong = next((one for one in numbers if not math.isfinite(one)), None)
    return numbers if wrong is None else Failure(f"one of the values is {wrong}")


def _explain(error: BaseException) -> Failure:
    if isinstance(error, TimeLimit):
        return Failure("it took longer than allowed")
    words = str(error).splitlines()
    reason = f"{type(error).__name__}: {words[0]}" if words else type(error).__name__
    return Failure(reason[:_LONGEST_REASON])


class TimeLimit(BaseException):
    """A call took too long; an `except Exception` of the user's does not catch it."""


_Limit = Callable[..., "AbstractContextManager[None]"]


@contextmanager
def _limited(seconds: float) -> "Iterator[_Limit]":
    """Enter a context with a function whose context raises TimeLimit after some seconds.

    Only the main thread of a process can be interrupted so; elsewhere there is no limit.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not seconds or not is_main or not hasattr(signal, "setitimer"):
        yield lambda *_: nullcontext()
        return
    armed = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        if armed:
            raise TimeLimit

    @contextmanager
    def limit(most: float = seconds) -> "Iterator[None]":
        nonlocal armed
        armed = True
        try:
            # Again and again, in case that it is caught by a bare `except`.
            signal.setitimer(signal.ITIMER_REAL, most, seconds)
            yield
        finally:
            armed = False
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        yield limit
    finally:
        signal.signal(signal.SIGALRM, before)
