"""A run between its first and its last generation: its history, its clock, its checkpoints."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from dsgec import __version__
from dsgec.errors import DsgecError
from dsgec.evolution.evolver import Ending, Evolver, Generation
from dsgec.folder import Folder
from dsgec.run.checkpoint import (
    Checkpoint,
    is_begun,
    pack_row,
    read_checkpoint,
    refuse_other_version,
    remove_checkpoint,
    write_checkpoint,
)
from dsgec.run.history import HistoryRow, history_row
from dsgec.run.job import Job
from dsgec.run.record import identity, is_same_run


def ignore(*_: object) -> None:
    """Told, and forgotten."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """How one process goes on with a run.

    It saves every so many seconds and ends after so many; `anew`, it does not go on from a
    checkpoint. `arguments` is what `dsgec resume` needs to know. `on_stop` is called when the run
    was told to stop, `on_trouble` with what is wrong if a checkpoint cannot be written, `on_stage`
    with what is being done after the last generation.
    """

    save_every: float = 30.0
    max_seconds: float = float("inf")
    anew: bool = False
    arguments: dict[str, Any] = field(default_factory=dict)
    on_stop: Callable[[], None] = ignore
    on_trouble: Callable[[str], None] = ignore
    on_stage: Callable[[str], None] = ignore


USUAL_SITTING = Sitting()


class UnderWay:
    """Begins where the folder's checkpoint ends, if there is one."""

    def __init__(self, job: Job, folder: Folder, evolver: Evolver, sitting: Sitting) -> None:
        self.folder, self.evolver, self.sitting = folder, evolver, sitting
        self.ending = Ending(job.problem, job.settings)
        self.history: list[HistoryRow] = []
        self._packed = bytearray()  # the history again, as the checkpoints have it
        self._asked = identity(job.grammar, job.problem.dataset, job.settings)
        self._last: Generation | None = None
        self._seconds_before = 0.0
        if sitting.anew:
            remove_checkpoint(folder)
        elif is_begun(folder):
            self._go_on(read_checkpoint(folder))
        self._start = self._saved = time.perf_counter()

    def _go_on(self, checkpoint: Checkpoint) -> None:
        if not is_same_run(checkpoint.asked, self._asked):
            raise DsgecError(f"{self.folder.path} holds another run, which has not ended")
        refuse_other_version(self.folder, checkpoint)
        self.evolver.restore(checkpoint.state)
        self.history, self._packed = checkpoint.history, bytearray(checkpoint.rows)
        if self.evolver.next_generation != self.history[-1].generation + 1:
            raise DsgecError(
                f"the checkpoint in {self.folder.path} is damaged: its parts do not fit together",
                "Start anew with `dsgec evolve … --overwrite`.",
            )
        self._seconds_before = checkpoint.seconds
        for row in self.history:
            self.ending.look(row.generation, row.best)
        row = self.history[-1]
        self._last = Generation(**asdict(row), phenotype=self.evolver.best_text)

    def add(self, states: Sequence[Generation]) -> None:
        """Take note of generations that became whole."""
        for row in map(history_row, states):
            self.history.append(row)
            self._packed += pack_row(row)
        if states:
            self._last = states[-1]

    @property
    def last(self) -> Generation:
        """The last whole generation."""
        assert self._last is not None
        return self._last

    @property
    def seconds(self) -> float:
        """Spent on evolving, in this sitting and those before."""
        return self._seconds_before + time.perf_counter() - self._start

    @property
    def is_over(self) -> bool:
        """Whether this sitting has had its time."""
        return time.perf_counter() - self._start >= self.sitting.max_seconds

    @property
    def is_due(self) -> bool:
        """Whether the last checkpoint is long enough ago."""
        return time.perf_counter() - self._saved >= self.sitting.save_every

    def try_to_save(self) -> None:
        """Write a checkpoint; what then goes wrong does not end the run."""
        try:
            self.save()
        except DsgecError as error:
            self.sitting.on_trouble(f"{error.faults[0].message}; the run goes on, and tries again")
        self._saved = time.perf_counter()

    def finish_generation(self) -> Sequence[Generation]:
        """Make the generation whole that is under way: it, if there is one."""
        states = self.evolver.finish()
        for state in states:
            self.ending.look(state.generation, state.best)
        self.add(states)
        return states

    def save(self) -> None:
        """Write a checkpoint; only between two generations."""
        write_checkpoint(
            self.folder,
            Checkpoint(
                __version__,
                self._asked,
                self.sitting.arguments,
                self.seconds,
                bytes(self._packed),
                self.evolver.save(),
            ),
        )
