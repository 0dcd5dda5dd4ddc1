"""A problem to generations, a slice of time after another, with what is needed to go on later."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dsgec.evolution.choose import choose, sensible_threads
from dsgec.evolution.evolver import Ending, Generation, with_best
from dsgec.evolution.measure import Measurer
from dsgec.evolution.problem import Problem
from dsgec.evolution.scoring import Champion
from dsgec.evolution.settings import Settings
from dsgec.run.history import HistoryRow, history_row
from dsgec.run.record import make_timing

_SLICE_SECONDS = 0.2

OnSlice = Callable[[Sequence[Generation]], bool]
"""Called with the generations of a slice; True ends the run."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What came of a problem. `ended` is why; `state` is what an evolver goes on from."""

    last: Generation
    history: tuple[HistoryRow, ...]
    champions: tuple[Champion, ...]
    measurer: Callable[[], Measurer]
    timing: dict[str, Any]
    remark: str
    ended: str
    state: bytes | None


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
    threads = threads or sensible_threads(problem, settings.islands)
    evolver = choose(problem, settings, backend, threads)
    if before is not None:
        evolver.restore(before)
    ending = Ending(problem, settings, evolver.next_generation - 1)
    history: list[HistoryRow] = []
    waiting: list[Generation] = []
    last: Generation | None = None
    started = told = time.perf_counter()
    for states in evolver.slices(ending):
        waiting += states
        now = time.perf_counter()
        # The loops give one generation at a time: together, as far as they follow closely.
        is_first = bool(waiting) and last is None
        if not waiting or not (is_first or ending.reason or now - told >= _SLICE_SECONDS):
            continue
        history += map(history_row, waiting)
        last, told = waiting[-1], now
        stops = on_slice(waiting)
        waiting = []
        if stops and not ending.reason:
            for last in evolver.finish():
                history.append(history_row(last))
                ending.look(last.generation, last.best)
            break
    seconds = time.perf_counter() - started
    assert last is not None
    champions = evolver.champions
    last = with_best(last, champions)
    timing = make_timing(evolver.name, seconds, last.evaluations)
    return Outcome(
        last,
        tuple(history),
        tuple(champions),
        evolver.measurer,
        timing,
        evolver.remark,
        ending.reason or "stopped",
        evolver.save() if keeps_state else None,
    )
