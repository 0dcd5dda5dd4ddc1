"""A problem to generations, a slice of time after another, with what is needed to go on later."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dsgec.evolution.choose import Generation, choose, sensible_threads
from dsgec.evolution.engine import Engine, EngineUnavailable, run_slices
from dsgec.evolution.problem import Problem
from dsgec.evolution.settings import Settings
from dsgec.run.record import HistoryRow, history_row

_SLICE_SECONDS = 0.2

OnSlice = Callable[[Sequence[Generation]], bool]
"""Called with the generations of a slice; True ends the run."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What came of a problem. `state` is what an engine goes on from, where it was asked for."""

    last: Generation
    history: tuple[HistoryRow, ...]
    timing: dict[str, Any]
    remark: str
    stopped: bool
    state: bytes | None


@dataclass(frozen=True, slots=True, eq=False)
class _Machine:
    name: str
    remark: str
    slices: Iterator[Sequence[Generation]]
    engine: Engine | None


def run_problem(
    problem: Problem,
    settings: Settings,
    backend: str = "auto",
    threads: int | None = None,
    on_slice: OnSlice = lambda _: False,
    *,
    before: bytes | None = None,
    keeps_state: bool = False,
) -> Outcome:
    """Evolve to the end, from the start or from the state `before`, or until `on_slice` says so."""
    machine = _start(problem, settings, backend, threads or sensible_threads(problem), before)
    history: list[HistoryRow] = []
    last: Generation | None = None
    stopped = False
    started = time.perf_counter()
    for states in machine.slices:
        history += map(history_row, states)
        last = states[-1]
        if on_slice(states) and last.generation < settings.generations:
            stopped = True
            break
    seconds = time.perf_counter() - started
    assert last is not None
    timing = {
        "backend": machine.name,
        "evolve_seconds": round(seconds, 3),
        "evaluations_per_second": round(last.evaluations / seconds, 1) if seconds else None,
    }
    state = None
    # In the midst of a generation, as after a stop, there is no state to be kept.
    if keeps_state and machine.engine is not None and machine.engine.generation > 0:
        state = machine.engine.save()
    return Outcome(last, tuple(history), timing, machine.remark, stopped, state)


def _start(
    problem: Problem, settings: Settings, backend: str, threads: int, before: bytes | None
) -> _Machine:
    if backend in ("auto", "engine"):
        try:
            engine = Engine(problem, settings, threads)
        except EngineUnavailable:
            pass  # `choose` tells why, or takes what there is instead
        else:
            if before is not None:
                engine.restore(before)
            return _Machine("engine", "", run_slices(engine, _SLICE_SECONDS), engine)
    evolver = choose(problem, settings, backend, threads)
    slices = _in_slices(evolver.generations(), settings.generations)
    return _Machine(evolver.name, evolver.remark, slices, None)


def _in_slices(states: Iterator[Generation], last: int) -> Iterator[Sequence[Generation]]:
    """Generations that come one by one, together as far as they follow closely."""
    waiting: list[Generation] = []
    told = time.monotonic()
    for state in states:
        waiting.append(state)
        now = time.monotonic()
        if state.generation in (0, last) or now - told >= _SLICE_SECONDS:
            told = now
            yield waiting
            waiting = []
