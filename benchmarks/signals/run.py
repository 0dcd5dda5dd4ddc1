"""Sets, splits and methods to lines of JSON, without those that the file has already."""

import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kilobyte.run import append, key_of, read
from benchmarks.signals.methods import METHODS
from benchmarks.signals.sets import Case, Series, load, make_case

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """The methods to run on the splits of some sets; 0 is the default split."""

    sets: tuple[str, ...]
    methods: tuple[str, ...]
    splits: int
    archives: Path
    out: Path


def run(plan: Plan) -> None:
    """Append the lines that the file does not have; first those of one split of all sets."""
    plan.out.parent.mkdir(parents=True, exist_ok=True)
    known = {key_of(line) for line in read(plan.out) if not line.get("error")}
    loaded: dict[str, Series] = {}
    for number in range(plan.splits):
        for name in plan.sets:
            missing = [one for one in plan.methods if (name, number, one) not in known]
            if not missing:
                continue
            if name not in loaded:
                loaded[name] = load(name, plan.archives)
            words = run_case(make_case(loaded[name], number), missing, plan.out)
            print(f"{name} {number}: {words}", file=sys.stderr, flush=True)


def run_case(case: Case, methods: Sequence[str], out: Path) -> str:
    """Run methods on a split, append their lines, and return what was done in a few words."""
    from threadpoolctl import threadpool_limits

    words = []
    for name in methods:
        started = time.process_time()
        line: Line = {"table": case.name, "split": case.number, "method": name}
        try:
            with threadpool_limits(1), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                labels, figures = METHODS[name](case)
            line |= {"test": round(float(np.mean(labels == case.y_test)), 5), **figures}
        except Exception as error:
            line["error"] = f"{type(error).__name__}: {error}"[:300]
        line["seconds"] = round(time.process_time() - started, 2)
        line["shape"] = {
            "training": len(case.y),
            "test": len(case.y_test),
            "channels": case.x.shape[1],
            "samples": case.x.shape[2],
            "classes": len({*case.y}),
        }
        append(out, line)
        words.append(f"{name} {line.get('error') or line['test']}")
    return ", ".join(words)
