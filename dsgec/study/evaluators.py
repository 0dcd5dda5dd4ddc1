"""Call a user's fitness function in this process, in others or on a cluster."""

import hashlib
import inspect
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol

from dsgec.errors import DsgecError
from dsgec.search.fitness import Answer, Evaluator, Failure, Function, LocalEvaluator, call_fitness
from dsgec.study.problem_file import ProblemFile
from dsgec.study.processes import Processes, begin

_CHUNKS = 4  # for each process, so that none waits long for the others
_GRACE = 5.0  # seconds until a process is killed that does not stop by itself


class FitnessSource(Protocol):
    """A fitness function that another process can find again."""

    def find(self) -> Function:
        """Return the function."""
        ...


@dataclass(frozen=True, slots=True)
class FileSource:
    """A function in a file, or in a module: `problem.py:fitness`."""

    place: str

    def find(self) -> Function:
        """Return the function."""
        return ProblemFile.load(self.place).fitness


@dataclass(frozen=True, slots=True)
class CallableSource:
    """A function that pickle finds by its name."""

    function: Function

    def find(self) -> Function:
        """Return the function."""
        return self.function


def function_digest(function: Function) -> str:
    """Return a digest of the source of a function; empty if it is not known."""
    try:
        return hashlib.sha256(inspect.getsource(function).encode()).hexdigest()
    except (OSError, TypeError):
        return ""


def functions_digest(functions: Sequence[Function]) -> str:
    """Return a digest of a fitness function and of the operators after it, if there are any."""
    digests = [function_digest(one) for one in functions]
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


class Pool(Protocol):
    """Processes here, or the workers of a cluster."""

    @property
    def threads(self) -> int:
        """Return how many calls can be made at once."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        """Submit the call of a function."""

    def close(self) -> None:
        """Release everything."""


class PoolEvaluator:
    """Calls a fitness function in other processes; whatever happens to one of them, it goes on."""

    def __init__(
        self, source: FitnessSource, pool: Pool, *, batched: bool = False, seconds: float = 0.0
    ) -> None:
        self._source, self._pool = source, pool
        self._batched, self._seconds = batched, seconds
        self.description = f"in {pool}"
        try:
            pool.submit(_find, source).result()
        except Exception as error:
            self.close()
            raise DsgecError(
                "another process cannot call this fitness function:"
                f" {error.faults[0].message if isinstance(error, DsgecError) else error}",
                "It must be a function of a file or a module, without state of its own. A script"
                " that searches with processes must do so behind"
                ' `if __name__ == "__main__":`.',
            ) from error

    def close(self) -> None:
        """End the processes."""
        self._pool.close()

    def __call__(self, phenotypes: Sequence[str]) -> list[Answer]:
        size = max(len(phenotypes) // (_CHUNKS * max(self._pool.threads, 1)), 1)
        chunks = [phenotypes[at : at + size] for at in range(0, len(phenotypes), size)]
        calls = [self._submit(chunk) for chunk in chunks]
        try:
            return [
                answer
                for chunk, call in zip(chunks, calls, strict=True)
                for answer in self._collect(chunk, call)
            ]
        finally:
            for call in calls:
                call.cancel()

    def _submit(self, chunk: Sequence[str]) -> "Future[list[Answer]]":
        arguments = (self._source, [*chunk], self._batched, self._seconds)
        if self._seconds and isinstance(self._pool, Processes):
            most = self._seconds * len(chunk) * (2 if self._batched else 1) + _GRACE
            return self._pool.submit_within(most, _call, *arguments)
        return self._pool.submit(_call, *arguments)

    def _collect(self, chunk: Sequence[str], call: "Future[list[Answer]]") -> list[Answer]:
        """Return the answers of a chunk; if its process was lost, find out by which phenotype."""
        try:
            return call.result()
        except Exception as error:
            if len(chunk) > 1:
                return [self._collect([one], self._submit([one]))[0] for one in chunk]
            if isinstance(error, TimeoutError):
                return [Failure("it took longer than allowed")]
        try:  # again, since something else may have killed the process
            return self._submit(chunk).result()
        except Exception as error:
            if isinstance(error, DsgecError):
                return [Failure(error.faults[0].message.replace("that made it ", ""))]
            return [Failure(f"{type(error).__name__}: {error}"[:200])]


def _find(source: FitnessSource) -> None:
    """Import a fitness function in another process, before the first call."""
    source.find()


def _call(
    source: FitnessSource, phenotypes: list[str], batched: bool, seconds: float
) -> list[Answer]:
    function = source.find()  # on a busy machine, the imports of its module can take long
    begin()
    return call_fitness(function, phenotypes, batched, seconds)


def make_evaluator(
    source: FitnessSource,
    *,
    processes: int = 0,
    cluster: str | None = None,
    batched: bool = False,
    seconds: float = 0.0,
) -> Evaluator:
    """Return an evaluator in this process, in so many others, or on a dask cluster."""
    if cluster is not None:
        from dsgec.study.cluster import connect

        return PoolEvaluator(source, connect(cluster), batched=batched, seconds=seconds)
    if not processes:
        return LocalEvaluator(source.find(), batched=batched, seconds=seconds)
    pool = Processes(processes, "dsgec.study.evaluators", restarts=0)
    return PoolEvaluator(source, pool, batched=batched, seconds=seconds)


def close_evaluator(evaluator: Evaluator) -> None:
    """End the processes of an evaluator, if it has any."""
    if isinstance(evaluator, PoolEvaluator):
        evaluator.close()
