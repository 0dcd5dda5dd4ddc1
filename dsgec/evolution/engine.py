"""The loop of `dsgec.evolution.loop` in native code: the same generations, bit for bit, sooner."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from dsgec.codegen.engine import DECLARATIONS, emit_engine
from dsgec.errors import DsgecError, mention
from dsgec.evolution.native_input import (
    make_parameters,
    make_tables,
    other_run,
    problem_digest,
    run_identity,
)
from dsgec.evolution.problem import Problem
from dsgec.evolution.scoring import INFINITE, LARGEST_CHAMPION, Champion, Score, Scorer, explain
from dsgec.evolution.settings import Settings
from dsgec.fitness.backends import ReferenceBackend
from dsgec.genome.derive import EXHAUSTED, too_large
from dsgec.native.engine import (
    MEMORY,
    NATIVE,
    STATE,
    EngineError,
    NativeEngine,
    Row,
    Tables,
    View,
    load_engine,
)
from dsgec.native.library import Library
from dsgec.native.toolchain import CompileError, Toolchain, find_toolchain


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
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """What the engines of a problem share, whatever their seeds: the code, the rows, a digest."""

    library: Library
    tables: Tables
    digest: bytes


def make_machine(
    problem: Problem,
    representation: str,
    toolchain: Toolchain | None = None,
    flags: Sequence[str] = NATIVE,
) -> Machine:
    """The engine's code for a problem, compiled or found compiled, and its rows."""
    roles = problem.grammar.directives
    toolchain = toolchain or find_toolchain()
    if toolchain is None:
        raise EngineUnavailable("no C compiler was found")
    source = emit_engine(
        problem.tables, representation, bool(roles.layer), roles.output, problem.objective
    )
    try:
        library = load_engine(source, DECLARATIONS, toolchain, flags)
    except (CompileError, OSError) as error:
        raise EngineUnavailable(f"the engine could not be compiled: {error}") from error
    tables = make_tables(problem)
    return Machine(library, tables, problem_digest(problem, representation, tables))


class Engine:
    """The native engine for a problem; several of them can share a `machine`."""

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
        self.problem, self.settings = problem, settings
        machine = machine or make_machine(problem, settings.representation, toolchain, flags)
        self.machine, self.threads = machine, max(threads, 1)
        parameters = make_parameters(problem, settings, threads)
        self._identity = run_identity(machine.digest, parameters)
        with _told():
            self.native = NativeEngine(machine.library, parameters, machine.tables)

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

    @property
    def champions(self) -> list[Champion]:
        """The hall of fame, by size."""
        found = ((size, self.native.champion(size)) for size in range(LARGEST_CHAMPION + 1))
        return [Champion(size, *champion) for size, champion in found if champion]

    def ranking(self) -> list[int]:
        """The numbers of the individuals, the best first; of equals, the one that stands first."""
        return sorted(range(self.settings.population), key=lambda i: (self.native.fitness(i), i))

    def send(self, number: int) -> bytes:
        """A valid individual, for an engine of the same run with another seed."""
        with _told():
            return self.native.send(number)

    def receive(self, number: int, migrant: bytes) -> None:
        """Put what `send` gave in the place of an individual."""
        with _told():
            self.native.receive(number, migrant)

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
        if state[: len(self._identity)] != self._identity:
            raise other_run()
        with _told():
            self.native.restore(state[len(self._identity) :])


@contextmanager
def _told() -> Iterator[None]:
    """What stops the engine, as a mistake that a user can do something about."""
    try:
        yield
    except EngineError as error:
        advice = ""
        if error.code == MEMORY:
            advice = f"Try a smaller population, or a smaller depth with {mention('max_depth')}."
        elif error.code == STATE:
            advice = "The file may be damaged: start the run anew."
        raise DsgecError(f"the engine stopped: {error}", advice) from error


def _state(row: Row) -> EngineState:
    best = BestIndividual(BestDerivation(row.text), row.best)
    return EngineState(
        row.generation, best, row.mean, row.invalid, row.evaluations, row.reused, row.size
    )
