"""A column of pandas, polars or pyarrow, or a list, to the type that it declares."""

import datetime
from typing import Any

import numpy as np

_MOST_LOOKED_AT = 1_000_000


def declared_type(values: Any) -> str:
    """Return `category`, `text`, `boolean` or `duration`; nothing for what is anything else.

    None of the packages is imported: their types are known by name.
    """
    if isinstance(values, list | tuple):
        return _type_of_objects(values)
    dtype = getattr(values, "dtype", None)
    if dtype is None:
        dtype = getattr(values, "type", None)  # of pyarrow
    name = str(dtype).lower()
    if type(dtype).__name__ == "CategoricalDtype" or name.startswith(_CATEGORIES):
        return "category"
    if name == "str" or name.startswith(("string", "utf8", "large_string", "<u", ">u")):
        return "text"
    if name.startswith("bool"):
        return "boolean"
    if name.startswith(("timedelta", "duration")):
        return "duration"
    if name == "object":
        return _type_of_objects(np.asarray(values).ravel()[:_MOST_LOOKED_AT].tolist())
    return ""


_CATEGORIES = ("category", "categorical", "enum", "dictionary")


def _type_of_objects(values: Any) -> str:
    """The type of all values that are not missing."""
    kinds = {type(value) for value in values if not _is_missing(value)}
    if kinds and all(issubclass(kind, str) for kind in kinds):
        return "text"
    if kinds and all(issubclass(kind, datetime.timedelta) for kind in kinds):
        return "duration"
    return "boolean" if kinds and kinds <= {bool, np.bool_} else ""


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value
