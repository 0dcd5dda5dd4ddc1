"""Compile an engine and run it: generations are computed outside Python and its lock."""

import hashlib
import platform
from collections.abc import Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.engine.costs import EngineCosts, NativeCosts
from dsgec.engine.library import Library, Waiting, is_compiled, load, load_linked
from dsgec.engine.operator_calls import OPERATORS, NativeOperators
from dsgec.engine.source import EngineSource
from dsgec.engine.toolchain import CompileError, Toolchain
from dsgec.engine.values import EngineIndividual, EngineTables, NativeGenotype, Parameters
from dsgec.errors import DsgecError, mention

NATIVE = ("-O2", "-fno-trapping-math", "-pthread", "-march=native")
"""As fast as -O3 with vectorisation, and compiled in two thirds of the time."""
PORTABLE = ("-O2",)
QUICK = ("-O0", "-pthread")
"""Compiled in a fifth of the time, and ten times slower."""
GCC_VECTORS = ("-ftree-loop-vectorize", "-fvect-cost-model=dynamic", "-fno-tree-slp-vectorize")

_FAILURES = {
    "NO_MEMORY": (
        "there is not enough memory",
        f"Try a smaller population, or a smaller depth with {mention('max_depth')}.",
    ),
    "TOO_MANY_LAYERS": ("a network has more than 32,000 layers", ""),
    "NO_THREADS": ("the threads could not be started", ""),
    "BAD_STATE": (
        "the saved state is not one of this run",
        "The file may be damaged: start the run from scratch.",
    ),
    "BAD_CALL": ("the engine was called wrongly", ""),
    "OPERATOR_FAILED": ("an operator failed", ""),
}


def load_engine(
    source: EngineSource,
    declarations: str,
    toolchain: Toolchain,
    flags: Sequence[str] = NATIVE,
    waiting: Waiting = nullcontext,
) -> Library:
    """Compile for this machine's processor or, if the compiler cannot, for any.

    `waiting` is entered if the engine is compiled and not only linked with its grammar.
    """
    if toolchain.tcc is not None:
        return load(source.whole, declarations, toolchain, flags)
    own = source.grammar
    try:
        shared, flags = _for_this_processor(source, toolchain, flags)
        return load_linked(shared, own, declarations, toolchain, flags, waiting)
    except CompileError:
        return load_linked(source.engine, own, declarations, toolchain, PORTABLE, waiting)


def is_engine_compiled(source: EngineSource, toolchain: Toolchain, flags: Sequence[str]) -> bool:
    """Return whether `load_engine` would compile nothing that takes long."""
    if toolchain.tcc is not None:
        return True
    shared, flags = _for_this_processor(source, toolchain, flags)
    return is_compiled(shared, source.grammar, toolchain, flags)


def _for_this_processor(
    source: EngineSource, toolchain: Toolchain, flags: Sequence[str]
) -> tuple[str, Sequence[str]]:
    if "clang" not in toolchain.identity:
        flags = (*flags, *GCC_VECTORS)
    # In the text, and so in the key of the cache: the code runs on such processors only.
    return f"{source.engine}\n/* for {_processor()} */\n", flags


@cache
def _processor() -> str:
    """Return a digest of what -march=native depends on."""
    answer = [platform.machine(), platform.processor()]
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        answer += sorted({x for x in lines if x.startswith(("flags", "Features", "model name"))})
    except OSError:
        pass
    return hashlib.sha256("\n".join(answer).encode()).hexdigest()


