"""Run the loop of `dsgec.search.loop` in native code: the same generations, bit for bit."""

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from dsgec.background import beside
from dsgec.engine.engine import NATIVE, QUICK, NativeEngine, is_engine_compiled, load_engine
from dsgec.engine.library import Library, Waiting
from dsgec.engine.source import EngineSource, emit_engine, engine_header
from dsgec.engine.toolchain import CompileError, Toolchain, compilers, find_toolchain
from dsgec.engine.values import EngineIndividual, EngineTables
from dsgec.errors import DsgecError
from dsgec.grammar.genome.derive import EXHAUSTED, too_large
from dsgec.search.backends import ReferenceBackend
from dsgec.search.evolver import Generation, Island, Member
from dsgec.search.individual import INFINITE, LARGEST_CHAMPION, Champion, Score, Weights
from dsgec.search.measure import Measurer, NativeMeasurer
from dsgec.search.native_input import (
    EngineBuild,
    make_costs,
    make_parameters,
    make_tables,
    make_test_tables,
    other_run,
    problem_digest,
    run_identity,
    single_parameters,
)
from dsgec.search.problem import Problem
from dsgec.search.recommend import Refit
from dsgec.search.refine import tune_champions
from dsgec.search.rows import LANES, WHOLE_EVERY
from dsgec.search.scoring import FEW_VALUES, Scorer, no_valid_individual
from dsgec.search.settings import Settings
from dsgec.search.walk.descent import Descent, PlainDescent, WalkTable
from dsgec.search.walk.native_descent import NativeDescent, load_descent
from dsgec.search.walk.stage import WalkStage, make_walk_stage


class EngineUnavailable(Exception):
    """The engine cannot be compiled, so the loop in Python has to run."""


def build_engine(
    problem: Problem,
    representation: str,
    toolchain: Toolchain | None = None,
    flags: Sequence[str] = NATIVE,
    learning: bool = False,
    waiting: Waiting = nullcontext,
) -> EngineBuild:
    """Compile the engine for a problem, or load it from the cache.

    `waiting` is entered while it is compiled.
    """
    toolchain = toolchain or find_toolchain()
    if toolchain is None:
        raise EngineUnavailable("no C compiler was found")
    source = _emit(problem, representation, learning)
    return _build(problem, representation, source, toolchain, flags, waiting)


def build_engine_soon(
    problem: Problem, representation: str, waiting: Waiting
) -> tuple[EngineBuild, "Upgrade | None"]:
    """Return an engine within a second and, if it is a slow one, the fast one being compiled.

    The slow one is compiled by tcc, or without optimisation.
    """
    toolchain = find_toolchain()
    if toolchain is None:
        raise EngineUnavailable("no C compiler was found")
    source = _emit(problem, representation)
    if is_engine_compiled(source, toolchain, NATIVE):
        return _build(problem, representation, source, toolchain, NATIVE, waiting), None
    upgrade = Upgrade(
        lambda: _build(problem, representation, source, toolchain, NATIVE, nullcontext)
    )
    quick = next((one for one in compilers() if one.tcc is not None), toolchain)
    try:
        soon = _build(problem, representation, source, quick, QUICK, waiting)
    except EngineUnavailable:
        return upgrade.wait(), None
    how = quick.identity if quick is not toolchain else "itself, without optimisation,"
    return replace(soon, compiler=f"{toolchain.identity}, and by {how} until then"), upgrade


class Upgrade:
    """A fast engine that is compiled beside the run."""

    def __init__(self, make: Callable[[], EngineBuild]) -> None:
        self.seconds = 0.0
        self._make, self._started = make, time.perf_counter()
        self._is_over = threading.Event()
        self._result = beside(self._compile)

    def _compile(self) -> EngineBuild:
        try:
            return self._make()
        finally:
            self.seconds = time.perf_counter() - self._started
            self._is_over.set()

    @property
    def is_over(self) -> bool:
        """True if the compiler has ended, with or without success."""
        return self._is_over.is_set()

    def wait(self) -> EngineBuild:
        """Wait for the engine, or raise EngineUnavailable if it cannot be compiled."""
        return self._result()


def _emit(problem: Problem, representation: str, learning: bool = False) -> EngineSource:
    language = problem.language
    return emit_engine(
        language.tables,
        representation,
        language.is_layered,
        language.grammar.directives.output,
        problem.objective,
        learning=learning or problem.learning is not None,
        trees=problem.varies_trees,
        weighted=problem.row_weights is not None,
        minimises=problem.cost.is_minimised,
        external=problem.fitness is not None,
    )


