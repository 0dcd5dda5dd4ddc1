"""Save a search to checkpoints in its folder, and resume it: a run may take several sessions."""

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
    """Do nothing: the default of callbacks."""


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
    """The checkpoints of one search in its folder."""

    def __init__(self, job: Job, folder: Folder, session: Session) -> None:
        self.folder, self.session = folder, session
        self._job = job
        self._identity = job.identity
        self._packed = b""  # the history as checkpoints have it; only what is new is added
        self._trouble = ""

    def resume(self, search: Search) -> None:
        """Resume a search from the checkpoint in the folder, if there is one."""
        self._search = search
        if self.session.overwrite:
            remove_checkpoint(self.folder)
        elif has_checkpoint(self.folder):
            self._restore(read_checkpoint(self.folder))
        self._saved = time.perf_counter()

    def _restore(self, checkpoint: Checkpoint) -> None:
        if not is_same_run(checkpoint.asked, self._identity):
            raise DsgecError(f"{self.folder.path} holds another run, which has not ended")
        refuse_other_version(self.folder, checkpoint)
        try:
            self._search.resume(checkpoint.state, checkpoint.history, checkpoint.seconds)
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

    def save_last(self) -> None:
        """Write the checkpoint of a run that ends early; `raise_trouble` raises if that failed."""
        try:
            self.save()
        except DsgecError as error:
            self._trouble = error.faults[0].message

    def raise_trouble(self) -> None:
        """Raise an error if the last checkpoint could not be written."""
        if self._trouble:
            raise DsgecError(
                self._trouble,
                f"The best network so far is in {self._job.folder}, but the run can only be resumed"
                " from an earlier checkpoint, if there is one.",
            )

    def save(self) -> None:
        """Write a checkpoint; only between two generations."""
        self._packed = pack_rows(self._search.history, self._packed)
        write_checkpoint(
            self.folder,
            Checkpoint(
                __version__,
                self._identity,
                self.session.arguments,
                self._search.seconds,
                self._packed,
                self._search.evolver.save(),
            ),
        )
