"""The loop of `dsgec.search.loop` in native code: the same generations, bit for bit, sooner."""

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dsgec.background import beside
from dsgec.engine.engine import NATIVE, QUICK, NativeEngine, is_engine_compiled, load_engine
from dsgec.engine.library import Waiting
from dsgec.engine.source import EngineSource, emit_engine, engine_header
from dsgec.engine.toolchain import CompileError, Toolchain, compilers, find_toolchain
from dsgec.engine.values import EngineTables, EngineView
from dsgec.errors import DsgecError
from dsgec.grammar.genome.derive import EXHAUSTED, too_large
from dsgec.search.backends import ReferenceBackend
from dsgec.search.batches import WHOLE_EVERY
from dsgec.search.evolver import Generation, Island
from dsgec.search.individual import INFINITE, LARGEST_CHAMPION, Champion, Numbers, Score
from dsgec.search.measure import Measurer, NativeMeasurer
from dsgec.search.native_input import (
    Machine,
    make_costs,
    make_parameters,
    make_tables,
    make_test_tables,
    other_run,
    problem_digest,
    run_identity,
)
from dsgec.search.objectives import LANES
from dsgec.search.problem import Problem
from dsgec.search.recommend import Refit
from dsgec.search.scoring import Scorer, explain
from dsgec.search.settings import Settings
from dsgec.search.tuning import tune_champions


class EngineUnavailable(Exception):
    """This run cannot be done in native code; `dsgec.search.loop` can do it."""


def make_machine(
    problem: Problem,
    representation: str,
    toolchain: Toolchain | None = None,
    flags: Sequence[str] = NATIVE,
    learning: bool = False,
    waiting: Waiting = nullcontext,
) -> Machine:
    """The engine's code for a problem, compiled or found compiled, and its rows.

    `waiting` is entered while it is compiled.
    """
    toolchain = toolchain or find_toolchain()
    if toolchain is None:
        raise EngineUnavailable("no C compiler was found")
    source = _emit(problem, representation, learning)
    return _machine(problem, representation, source, toolchain, flags, waiting)


def make_machine_soon(
    problem: Problem, representation: str, waiting: Waiting
) -> tuple[Machine, "Upgrade | None"]:
    """Return an engine's code that is there soon and, if it is slow, the fast one in the making.

    The first is compiled by tcc, or without optimisation, which takes a second.
    """
    toolchain = find_toolchain()
    if toolchain is None:
        raise EngineUnavailable("no C compiler was found")
    source = _emit(problem, representation)
    if is_engine_compiled(source, toolchain, NATIVE):
        return _machine(problem, representation, source, toolchain, NATIVE, waiting), None
    upgrade = Upgrade(
        lambda: _machine(problem, representation, source, toolchain, NATIVE, nullcontext)
    )
    quick = next((one for one in compilers() if one.tcc is not None), toolchain)
    try:
        soon = _machine(problem, representation, source, quick, QUICK, waiting)
    except EngineUnavailable:
        return upgrade.wait(), None
    how = quick.identity if quick is not toolchain else "itself, without optimisation,"
    return replace(soon, compiler=f"{toolchain.identity}, and by {how} until then"), upgrade


class Upgrade:
    """An engine's fast code, which is compiled beside the run."""

    def __init__(self, make: Callable[[], Machine]) -> None:
        self.seconds = 0.0
        self._make, self._started = make, time.perf_counter()
        self._is_over = threading.Event()
        self._result = beside(self._work)

    def _work(self) -> Machine:
        try:
            return self._make()
        finally:
            self.seconds = time.perf_counter() - self._started
            self._is_over.set()

    @property
    def is_over(self) -> bool:
        """Whether it has been compiled, or could not be."""
        return self._is_over.is_set()

    def wait(self) -> Machine:
        """Return the machine, when it is there; an EngineUnavailable if it cannot be compiled."""
        return self._result()


def _emit(problem: Problem, representation: str, learning: bool = False) -> EngineSource:
    roles = problem.grammar.directives
    return emit_engine(
        problem.tables,
        representation,
        bool(roles.layer),
        roles.output,
        problem.objective,
        learning=learning or problem.learning is not None,
        trees=problem.learning is not None and problem.learning.trees,
        weighted=problem.row_weights is not None,
        minimises=problem.minimises,
    )


def _machine(
    problem: Problem,
    representation: str,
    source: EngineSource,
    toolchain: Toolchain,
    flags: Sequence[str],
    waiting: Waiting,
) -> Machine:
    try:
        library = load_engine(source, engine_header(), toolchain, flags, waiting)
    except (CompileError, OSError) as error:
        raise EngineUnavailable(f"the engine could not be compiled: {error}") from error
    library.expect(LANES=LANES, LARGEST_CHAMPION=LARGEST_CHAMPION, WHOLE_EVERY=WHOLE_EVERY)
    tables = make_tables(problem)
    digest = problem_digest(problem, representation, tables)
    return Machine(library, toolchain.identity, tables, digest)


