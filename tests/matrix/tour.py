"""A tour of what dsgec does, in one environment: every file that it leaves is to be compared.

    python tour.py FOLDER STEP …

runs in the environment whose Python starts it, which has dsgec and nothing of the tests. Steps that
are called as an extra need that extra. What a command prints is kept as a file, too. A step that
fails ends the tour.
"""

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NoReturn
from unittest.mock import patch

from dsgec.__main__ import main
from dsgec.export.targets import cffi
from dsgec.resources import TABLES

QUICK = ("--generations", "8", "--population", "24", "--quiet", "--pruning", "2", "--tuning", "6")
NAME = "wdbc-one_layer-seed1"
RUN = f"build/{NAME}"
WDBC = str(TABLES / "wdbc.csv")

STUDY = """\
runs = 2
generations = 4

[settings]
population = 20

[[part]]
name = "one layer or many"
engines = ["dsge"]
grammars = ["one_layer", "multi_layer"]
data = ["wdbc"]
"""

PREDICT = """\
import csv, sys, wdbc
rows = list(csv.reader(open(sys.argv[1])))
rows = [list(map(float, row[:-1])) for row in rows[1:60]]
assert wdbc.selftest()
for row, label in zip(wdbc.predict_proba(rows), wdbc.predict(rows)):
    print(label, *(float(value).hex() for value in row))
"""

FIT = """\
import csv, sys
import numpy as np
from dsgec import DSGEClassifier
rows = np.array(list(csv.reader(open(sys.argv[1])))[1:])
X, y = rows[:, :-1].astype(float), rows[:, -1]
model = DSGEClassifier(generations=6, population=20, random_state=1).fit(X, y)
for row in model.predict_proba(X[:60]):
    print(*(float(value).hex() for value in row))
"""

CLUSTER = """\
import subprocess, sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        command = [sys.executable, "-m", "dsgec", *sys.argv[1:]]
        subprocess.run([*command, "--cluster", cluster.scheduler_address], check=True)
"""


def command(*words: str, keep: str = "", **variables: str) -> None:
    """Run Python in a process of its own; what it prints goes to the file `keep`."""
    answer = subprocess.run(
        [sys.executable, *words], capture_output=True, env={**os.environ, **variables}, check=False
    )
    if answer.returncode:
        fail(words, answer.stderr.decode(errors="replace"))
    if keep:
        Path(keep).write_bytes(answer.stdout)


