"""CPU seconds to print and to compile a large network: `python -m benchmarks.large`.

Each language compiles a network of 100,000 connections in the layout that `auto` takes, runs it on
a row, and its results are compared with the interpreter.
"""

import argparse
import resource
import time
from collections.abc import Iterator

import numpy as np

from benchmarks.layouts import Layered
from dsgec.export.artefact import LAYOUTS, QUICK, Artefact
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.targets.running import CannotRun, same_results
from dsgec.export.targets.target import TARGETS

_SHAPE = (600, 200, 490, 10)  # columns, neurons, inputs of each, classes: 100,000 connections
_TARGETS = ("c", "cffi", "python", "numpy", "js", "wasm", "rust", "java", "go")


def seconds() -> float:
    """Return the CPU seconds of this process and of those that it waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def measured(artefact: Artefact, target: str) -> Iterator[str]:
    """Yield the CPU seconds to print, and those to compile and run with the wall time."""
    start = seconds()
    files = TARGETS[target].make(artefact)
    yield f"{seconds() - start:.1f}"
    row = np.random.default_rng(1).uniform(-1, 1, (1, _SHAPE[0]))
    start, begin = seconds(), time.perf_counter()
    try:
        found = np.asarray(TARGETS[target].run(artefact, files, row))
    except CannotRun as error:
        yield str(error).splitlines()[0]
        return
    yield f"{seconds() - start:.1f}"
    yield f"{time.perf_counter() - begin:.1f}"
    wanted = artefact.number_format.results(row.astype(artefact.number_format.row_type))
    assert same_results(found.reshape(wanted.shape), wanted).all(), target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dtype", default="double")
    parser.add_argument("--layout", choices=LAYOUTS, default=LAYOUTS[1])
    parser.add_argument("--target", action="append", choices=_TARGETS)
    given = parser.parse_args()
    model = Layered(_SHAPE, "relu").model
    ranges = ((-1.0, 1.0),) * _SHAPE[0] if given.dtype in STORED_BITS else ()
    artefact = Artefact(
        model, "net", given.dtype, selftest=QUICK, ranges=ranges, layout=given.layout
    )
    print("| language | printed, CPU s | compiled and run, CPU s | wall s |")
    print("|---|---|---|---|")
    for target in given.target or _TARGETS:
        print(f"| {target} | {' | '.join(measured(artefact, target))} |", flush=True)


if __name__ == "__main__":
    main()
