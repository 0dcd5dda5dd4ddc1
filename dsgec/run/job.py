"""A run before it starts and after it has ended."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsgec.grammar.load import GrammarFile
from dsgec.run.config import Inputs, config_text
from dsgec.run.identity import identity, text_identity
from dsgec.run.record import RunRecord
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A run that is ready to start.

    If it is run in a folder, that is `named` by the user; the folder of a `fold` lies inside it.
    `inputs` are the names of its files, with which config.toml repeats it; None if the data was in
    memory.
    """

    grammar: GrammarFile
    problem: Problem
    settings: Settings
    named: Path = Path()
    fold: str = ""
    inputs: Inputs | None = None

    @property
    def folder(self) -> Path:
        """Return the folder that the files of the run go to."""
        return self.named / self.fold

    @property
    def is_search(self) -> bool:
        """Return whether a user's fitness scores texts, so that there is no table."""
        return self.problem.fitness is not None

    @property
    def config(self) -> str:
        """Return the text of config.toml, which is empty if the data was in memory."""
        if self.inputs is None:
            return ""
        return config_text(self.inputs, self.settings, self.problem.dataset)

    @property
    def identity(self) -> dict[str, Any]:
        """Return everything that the outcome of the run depends on."""
        if self.is_search:
            return text_identity(self.grammar, self.problem, self.settings)
        return identity(self.grammar, self.problem.dataset, self.settings)


@dataclass(frozen=True, slots=True, eq=False)
class WrittenRun:
    """A run in its folder, finished or interrupted; `files` are its exports."""

    folder: Path
    record: RunRecord
    timing: dict[str, Any]
    files: tuple[Path, ...]

    @property
    def ended(self) -> str:
        """Return why it ended: one of ENDS, `interrupted` or `max-seconds`."""
        return self.record.result.ended
