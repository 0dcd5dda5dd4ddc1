"""The loop of `dsgec.evolution.loop` in native code: the same generations, bit for bit, sooner."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dsgec.codegen.engine import emit_engine, engine_header
from dsgec.errors import DsgecError
from dsgec.evolution.batches import WHOLE_EVERY
from dsgec.evolution.evolver import Generation, Island
from dsgec.evolution.individual import INFINITE, LARGEST_CHAMPION, Champion, Numbers, Score
from dsgec.evolution.measure import Measurer, NativeMeasurer
from dsgec.evolution.native_costs import make_costs
from dsgec.evolution.native_input import (
    Machine,
    make_parameters,
    make_tables,
    make_test_tables,
    other_run,
    problem_digest,
    run_identity,
)
from dsgec.evolution.problem import Problem
from dsgec.evolution.recommend import Refit
from dsgec.evolution.scoring import Scorer, explain
from dsgec.evolution.settings import Settings
from dsgec.evolution.tuning import tune_champions
from dsgec.fitness.backends import ReferenceBackend
from dsgec.fitness.objectives import LANES
from dsgec.genome.derive import EXHAUSTED, too_large
from dsgec.native.engine import NATIVE, NativeEngine, load_engine
from dsgec.native.toolchain import CompileError, Toolchain, find_toolchain
from dsgec.native.values import EngineTables, EngineView


class EngineUnavailable(Exception):
    """This run cannot be done in native code; `dsgec.evolution.loop` can do it."""


def make_machine(
    problem: Problem,
    representation: str,
    toolchain: Toolchain | None = None,
    flags: Sequence[str] = NATIVE,
    learning: bool = False,
) -> Machine:
    """The engine's code for a problem, compiled or found compiled, and its rows."""
    roles = problem.grammar.directives
    toolchain = toolchain or find_toolchain()
    if toolchain is None:
        raise EngineUnavailable("no C compiler was found")
    source = emit_engine(
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
    try:
        library = load_engine(source, engine_header(), toolchain, flags)
    except (CompileError, OSError) as error:
        raise EngineUnavailable(f"the engine could not be compiled: {error}") from error
    library.expect(LANES=LANES, LARGEST_CHAMPION=LARGEST_CHAMPION, WHOLE_EVERY=WHOLE_EVERY)
    tables = make_tables(problem)
    digest = problem_digest(problem, representation, tables)
    return Machine(library, toolchain.identity, tables, digest)


class Engine(Island):
    """The native engine for a problem; several of them can share a `machine`."""

    name = "engine"

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        threads: int = 1,
        *,
        machine: Machine | None = None,
        toolchain: Toolchain | None = None,
        flags: Sequence[str] = NATIVE,
    ) -> None:
        super().__init__(problem, settings)
        self._machine = machine or make_machine(problem, settings.representation, toolchain, flags)
        self.threads = max(threads, 1)
        over = f", over {threads} threads" if threads > 1 else ""
        self.description = f"engine: the grammar, compiled by {self._machine.compiler}{over}"
        parameters = make_parameters(problem, settings, threads)
        self._identity = run_identity(self._machine.digest, parameters)
        costs = make_costs(problem) if problem.has_prices else None
        self.native = NativeEngine(self._machine.library, parameters, self._machine.tables, costs)

    @property
    def next_generation(self) -> int:
        return self.native.generation

    def advance(self, generations: int, seconds: float) -> Sequence[Generation]:
        states = self.step(generations, seconds)
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
        return [Champion(*one) for one in self.native.pruned(self.settings.pruning)]

    def tune(self, champions: Sequence[Champion]) -> list[Champion]:
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
