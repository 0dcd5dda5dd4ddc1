"""cv.json: the metrics of each fold of a cross-validation on its test rows."""

import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

from dsgec.folder import Folder
from dsgec.manifest import SCORES
from dsgec.plain_data import as_plain, to_json
from dsgec.run.job import WrittenRun


def scores(runs: Sequence[WrittenRun]) -> dict[str, Any]:
    """Return mean, deviation and the values by fold of each metric on the test rows."""
    records = [run.record for run in runs]
    first = records[0]
    tests = [record.result.test for record in records]
    data = as_plain(first.data)
    found: dict[str, Any] = {
        "dsgec": first.dsgec,
        "grammar": as_plain(first.grammar),
        "data": {name: data[name] for name in ("name", "sha256", "target", "task")},
        "settings": {name: v for name, v in first.settings.items() if name != "fold"},
        "rows": [record.data.test_rows for record in records],
        "test": {name: _summary([test[name] for test in tests]) for name in tests[0]},
    }
    if first.result.confusion:
        matrices = [(record.result.confusion or {})["test"] for record in records]
        found["confusion"] = np.array(matrices).sum(axis=0).tolist()
    return found


def write_scores(folder: Folder, runs: Sequence[WrittenRun]) -> None:
    """Write cv.json into the folder that holds those of the folds."""
    folder.write(SCORES, to_json(scores(runs)))


def _summary(values: list[float | None]) -> dict[str, Any]:
    defined = [value for value in values if value is not None]
    return {
        "mean": statistics.fmean(defined) if defined else None,
        "deviation": statistics.stdev(defined) if len(defined) > 1 else None,
        "folds": values,
    }
