"""The source of an engine to an object that runs generations, outside Python and its lock."""

import hashlib
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.native.library import Library, load
from dsgec.native.toolchain import CompileError, Toolchain

NATIVE = ("-O2", "-fno-trapping-math", "-pthread", "-march=native")
"""As fast as -O3, with what it takes for vectors, and compiled in two thirds of the time."""
PORTABLE = ("-O2",)
GCC_VECTORS = ("-ftree-loop-vectorize", "-fvect-cost-model=dynamic", "-fno-tree-slp-vectorize")

MEMORY, LAYERS, THREADS, STATE, CALL = range(1, 6)
_FAILURES = {
    MEMORY: "there is not enough memory",
    LAYERS: "a network has more than 32,000 layers",
    THREADS: "the threads could not be started",
    STATE: "the saved state is not one of this run",
    CALL: "the engine was called wrongly",
}
TIMES = ("mapping", "breeding", "parsing", "evaluating")
FAULTS = ("", "too large", "exhausted")
OUTCOMES = ("scored", "not finite", "no network")


class EngineError(Exception):
    """The engine could not go on; `code` is one of the numbers above."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(_FAILURES.get(code, f"error {code}"))


@dataclass(frozen=True, slots=True)
class Parameters:
    """The numbers of `dsgec_engine_settings` that are no tables."""

    seed: int
    population: int
    tournament: int
    elites: int
    max_size: int
    threads: int
    connect_all: int
    codons: int
    wraps: int
    memory: int
    crossover: float
    mutation: float
    classes: int


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """What is learnt from: a column a feature, the rows in groups that whole lanes are filled of.

    `groups` has the first row of each group and how many of its rows count; `single` is the target
    of a lone output, `each` has one for each class. `places` has where each row has come to stand.
    """

    columns: NDArray[np.float64]
    single: NDArray[np.float64]
    each: NDArray[np.float64]
    groups: tuple[tuple[int, int], ...]
    places: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Row:
    """One generation, with the text of its best individual."""

    generation: int
    best: float
    mean: float
    invalid: int
    evaluations: int
    reused: int
    size: int
    text: str


@dataclass(frozen=True, slots=True)
class View:
    """One individual, as in `dsgec.genome.ir`. `fault` is one of FAULTS."""

    genotype: dict[tuple[int, int], tuple[int, ...]]
    phenotype: str
    fitness: float
    fault: str
    invalid: bool


@dataclass(frozen=True, slots=True)
class NativeNetwork:
    """A simplified network: its sizes, as in `dsgec.network.measure`, and its text, in which a
    number is `@` and its bits in hexadecimal."""

    layers: int
    neurons: int
    features: int
    connections: int
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The rows that count of an engine's table, for `dsgec_engine_tally`."""

    places: NDArray[np.int64]
    classes: NDArray[np.int64]
    wanted: NDArray[np.float64]
    class_count: int


@dataclass(frozen=True, slots=True)
class NativeTally:
    """See `dsgec_engine_tally`."""

    outputs: int
    confusion: list[list[int]]
    ranks: list[int]
    squares: float
    distances: float


def load_engine(
    source: str, declarations: str, toolchain: Toolchain, flags: Sequence[str] = NATIVE
) -> Library:
    """Compile for this machine's processor or, where the compiler cannot, for any."""
    if "clang" not in toolchain.identity:
        flags = (*flags, *GCC_VECTORS)
    try:
        # In the text, and so in the key of the cache: the code runs on such processors only.
        return load(f"{source}\n/* for {_processor()} */\n", declarations, toolchain, flags)
    except CompileError:
        return load(source, declarations, toolchain, PORTABLE)


@cache
def _processor() -> str:
    """What tells processors apart that -march=native makes other code for."""
    told = [platform.machine(), platform.processor()]
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        told += sorted({x for x in lines if x.startswith(("flags", "Features", "model name"))})
    except OSError:
        pass
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


