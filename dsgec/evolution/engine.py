"""The loop of `dsgec.evolution.loop` in native code: the same generations, bit for bit, sooner."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.codegen.engine import DECLARATIONS, emit_engine
from dsgec.errors import DsgecError
from dsgec.evolution.problem import Problem
from dsgec.evolution.scoring import INFINITE, Score, Scorer, explain
from dsgec.evolution.settings import Settings
from dsgec.fitness.backends import ReferenceBackend
from dsgec.fitness.objectives import LANES
from dsgec.genome.derive import EXHAUSTED, too_large
from dsgec.native.engine import (
    MEMORY,
    NATIVE,
    STATE,
    EngineError,
    NativeEngine,
    Parameters,
    Row,
    Tables,
    View,
    load_engine,
)
from dsgec.native.toolchain import CompileError, Toolchain, find_toolchain

_DIGEST = hashlib.sha256().digest_size


class EngineUnavailable(Exception):
    """This run cannot be done in native code; `dsgec.evolution.loop` can do it."""


@dataclass(frozen=True, slots=True)
class BestDerivation:
    """The text of the best individual."""

    phenotype: str


@dataclass(frozen=True, slots=True)
class BestIndividual:
    """The best individual of a generation."""

    derivation: BestDerivation
    fitness: float


@dataclass(frozen=True, slots=True)
class EngineState:
    """What `dsgec.evolution.loop.State` tells of a generation, without the population."""

    generation: int
    best: BestIndividual
    mean: float
    invalid: int
    evaluations: int
    reused: int


class Engine:
    """The native engine for a problem, compiled or found compiled."""

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        threads: int = 1,
        *,
        toolchain: Toolchain | None = None,
        flags: Sequence[str] = NATIVE,
    ) -> None:
        self.problem, self.settings = problem, settings
        roles = problem.grammar.directives
        toolchain = toolchain or find_toolchain()
        if toolchain is None:
            raise EngineUnavailable("no C compiler was found")
        source = emit_engine(
            problem.tables, settings.engine, bool(roles.layer), roles.output, problem.objective
        )
        try:
            library = load_engine(source, DECLARATIONS, toolchain, flags)
        except (CompileError, OSError) as error:
            raise EngineUnavailable(f"the engine could not be compiled: {error}") from error
        parameters = _parameters(problem, settings, threads)
        tables = _tables(problem)
        self._identity = _identity(problem, settings.engine, parameters, tables)
        with _told():
            self.native = NativeEngine(library, parameters, tables)

    @property
    def generation(self) -> int:
        """The generation that comes next; -1 in the midst of one."""
        return self.native.generation

    def step(self, generations: int, seconds: float = INFINITE) -> list[EngineState]:
        """Go on for so many generations, or until the time is up: those that became whole."""
        with _told():
            return [_state(row) for row in self.native.step(generations, seconds)]

    def individual(self, number: int) -> View:
        """An individual of the last whole generation."""
        return self.native.look(number)

    @property
    def best(self) -> View:
        """The best individual of the last whole generation."""
        return self.native.look(self.native.best)

    def explain(self) -> DsgecError:
        """Why not one individual of the population is valid."""
        scorer = Scorer(self.problem, ReferenceBackend())
        reasons = {"too large": too_large(self.settings.max_size), "exhausted": EXHAUSTED}
        scores = []
        for number in range(self.settings.population):
            view = self.individual(number)
            fault = reasons.get(view.fault)
            scores += [Score(INFINITE, fault)] if fault else scorer([view.phenotype])
        return explain(scores)

    def save(self) -> bytes:
        """The state between two generations; the same run goes on from it with the same results."""
        with _told():
            return self._identity + self.native.save()

    def restore(self, state: bytes) -> None:
        """Put an engine that has not begun into a state that `save` gave."""
        if state[:_DIGEST] != self._identity:
            raise DsgecError(
                "the saved state is one of another run",
                "It goes on only with the same grammar, data and settings.",
            )
        with _told():
            self.native.restore(state[_DIGEST:])


def run_engine(engine: Engine, slice_seconds: float = 0.2) -> Iterator[EngineState]:
    """The generations that are left, each as soon as its slice of time is over."""
    for states in run_slices(engine, slice_seconds):
        yield from states


def run_slices(engine: Engine, slice_seconds: float = 0.2) -> Iterator[list[EngineState]]:
    """The generations that are left, as many at once as become whole in a slice of time."""
    done = engine.generation - 1
    while done < engine.settings.generations:
        # The first generation alone: if nothing in it is valid, it is what has to be explained.
        count = engine.settings.generations - done if done >= 0 else 1
        states = engine.step(count, slice_seconds)
        if not states:
            continue
        if states[0].generation == 0 and states[0].invalid == engine.settings.population:
            raise engine.explain()
        done = states[-1].generation
        yield states


@contextmanager
def _told() -> Iterator[None]:
    """What stops the engine, as a mistake that a user can do something about."""
    try:
        yield
    except EngineError as error:
        advice = ""
        if error.code == MEMORY:
            advice = "Try a smaller population, or a smaller --max-depth."
        elif error.code == STATE:
            advice = "The file may be damaged: start the run anew."
        raise DsgecError(f"the engine stopped: {error}", advice) from error


def _state(row: Row) -> EngineState:
    best = BestIndividual(BestDerivation(row.text), row.best)
    return EngineState(row.generation, best, row.mean, row.invalid, row.evaluations, row.reused)


def _parameters(problem: Problem, settings: Settings, threads: int) -> Parameters:
    return Parameters(
        seed=settings.seed,
        population=settings.population,
        tournament=settings.tournament,
        elites=settings.elites,
        max_size=settings.max_size,
        threads=max(threads, 1),
        connect_all=int(settings.connect == "all"),
        codons=settings.codons,
        wraps=settings.wraps,
        crossover=settings.crossover,
        mutation=settings.mutation,
        classes=len(problem.dataset.classes),
    )


def _tables(problem: Problem) -> Tables:
    """The rows of each class together, in order, or all rows where the objective asks for no class.

    A group is filled up to whole lanes with its last row again, which counts for nothing.
    """
    dataset, train = problem.dataset, problem.split.train
    y = dataset.y[train]
    count = len(dataset.classes)
    groups = [np.arange(len(y))]
    if count and problem.objective == "exp-rmse":
        groups = [np.flatnonzero(y == number) for number in range(count)]
    filled = [np.pad(rows, (0, -len(rows) % LANES), "edge") for rows in groups]
    starts = np.cumsum([0, *map(len, filled)])
    bounds = tuple((int(start), len(rows)) for start, rows in zip(starts, groups, strict=False))
    order = train[np.concatenate(filled)]
    del y, groups, filled
    single = dataset.y[order]
    each = (single == np.arange(count)[:, None]).astype(np.float64) if count else single[None, :]
    # Column by column: a large table is not to be in memory a third time.
    columns = _aligned(len(dataset.features), len(order))
    for number in range(len(columns)):
        columns[number] = dataset.x[order, number]
    return Tables(columns, single, np.ascontiguousarray(each), bounds)


def _aligned(rows: int, columns: int) -> NDArray[np.float64]:
    """An array that begins a cache line, as then does each of its rows of whole lanes."""
    memory = np.empty(rows * columns + LANES)
    start = -(memory.ctypes.data // memory.itemsize) % LANES
    return memory[start : start + rows * columns].reshape(rows, columns)


def _identity(problem: Problem, engine: str, parameters: Parameters, tables: Tables) -> bytes:
    """A digest of all that the generations depend on, and of nothing else."""
    roles = problem.grammar.directives
    numbers = [getattr(parameters, name) for name in Parameters.__slots__ if name != "threads"]
    told = (
        engine,
        problem.tables,
        roles.layer,
        roles.output,
        problem.objective,
        numbers,
        tables.groups,
    )
    digest = hashlib.sha256(repr(told).encode("utf-8", "surrogatepass"))
    for array in (tables.columns, tables.single):
        digest.update(array.astype("<f8", copy=False).data)
    return digest.digest()
