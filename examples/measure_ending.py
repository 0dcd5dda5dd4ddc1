"""Measure what comes after the last generation, or after Ctrl-C, on tables made from a fixed seed.

python examples/measure_ending.py [TABLE ...]
    the tables named, or all: iris wine vehicle digits letter texts

Each table is evolved with `dsgec evolve` and its default settings, to the end and, a second time,
without end until SIGINT comes after as long. Printed are the seconds of evolution, of each stage
after it by `timing.json`, and from the last generation, or the signal, to the end of the process:
by the clock and of processor time. That should be at most a second, or 15 % of the evolution. Under
SIGINT it begins with the end of the generation under way. Figures of a busy machine are worth
little: the load is printed. Needs scikit-learn.
"""

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine, make_classification

GRAMMARS = ("one_layer_softmax", "multi_layer_softmax")
TWO_CLASSES = ("one_layer", "multi_layer", *GRAMMARS)


def known(load):
    """One of scikit-learn's own tables."""
    data = load()
    return data.data.tolist(), [f"class {number}" for number in data.target]


def blobs(rows, features, classes):
    """Numbers, and classes that can be told apart."""
    x, y = make_classification(
        rows,
        features,
        n_informative=12,
        n_redundant=0,
        n_classes=classes,
        n_clusters_per_class=1,
        class_sep=2,
        random_state=1,
    )
    return x.round(3).tolist(), [chr(ord("A") + number) for number in y]


def texts(rows=2000, columns=10, each=30):
    """Columns of text, which become 300 features."""
    random = np.random.RandomState(1)
    numbers = random.randint(0, each, (rows, columns))
    score = numbers % 7 @ ([1, 1, -1] + [0] * (columns - 3)) + random.randint(0, 4, rows)
    x = [[f"text {number}" for number in row] for row in numbers]
    return x, np.where(score > 5, "yes", "no").tolist()


TABLES = {
    "iris": (lambda: known(load_iris), GRAMMARS),
    "wine": (lambda: known(load_wine), GRAMMARS),
    "vehicle": (lambda: blobs(850, 18, 4), GRAMMARS),
    "digits": (lambda: known(load_digits), GRAMMARS),
    "letter": (lambda: blobs(20_000, 16, 26), GRAMMARS),
    "texts": (texts, TWO_CLASSES),
}


def write_table(path, x, y):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"column {number}" for number in range(len(x[0]))), "target"])
        writer.writerows([*row, label] for row, label in zip(x, y, strict=True))


def cpu_of(pid):
    """Seconds of processor that a process has used, and those it started, such as the compiler."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def evolve(table, grammar, out, interrupt_after=None):
    """The timing of a run, and the seconds of clock and processor from its last generation on."""
    command = [sys.executable, "-m", "dsgec", "evolve", grammar, table, "--out", out]
    if interrupt_after is not None:
        command += ["--generations", 10**7]
    before = os.times()
    process = subprocess.Popen(
        list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    marks = None
    for line in process.stderr:
        if interrupt_after is not None and line.startswith("generation"):
            time.sleep(interrupt_after)
            marks = time.monotonic(), cpu_of(process.pid)
            process.send_signal(signal.SIGINT)
            interrupt_after = None
        elif marks is None and line.startswith("measuring"):  # the first stage
            marks = time.monotonic(), cpu_of(process.pid)
    process.wait()
    assert marks, "the run ended before it was interrupted"
    after = os.times()
    clock = time.monotonic() - marks[0]
    used = sum(after[2:4]) - sum(before[2:4])  # of this process, now that it has ended
    (folder,) = Path(out).iterdir()
    return json.loads((folder / "timing.json").read_text()), clock, used - marks[1]


def measure(folder, name, grammar):
    table = folder / f"{name}.csv"
    for how in ("end", "SIGINT"):
        out = folder / f"{name}-{grammar}-{how}"
        if how == "end":
            timing, clock, cpu = evolve(table, grammar, out)
            seconds = timing["evolve_seconds"]
        else:
            timing, clock, cpu = evolve(table, grammar, out, seconds)
        stages = dict(timing["stages"])
        evolution = stages.pop("evolve")
        share = clock / evolution
        each = ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in stages.items())
        print(
            f"{name:8} {grammar:20} {how:6}  evolve {evolution:7.2f} s"
            f"  after it {clock:5.2f} s ({share:4.0%}), processor {cpu:5.2f} s"
            f"  {'ok' if clock <= max(1.0, 0.15 * evolution) else 'LONG'}"
            f"  [{each}]  load {os.getloadavg()[0]:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    wanted = sys.argv[1:] or [*TABLES]
    if not set(wanted) <= TABLES.keys():
        sys.exit(__doc__)
    # In the background of a shell it would be ignored, here and in what is started.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as temporary:
        for name in wanted:
            make, grammars = TABLES[name]
            write_table(Path(temporary) / f"{name}.csv", *make())
            for grammar in grammars:
                measure(Path(temporary), name, grammar)
