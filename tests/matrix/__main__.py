"""`make matrix`: every Python of this machine, with the newest and with the lowest dependencies.

    python -m tests.matrix [PYTHON …]

The wheel is built once. Each cell installs it into a fresh environment and takes the tour; then all
files that the tours left are compared. Further interpreters can be named.
"""

import os
import shutil
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.matrix.cell import (
    EXTRAS,
    NOT_COMPARED,
    STEPS,
    Cell,
    CellError,
    Outcome,
    build_wheel,
    make_environment,
    take_tour,
)
from tests.matrix.pythons import ROOT, find_pythons

FOLDER = ROOT / "build" / "matrix"


def try_cell(cell: Cell, wheel: Path) -> Outcome:
    folder = FOLDER / str(cell)
    began = time.monotonic()
    try:
        python = make_environment(cell, wheel, EXTRAS, folder / "environment")
        outcome = take_tour(python, STEPS, folder / "tour", FOLDER / "cache")
    except CellError as error:
        outcome = Outcome(failure=str(error))
    told = outcome.failure or "done"
    print(f"{cell}: {told} ({time.monotonic() - began:.0f} s)", file=sys.stderr, flush=True)
    return outcome


def compare(outcomes: dict[Cell, Outcome]) -> None:
    """Fail the cells that have other files, or other bytes in one, than most have."""
    passed = [outcome for outcome in outcomes.values() if not outcome.failure]
    names = {name for outcome in passed for name in outcome.digests}
    for name in sorted(names):
        common, _ = Counter(outcome.digests.get(name) for outcome in passed).most_common(1)[0]
        for outcome in passed:
            if outcome.digests.get(name) != common:
                outcome.failure += f"{', ' if outcome.failure else 'other bytes: '}{name}"


def table(outcomes: dict[Cell, Outcome]) -> str:
    lines = [f"{'cell':16} {'result':6}  versions, or why it failed"]
    for cell, outcome in outcomes.items():
        result = "fail" if outcome.failure else "pass"
        lines.append(f"{cell!s:16} {result:6}  {outcome.failure or outcome.versions}")
    return "\n".join(lines)


def main(more: list[str]) -> int:
    began = time.monotonic()
    shutil.rmtree(FOLDER, ignore_errors=True)
    wheel = build_wheel(FOLDER / "wheel")
    pythons = find_pythons(more)
    cells = [Cell(python, which) for python in pythons for which in ("lowest-direct", "highest")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda cell: try_cell(cell, wheel), cells)
        outcomes = dict(zip(cells, found, strict=True))
    compare(outcomes)
    print(table(outcomes))
    files = max(len(outcome.digests) for outcome in outcomes.values())
    for name, why in NOT_COMPARED.items():
        print(f"not compared: {name} ({why})")
    failed = sum(bool(outcome.failure) for outcome in outcomes.values())
    taken = time.monotonic() - began
    print(f"{len(cells)} cells, {failed} failed; {files} files compared; {taken:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
