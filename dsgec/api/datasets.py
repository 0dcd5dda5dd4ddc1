"""Turn the arguments of `dsgec.evolve` and of the estimators into data sets."""

import hashlib
import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dsgec.api.settings import check_string
from dsgec.data.arrays import make_table
from dsgec.data.dataset import Dataset
from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.data.prepare import add_test_table, make_dataset, read_known_classes
from dsgec.data.read import read_table
from dsgec.data.row_metadata import (
    add_groups,
    add_weights,
    digest_groups,
    digest_weights,
    parse_groups,
    parse_weights,
)
from dsgec.data.series import add_test_series, is_series, make_series_dataset
from dsgec.data.source import is_shipped
from dsgec.data.table import Table
from dsgec.data.target import read_target
from dsgec.errors import DsgecError, mention, setting_error
from dsgec.grammar.load import GrammarFile
from dsgec.network.model import Label, plain_columns
from dsgec.resources import GRAMMARS, shipped_names

BALANCED = "balanced"

Numbers = NDArray[np.float64]
Groups = NDArray[np.intp]

_TABLES = (".csv", ".tsv", ".tab", ".dat", ".data", ".arff", ".parquet")
_OTHER_DATA = (  # formats that are not read, but whose errors have advice
    *(".xlsx", ".xls", ".xlsm", ".ods", ".json", ".jsonl", ".ndjson", ".zip", ".db", ".sqlite"),
    *(".h5", ".hdf5", ".hdf", ".pkl", ".pickle", ".npy", ".npz", ".feather", ".mat"),
)
_ORDER = "Call dsgec.evolve(X, y), or dsgec.evolve(grammar, X, y) with a grammar."

_F = TypeVar("_F", bound=Callable[..., Any])


def accept_grammar_keyword(function: _F) -> _F:
    """Let `grammar`, the first argument, be given by keyword after positional ones."""

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if arguments and "grammar" in keywords:
            arguments = (keywords.pop("grammar"), *arguments)
        return function(*arguments, **keywords)

    return cast("_F", call)


def sort_arguments(first: Any, second: Any, third: Any, target: Any) -> tuple[Any, Any, Any, Any]:
    """Return the grammar or None, X, y and the target from the positional arguments.

    If data comes first, it is X, and the next argument is y. A string in the place of y is the name
    of the target.
    """
    if is_table(first):
        if second is not None and third is not None:
            raise DsgecError("the first of three arguments is the grammar, not a table", _ORDER)
        if isinstance(second, GrammarFile) or _is_shipped_grammar(second):
            raise DsgecError("the grammar comes before the table", _ORDER)
        first, second, third = None, first, third if second is None else second
    if second is None:
        raise DsgecError("X is missing", _ORDER)
    for value in (third, target):
        _refuse_several_targets(second, value)
    if isinstance(third, str):
        if target is not None:
            raise DsgecError("y and target both name a column", "Give one of them.")
        third, target = None, third
    return first, second, third, target


def _refuse_several_targets(rows: Any, value: Any) -> None:
    """Refuse a list of columns, or a table, in the place of one target."""
    shape: tuple[int, ...] = getattr(value, "shape", ())
    if not (_is_list_of_columns(rows, value) or (len(shape) == 2 and shape[1] > 1)):
        return
    if len(value) == 1:
        raise DsgecError("the target is a list", f"Name the column alone: {next(iter(value))!r}.")
    raise DsgecError(
        "several targets are not supported",
        "Name one column, and evolve a network for each; `ignore` leaves the other ones out.",
    )


def _is_list_of_columns(rows: Any, value: Any) -> bool:
    if not isinstance(value, list | tuple | set | frozenset) or not value:
        return False
    columns = getattr(rows, "columns", rows if isinstance(rows, dict) else ())
    return all(isinstance(name, str) for name in value) and {*value} <= {*map(str, columns)}