def dsgec(*words: str, keep: str = "") -> None:
    """Run a command of dsgec in this process, which saves the second that it takes to start."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    sys.argv = ["dsgec", *words]
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as ended:
        if ended.code:
            fail(words, err.buffer.getvalue().decode())
    if keep:
        # Which Python or compiler ran a self-test differs from one environment to another.
        kept = re.sub(rb"(self-test passed, )[^\n]*", rb"\1 by some", out.buffer.getvalue())
        Path(keep).write_bytes(kept)


def fail(words: Sequence[str], told: str) -> NoReturn:
    sys.exit(f"`{' '.join(words)}` failed: {(told.strip().splitlines() or ['no message'])[-1]}")


def script(text: str, name: str, *words: str, keep: str = "", path: str = "") -> None:
    Path(name).write_text(text, encoding="utf-8")
    command(name, *words, keep=keep, PYTHONPATH=path)


def write_table() -> None:
    """Numbers, texts, truths and gaps, and three classes that depend on them."""
    lines = ["size,colour,member,weight,kind"]
    for i in range(120):
        size, colour, weight = i * 37 % 101 / 8, ("red", "green", "blue")[i % 3], i * 53 % 97
        kind = ("small", "large", "odd")[(weight > 48) + (i % 7 == 0 and weight > 48)]
        cells = ["" if i % 11 == 5 else f"{size:g}", "" if i % 13 == 7 else colour]
        cells += [("yes", "no")[i % 5 > 2], "NA" if i % 17 == 9 else str(weight), kind]
        lines.append(",".join(cells))
    Path("shop.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def same(first: str, second: str) -> None:
    if Path(first).read_bytes() != Path(second).read_bytes():
        sys.exit(f"{first} and {second} differ")


def same_files(first: str, second: str) -> None:
    for path in Path(first).rglob("*"):
        if path.is_file() and path.name != "timing.json":
            same(str(path), str(second / path.relative_to(first)))


def grammars() -> None:
    command("-m", "dsgec", "check", "multi_layer", "--data", "wdbc", keep="check.txt")
    dsgec("sample", "multi_layer", "-n", "5", "--data", "wdbc", keep="sample.txt")


def runs() -> None:
    dsgec("evolve", "one_layer", "wdbc", *QUICK)
    dsgec("show", RUN, keep="show.txt")
    dsgec("report", RUN, "-o", "report.html")
    same("report.html", f"{RUN}/report.html")
    for backend in ("numpy", "reference"):
        dsgec("evolve", "one_layer", "wdbc", *QUICK, "--backend", backend, "--out", backend)
        same_files(RUN, f"{backend}/{NAME}")


def gaps() -> None:
    write_table()
    options = ("--missing", "median", "--scale", "standard")
    dsgec("inspect", "shop.csv", *options[:2], keep="inspect.txt")
    dsgec("evolve", "one_layer_softmax", "shop.csv", *options, *QUICK, "--name", "shop")
    dsgec("predict", "build/shop", "shop.csv", "-o", "predictions.csv")
    dsgec("verify", "build/shop", "--data", "shop.csv", keep="verify-shop.txt")


def resuming() -> None:
    again = ("--generations", "600", "--seed", "2", "--quiet")
    dsgec("evolve", "one_layer", "wdbc", *again, "--name", "stopped", "--max-seconds", "0.01")
    dsgec("resume", "build/stopped", "--quiet")


def exports() -> None:
    for target in ("c", "python", "numpy", "js", "wasm"):
        dsgec("export", RUN, "--to", target, "-o", target)
    with patch.object(cffi, "build_extension", wraps=cffi.build_extension) as build:
        dsgec("export", RUN, "--to", "cffi", "--package", "wheel", "-o", "cffi")
    Path("cffi.c").write_text("".join(build.call_args.args[1:3]), encoding="utf-8")
    dsgec("export", RUN, "--to", "c", "--dtype", "float", "-o", "float")
    for target in ("c", "python", "numpy", "js", "wasm", "float"):
        dsgec("verify", target, "--data", "wdbc", keep=f"verify-{target}.txt")
    dsgec("verify", "cffi/wdbc", "--data", "wdbc", keep="verify-cffi.txt")


def predictions() -> None:
    for target in ("python", "numpy", "cffi"):
        script(PREDICT, "predict.py", WDBC, keep=f"{target}.txt", path=target)
        same(f"{target}.txt", "python.txt")


def parquet() -> None:
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.csv.read_csv("shop.csv"), "shop.parquet")
    dsgec("predict", "build/shop", "shop.parquet", "-o", "from-parquet.csv")
    same("from-parquet.csv", "predictions.csv")


def study() -> None:
    Path("small.toml").write_text(STUDY, encoding="utf-8")
    dsgec("study", "small.toml", "--jobs", "1", keep="study.txt")


def onnx() -> None:
    dsgec("export", RUN, "--to", "onnx", "-o", "onnx")
    dsgec("verify", "onnx", keep="verify-onnx.txt")


def sklearn() -> None:
    script(FIT, "fit.py", WDBC, keep="fit.txt")


def cluster() -> None:
    script(CLUSTER, "cluster.py", "study", "small.toml", "--out", "cluster")
    same_files("build/small", "cluster")


def tcc() -> None:
    words = ("-m", "dsgec", "evolve", "one_layer", "wdbc", *QUICK, "--out", "tcc")
    command(*words, "--backend", "engine", PATH="", CC="")
    same_files(RUN, f"tcc/{NAME}")


def paper() -> None:
    dsgec("inspect", "sonar", keep="sonar.txt")


STEPS: tuple[Callable[[], None], ...] = (
    *(grammars, runs, gaps, resuming, exports, predictions),
    *(parquet, tcc, study, paper, cluster, onnx, sklearn),
)


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    wanted = sys.argv[2:]
    for step in STEPS:
        if step.__name__ in wanted:
            step()
