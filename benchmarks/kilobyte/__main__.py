"""The command: test accuracy of classifiers at budgets of flash, dsgec and others.

python -m benchmarks.kilobyte --tables development --out build/kilobyte/results.jsonl
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.kilobyte.methods import METHODS
from benchmarks.kilobyte.run import Plan, run
from benchmarks.tables import NUMERIC, names_of


def main(words: Sequence[str] | None = None) -> int:
    """Run what the file of results does not have."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kilobyte", description=__doc__)
    add = parser.add_argument
    add("--tables", default="development", help="lists or names of tables (development)")
    add("--methods", default=",".join(METHODS), help="names of methods (all)")
    add("--splits", type=int, default=2, help="splits into 70%% training and 30%% test rows (2)")
    add("--rows", type=int, default=2000, help="the most rows of a table (2000)")
    add("--jobs", type=int, default=1, help="processes, each on one core (1)")
    add("--report", action="store_true", help="needed for reporting tables")
    add("--out", type=Path, default=Path("build/kilobyte/results.jsonl"), help="file of results")
    options = parser.parse_args(words)
    tables = tuple(name for name in names_of(options.tables) if name not in NUMERIC)
    methods = tuple(options.methods.split(","))
    if unknown := set(methods) - set(METHODS):
        parser.error(
            f"unknown methods {', '.join(sorted(unknown))}; choose from {', '.join(METHODS)}"
        )
    run(
        Plan(
            tables,
            methods,
            *(options.splits, options.rows, options.out, options.jobs, options.report),
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
