"""The command: accuracy on windows of sensors, dsgec beside other learners, and the page of it.

python -m benchmarks.signals --archives build/archives --out build/signals/results.jsonl
python -m benchmarks.signals --archives build/archives --page docs/reference/signals.md
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.kilobyte.run import read
from benchmarks.signals.methods import METHODS
from benchmarks.signals.page import page_text
from benchmarks.signals.run import Plan, run
from benchmarks.signals.sets import DEVELOPMENT, RESAMPLES, SETS, published


def main(words: Sequence[str] | None = None) -> int:
    """Run what the file of results does not have, or write the page of what it has."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.signals", description=__doc__)
    add = parser.add_argument
    add("--sets", default="development", help="development, all, or names of sets (development)")
    add("--methods", default=",".join(METHODS), help="names of methods (all)")
    add("--splits", type=int, default=1 + RESAMPLES, help="the default split and resamples (11)")
    add("--archives", type=Path, default=Path("build/archives"), help="folder of the packages")
    add("--out", type=Path, default=Path("build/signals/results.jsonl"), help="file of results")
    add("--page", type=Path, help="write this page instead")
    options = parser.parse_args(words)
    if options.page:
        text = page_text(read(options.out), published(options.archives))
        options.page.write_text(text, encoding="utf-8")
        return 0
    lists = {"development": DEVELOPMENT, "all": tuple(SETS)}
    sets = lists.get(options.sets) or tuple(options.sets.split(","))
    methods = tuple(options.methods.split(","))
    for kind, names, known in (("set", sets, SETS), ("method", methods, METHODS)):
        if unknown := [name for name in names if name not in known]:
            parser.error(f"unknown {kind} {unknown[0]}; choose from {', '.join(known)}")
    run(Plan(sets, methods, options.splits, options.archives, options.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