def is_table(value: Any) -> bool:
    """Return whether an argument is data or the name of a table, and not a grammar."""
    if value is None or isinstance(value, GrammarFile):
        return False
    if not isinstance(value, str | Path):
        return True
    name = str(value)
    if _is_shipped_grammar(name):
        return False
    return name == "-" or is_shipped(name) or _suffix(name) in (*_TABLES, *_OTHER_DATA)


def _is_shipped_grammar(value: Any) -> bool:
    return isinstance(value, str) and value in shipped_names(GRAMMARS, ".bnf")


def _suffix(name: str) -> str:
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix == ".gz" else path.suffix


def read_dataset(
    X: Any,
    y: Any,
    target: str | None,
    preprocessing: Preprocessing,
    *,
    name: str = "",
    sample_weight: Any = None,
    groups: Any = None,
) -> Dataset:
    """Return the data set of the arguments of `dsgec.evolve`."""
    if isinstance(X, str | Path):
        table = _read_file(str(X), y, target, name)
        return make_dataset(_add_row_data(table, sample_weight, groups), target, preprocessing)
    name = name or "data"
    if y is None and target is None:
        raise DsgecError("y is missing", "Give it, or name a column of X with target=.")
    if is_series(X):
        if sample_weight is not None:
            raise DsgecError("windows of series cannot have weights", "Leave sample_weight out.")
        return _read_series(X, y, preprocessing, name, groups)
    wanted = "" if target is None else str(target)  # pandas has numbers as names, too
    table = make_table(X, y, target=wanted if y is not None else "", name=name)
    if y is None and wanted not in table.columns and not isinstance(target, str):
        raise DsgecError(f"X has no column {target!r}", f"Its columns: {table.columns[:40]}.")
    table = _add_row_data(table, sample_weight, groups)
    return make_dataset(table, wanted if y is None else table.columns[-1], preprocessing)


def _read_file(path: str, y: Any, target: str | None, name: str) -> Table:
    """Return the table of a file, one of whose columns is the target."""
    if y is not None:
        raise DsgecError("X is a file, so y is a column of it", "Name it with target=.")
    if target is not None:
        check_string("target", target)
    table = read_table(path)
    return replace(table, name=name or table.name)


def _read_series(X: Any, y: Any, preprocessing: Preprocessing, name: str, groups: Any) -> Dataset:
    """Return the data set of the windows of series."""
    targets = _targets_of_series(X, y)
    classes, values = read_target(targets, 1, preprocessing.task)
    codes = None if groups is None else parse_groups(groups, len(X))
    others = {"name": name, "target": targets.columns[1]}
    return make_series_dataset(X, values, classes, preprocessing, codes, **others)


def _targets_of_series(X: Any, y: Any, target: str = "") -> Table:
    """Return a table whose second column is the target of each series."""
    if y is None:
        raise DsgecError("y is missing", "Give the target of each series.")
    return make_table(np.arange(len(X), dtype=np.float64)[:, None], y, target=target)


def _add_row_data(table: Table, sample_weight: Any, groups: Any) -> Table:
    """Return a table with the weights and groups of its rows, if there are any."""
    if groups is not None:
        table = add_groups(table, groups)
    return table if sample_weight is None else add_weights(table, sample_weight)


def add_test_rows(dataset: Dataset, test: Any) -> Dataset:
    """Return a data set with the test rows of a file, a data frame or a pair (rows, targets)."""
    if isinstance(test, str | Path):
        names = tuple(column.name for column in dataset.columns)
        table = read_table(str(test), ReadingOptions(names=(*names, dataset.target)))
    elif isinstance(test, tuple) and len(test) == 2 and is_series(test[0]):
        table = _targets_of_series(*test, target=dataset.target)
        return add_test_series(dataset, test[0], read_known_classes(table, 1, dataset.classes))
    elif isinstance(test, tuple) and len(test) == 2:
        table = make_table(*test, target=dataset.target, shown="test")
    elif hasattr(test, "columns"):
        table = make_table(test, shown="test")
    else:
        raise setting_error(
            "test",
            f"is a {type(test).__name__}",
            "It must be a share, a file, a data frame with the target, or a pair (rows, targets).",
        )
    return add_test_table(dataset, table)