def _build(
    problem: Problem,
    representation: str,
    source: EngineSource,
    toolchain: Toolchain,
    flags: Sequence[str],
    waiting: Waiting,
) -> EngineBuild:
    try:
        library = load_engine(source, engine_header(), toolchain, flags, waiting)
    except (CompileError, OSError) as error:
        raise EngineUnavailable(f"the engine could not be compiled: {error}") from error
    library.expect(
        LANES=LANES,
        LARGEST_CHAMPION=LARGEST_CHAMPION,
        WHOLE_EVERY=WHOLE_EVERY,
        FEW_VALUES=FEW_VALUES,
    )
    tables = make_tables(problem)
    digest = problem_digest(problem, representation, tables)
    return EngineBuild(library, toolchain.identity, tables, digest)


class EngineEvolver(Island):
    """An evolver that runs the native engine; several of them can share a `build`.

    As soon as an `upgrade` is compiled, the run continues with it, with the same bits.
    """

    name = "engine"

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        threads: int = 1,
        *,
        build: EngineBuild | None = None,
        upgrade: Upgrade | None = None,
        toolchain: Toolchain | None = None,
        flags: Sequence[str] = NATIVE,
        seconds: float = 0.0,
    ) -> None:
        super().__init__(problem, settings)
        self.compile_seconds = seconds
        self._upgrade = upgrade
        self._boundary = b""  # the state after the last generation, for the upgrade
        self._build = build or build_engine(problem, settings.representation, toolchain, flags)
        self.threads = max(threads, 1)
        over = f", over {threads} threads" if threads > 1 else ""
        self.description = f"engine: the grammar, compiled by {self._build.compiler}{over}"
        if settings.walk and (own := toolchain or find_toolchain()):
            _load_soon(own)
        parameters = make_parameters(problem, settings, threads)
        self._identity = run_identity(self._build.digest, parameters)
        self.native = self._begin()

    def _begin(self) -> NativeEngine:
        parameters = make_parameters(self.problem, self.settings, self.threads)
        costs = make_costs(self.problem) if self.problem.cost.has_prices else None
        return NativeEngine(self._build.library, parameters, self._build.tables, costs)

    def _follow_upgrade(self, upgrade: Upgrade) -> None:
        """Continue with the fast engine if it is compiled, or save the state for it."""
        if self.native.generation >= 0:  # not within a generation
            self._boundary = self.native.save() if self.native.generation else b""
        if not upgrade.is_over:
            return
        self._upgrade = None
        self.upgrade_seconds = upgrade.seconds
        try:
            self._build = upgrade.wait()
        except EngineUnavailable:
            return  # continue with the slow engine
        self.native = self._begin()
        if self._boundary:
            self.native.restore(self._boundary)
        self._boundary = b""

    def _finish_upgrade(self) -> None:
        """Wait until the fast engine is compiled and switch to it, before a long computation."""
        if self._upgrade is None:
            return
        with contextlib.suppress(EngineUnavailable):
            self._upgrade.wait()
        self._follow_upgrade(self._upgrade)

    @property
    def next_generation(self) -> int:
        return self.native.generation

    def advance(self, generations: int, seconds: float) -> Sequence[Generation]:
        if self._upgrade is not None:
            self._follow_upgrade(self._upgrade)
        # One generation at a time until the upgrade is compiled, which begins between two.
        states = self.step(generations if self._upgrade is None else 1, seconds)
        if any(s.generation == 0 and s.invalid == self.settings.population for s in states[:1]):
            raise self.explain()
        return states

    def step(self, generations: int, seconds: float = INFINITE) -> list[Generation]:
        """Advance, and raise no error if no individual of the first generation is valid."""
        return [Generation(**row) for row in self.native.step(generations, seconds)]

    def individual(self, number: int) -> EngineIndividual:
        """Return an individual of the last complete generation."""
        return self.native.look(number)

    @property
    def best(self) -> EngineIndividual:
        """The best individual of the last complete generation."""
        return self.native.look(self.native.best)

    @property
    def best_phenotype(self) -> str:
        return self.best.phenotype

    @property
    def champions(self) -> list[Champion]:
        return [*map(_champion, self.native.champions())]

    def prune(self) -> list[Champion]:
        # With batches the best is measured again even if nothing is pruned.
        if not self.problem.learning or not (self.settings.pruning or self.problem.batch):
            return []
        self._finish_upgrade()
        return [*map(_champion, self.native.prune(self.settings.pruning))]

    def tune(self, champions: Sequence[Champion]) -> list[Champion]:
        if self.settings.tuning:
            self._finish_upgrade()
        tune = partial(_tune, self.native)
        return tune_champions(self.problem, self.settings, champions, tune, self.score)

    def walker(self) -> WalkStage | None:
        return make_walk_stage(self.problem, self.settings, _make_descent, self.score, self.threads)

    def refit(self, problem: Problem) -> Refit:
        return NativeRefit(problem, self.settings, self._build)

    def measurer(self) -> Measurer:
        if self.problem.dataset.target_scale or self.problem.language.is_linear:
            return super().measurer()
        return NativeMeasurer(self.problem, self.settings, self._build)

    def fitness(self) -> Sequence[float]:
        each: list[float] = self.native.fitness().tolist()
        return each

    def members(self) -> list[Member]:
        views = map(self.individual, range(self.settings.population))
        return [
            Member(one.genotype, INFINITE if one.invalid else one.fitness, one.cases)
            for one in views
        ]

    def score(self, phenotype: str) -> float:
        return self.native.score(phenotype)[1]

    def send(self, number: int) -> bytes:
        return self.native.send(number)

    def receive(self, number: int, migrant: bytes) -> None:
        self.native.receive(number, migrant)

    def explain(self) -> DsgecError:
        """Return an error with the reason why no individual is valid."""
        scorer = Scorer(self.problem, ReferenceBackend())
        reasons = {"TOO_LARGE": too_large(self.settings.max_size), "EXHAUSTED": EXHAUSTED}
        scores = []
        for number in range(self.settings.population):
            view = self.individual(number)
            if view.fault:
                scores.append(Score(INFINITE, reasons[view.fault]))
            else:
                scores += scorer([view.phenotype])
        return no_valid_individual(scores)

    def save(self) -> bytes:
        return self._identity + self.native.save()

    def restore(self, state: bytes) -> None:
        if state[: len(self._identity)] != self._identity:
            raise other_run()
        self.native.restore(state[len(self._identity) :])


