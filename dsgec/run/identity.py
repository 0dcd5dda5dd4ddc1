"""The identity of a run: everything that its result depends on, as its record has it."""

from typing import Any

import numpy as np

from dsgec import __version__
from dsgec.data.dataset import Dataset
from dsgec.data.options import Preprocessing
from dsgec.grammar.load import GrammarFile
from dsgec.network.ranges import Range
from dsgec.search.problem import Problem
from dsgec.search.settings import Settings
from dsgec.setting import settings_of


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
