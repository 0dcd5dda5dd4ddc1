"""What a run is before it starts and after it has ended."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsgec.bnf.load import GrammarFile
from dsgec.evolution.problem import Problem
from dsgec.evolution.settings import Settings


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A run that can start."""

    grammar: GrammarFile
    problem: Problem
    settings: Settings
    folder: Path


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run that has ended; `interrupted` if a person ended it before its last generation."""

    folder: Path
    record: dict[str, Any]
    timing: dict[str, Any]
    files: tuple[Path, ...]
    interrupted: bool
