"""How soon a run shows progress, and ends: with an empty cache, on a new grammar, and again.

`python -m benchmarks.start [TABLE ...]` runs `dsgec evolve` on each table three times and prints
seconds, also those of the processors, compilers included. Without tables, they are wdbc and, where
scikit-learn is installed, iris and digits. `taskset -c 0 python -m benchmarks.start` measures a
machine with one processor.
"""

import importlib.util
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PROGRESS = ("compiling ", "generation ")
"""What a line of progress begins with."""


def main() -> None:
    """Print a table of seconds to the first progress, and to the end."""
    with tempfile.TemporaryDirectory() as folder:
        tables = sys.argv[1:] or ["wdbc", *scikit_tables(Path(folder))]
        print(f"{'table':<12}{'cache':<14}{'progress':>10}{'end':>8}{'processor':>11}")
        for table in tables:
            for state, (first, whole, cpu) in measured(table, Path(folder)):
                figures = f"{first:>10.1f}{whole:>8.1f}{cpu:>11.1f}"
                print(f"{Path(table).stem:<12}{state:<14}{figures}", flush=True)


def scikit_tables(folder: Path) -> Iterator[str]:
    """Write the tables of scikit-learn as files, if it is there."""
    if importlib.util.find_spec("sklearn") is None:
        return
    from sklearn import datasets

    for name in ("iris", "digits"):
        path = folder / f"{name}.csv"
        getattr(datasets, f"load_{name}")(as_frame=True).frame.to_csv(path, index=False)
        yield str(path)


def measured(table: str, folder: Path) -> Iterator[tuple[str, tuple[float, float, float]]]:
    """Run with an empty cache, with one that lacks the grammar only, and with all that it takes."""
    cache = folder / f"cache-{Path(table).stem}"
    yield "empty", timed(table, folder, cache)
    for library in cache.glob("*.so"):
        library.unlink()
    yield "new grammar", timed(table, folder, cache)
    yield "all there", timed(table, folder, cache)


def timed(table: str, folder: Path, cache: Path) -> tuple[float, float, float]:
    """Return the seconds until the first line of progress, until the end, and of the processors."""
    command = [sys.executable, "-m", "dsgec", "evolve", table, "--out", str(folder), "--overwrite"]
    environment = {**os.environ, "DSGEC_CACHE": str(cache)}
    started, used, first = time.perf_counter(), processor_seconds(), 0.0
    with subprocess.Popen(  # noqa: S603
        command,
        env=environment,
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if not first and line.startswith(PROGRESS):
                first = time.perf_counter() - started
    if process.returncode:
        sys.exit(f"`{' '.join(command)}` failed")
    return first, time.perf_counter() - started, processor_seconds() - used


def processor_seconds() -> float:
    """Return what the processes that have ended took, which a busy machine changes little."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
