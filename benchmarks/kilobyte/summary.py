"""Lines of results to the accuracy of each method at each budget, and to a CSV file and back."""

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.kilobyte.budgets import BUDGETS, CHIPS
from benchmarks.kilobyte.candidate import choose
from benchmarks.statistics import Mean, mean

REFERENCE = "dsgec"
GROUPS = {
    "emlearn": ("emlearn-trees", "emlearn-bayes", "emlearn-mlp"),
    "m2cgen": ("m2cgen-trees", "m2cgen-linear"),
    "loops": ("loop-linear", "loop-mlp", "loop-boosted"),
}
"""Methods of which cross-validation chooses one for each budget."""

DESCRIPTIONS = {
    REFERENCE: "`dsgec evolve` with a budget, which compares networks and trees, as q7",
    "dsgec-compile": "logistic regressions and perceptrons through `dsgec.compile`, as q7",
    "emlearn": "emlearn: trees, forests, naive Bayes or a perceptron, by cross-validation",
    "emlearn-trees": "emlearn's trees and forests alone",
    "m2cgen": "m2cgen: trees, a forest or logistic regression, by cross-validation",
    "loops": "the best of the three loops below, by cross-validation",
    "loop-linear": "a hand-written loop: logistic regression with weights of 8 bits",
    "loop-mlp": "a hand-written loop: one hidden layer of clipped relu with weights of 8 bits",
    "loop-boosted": "a hand-written loop: LightGBM's trees of one depth as bytes",
    "bonsai": "Bonsai (edgeml_pytorch) with parameters of 8 bits, in integers",
    "protonn": "ProtoNN (edgeml_pytorch) with parameters of 8 bits, in integers",
}
"""The methods of the page, in its order."""

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Row:
    """A method on a split for a chip: at each budget accuracy, and the flash of what it chose.

    There is no flash if nothing fits; the accuracy is that of the majority class then.
    """

    table: str
    split: int
    method: str
    chip: str
    accuracy: tuple[float, ...]
    flash: tuple[int | None, ...]

    @property
    def place(self) -> Place:
        """Return the table and the number of the split."""
        return self.table, self.split


def summarise(lines: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Return a row for each line without an error and each group that is complete."""
    cases: dict[Place, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for line in lines:
        if "candidates" in line:
            cases[line["table"], line["split"]][line["method"]] = line
    found = []
    for place, own in cases.items():
        methods = {name: [line] for name, line in own.items()}
        for group, names in GROUPS.items():
            if all(name in own for name in names):
                methods[group] = [own[name] for name in names]
        for name in DESCRIPTIONS:
            found += [_row(*place, name, chip, methods[name]) for chip in CHIPS if name in methods]
    return found


def _row(table: str, split: int, method: str, chip: str, lines: Sequence[Mapping[str, Any]]) -> Row:
    accuracy, flash = [], []
    for budget in BUDGETS:
        # What a method would not choose itself has no accuracy on the test rows.
        chosen = [choose(line["candidates"], chip, budget) for line in lines]
        best = choose([one for one in chosen if one], chip, budget)
        accuracy.append(best["test"] if best else lines[0]["majority"])
        flash.append(best["flash"][chip] if best else None)
    return Row(table, split, method, chip, tuple(accuracy), tuple(flash))


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        names = [f"{what}_{budget}" for what in ("accuracy", "flash") for budget in BUDGETS]
        writer.writerow(["table", "split", "method", "chip", *names])
        for row in rows:
            cells = [f"{value:.4f}".lstrip("0") for value in row.accuracy]
            cells += ["" if value is None else str(value) for value in row.flash]
            writer.writerow([row.table, row.split, row.method, row.chip, *cells])


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a CSV file."""
    found = []
    with path.open(encoding="utf-8", newline="") as file:
        for table, split, method, chip, *cells in list(csv.reader(file))[1:]:
            accuracy = tuple(map(float, cells[: len(BUDGETS)]))
            flash = tuple(int(cell) if cell else None for cell in cells[len(BUDGETS) :])
            found.append(Row(table, int(split), method, chip, accuracy, flash))
    return found


def methods_in(rows: Iterable[Row]) -> list[str]:
    """Return the methods that have rows, in the order of the page."""
    names = {row.method for row in rows}
    return [name for name in DESCRIPTIONS if name in names]


def common(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the splits that the reference and all methods with as many rows have."""
    places: dict[str, set[Place]] = defaultdict(set)
    for row in rows:
        places[row.method].add(row.place)
    wanted = places.get(REFERENCE) or set.union(*places.values())
    full = [name for name, own in places.items() if len(own & wanted) >= 0.9 * len(wanted)]
    shared = set.intersection(*(places[name] for name in full)) & wanted
    return [row for row in rows if row.method in full and row.place in shared]


def table_means(rows: Iterable[Row], chip: str, budget: int) -> dict[str, dict[str, Mean]]:
    """Return the mean accuracy over the splits, by method and table."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    at = BUDGETS.index(budget)
    for row in rows:
        if row.chip == chip:
            values[row.method][row.table].append(row.accuracy[at])
    return {
        method: {table: mean(scores) for table, scores in tables.items()}
        for method, tables in values.items()
    }


def overall(means: Mapping[str, Mapping[str, Mean]]) -> dict[str, float]:
    """Return the mean over the tables, by method."""
    return {
        method: sum(one.value for one in tables.values()) / len(tables)
        for method, tables in means.items()
    }


def best_other(means: Mapping[str, Mapping[str, Mean]]) -> str:
    """Return the method with the highest mean that is not learned by dsgec."""
    scores = overall(means)
    return max((name for name in scores if name != REFERENCE), key=lambda name: scores[name])
