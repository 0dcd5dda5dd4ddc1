"""Which machinery runs the generations: the native engine, or the loop in Python with a backend."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from dsgec.errors import DsgecError
from dsgec.evolution.engine import Engine, EngineUnavailable, run_engine
from dsgec.evolution.loop import evolve
from dsgec.evolution.problem import Problem
from dsgec.evolution.scoring import Scorer
from dsgec.evolution.settings import Settings
from dsgec.fitness.backends import Backend, CBackend, NumpyBackend, ReferenceBackend
from dsgec.native.toolchain import find_toolchain

_CELLS_WORTH_SHARING = 50_000


class Phenotype(Protocol):
    """What is kept of a derivation when a run has ended."""

    @property
    def phenotype(self) -> str: ...


class Best(Protocol):
    """The best individual of a generation."""

    @property
    def fitness(self) -> float: ...

    @property
    def derivation(self) -> Phenotype: ...


class Generation(Protocol):
    """What the engine and the loop both tell of a generation."""

    @property
    def generation(self) -> int: ...

    @property
    def best(self) -> Best: ...

    @property
    def mean(self) -> float: ...

    @property
    def invalid(self) -> int: ...

    @property
    def evaluations(self) -> int: ...

    @property
    def reused(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Evolver:
    """A run that is ready to go. `remark` tells the user when it is not the fastest there is."""

    name: str
    description: str
    generations: Callable[[], Iterator[Generation]]
    remark: str = ""


def choose(problem: Problem, settings: Settings, wanted: str, threads: int = 1) -> Evolver:
    """The backend asked for; `auto` takes the engine, or numpy where it cannot be compiled."""
    if wanted in ("auto", "engine"):
        try:
            return _engine(problem, settings, threads)
        except EngineUnavailable as reason:
            if wanted == "engine":
                raise DsgecError(
                    str(reason), "Install gcc or clang, or use `--backend numpy`."
                ) from reason
            cause = " ".join(str(reason).split())[:200]
            remark = f"{cause}: evolving with numpy instead, slower but with the same results"
            return _loop(problem, settings, NumpyBackend(), remark)
    if wanted == "c":
        toolchain = find_toolchain()
        if toolchain is None:
            raise DsgecError(
                "no C compiler was found (looked for $CC, cc, gcc, clang)",
                "Install gcc or clang, or use `--backend numpy`.",
            )
        return _loop(problem, settings, CBackend(toolchain))
    return _loop(problem, settings, NumpyBackend() if wanted == "numpy" else ReferenceBackend())


def sensible_threads(problem: Problem) -> int:
    """All processors for a large table; for a small one, a generation is too short to share."""
    cells = len(problem.split.train) * len(problem.dataset.features)
    return (os.cpu_count() or 1) if cells >= _CELLS_WORTH_SHARING else 1


def _engine(problem: Problem, settings: Settings, threads: int) -> Evolver:
    engine = Engine(problem, settings, threads)
    toolchain = find_toolchain()
    assert toolchain is not None  # the engine was compiled by it
    description = f"engine: the grammar, compiled by {toolchain.identity}"
    return Evolver("engine", description, lambda: run_engine(engine))


def _loop(problem: Problem, settings: Settings, backend: Backend, remark: str = "") -> Evolver:
    def generations() -> Iterator[Generation]:
        return evolve(problem, settings, Scorer(problem, backend))

    return Evolver(backend.name, backend.description, generations, remark)
