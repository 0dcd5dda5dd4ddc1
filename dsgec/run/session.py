"""A search to checkpoints in its folder, and back: one session of a run that may take several."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dsgec import __version__
from dsgec.errors import DsgecError
from dsgec.folder import Folder
from dsgec.run.checkpoint import (
    FROM_SCRATCH,
    Checkpoint,
    has_checkpoint,
    pack_rows,
    read_checkpoint,
    refuse_other_version,
    remove_checkpoint,
    write_checkpoint,
)
from dsgec.run.job import Job
from dsgec.run.record import is_same_run
from dsgec.run.search import Search


def ignore(*_: object) -> None:
    """What a callback is by default."""


@dataclass(frozen=True, slots=True)
class Session:
    """How one process works on a run.

    It writes a checkpoint every `save_every` seconds and stops after `max_seconds`; with
    `overwrite` it starts from scratch, whatever the folder holds. `arguments` are for `dsgec
    resume`. `on_stop` is called when the run was asked to stop, `on_trouble` with a message when a
    checkpoint cannot be written, `on_stage` with what is being done after the last generation.
    """

    save_every: float = 30.0
    max_seconds: float = float("inf")
    overwrite: bool = False
    arguments: dict[str, Any] = field(default_factory=dict)
    on_stop: Callable[[], None] = ignore
    on_trouble: Callable[[str], None] = ignore
    on_stage: Callable[[str], None] = ignore


class Checkpoints:
    """Those of one run; the search is resumed from the one in the folder, if there is one."""

    def __init__(self, job: Job, folder: Folder, search: Search, session: Session) -> None:
        self.folder, self.search, self.session = folder, search, session
        self._identity = job.identity
        self._packed = b""  # the history as checkpoints have it; only what is new is added
        if session.overwrite:
            remove_checkpoint(folder)
        elif has_checkpoint(folder):
            self._resume(read_checkpoint(folder))
        self._saved = time.perf_counter()

    def _resume(self, checkpoint: Checkpoint) -> None:
        if not is_same_run(checkpoint.asked, self._identity):
            raise DsgecError(f"{self.folder.path} holds another run, which has not ended")
        refuse_other_version(self.folder, checkpoint)
        try:
            self.search.resume(checkpoint.state, checkpoint.history, checkpoint.seconds)
        except ValueError as error:
            raise DsgecError(
                f"the checkpoint in {self.folder.path} is damaged: {error}", FROM_SCRATCH
            ) from error
        self._packed = checkpoint.rows

    @property
    def is_due(self) -> bool:
        """Whether the last checkpoint was written long enough ago."""
        return time.perf_counter() - self._saved >= self.session.save_every

    def try_to_save(self) -> None:
        """Write a checkpoint; the run continues if that fails."""
        try:
            self.save()
        except DsgecError as error:
            self.session.on_trouble(f"{error.faults[0].message}; the run continues and tries again")
        self._saved = time.perf_counter()

    def save(self) -> None:
        """Write a checkpoint; only between two generations."""
        self._packed = pack_rows(self.search.history, self._packed)
        write_checkpoint(
            self.folder,
            Checkpoint(
                __version__,
                self._identity,
                self.session.arguments,
                self.search.seconds,
                self._packed,
                self.search.evolver.save(),
            ),
        )
