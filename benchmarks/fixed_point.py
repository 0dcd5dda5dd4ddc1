"""What fixed point costs in accuracy: `python -m benchmarks.fixed_point`.

Networks are evolved on the training rows of each split and exported as double, q15 and q7, with
the ranges that an export takes by itself. The test rows give the score (accuracy, or R²), the rows
that get another class, and the greatest difference beside the one that is proved; both of these
are to the double network on the saturated row.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.splits import Split, make_split
from benchmarks.tables import load_table, names_of
from dsgec import DSGEClassifier, DSGERegressor
from dsgec.export.artefact import Artefact
from dsgec.export.files import make_artefact
from dsgec.export.number_format import FixedFormat
from dsgec.network.decide import predict_classes

TABLES = "paper,iris,wine,australian,bupa,segment,phoneme,diabetes,friedman1"
TYPES = ("q15", "q7")


@dataclass(frozen=True, slots=True)
class Line:
    """One network in one type of fixed point, on the test rows."""

    double: float
    fixed: float
    flips: int
    worst: float
    bound: float


def measure(artefact: Artefact, exact: Artefact, split: Split, rows: NDArray[np.float64]) -> Line:
    """What fixed point makes of the test rows."""
    fixed = artefact.number_format.fixed
    assert fixed
    doubles, wholes = exact.number_format.results(rows), artefact.number_format.results(rows)
    scores = [score(split, artefact, results) for results in (doubles, wholes)]
    flips = labels(artefact, doubles) != labels(artefact, wholes) if split.classes else np.zeros(1)
    assert isinstance(artefact.number_format, FixedFormat)
    worst = artefact.number_format.loss_on(rows).worst
    return Line(*scores, int(flips.sum()), worst, max(fixed.bounds))


def labels(artefact: Artefact, results: NDArray[np.float64]) -> NDArray[np.intp]:
    """The numbers of the classes."""
    lone = len(artefact.model.network.outputs) == 1
    return predict_classes(results[:, -1:] if lone else results, artefact.model.threshold)


def score(split: Split, artefact: Artefact, results: NDArray[np.float64]) -> float:
    """Accuracy in percent, or R²."""
    if split.classes:
        found = np.array(artefact.model.classes)[labels(artefact, results)]
        return float((found == split.y_test).mean() * 100)
    rest = split.y_test - results[:, 0]
    return float(1 - (rest**2).sum() / ((split.y_test - split.y_test.mean()) ** 2).sum())


def compare(name: str, splits: int, data: Path | None, generations: int) -> Iterator[list[Line]]:
    """For each split the lines of all types."""
    table = load_table(name, data=data)
    for number in range(splits):
        split = make_split(table, number)
        estimator = DSGEClassifier if split.classes else DSGERegressor
        model = estimator(random_state=number, threads=1, generations=generations)
        network = model.fit(split.x_train, split.y_train).run_.network
        rows = network.rows(split.x_test)
        exact = make_artefact(network.model, "net", "double")
        yield [
            measure(
                make_artefact(network.model, "net", dtype, recorded=network.ranges),
                exact,
                split,
                rows,
            )
            for dtype in TYPES
        ]


def main() -> None:
    """Print a table in Markdown, a line for each table of data: means over the splits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", default=TABLES)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--generations", type=int, default=100)
    parser.add_argument("--data", type=Path)
    asked = parser.parse_args()
    print(
        "| table | double | q15 | q7 | other labels q15, q7 | measured q15, q7 | proved q15, q7 |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in names_of(asked.tables):
        found = list(compare(name, asked.splits, asked.data, asked.generations))
        digits = 2 if found[0][0].double > 1 else 4
        double = np.mean([lines[0].double for lines in found])
        scores = [np.mean([lines[t].fixed for lines in found]) for t in range(2)]
        flips = [sum(lines[t].flips for lines in found) for t in range(2)]
        worst = [max(lines[t].worst for lines in found) for t in range(2)]
        bound = [max(lines[t].bound for lines in found) for t in range(2)]
        cells = [
            name,
            *(f"{value:.{digits}f}" for value in (double, *scores)),
            f"{flips[0]}, {flips[1]}",
            f"{worst[0]:.2g}, {worst[1]:.2g}",
            f"{bound[0]:.2g}, {bound[1]:.2g}",
        ]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
