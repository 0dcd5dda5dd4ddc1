"""Which machinery runs the generations: the native engine, or the loop in Python with a backend."""

from dsgec.errors import DsgecError
from dsgec.evolution.engine import Engine, EngineUnavailable
from dsgec.evolution.evolver import EngineEvolver, Evolver, Island, LoopEvolver
from dsgec.evolution.islands import IslandEvolver, island_settings
from dsgec.evolution.native_input import make_tables
from dsgec.evolution.problem import Problem
from dsgec.evolution.settings import Settings
from dsgec.fitness.backends import CBackend, NumpyBackend, ReferenceBackend
from dsgec.machine import processors
from dsgec.native.engine import Tables
from dsgec.native.toolchain import find_toolchain

_CELLS_WORTH_SHARING = 50_000


def choose(problem: Problem, settings: Settings, wanted: str, threads: int = 1) -> Evolver:
    """The backend asked for; `auto` takes the engine, or numpy where it cannot be compiled.

    Islands are evolved side by side, one a processor, each with so many threads.
    """
    if settings.islands == 1:
        return choose_island(problem, settings, wanted, threads)
    tables = make_tables(problem)
    islands = [
        choose_island(problem, one, wanted, threads, tables) for one in island_settings(settings)
    ]
    return IslandEvolver(problem, settings, islands, min(len(islands), processors()))


def choose_island(
    problem: Problem,
    settings: Settings,
    wanted: str,
    threads: int = 1,
    tables: Tables | None = None,
) -> Island:
    """The backend for one population; engines can share their `tables`."""
    if wanted in ("auto", "engine"):
        try:
            return _engine(problem, settings, threads, tables)
        except EngineUnavailable as reason:
            if wanted == "engine":
                raise DsgecError(
                    str(reason), "Install gcc or clang, or use `--backend numpy`."
                ) from reason
            cause = " ".join(str(reason).split())[:200]
            remark = f"{cause}: evolving with numpy instead, slower but with the same results"
            return LoopEvolver(problem, settings, NumpyBackend(), remark)
    if wanted == "c":
        toolchain = find_toolchain()
        if toolchain is None:
            raise DsgecError(
                "no C compiler was found (looked for $CC, cc, gcc, clang)",
                "Install gcc or clang, or use `--backend numpy`.",
            )
        return LoopEvolver(problem, settings, CBackend(toolchain))
    backend = NumpyBackend() if wanted == "numpy" else ReferenceBackend()
    return LoopEvolver(problem, settings, backend)


def sensible_threads(problem: Problem, runs: int = 1) -> int:
    """For each of so many runs side by side.

    They share the processors if the table is large; of a small one, a generation is too short.
    """
    cells = len(problem.split.train) * len(problem.dataset.features)
    return max(processors() // runs, 1) if cells >= _CELLS_WORTH_SHARING else 1


def _engine(problem: Problem, settings: Settings, threads: int, tables: Tables | None) -> Island:
    engine = Engine(problem, settings, threads, tables=tables)
    toolchain = find_toolchain()
    assert toolchain is not None  # the engine was compiled by it
    over = f", over {threads} threads" if threads > 1 else ""
    return EngineEvolver(engine, f"engine: the grammar, compiled by {toolchain.identity}{over}")