class NativeEngine:
    """A native engine for a problem; it must not be used by two threads at once."""

    def __init__(
        self,
        library: Library,
        parameters: Parameters,
        tables: EngineTables,
        costs: EngineCosts | None = None,
        operators: NativeOperators | None = None,
    ) -> None:
        self.operators = operators  # the engine calls them as long as it lives
        pointers = operators.pointers if operators else dict.fromkeys(OPERATORS, library.ffi.NULL)
        self._library, self._ffi, self._lib = library, library.ffi, library.functions
        self._tables = tables  # the engine reads them where they are
        errors = library.names("dsgec_engine_error")
        self._failures = {code: _FAILURES[name] for code, name in errors.items() if code}
        groups = [{"start": start, "count": count} for start, count in tables.groups]
        self._groups = self._ffi.new("dsgec_engine_group[]", groups)
        self.costs = NativeCosts(library, costs)
        features, rows = tables.columns.shape
        settings = library.struct(
            "dsgec_engine_settings",
            **parameters,
            columns=tables.columns,
            single=tables.single,
            each=tables.each,
            row_weights=self._ffi.NULL if tables.row_weights is None else tables.row_weights,
            features=features,
            rows=rows,
            groups=len(groups),
            row_groups=self._groups,
            prologue=self.costs.prologue,
            prices=self.costs.prices,
            **pointers,
        )
        self._population = settings.population
        error = self._ffi.new("int *")
        engine = self._lib.dsgec_engine_new(settings, error)
        if engine == self._ffi.NULL:
            raise self._failure(error[0])
        self._engine: Any = self._ffi.gc(engine, self._lib.dsgec_engine_free)

    @property
    def generation(self) -> int:
        """The next generation; -1 if one is unfinished."""
        return int(self._lib.dsgec_engine_generation(self._engine))

    def step(self, generations: int, seconds: float) -> list[dict[str, Any]]:
        """Run so many generations, or until the time is up, and return those that were completed.

        Each has the fields of `dsgec_engine_row`, and the best `phenotype`.
        """
        answer = self._ffi.new("dsgec_engine_rows *")
        code = self._lib.dsgec_engine_step(self._engine, generations, seconds, answer)
        if self.operators is not None:
            self.operators.raise_error()
        self._check_code(code)
        return [self._row(answer.rows[number], answer.phenotypes) for number in range(answer.count)]

    def _row(self, row: Any, texts: Any) -> dict[str, Any]:
        values = self._library.values(row)
        start, length = values.pop("phenotype_start"), values.pop("phenotype_length")
        return {**values, "phenotype": self._text(texts + start, length)}

    def times(self) -> dict[str, float]:
        """Return the seconds spent in each part, of a build with -DDSGEC_TIMED."""
        seconds = self._ffi.new("dsgec_engine_seconds *")
        self._lib.dsgec_engine_times(seconds)
        return self._library.values(seconds[0])

    @property
    def best(self) -> int:
        """The index of the best individual."""
        return int(self._lib.dsgec_engine_best(self._engine))

    def look(self, number: int) -> EngineIndividual:
        """Return an individual of the last completed generation."""
        view = self._ffi.new("dsgec_engine_individual *")
        self._check_code(self._lib.dsgec_engine_look(self._engine, number, view))
        return self._individual(view)

    def _individual(self, view: Any) -> EngineIndividual:
        genotype = self._genotype(view)
        rates = tuple((rate.step, rate.gradient) for rate in view.rates[0 : view.rate_count])
        text = self._text(view.phenotype, view.phenotype_length)
        fault = self._library.names("dsgec_engine_fault")[view.fault] if view.fault else ""
        cases = tuple(self._ffi.unpack(view.cases, view.case_count)) if view.case_count else ()
        return EngineIndividual(
            genotype, text, view.fitness, fault, bool(view.invalid), rates, cases=cases
        )

    def _genotype(self, view: Any) -> NativeGenotype:
        genotype = {}
        for gene in view.genes[0 : view.gene_count]:
            values = self._ffi.unpack(view.values + gene.start, gene.length)
            genotype[gene.rule, gene.part] = tuple(values)
        return genotype

    def fitness(self) -> NDArray[np.float64]:
        """Return the fitness of each individual of the last generation; infinity if invalid."""
        each = np.empty(self._population)
        self._lib.dsgec_engine_fitness(self._engine, self._ffi.from_buffer("double[]", each))
        return each

    def save(self) -> bytes:
        """Return the state between two generations."""
        return self._bytes(self._lib.dsgec_engine_save)

    def restore(self, state: bytes) -> None:
        """Restore a state that `save` returned in an engine that has not started."""
        self._check_code(self._lib.dsgec_engine_restore(self._engine, state, len(state)))

    def send(self, number: int) -> bytes:
        """Return a valid individual as bytes, for another engine of the same run."""
        return self._bytes(self._lib.dsgec_engine_send, number)

    def receive(self, number: int, migrant: bytes) -> None:
        """Replace an individual by one that `send` returned."""
        self._check_code(
            self._lib.dsgec_engine_receive(self._engine, number, migrant, len(migrant))
        )

    def champions(self) -> list[EngineIndividual]:
        """Return the hall of fame: the best of each size, by size, or the front, by cost."""
        return self._list_individuals(self._lib.dsgec_engine_champions)

    def prune(self, rounds: int) -> list[EngineIndividual]:
        """Prune the best individual in at most so many rounds, and return the networks found."""
        return self._list_individuals(self._lib.dsgec_engine_prune, rounds)

    def _list_individuals(self, function: Any, *arguments: int) -> list[EngineIndividual]:
        found = self._ffi.new("dsgec_engine_champion[]", self._lib.LARGEST_CHAMPION + 1)
        count = function(self._engine, *arguments, found)
        if count < 0:
            raise self._failure(-1 - count)
        return [
            EngineIndividual(
                self._genotype(c),
                self._text(c.phenotype, c.phenotype_length),
                c.fitness,
                size=c.size,
                cost=c.cost,
            )
            for c in found[0:count]
        ]

    def score(self, text: str) -> tuple[str, float]:
        """Return the name of the `dsgec_engine_outcome` of a phenotype, and its fitness."""
        data, fitness = _encode(text), self._ffi.new("double *")
        outcome = self._lib.dsgec_engine_score(self._engine, data, len(data), fitness)
        return self._outcome(outcome), fitness[0]

    def gradient(
        self,
        text: str,
        weights: Sequence[tuple[int, int]],
        penalty: float = 0.0,
        values: Sequence[float] | None = None,
    ) -> tuple[str, float, list[float]]:
        """Return the outcome of a phenotype, its loss, and the gradient by its weights.

        A weight is the offset and the length of its numeral in the UTF-8 phenotype; `values`
        replaces those of the phenotype. See `dsgec.search.gradient`.
        """
        if values is not None and len(values) != len(weights):
            raise self._failure(self._lib.BAD_CALL)
        given = self._ffi.NULL if values is None else self._ffi.new("double[]", list(values))
        gradient = self._ffi.new("double[]", len(weights))
        return *self._compute_loss(text, weights, penalty, given, gradient), list(gradient)

    def loss(
        self, text: str, weights: Sequence[tuple[int, int]], penalty: float = 0.0
    ) -> tuple[str, float]:
        """Return the outcome and the loss without the gradient, for benchmarks."""
        return self._compute_loss(text, weights, penalty, self._ffi.NULL, self._ffi.NULL)

    def _compute_loss(
        self,
        text: str,
        weights: Sequence[tuple[int, int]],
        penalty: float,
        given: Any,
        gradient: Any,
    ) -> tuple[str, float]:
        data, loss = _encode(text), self._ffi.new("double *")
        spans = self._weights(weights, [(0.0, 0.0)] * len(weights))
        outcome = self._lib.dsgec_engine_gradient(
            self._engine, data, len(data), spans, len(weights), penalty, given, loss, gradient
        )
        return self._outcome(outcome), loss[0]

    def tune(
        self,
        text: str,
        weights: Sequence[tuple[int, int]],
        bounds: Sequence[tuple[float, float]],
        values: Sequence[float],
        evaluations: int,
        penalty: float = 0.0,
    ) -> tuple[str, list[float], float, int]:
        """Return the outcome, the tuned values, their loss, and the number of evaluations.

        See `gradient` and `dsgec.search.lbfgs`.
        """
        data, ffi, count = _encode(text), self._ffi, len(weights)
        if not len(bounds) == len(values) == count:
            raise self._failure(self._lib.BAD_CALL)
        spans, found = self._weights(weights, bounds), ffi.new("double[]", list(values))
        loss, used = ffi.new("double *"), ffi.new("int64_t *")
        outcome = self._lib.dsgec_engine_tune(
            self._engine, data, len(data), spans, count, penalty, evaluations, found, loss, used
        )
        return self._outcome(outcome), list(found), loss[0], used[0]

    def _weights(
        self, spans: Sequence[tuple[int, int]], bounds: Sequence[tuple[float, float]]
    ) -> Any:
        items = [
            {"offset": offset, "length": length, "least": least, "most": most}
            for (offset, length), (least, most) in zip(spans, bounds, strict=True)
        ]
        return self._ffi.new("dsgec_engine_weight[]", items)

    def _outcome(self, outcome: int) -> str:
        if outcome == self._lib.SCORE_NO_MEMORY:
            raise self._failure(self._lib.NO_MEMORY)
        return self._library.names("dsgec_engine_outcome")[outcome]

    def evaluate(self, text: str) -> NDArray[np.float64] | None:
        """Return the outputs of a phenotype by column; None if it is not a network for the task."""
        data, capacity = _encode(text), max(len(self._tables.each), 1)
        outputs = np.empty((capacity, self._tables.columns.shape[1]))
        pointer = self._ffi.from_buffer("double[]", outputs)
        count = self._lib.dsgec_engine_evaluate(self._engine, data, len(data), pointer, capacity)
        if count == -self._lib.SCORE_NO_MEMORY:
            raise self._failure(self._lib.NO_MEMORY)
        return np.ascontiguousarray(outputs[:count].T) if count > 0 else None

    def describe(self, text: str) -> tuple[dict[str, int], str]:
        """Return the sizes and the text of the simplified network of a phenotype.

        In the text, a constant is `@` and its bits in hexadecimal.
        """
        data, answer = _encode(text), self._ffi.new("dsgec_engine_network *")
        self._check_code(self._lib.dsgec_engine_describe(self._engine, data, len(data), answer))
        sizes = self._library.values(answer[0])
        return sizes, self._text(sizes.pop("text"), sizes.pop("text_length"))

    def work(self, text: str) -> dict[str, int]:
        """Count the operations of the C of a network for one row, by kinds."""
        data, counts = _encode(text), self._ffi.new("int64_t[]", len(self.costs.kinds))
        self._check_code(self._lib.dsgec_engine_work(self._engine, data, len(data), counts))
        return {kind: count for kind, count in zip(self.costs.kinds, counts, strict=True) if count}

    def number(self, text: str) -> float:
        """Return the value of a numeral."""
        data = text.encode()
        return float(self._lib.dsgec_engine_number(data, len(data)))

    def _bytes(self, function: Any, *arguments: int) -> bytes:
        data, length = self._ffi.new("const char **"), self._ffi.new("size_t *")
        self._check_code(function(self._engine, *arguments, data, length))
        return bytes(self._ffi.buffer(data[0], length[0]))

    def _text(self, pointer: Any, length: int) -> str:
        if not length:  # the pointer may be NULL
            return ""
        return bytes(self._ffi.buffer(pointer, length)).decode("utf-8", "surrogatepass")

    def _check_code(self, code: int) -> None:
        if code != self._lib.OK:
            raise self._failure(code)

    def _failure(self, code: int) -> DsgecError:
        message, advice = self._failures[code]
        return DsgecError(f"the engine stopped: {message}", advice)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