class NativeRefit:
    """Learns weights with an engine from the training rows of a problem: see `recommend.Refit`."""

    def __init__(self, problem: Problem, settings: Settings, build: EngineBuild) -> None:
        parameters = single_parameters(problem, settings)
        costs = make_costs(problem) if problem.cost.has_prices else None
        self._tables = make_tables(problem), make_test_tables(problem)
        self._train, self._test = (
            NativeEngine(build.library, parameters, tables, costs) for tables in self._tables
        )

    def tune(self, weights: Weights, evaluations: int, penalty: float) -> Sequence[float] | None:
        return _tune(self._train, weights, evaluations, penalty)

    def train_outputs(self, phenotype: str) -> NDArray[np.float64]:
        return _outputs(self._train, phenotype, self._tables[0])

    def test_outputs(self, phenotype: str) -> NDArray[np.float64]:
        return _outputs(self._test, phenotype, self._tables[1])


def _make_descent(table: WalkTable) -> Descent:
    """Return a native descent or, if it cannot be compiled, the plain one with the same bits."""
    toolchain = find_toolchain()
    try:
        return NativeDescent(table, _load_soon(toolchain)()) if toolchain else PlainDescent(table)
    except (CompileError, OSError):
        return PlainDescent(table)


@cache
def _load_soon(toolchain: Toolchain) -> Callable[[], Library]:
    """Begin to compile the descent, and return a function that waits for it."""
    return beside(load_descent, toolchain)


def _champion(one: EngineIndividual) -> Champion:
    return Champion(one.size, one.fitness, one.phenotype, one.genotype or None, one.cost)


def _tune(
    native: NativeEngine, weights: Weights, evaluations: int, penalty: float
) -> Sequence[float] | None:
    outcome, values, _, _ = native.tune(
        weights.phenotype, weights.spans, weights.bounds, weights.values, evaluations, penalty
    )
    return values if outcome == "SCORED" else None


def _outputs(native: NativeEngine, phenotype: str, tables: EngineTables) -> NDArray[np.float64]:
    found = native.evaluate(phenotype)
    assert found is not None  # or it would have no score
    return found[tables.places]