def make_array_dataset(
    x: Numbers,
    y: Numbers,
    names: Sequence[str],
    classes: tuple[Label, ...],
    preprocessing: Preprocessing,
    row_weights: Numbers | None = None,
    groups: Groups | None = None,
) -> Dataset:
    """Return the data set of checked arrays; every column is a feature, even a constant one."""
    if not preprocessing.fills and np.isnan(x).any():
        raise DsgecError(
            "X has NaN, a missing value",
            f"Fill it, or leave {mention('preset', 'paper')} out: other runs fill it themselves.",
        )
    digest = hashlib.sha256(repr((tuple(names), classes)).encode())
    for array in (x, y):
        digest.update(np.ascontiguousarray(array).astype("<f8", copy=False).data)
    return Dataset(
        name="data",
        features=tuple(names),
        target="y",
        classes=classes,
        x=x,
        y=y,
        digest=digest.hexdigest(),
        columns=plain_columns(tuple(names)),
        raw=x,
        preprocessing=_estimator_preprocessing(preprocessing, classes),
        row_weights=row_weights,
        weights_digest="" if row_weights is None else digest_weights(row_weights),
        groups=groups,
        groups_digest="" if groups is None else digest_groups(groups),
    )


def make_frame_dataset(
    X: Any,
    y: Numbers,
    classes: tuple[Label, ...],
    preprocessing: Preprocessing,
    row_weights: Numbers | None = None,
    groups: Groups | None = None,
) -> Dataset:
    """Return the data set of a data frame with categories; `y` has class numbers or values."""
    table = _add_row_data(make_table(X, y), row_weights, groups)
    dataset = make_dataset(
        table, table.columns[-1], _estimator_preprocessing(preprocessing, classes)
    )
    return replace(dataset, target="y", classes=classes)


def _estimator_preprocessing(
    preprocessing: Preprocessing, classes: tuple[Label, ...]
) -> Preprocessing:
    """Return the preprocessing of an estimator: its task is known, and it drops no column."""
    task = "classification" if classes else "regression"
    return replace(preprocessing, task=task, constant="keep", index="keep")


def drop_zero_weights(
    x: Any, y: NDArray[Any], sample_weight: Any, groups: Groups | None
) -> tuple[Any, NDArray[Any], Numbers | None, Groups | None]:
    """Return the rows, targets, weights and groups without the rows of weight 0."""
    if sample_weight is None:
        return x, y, None, groups
    weights = parse_weights(sample_weight, len(y))
    counts = weights > 0.0
    if counts.all():
        return x, y, weights, groups
    if groups is not None:
        groups = np.unique(groups[counts], return_inverse=True)[1]
    return x[counts], y[counts], weights[counts], groups


def apply_class_weights(
    weights: Numbers | None, class_weight: Any, classes: NDArray[Any], codes: NDArray[np.intp]
) -> Numbers | None:
    """Multiply the row weights by those of their classes, if `class_weight` is a dictionary.

    A class that it does not name has the weight 1. None and 'balanced' change nothing, since
    balanced classes are a setting of the run; other values raise an error.
    """
    if class_weight is None or (isinstance(class_weight, str) and class_weight == BALANCED):
        return weights
    if not isinstance(class_weight, Mapping):
        raise setting_error(
            "class_weight",
            f"is {class_weight!r}",
            f"It must be None, {BALANCED!r} or a dictionary.",
        )
    known = classes.tolist()
    unknown = [label for label in class_weight if label not in known]
    if unknown:
        raise setting_error("class_weight", f"has the class {unknown[0]!r}, which y does not have")
    each = [class_weight.get(label, 1) for label in known]
    for label, weight in zip(known, each, strict=True):
        if not isinstance(weight, numbers.Real) or not 0.0 < float(weight) < math.inf:
            raise setting_error(
                "class_weight", f"is {weight!r} for the class {label!r}", "It must be positive."
            )
    own = np.array(each, dtype=np.float64)[codes]
    return parse_weights(own if weights is None else own * weights, len(own))
