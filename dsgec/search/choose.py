"""Choose the evolver of a run: the native engine, or the loop in Python with a backend."""

import time
from collections.abc import Callable
from contextlib import nullcontext

from dsgec.background import processors
from dsgec.engine.library import Waiting
from dsgec.engine.toolchain import find_toolchain
from dsgec.errors import DsgecError, mention
from dsgec.search.backends import CBackend, NumpyBackend, ReferenceBackend
from dsgec.search.evolver import Evolver, Island, LoopEvolver
from dsgec.search.islands import EnsembleEvolver, IslandEvolver, island_settings, member_settings
from dsgec.search.native import EngineEvolver, EngineUnavailable, build_engine, build_engine_soon
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings
from dsgec.search.text_evolvers import TextEngineEvolver, TextIslandEvolver, TextLoopEvolver

_CELLS_WORTH_SHARING = 50_000


def choose_evolver(
    problem: Problem,
    settings: Settings,
    wanted: str,
    threads: int | None = 1,
    *,
    soon: bool = False,
    waiting: Waiting = nullcontext,
) -> Evolver:
    """Return an evolver with the backend `wanted`.

    `auto` is the engine or, if it cannot be compiled, numpy; the loop in Python if the fitness is a
    user's. Islands are evolved side by side, one per processor, each with so many threads; None
    chooses by the size of the table. `waiting` is entered while an engine is compiled. With `soon`,
    the run begins with an engine that is compiled quickly, if a processor is free to
    compile the fast one meanwhile.
    """
    threads = threads or default_threads(problem, settings.islands)
    busy = min(max(settings.islands, settings.ensemble) * threads, processors())
    is_quick = problem.fitness is not None or (soon and busy < processors())
    make = _island_maker(problem, settings, wanted, threads, is_quick, waiting)
    if settings.ensemble > 1:
        members = [make(one) for one in member_settings(settings)]
        return EnsembleEvolver(problem, settings, members, min(len(members), processors()))
    if settings.islands == 1:
        return make(settings)
    islands = [make(one) for one in island_settings(settings)]
    kind = IslandEvolver if problem.fitness is None else TextIslandEvolver
    return kind(problem, settings, islands, min(len(islands), processors()))


def choose_island(problem: Problem, settings: Settings, wanted: str) -> Island:
    """Return an evolver of one population with the backend `wanted`, in one thread."""
    return _island_maker(problem, settings, wanted, 1)(settings)


def _island_maker(
    problem: Problem,
    settings: Settings,
    wanted: str,
    threads: int,
    soon: bool = False,
    waiting: Waiting = nullcontext,
) -> Callable[[Settings], Island]:
    """Compile the code that all islands share, and return a function from settings to an island."""
    remark = ""
    if wanted in ("auto", "engine"):
        try:
            started, upgrade = time.perf_counter(), None
            if soon:
                build, upgrade = build_engine_soon(problem, settings.representation, waiting)
            else:
                build = build_engine(problem, settings.representation, waiting=waiting)
            seconds = time.perf_counter() - started
            kind = EngineEvolver if problem.fitness is None else TextEngineEvolver
            return lambda one: kind(
                problem, one, threads, build=build, upgrade=upgrade, seconds=seconds
            )
        except EngineUnavailable as reason:
            if wanted == "engine":
                raise DsgecError(str(reason), _advise_without_compiler(problem)) from reason
            cause = " ".join(str(reason).split())[:200]
            how = "with numpy" if problem.fitness is None else "in Python"
            remark = f"{cause}: evolving {how} instead, slower but with the same results"
            wanted = "numpy"
    if problem.fitness is not None:  # nothing is computed by numpy or by C
        return lambda one: TextLoopEvolver(problem, one, remark)
    if wanted == "c":
        toolchain = find_toolchain()
        if toolchain is None:
            raise DsgecError(
                "no C compiler was found (looked for $CC, cc, gcc, clang)",
                _advise_without_compiler(problem),
            )
        return lambda one: LoopEvolver(problem, one, CBackend(toolchain))
    backend = NumpyBackend if wanted == "numpy" else ReferenceBackend
    return lambda one: LoopEvolver(problem, one, backend(), remark)


def _advise_without_compiler(problem: Problem) -> str:
    backend = "numpy" if problem.fitness is None else "reference"
    return f"Install gcc or clang, or use {mention('backend', backend)}."


def default_threads(problem: Problem, runs: int = 1) -> int:
    """Return the number of threads for each of so many runs side by side.

    It is 1 for a small table, whose generations are too short to be shared.
    """
    cells = len(problem.split.train) * len(problem.dataset.features)
    return max(processors() // runs, 1) if cells >= _CELLS_WORTH_SHARING else 1
