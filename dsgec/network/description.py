"""A Model as plain data, for run.json and for exports, and back: read as untrusted input.

Defaults are left out, so that a column of plain numbers is its name alone.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from dsgec.errors import DsgecError
from dsgec.network.decide import DEFAULT_THRESHOLD
from dsgec.network.ir import check
from dsgec.network.model import KINDS, Column, Label, Model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify
from dsgec.network.text import network_text

_DEFAULTS = Column("")
_FIELDS = tuple(field.name for field in fields(Column))


def describe_model(model: Model) -> dict[str, Any]:
    """All of a model but its network."""
    around = _description(model.columns, model.classes, model.threshold)
    return {**around, "target": model.target}


def model_identity(model: Model) -> str:
    """The text that the model's digest is taken of: what it computes, not how it is written."""
    return network_text(model.network) + header_identity(
        model.columns, model.classes, model.threshold
    )


def header_identity(columns: Sequence[Column], classes: Sequence[Label], threshold: float) -> str:
    """What of a model's identity is not the text of its network."""
    return json.dumps(_description(columns, classes, threshold), sort_keys=True)


def _description(
    columns: Sequence[Column], classes: Sequence[Label], threshold: float
) -> dict[str, Any]:
    return {
        "columns": [_column(column) for column in columns],
        "classes": list(classes),
        **({} if threshold == DEFAULT_THRESHOLD else {"threshold": threshold}),
    }


def read_model(description: Any, network: str, source: str, network_source: str) -> Model:
    """The model that was described, around the network of a text; the sources name both."""
    if not isinstance(description, dict) or not isinstance(description.get("columns"), list):
        raise _wrong(source)
    columns = tuple(read_column(column, source) for column in description["columns"])
    classes = _labels(description.get("classes", []), source)
    target = description.get("target", "")
    threshold = description.get("threshold", DEFAULT_THRESHOLD)
    if (
        not is_readable_text(target)
        or len({column.name for column in columns}) < len(columns)
        or not is_finite_number(threshold)
        or (threshold != DEFAULT_THRESHOLD and len(classes) != 2)
    ):
        raise _wrong(source)
    inputs = sum(len(column.features) for column in columns)
    evolved = check(simplify(parse(network, inputs=inputs, source=network_source)))
    try:
        return Model(evolved, columns, classes, target, float(threshold))
    except DsgecError as error:
        raise DsgecError(
            f"{network_source} and {source} do not belong together: {error.faults[0].message}",
            error.faults[0].advice,
        ) from error


def _column(column: Column) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name in _FIELDS
        if (value := getattr(column, name)) != getattr(_DEFAULTS, name) or name == "name"
    }


def read_column(value: Any, source: str) -> Column:
    """Return the column that was described, or raise a DsgecError if there is no such column."""
    if not isinstance(value, dict) or not set(value) <= set(_FIELDS):
        raise _wrong(source)
    kind = value.get("kind", "number")
    categories = value.get("categories", [])
    fill, marked = value.get("fill"), value.get("marked", False)
    center, scale = (value.get(name, getattr(_DEFAULTS, name)) for name in ("center", "scale"))
    if (
        not is_readable_text(value.get("name"))
        or kind not in KINDS
        or not isinstance(categories, list)
        or not all(map(is_readable_text, categories))
        or len(set(categories)) < len(categories)
        or not (fill is None or is_finite_number(fill))
        or not is_finite_number(center)
        or not is_finite_number(scale)
        or scale == 0
        or bool(categories) != (kind in ("boolean", "category"))
        or (kind == "boolean" and len(categories) != 2)
        or (kind != "number" and (center, scale) != (0, 1))
        or (kind != "number" and fill is not None and fill not in range(len(categories)))
        or not isinstance(marked, bool)
        or (marked and fill is None)
    ):
        raise _wrong(source)
    fill = None if fill is None else float(fill)
    scaled = (float(center), float(scale))
    return Column(value["name"], kind, tuple(categories), fill, *scaled, marked)


def _labels(value: Any, source: str) -> tuple[Label, ...]:
    if not isinstance(value, list) or not (value == [False, True] or all(map(_is_label, value))):
        raise _wrong(source)
    return tuple(value)


def _is_label(value: Any) -> bool:
    return is_readable_text(value) or (isinstance(value, int) and not isinstance(value, bool))


def is_readable_text(value: Any) -> bool:
    """Return whether it is a text: JSON can spell halves of characters, which no file can hold."""
    return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)


def is_finite_number(value: Any) -> bool:
    """Return whether it is a number that is neither infinite nor NaN."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= 1.7976931348623157e308 and not math.isnan(value)


def _wrong(source: str) -> DsgecError:
    return DsgecError(f"{source} does not describe a model")
