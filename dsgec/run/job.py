"""What a run is before it starts and after it has ended."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsgec.grammar.load import GrammarFile
from dsgec.run.config import Inputs, config_text
from dsgec.run.record import identity
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A run that can start, and the folder that it is to leave its files in.

    The folder of a `fold` lies inside the one that a user named. With `inputs`, its config.toml can
    repeat it.
    """

    grammar: GrammarFile
    problem: Problem
    settings: Settings
    named: Path
    fold: str = ""
    inputs: Inputs | None = None

    @property
    def folder(self) -> Path:
        return self.named / self.fold

    @property
    def config(self) -> str:
        """The text of config.toml, if there can be one."""
        if self.inputs is None:
            return ""
        return config_text(self.inputs, self.settings, self.problem.dataset)

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that the run's outcome depends on."""
        return identity(self.grammar, self.problem.dataset, self.settings)


@dataclass(frozen=True, slots=True, eq=False)
class WrittenRun:
    """A run in its folder, finished or interrupted; `files` are its exports."""

    folder: Path
    record: dict[str, Any]
    timing: dict[str, Any]
    files: tuple[Path, ...]

    @property
    def ended(self) -> str:
        """Why: one of ENDS in `dsgec.search.evolver`, or `interrupted`, or `max-seconds`."""
        return str(self.record["result"]["ended"])