class Engine(Island):
    """The native engine for a problem; several of them can share a `machine`.

    With an `upgrade` it goes on in that code, from the last whole generation, as soon as it is
    there: the bits are the same.
    """

    name = "engine"

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        threads: int = 1,
        *,
        machine: Machine | None = None,
        upgrade: Upgrade | None = None,
        toolchain: Toolchain | None = None,
        flags: Sequence[str] = NATIVE,
        seconds: float = 0.0,
    ) -> None:
        super().__init__(problem, settings)
        self.compile_seconds = seconds
        self._upgrade = upgrade
        self._boundary = b""  # the state after the last whole generation, for the upgrade
        self._machine = machine or make_machine(problem, settings.representation, toolchain, flags)
        self.threads = max(threads, 1)
        over = f", over {threads} threads" if threads > 1 else ""
        self.description = f"engine: the grammar, compiled by {self._machine.compiler}{over}"
        parameters = make_parameters(problem, settings, threads)
        self._identity = run_identity(self._machine.digest, parameters)
        self.native = self._begin()

    def _begin(self) -> NativeEngine:
        parameters = make_parameters(self.problem, self.settings, self.threads)
        costs = make_costs(self.problem) if self.problem.has_prices else None
        return NativeEngine(self._machine.library, parameters, self._machine.tables, costs)

    def _follow_upgrade(self, upgrade: Upgrade) -> None:
        """Go on in the fast code if it is there, or remember the state that it can begin with."""
        if self.native.generation >= 0:  # not during one
            self._boundary = self.native.save() if self.native.generation else b""
        if not upgrade.is_over:
            return
        self._upgrade = None
        self.upgrade_seconds = upgrade.seconds
        try:
            self._machine = upgrade.wait()
        except EngineUnavailable:
            return  # it goes on in the code that it has
        self.native = self._begin()
        if self._boundary:
            self.native.restore(self._boundary)
        self._boundary = b""

    def _finish_upgrade(self) -> None:
        """Wait for the fast code, before something that takes as long as many generations."""
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
        # Until the upgrade is there, one generation at a time, as it begins with a whole one.
        states = self.step(generations if self._upgrade is None else 1, seconds)
        if any(s.generation == 0 and s.invalid == self.settings.population for s in states[:1]):
            raise self.explain()
        return states

    def step(self, generations: int, seconds: float = INFINITE) -> list[Generation]:
        """As `advance`, but it goes on even if no individual of the first generation is valid."""
        return [Generation(**row) for row in self.native.step(generations, seconds)]

    def individual(self, number: int) -> EngineView:
        """An individual of the last whole generation."""
        return self.native.look(number)

    @property
    def best(self) -> EngineView:
        """The best individual of the last whole generation."""
        return self.native.look(self.native.best)

    @property
    def best_text(self) -> str:
        return self.best.phenotype

    @property
    def champions(self) -> list[Champion]:
        return [Champion(*champion) for champion in self.native.champions()]

    def pruned(self) -> list[Champion]:
        # With batches the best is measured again even if nothing is pruned.
        if not self.problem.learning or not (self.settings.pruning or self.problem.batch):
            return []
        self._finish_upgrade()
        return [Champion(*one) for one in self.native.pruned(self.settings.pruning)]

    def tune(self, champions: Sequence[Champion]) -> list[Champion]:
        if self.settings.tuning:
            self._finish_upgrade()
        tune = partial(_tune, self.native)
        return tune_champions(self.problem, self.settings, champions, tune, self.score)

    def refit(self, problem: Problem) -> Refit:
        return NativeRefit(problem, self.settings, self._machine)

    def measurer(self) -> Measurer:
        if self.problem.dataset.target_scale or self.problem.is_linear:
            return super().measurer()
        return NativeMeasurer(self.problem, self.settings, self._machine, self.threads)

    def fitness(self) -> Sequence[float]:
        each: list[float] = self.native.fitness().tolist()
        return each

    def score(self, text: str) -> float:
        return self.native.score(text)[1]

    def send(self, number: int) -> bytes:
        return self.native.send(number)

    def receive(self, number: int, migrant: bytes) -> None:
        self.native.receive(number, migrant)

    def explain(self) -> DsgecError:
        """Why not one individual of the population is valid."""
        scorer = Scorer(self.problem, ReferenceBackend())
        reasons = {"TOO_LARGE": too_large(self.settings.max_size), "EXHAUSTED": EXHAUSTED}
        scores = []
        for number in range(self.settings.population):
            view = self.individual(number)
            if view.fault:
                scores.append(Score(INFINITE, reasons[view.fault]))
            else:
                scores += scorer([view.phenotype])
        return explain(scores)

    def save(self) -> bytes:
        return self._identity + self.native.save()

    def restore(self, state: bytes) -> None:
        if state[: len(self._identity)] != self._identity:
            raise other_run()
        self.native.restore(state[len(self._identity) :])


class NativeRefit:
    """Weights learned by an engine from the training rows of a problem: see `recommend.Refit`."""

    def __init__(self, problem: Problem, settings: Settings, machine: Machine) -> None:
        one = make_parameters(problem, settings) | {"population": 1, "elites": 0, "batch": 0}
        costs = make_costs(problem) if problem.has_prices else None
        self._tables = make_tables(problem), make_test_tables(problem)
        self._train, self._test = (
            NativeEngine(machine.library, one, tables, costs) for tables in self._tables
        )

    def tune(self, numbers: Numbers, evaluations: int, penalty: float) -> Sequence[float] | None:
        """Lower values of the numbers of a text; None where there are none."""
        return _tune(self._train, numbers, evaluations, penalty)

    def fitted(self, text: str) -> NDArray[np.float64]:
        """What a text gives on the training rows."""
        return _outputs(self._train, text, self._tables[0])

    def outputs(self, text: str) -> NDArray[np.float64]:
        """What a text gives on the test rows."""
        return _outputs(self._test, text, self._tables[1])


def _tune(
    native: NativeEngine, numbers: Numbers, evaluations: int, penalty: float
) -> Sequence[float] | None:
    outcome, values, _, _ = native.tune(
        numbers.text, numbers.spans, numbers.bounds, numbers.values, evaluations, penalty
    )
    return values if outcome == "SCORED" else None


def _outputs(native: NativeEngine, text: str, tables: EngineTables) -> NDArray[np.float64]:
    found = native.evaluate(text)
    assert found is not None  # or it would have no score
    return found[tables.places]
