"""The time of logs beside that of tables: `python -m benchmarks.speed_windows`.

Reading: a log of a million samples as windows, and the same file as a table. Evolving: on 10,000
windows of 3 × 64 samples, and on a plain table of as many rows, with as many columns as the network
begins with. Seconds are of the processor, of one thread, and the engines are compiled before.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

import dsgec
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.search.walk.screen import most_inputs

SAMPLES, WINDOWS, WINDOW, CHANNELS = 1_000_000, 10_000, 64, 3
_RECORDING = 5_000
_MOST_READING, _MOST_EVOLVING = 2.0, 1.5


def main() -> None:
    """Print both ratios."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed_windows", description=__doc__)
    parser.add_argument("--samples", type=int, default=SAMPLES, help="of the log that is read")
    parser.add_argument("--windows", type=int, default=WINDOWS, help="that are evolved on")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log, table = reading(Path(folder) / "log.csv", options.samples)
    print(f"reading {options.samples:,} samples: {_ratio(log, table, _MOST_READING)}")
    log, table = evolving(options.windows)
    print(f"evolving on {options.windows:,} windows: {_ratio(log, table, _MOST_EVOLVING)}")


def reading(path: Path, samples: int) -> tuple[float, float]:
    """Return the seconds of reading a log as windows, and as a table."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(samples, CHANNELS)).cumsum(axis=0) % 7
    with path.open("w") as file:
        file.write("recording,ax,ay,az,state\n")
        for number, row in enumerate(values.round(3).tolist()):
            recording = number // _RECORDING
            file.write(f"{recording},{row[0]},{row[1]},{row[2]},{'ab'[recording % 2]}\n")
    windows = Preprocessing(window=WINDOW, group="recording")
    return (
        seconds(lambda: make_dataset(read_table(str(path)), None, windows)),
        seconds(lambda: make_dataset(read_table(str(path)), None, Preprocessing())),
    )


def evolving(windows: int) -> tuple[float, float]:
    """Return the seconds of evolving on windows, and on a plain table of as many rows."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, windows)
    turns = np.outer(0.2 + 0.1 * y, np.arange(WINDOW))
    x = np.sin(turns + rng.uniform(0, 6, (windows, 1)))[:, None, :]
    x = x + rng.normal(size=(windows, CHANNELS, WINDOW))
    rows = rng.normal(size=(windows, most_inputs(round(0.7 * windows)))) + 0.3 * y[:, None]
    labels = np.array(["a", "b", "c"])[y]
    found = []
    for given, grammar in ((x, ()), (rows, ("shared_softmax",))):
        few = given[: windows // 20], labels[: windows // 20]
        dsgec.evolve(*grammar, *few, threads=1, effort="quick")  # compiles the engine
        whole = *grammar, given, labels
        found.append(seconds(partial(dsgec.evolve, *whole, threads=1)))
    return found[0], found[1]


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds of the processor that some work takes."""
    started = time.process_time()
    work()
    return time.process_time() - started


def _ratio(log: float, table: float, most: float) -> str:
    return f"{log:.1f} s, a table {table:.1f} s: {log / table:.2f} times (asked {most:g})"


if __name__ == "__main__":
    main()
