"""The runs of all folds to `cv.json`: what each scored on the rows that it never saw."""

import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

from dsgec.folder import Folder
from dsgec.manifest import SCORES
from dsgec.plain_data import to_json
from dsgec.run.job import WrittenRun


def scores(runs: Sequence[WrittenRun]) -> dict[str, Any]:
    """For each metric of the test rows its mean, its deviation, and its value in each fold."""
    records = [run.record for run in runs]
    first = records[0]
    tests = [record["result"]["test"] for record in records]
    found: dict[str, Any] = {
        "dsgec": first["dsgec"],
        "grammar": first["grammar"],
        "data": {name: first["data"][name] for name in ("name", "sha256", "target", "task")},
        "settings": {name: v for name, v in first["settings"].items() if name != "fold"},
        "rows": [record["data"]["test_rows"] for record in records],
        "test": {name: _summary([test[name] for test in tests]) for name in tests[0]},
    }
    if "confusion" in first["result"]:
        counts = sum(np.array(record["result"]["confusion"]["test"]) for record in records)
        found["confusion"] = np.asarray(counts).tolist()
    return found


def write_scores(folder: Folder, runs: Sequence[WrittenRun]) -> None:
    """Write `cv.json` into the folder that holds those of the folds."""
    folder.write(SCORES, to_json(scores(runs)))


def _summary(values: list[float | None]) -> dict[str, Any]:
    defined = [value for value in values if value is not None]
    return {
        "mean": statistics.fmean(defined) if defined else None,
        "deviation": statistics.stdev(defined) if len(defined) > 1 else None,
        "folds": values,
    }
