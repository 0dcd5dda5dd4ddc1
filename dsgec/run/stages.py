"""The stages of a run's end, one after the other, each shown and timed."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dsgec.run.session import ignore

WORDS = {
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
"""The stages as timing.json calls them, in order, and as people do."""

TUNING = "pruning and tuning the best networks"
"""The end of the search, whose time is the search's; it is shown as a stage."""


class Stages:
    """`seconds` has the stages that are over; `on_stage` is called in words when one begins."""

    def __init__(self, on_stage: Callable[[str], None] = ignore) -> None:
        self.seconds: dict[str, float] = {}
        self.on_stage = on_stage

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        self.on_stage(WORDS[name])
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started