class NativeEngine:
    """An engine that has not begun; `step` goes on. It is not to be used by two threads at once."""

    def __init__(self, library: Library, parameters: Parameters, tables: Tables) -> None:
        self._library, self._ffi, self._lib = library, library.ffi, library.functions
        self._tables = tables  # the engine reads them where they are
        ffi = self._ffi
        settings = ffi.new("dsgec_engine_settings *")
        for name in Parameters.__slots__:
            setattr(settings, name, getattr(parameters, name))
        self._groups = ffi.new("dsgec_engine_group[]", list(tables.groups))
        settings.columns = ffi.cast("const double *", tables.columns.ctypes.data)
        settings.single = ffi.cast("const double *", tables.single.ctypes.data)
        settings.each = ffi.cast("const double *", tables.each.ctypes.data)
        settings.features, settings.rows = tables.columns.shape
        settings.groups, settings.row_groups = len(tables.groups), self._groups
        self.population = parameters.population
        error = ffi.new("int *")
        engine = self._lib.dsgec_engine_new(settings, error)
        if engine == ffi.NULL:
            raise EngineError(error[0])
        self._engine: Any = ffi.gc(engine, self._lib.dsgec_engine_free)

    @property
    def generation(self) -> int:
        """The generation that comes next; -1 in the midst of one."""
        return int(self._lib.dsgec_engine_generation(self._engine))

    def step(self, generations: int, seconds: float) -> list[Row]:
        """Go on for so many generations, or until the time is up: those that became whole."""
        self._expect(self._lib.dsgec_engine_step(self._engine, generations, seconds))
        count = self._ffi.new("int64_t *")
        rows = self._lib.dsgec_engine_rows(self._engine, count)
        texts = self._lib.dsgec_engine_texts(self._engine)
        return [self._row(rows[number], texts) for number in range(count[0])]

    def _row(self, row: Any, texts: Any) -> Row:
        text = self._text(texts + row.text_start, row.text_length) if row.text_length else ""
        counts = (row.invalid, row.evaluations, row.reused, row.size)
        return Row(row.generation, row.best, row.mean, *counts, text)

    def times(self) -> dict[str, float]:
        """Seconds spent in mapping, breeding (with mapping), parsing and evaluating, by a build
        with -DDSGEC_TIMED."""
        parts = self._ffi.new("double[]", len(TIMES))
        self._lib.dsgec_engine_times(parts)
        return dict(zip(TIMES, parts, strict=True))

    @property
    def best(self) -> int:
        """The number of the best individual."""
        return int(self._lib.dsgec_engine_best(self._engine))

    def look(self, number: int) -> View:
        """An individual of the last whole generation."""
        view = self._ffi.new("dsgec_engine_individual *")
        self._expect(self._lib.dsgec_engine_look(self._engine, number, view))
        genotype = {}
        for index in range(view.gene_count):
            gene = view.genes[index]
            values = self._ffi.unpack(view.values + gene.start, gene.length)
            genotype[gene.rule, gene.part] = tuple(values)
        text = self._text(view.text, view.text_length) if view.text_length else ""
        return View(genotype, text, view.fitness, FAULTS[view.fault], bool(view.invalid))

    def save(self) -> bytes:
        """The state between two generations."""
        data, length = self._ffi.new("const char **"), self._ffi.new("size_t *")
        self._expect(self._lib.dsgec_engine_save(self._engine, data, length))
        return bytes(self._ffi.buffer(data[0], length[0]))

    def restore(self, state: bytes) -> None:
        """Put an engine that has not begun into a state that `save` gave."""
        self._expect(self._lib.dsgec_engine_restore(self._engine, state, len(state)))

    def fitness(self, number: int) -> float:
        """That of an individual of the last whole generation; infinity if it is invalid."""
        view = self._ffi.new("dsgec_engine_individual *")
        self._expect(self._lib.dsgec_engine_look(self._engine, number, view))
        return float(view.fitness)

    def send(self, number: int) -> bytes:
        """A valid individual, for another engine of the same run."""
        data, length = self._ffi.new("const char **"), self._ffi.new("size_t *")
        self._expect(self._lib.dsgec_engine_send(self._engine, number, data, length))
        return bytes(self._ffi.buffer(data[0], length[0]))

    def receive(self, number: int, migrant: bytes) -> None:
        """Put what `send` gave in the place of an individual."""
        self._expect(self._lib.dsgec_engine_receive(self._engine, number, migrant, len(migrant)))

    def champion(self, size: int) -> tuple[float, str] | None:
        """The best text of so many connections, and its fitness."""
        text, fitness = self._ffi.new("const char **"), self._ffi.new("double *")
        length = self._lib.dsgec_engine_champion(self._engine, size, text, fitness)
        return (fitness[0], self._text(text[0], length)) if length else None

    def score(self, text: str) -> tuple[str, float]:
        """What comes of one text, as in OUTCOMES, and its fitness."""
        data, fitness = text.encode("utf-8", "surrogatepass"), self._ffi.new("double *")
        outcome = self._lib.dsgec_engine_score(self._engine, data, len(data), fitness)
        if outcome >= len(OUTCOMES):
            raise EngineError(MEMORY)
        return OUTCOMES[outcome], fitness[0]

    def evaluate(self, text: str) -> NDArray[np.float64] | None:
        """The outputs of one text, a column an output; None where it is no network of the task."""
        outputs = self._outputs(text)
        return None if outputs is None else np.ascontiguousarray(outputs.T)

    def _outputs(self, text: str) -> NDArray[np.float64] | None:
        data = text.encode("utf-8", "surrogatepass")
        rows = self._tables.columns.shape[1]
        capacity = max(len(self._tables.each), 1)
        outputs = np.empty((capacity, rows))
        pointer = self._ffi.cast("double *", outputs.ctypes.data)
        count = self._lib.dsgec_engine_evaluate(self._engine, data, len(data), pointer, capacity)
        if count < -2:
            raise EngineError(MEMORY)
        return outputs[:count] if count > 0 else None

    def describe(self, text: str) -> NativeNetwork:
        """The simplified network of a text that is one."""
        data = text.encode("utf-8", "surrogatepass")
        told = self._ffi.new("dsgec_engine_network *")
        self._expect(self._lib.dsgec_engine_describe(self._engine, data, len(data), told))
        sizes = (told.layers, told.neurons, told.features, told.connections)
        return NativeNetwork(*sizes, self._text(told.text, told.text_length))

    def tally(self, text: str, part: Part) -> NativeTally:
        """What the metrics of the network of a text are made of, for some rows of the table."""
        ffi, count, classes = self._ffi, len(part.places), part.class_count
        columns = self._outputs(text)
        if columns is None:
            raise EngineError(CALL)
        room = np.empty(3 * columns.shape[1] + 1, np.uint64)
        confusion = np.zeros((classes, classes), np.int64)
        ranks = np.zeros(1 if classes == 2 else len(columns), np.int64)
        told = ffi.new("dsgec_engine_tally *")
        told.outputs = ffi.cast("const double *", columns.ctypes.data)
        told.columns, told.rows = columns.shape
        told.places = ffi.cast("const int64_t *", part.places.ctypes.data)
        told.classes = ffi.cast("const int64_t *", part.classes.ctypes.data)
        told.wanted = ffi.cast("const double *", part.wanted.ctypes.data)
        told.count, told.class_count = count, classes
        told.room = ffi.cast("uint64_t *", room.ctypes.data)
        told.confusion = ffi.cast("int64_t *", confusion.ctypes.data)
        told.ranks = ffi.cast("int64_t *", ranks.ctypes.data)
        self._lib.dsgec_engine_count(told)
        return NativeTally(
            len(columns), confusion.tolist(), ranks.tolist(), told.squares, told.distances
        )

    def number(self, text: str) -> float:
        """The value of a number of a phenotype."""
        data = text.encode()
        return float(self._lib.dsgec_engine_number(data, len(data)))

    def _text(self, pointer: Any, length: int) -> str:
        return bytes(self._ffi.buffer(pointer, length)).decode("utf-8", "surrogatepass")

    def _expect(self, code: int) -> None:
        if code:
            raise EngineError(code)
