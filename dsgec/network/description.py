"""Describe a Model as plain data, for run.json and for exports, and read it as untrusted input.

Defaults are left out, so that a column of plain numbers is its name alone.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from dsgec.errors import DsgecError
from dsgec.network.decide import DEFAULT_THRESHOLD
from dsgec.network.in_use import in_use
from dsgec.network.ir import check
from dsgec.network.model import KINDS, Column, Label, Model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from dsgec.network.text import network_text
from dsgec.network.unknown import can_be_unknown
from dsgec.plain_data import from_plain, is_text
from dsgec.signal.description import Signal
from dsgec.signal.plain import describe_signal, read_signal

_DEFAULTS = Column("")
_FIELDS = tuple(field.name for field in fields(Column))


@dataclass(frozen=True, slots=True)
class _Description:
    """The plain data of a model, before its columns are read."""

    columns: tuple[Any, ...]
    classes: tuple[Any, ...] = ()
    target: str = ""
    threshold: float = DEFAULT_THRESHOLD
    signal: dict[str, Any] | None = None
    unknown: float | None = None

    def validate(self) -> None:
        """Raise a ValueError if the classes are no labels or do not fit the limits."""
        are_labels = self.classes == (False, True) or all(map(_is_label, self.classes))
        if not are_labels or (self.threshold != DEFAULT_THRESHOLD and len(self.classes) != 2):
            raise ValueError("`classes` or `threshold` is wrong")
        if self.unknown is not None and not can_be_unknown(
            self.classes, self.threshold, self.unknown
        ):
            raise ValueError("`unknown` is wrong")


def describe_model(model: Model) -> dict[str, Any]:
    """Return all of a model but its network, as plain data."""
    around = _describe(model.columns, model.classes, model.threshold, model.signal)
    unknown = {} if model.unknown is None else {"unknown": model.unknown}
    return {**around, **unknown, "target": model.target}


def model_identity(model: Model) -> str:
    """Return the text whose digest identifies a model: what it computes, not how it is written.

    Features of a signal that the network does not read are no part of it.
    """
    model = in_use(model)
    header = header_identity(model.columns, model.classes, model.threshold, model.signal)
    return network_text(model.network) + header


def header_identity(
    columns: Sequence[Column],
    classes: Sequence[Label],
    threshold: float,
    signal: Signal | None = None,
) -> str:
    """Return the part of a model's identity that is not the text of its network."""
    return json.dumps(_describe(columns, classes, threshold, signal), sort_keys=True)


def _describe(
    columns: Sequence[Column], classes: Sequence[Label], threshold: float, signal: Signal | None
) -> dict[str, Any]:
    return {
        "columns": [_describe_column(column) for column in columns],
        "classes": list(classes),
        **({} if threshold == DEFAULT_THRESHOLD else {"threshold": threshold}),
        **({} if signal is None else {"signal": describe_signal(signal)}),
    }


def _describe_column(column: Column) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name in _FIELDS
        if (value := getattr(column, name)) != getattr(_DEFAULTS, name) or name == "name"
    }


def read_model(description: Any, network: str, source: str, network_source: str) -> Model:
    """Return the model of a description and the text of its network; the sources name both."""
    try:
        described = from_plain(_Description, description)
        columns = tuple(map(read_column, described.columns))
        if len({column.name for column in columns}) < len(columns):
            raise ValueError("two columns have one name")
        signal = None if described.signal is None else read_signal(described.signal)
        if signal and not are_features(columns, signal):
            raise ValueError("the columns are not the features of the signal")
    except ValueError as error:
        raise DsgecError(f"{source} does not describe a model") from error
    inputs = sum(len(column.features) for column in columns)
    evolved = check(simplify(parse(network, inputs=inputs, source=network_source)))
    try:
        return Model(
            *(evolved, columns, described.classes, described.target, described.threshold),
            *(signal, described.unknown),
        )
    except DsgecError as error:
        raise DsgecError(
            f"{network_source} and {source} do not belong together: {error.faults[0].message}",
            error.faults[0].advice,
        ) from error


def are_features(columns: Sequence[Column], signal: Signal) -> bool:
    """Return whether columns are the features of a signal, in their order."""
    are_numbers = all(
        column.kind in ("number", "constant") and column.fill is None for column in columns
    )
    return are_numbers and [column.name for column in columns] == [*map(str, signal.features)]


def read_column(value: Any) -> Column:
    """Return the column that plain data describes; raise a ValueError if there is no such one."""
    column = from_plain(Column, value)
    kind, categories, fill = column.kind, column.categories, column.fill
    rules = {
        "its fields are known": {*value} <= {*_FIELDS},
        "its kind is known": kind in KINDS,
        "its categories differ": len({*categories}) == len(categories),
        "only texts have categories": bool(categories) == (kind in ("boolean", "category")),
        "a boolean has two": kind != "boolean" or len(categories) == 2,
        "its scale is not 0": column.scale != 0,
        "only numbers are scaled": kind == "number" or (column.center, column.scale) == (0, 1),
        "its fill is a category": kind == "number" or fill in (None, *range(len(categories))),
        "only filled values are marked": fill is not None or not column.marked,
    }
    broken = [rule for rule, holds in rules.items() if not holds]
    if broken:
        raise ValueError(f"not so of a column: {broken[0]}")
    return column


def _is_label(value: Any) -> bool:
    return is_text(value) or (isinstance(value, int) and not isinstance(value, bool))
