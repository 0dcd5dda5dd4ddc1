"""Let the engine call Python functions that take the place of its operators."""

from collections.abc import Callable, Collection
from typing import Any, Protocol

from dsgec.engine.library import Library
from dsgec.engine.values import NativeGenotype
from dsgec.random import Stream

OPERATORS = ("select", "cross", "mutate")
_FAILED = -1


class OperatorCalls(Protocol):
    """The functions that an engine calls; each draws from the stream of the child."""

    def select(self, stream: Stream) -> int:
        """Return the number of a parent."""

    def cross(
        self, mother: int, father: int, stream: Stream
    ) -> tuple[NativeGenotype, NativeGenotype]:
        """Return two children of the parents with these numbers."""

    def mutate(self, genotype: NativeGenotype, stream: Stream) -> NativeGenotype:
        """Return a mutant."""


class NativeOperators:
    """The pointers to Python functions in the settings of an engine.

    The engine cannot pass on what a function raises: `error` has it, and the engine fails.
    """

    def __init__(self, library: Library, calls: OperatorCalls, used: Collection[str]) -> None:
        self._ffi, self._calls = library.ffi, calls
        self.error: BaseException | None = None
        self._kept: dict[str, list[Any]] = {}  # what the engine reads until the next call
        fields = dict(self._ffi.typeof("dsgec_engine_settings").fields)
        made: dict[str, Callable[..., int]] = {
            "select": self._select,
            "cross": self._cross,
            "mutate": self._mutate,
        }
        self.pointers = {
            name: self._ffi.callback(fields[name].type, self._guard(made[name]))
            if name in used
            else self._ffi.NULL
            for name in OPERATORS
        }

    def _guard(self, function: Callable[..., int]) -> Callable[..., int]:
        def guarded(*arguments: Any) -> int:
            if self.error is not None:
                return _FAILED
            try:
                return function(*arguments)
            except BaseException as error:
                self.error = error
                return _FAILED

        return guarded

    def raise_error(self) -> None:
        """Raise what a function has raised, if any has."""
        error, self.error = self.error, None
        if error is not None:
            raise error

    def _select(self, state: Any) -> int:
        stream = _stream_at(state)
        number = self._calls.select(stream)
        state[0] = stream.state
        return number

    def _cross(self, mother: int, father: int, state: Any, children: Any) -> int:
        stream = _stream_at(state)
        pair = self._calls.cross(mother, father, stream)
        state[0] = stream.state
        self._kept["cross"] = [
            kept for number, one in enumerate(pair) for kept in self._fill(children[number], one)
        ]
        return 0

    def _mutate(self, before: Any, state: Any, after: Any) -> int:
        stream = _stream_at(state)
        genotype = {}
        for gene in before.genes[0 : before.count]:
            values = self._ffi.unpack(before.values + gene.start, gene.length)
            genotype[gene.rule, gene.part] = tuple(values)
        mutant = self._calls.mutate(genotype, stream)
        state[0] = stream.state
        self._kept["mutate"] = self._fill(after, mutant)
        return 0

    def _fill(self, struct: Any, genotype: NativeGenotype) -> list[Any]:
        """Fill a struct with a genotype, and return the memory that it refers to."""
        genes: list[dict[str, int]] = []
        values: list[int] = []
        for (rule, part), own in sorted(genotype.items()):
            genes.append({"rule": rule, "part": part, "start": len(values), "length": len(own)})
            values += own
        kept = [
            self._ffi.new("dsgec_engine_gene[]", genes),
            self._ffi.new("int32_t[]", values),
        ]
        struct.genes, struct.values = kept
        struct.count = len(genes)
        return kept


def _stream_at(state: Any) -> Stream:
    """Return the stream that the engine has reached."""
    stream = Stream(0, 0, 0)
    stream.state = int(state[0])
    return stream
