"""Sweeps of fault injection: the commands, and the server that makes their calls fail."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE.parents[2]
KINDS = (
    *("open", "read", "write", "half", "fsync", "rename", "mkdir", "unlink", "stat", "close"),
    "kill",
)
RUN = (
    *("--population", "6", "--generations", "3", "--test", "0.3", "--save-every", "0", "--quiet"),
    *("--max-depth", "sigexpr=2", "--max-depth", "sum=2"),
)
STUDY = """
runs = 2
generations = 3
settings = { population = 6, max_depth = { sigexpr = 2, sum = 2 } }
data.small.file = "table.csv"

[[part]]
name = "small"
engines = ["dsge", "ge"]
grammars = ["one_layer.bnf"]
data = ["small"]
"""


def build(folder):
    """Compile inject.c and return the path of the library."""
    library = folder / "inject.so"
    compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))
    flags = ("-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror")
    command = [compiler, *flags, str(HERE / "inject.c"), "-o", str(library), "-ldl"]
    subprocess.run(command, check=True, timeout=120)
    return library


class Server:
    """A process of server.py."""

    def __init__(self, folder):
        preloaded = {
            "LD_PRELOAD": str(build(folder)),
            "PYTHONPATH": str(PROJECT),
            "OPENBLAS_NUM_THREADS": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | preloaded,
            cwd=folder,
        )

    def sweep(self, **sweep):
        self.process.stdin.write(json.dumps(sweep) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        with self.process:  # which closes the pipes: it ends when it has nothing to read
            pass


def commands(root):
    """Return the sweeps by name: the commands before, the one disturbed, and the next one.

    What evolves again and again does it with the engine, which is quicker and writes the same.
    """
    given = root / "given"
    given.mkdir(parents=True)
    shutil.copy(PROJECT / "grammars" / "one_layer.bnf", given)
    rows = [f"{k % 5},{k * k % 7},{'yes' if k * k % 7 > 2 else 'no'}" for k in range(24)]
    (given / "table.csv").write_text("\n".join(["a,b,class", *rows, ""]))
    (given / "small.toml").write_text(STUDY)
    out, name = root / "out", "run"
    folder = out / name
    files = [str(given / "one_layer.bnf"), str(given / "table.csv")]
    evolve = ["evolve", *files, *RUN, "--out", str(out), "--name", name]
    on_numpy = [*evolve, "--backend", "numpy"]
    on_engine = [*evolve, "--backend", "engine", "--threads", "1"]
    half = [*on_engine, "--max-seconds", "0"]
    other = [*on_engine, "--seed", "2"]
    resume = ["resume", str(folder), "--backend", "engine", "--save-every", "0", "--quiet"]
    export = ["export", str(folder), "--to", "c,numpy,js", "--name", "again"]
    elsewhere = [*export, "--out", str(folder / "code")]
    report = ["report", str(folder)]
    apart = [*report, "--out", str(folder / "pages" / "page.html")]
    study = ["study", str(given / "small.toml"), "--out", str(folder), "--backend", "engine"]
    study += ["--jobs", "1", "--quiet"]
    overwrite = [*on_engine, "--overwrite"]
    return folder, {
        "evolve": ([], on_numpy, [on_numpy]),
        "evolve with the engine": ([], on_engine, [on_engine]),
        "evolve --overwrite": ([other], overwrite, [overwrite]),
        "evolve --max-seconds": ([], half, [on_engine]),
        "resume": ([half], resume, [resume, on_engine]),
        "export": ([on_numpy], export, [export]),
        "export -o": ([on_numpy], elsewhere, [elsewhere]),
        "report": ([on_numpy], report, [report]),
        "report -o": ([on_numpy], apart, [apart]),
        "study": ([], study, [study]),
        "report of a study": ([study], report, [report]),
    }
