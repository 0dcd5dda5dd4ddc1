"""One process working on a run: its limits and callbacks, and the time that each stage takes."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from dsgec.search.walk.front import WalkProgress

STAGES = {
    "checkpoint": "writing the checkpoint",
    "results": "measuring the best network",
    "baselines": "comparing it with simpler models",
    "hall_of_fame": "measuring the hall of fame",
    "cost": "estimating what it takes of a chip",
    "self_test": "choosing the self-test rows",
    "exports": "making the exports",
    "checks": "running their self-tests",
    "files": "writing the files",
    "report": "writing the report",
}
"""The stages after the last generation, in order: the name in timing.json and a description."""

TUNING = "pruning and tuning the best networks"
"""The description of the end of the search, whose time is part of the search's."""


def ignore(*_: object) -> None:
    """Do nothing: the default of a callback."""


@dataclass(frozen=True, slots=True)
class Session:
    """The limits and callbacks of one process that works on a run.

    It writes a checkpoint every `save_every` seconds and stops after `max_seconds`; with
    `overwrite` it starts from scratch, whatever the folder holds. `arguments` are kept for `dsgec
    resume`. With `logs`, the population of every generation is logged. `on_stop` is called when the
    run was asked to stop, `on_trouble` with a message when a checkpoint cannot be written,
    `on_stage` with the description of each stage that begins, `on_walk` with the progress of a
    walk, a few times a second.
    """

    save_every: float = 30.0
    max_seconds: float = float("inf")
    overwrite: bool = False
    logs: bool = False
    arguments: dict[str, Any] = field(default_factory=dict)
    on_stop: Callable[[], None] = ignore
    on_trouble: Callable[[str], None] = ignore
    on_stage: Callable[[str], None] = ignore
    on_walk: Callable[[WalkProgress], None] = ignore


class Stages:
    """A clock for the stages after the last generation.

    `seconds` has the stages that are over; `on_stage` is called with the description of each that
    begins.
    """

    def __init__(self, on_stage: Callable[[str], None] = ignore) -> None:
        self.seconds: dict[str, float] = {}
        self.on_stage = on_stage

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        self.on_stage(STAGES[name])
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started


def make_timing(
    backend: str, seconds: float, evaluations: int, compiling: tuple[float, float] = (0.0, 0.0)
) -> dict[str, Any]:
    """Return the content of timing.json, which differs from one time to another.

    `compiling` has the seconds that the run waited for its engine, and those that a better engine
    was compiled for beside the run.
    """
    waited, beside = compiling
    return {
        "backend": backend,
        "evolve_seconds": round(seconds, 3),
        "evaluations_per_second": round(evaluations / seconds, 1) if seconds else None,
        "compiled_in_background_seconds": round(beside, 3),
        "stages": {"compile": round(waited, 3), "evolve": round(seconds, 3)},
    }


def with_stages(timing: dict[str, Any], seconds: dict[str, float]) -> dict[str, Any]:
    """Return the timing with the seconds of further stages; runs of earlier versions had none."""
    before = timing.get("stages")
    stages = {**before} if isinstance(before, dict) else {}
    return {**timing, "stages": stages | {name: round(s, 3) for name, s in seconds.items()}}
