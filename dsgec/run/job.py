"""A run before it starts and after it has ended, and all that its result depends on."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dsgec import __version__
from dsgec.data.dataset import Dataset
from dsgec.data.options import Preprocessing
from dsgec.grammar.load import GrammarFile
from dsgec.network.ranges import Range
from dsgec.run.config import Inputs, config_text
from dsgec.run.record import RunRecord
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings
from dsgec.setting import settings_of


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


def identity(grammar: GrammarFile, dataset: Dataset, settings: Settings) -> dict[str, Any]:
    """Return everything that the result of a run depends on, as the record has it."""
    return {
        "dsgec": __version__,
        "grammar": {"name": grammar.name, "sha256": grammar.digest},
        "data": {
            "name": dataset.name,
            "sha256": dataset.digest,
            "target": dataset.target,
            "task": dataset.task,
            **_data_options(dataset),
        },
        "settings": settings.as_json(),
    }


def text_identity(grammar: GrammarFile, problem: Problem, settings: Settings) -> dict[str, Any]:
    """Return everything that the result of a search with a user's fitness depends on."""
    assert problem.fitness is not None
    name, _, function = problem.fitness.name.partition(":")
    return {
        "dsgec": __version__,
        "grammar": {"name": grammar.name, "sha256": grammar.digest},
        "data": {
            "name": name,
            "function": function,
            "sha256": problem.fitness.digest,
            "task": "fitness",
        },
        "settings": settings.as_json(),
    }


def _data_options(dataset: Dataset) -> dict[str, Any]:
    """Return the settings of the table that are not the default."""
    asked: dict[str, Any] = {
        "test_sha256": dataset.test_digest,
        "weights_sha256": dataset.weights_digest,
        "groups_sha256": dataset.groups_digest,
    }
    for one in settings_of(Preprocessing):
        value = getattr(dataset.preprocessing, one.name)
        if value != one.default and one.name != "task":  # which the identity has already
            asked[one.name] = list(value) if one.kind is tuple else value
    asked["reading"] = dict(dataset.reading)
    return {name: value for name, value in asked.items() if value}


def training_ranges(problem: Problem) -> tuple[Range | None, ...]:
    """Return the least and the greatest number of each column of the raw training rows.

    A column of categories or without numbers has None.
    """
    dataset = problem.dataset
    raw = dataset.x if dataset.raw is None else dataset.raw
    found: list[Range | None] = []
    for number, column in enumerate(dataset.inputs):
        values = raw[problem.split.train, number]
        values = values[np.isfinite(values)]
        is_text = column.categories or not len(values)
        found.append(None if is_text else (float(values.min()), float(values.max())))
    return tuple(found)
