"""Make a table of arrays, lists, dictionaries or a data frame.

None of the data frame packages is imported: their types are known by name.
"""

import datetime
import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.data.columns import MOST_CATEGORIES, are_identifiers
from dsgec.data.table import Table, TableBuilder, TextColumn, encode_texts, parse_number
from dsgec.errors import DsgecError, join_names, mention
from dsgec.network.model import BLANK_WORDS

_NUMBERS, _TIMES = "fiu", "mM"
_PLAIN = _NUMBERS + "b"
_MISSING = ("NAType", "NaTType", "MaskedConstant")  # of pandas and numpy
_CATEGORIES = ("category", "categorical", "enum", "dictionary")
_TIME_TYPES = (datetime.date, datetime.time, np.datetime64)
_CELL_TYPES = "A table has numbers, texts and booleans."
_NOT_A_ROW = (str, bytes, Mapping)
_DIGEST_START = b"dsgec-table-1\n"
_MOST_INSPECTED = 1_000_000

Cells = NDArray[np.float64] | list[str]
"""A column: numbers, with NaN for a missing one, or the texts that a file would have."""


def make_table(
    rows: Any, values: Any = None, *, target: str = "", name: str = "data", shown: str = "X"
) -> Table:
    """Return the table of a 2-D array, of rows, of a data frame or of dictionaries.

    If there are `values`, they are added as the last column. It is called `target` or, by default,
    as the values are, or `y`. Messages call the rows `shown`.
    """
    names, columns, types, has_names = _read_columns(rows, shown)
    if values is not None:
        called = target or _free_name(getattr(values, "name", None), names)
        if called in names:
            raise DsgecError(f"{shown} has a column `{called}`, which is the target's name")
        flat = _flatten_target(values)
        types[len(columns)] = declared_type(flat)
        columns.append(_read_column(flat, "y"))
        names = (*names, called)
        if len(columns[-1]) != len(columns[0]):
            raise DsgecError(
                f"{shown} has {len(columns[0])} rows, but y has {len(columns[-1])}",
                "Each row needs its own target.",
            )
    count = len(columns[0])
    if not count:
        raise DsgecError(f"{shown} has no rows")
    builder = TableBuilder(len(columns))
    builder.reserve(count)
    exact: dict[int, TextColumn] = {}
    numeric_texts: list[str] = []
    for place, column in enumerate(columns):
        if not isinstance(column, list):
            builder.numbers[:, place] = column
            continue
        builder.numbers[:, place] = math.nan
        if types.get(place) == "text":
            if not _are_quantities(column):  # texts stay texts, also if they look like numbers
                codes, known = encode_texts(column)
                exact[place] = TextColumn.limit(np.array(codes, dtype=np.int32), known)
                continue
            numeric_texts.append(f"`{names[place]}`")
        builder.add_texts(place, np.arange(count), column)
    builder.lines[:] = np.arange(1, count + 1)
    builder.rows = count
    numbers, texts, lines = builder.finish()
    texts = dict(sorted({**texts, **exact}.items()))
    kinds = {place: kind for place, kind in types.items() if kind and kind != "text"}
    digest = _digest(names, numbers, texts, kinds)
    return Table(
        *(name, shown, digest, names, has_names, numbers, texts, lines),
        notes=_numeric_text_notes(numeric_texts),
        kinds=kinds,
    )


def has_text_columns(rows: Any) -> bool:
    """Return whether this is a data frame with a column that is not of numbers or booleans."""
    if not (hasattr(rows, "columns") and hasattr(rows, "__getitem__") and hasattr(rows, "__len__")):
        return False
    return any(
        np.asarray(rows[name][:0]).dtype.kind not in _PLAIN
        or declared_type(rows[name]) == "category"
        for name in rows.columns
    )


def declared_type(values: Any) -> str:
    """Return `category`, `text`, `boolean`, `duration` or, for any other column, an empty text.

    The column is one of pandas, polars or pyarrow, an array or a list.
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
        return _type_of_objects(np.asarray(values).ravel()[:_MOST_INSPECTED].tolist())
    return ""


def _type_of_objects(values: Any) -> str:
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


def _are_quantities(cells: list[str]) -> bool:
    """Return whether texts are all numbers, and too many distinct ones to be categories."""
    distinct = {*cells} - BLANK_WORDS
    if not (are_identifiers(len(distinct), len(cells)) or len(distinct) > MOST_CATEGORIES):
        return False
    return not any(math.isnan(parse_number(cell)) for cell in distinct)


def _numeric_text_notes(names: list[str]) -> tuple[str, ...]:
    if not names:
        return ()
    have = "holds" if len(names) == 1 else "hold"
    return (
        f"{join_names(names)} {have} numbers that are written as texts: read as numbers;"
        f" {mention('categorical')} makes categories of them",
    )


def _read_columns(
    rows: Any, shown: str
) -> tuple[tuple[str, ...], list[Cells], dict[int, str], bool]:
    """Return names, columns, their declared types, and whether the names are the table's own."""
    types: dict[int, str] = {}
    if hasattr(rows, "toarray"):
        raise DsgecError(f"{shown} is sparse", f"Give all its values: {shown}.toarray().")
    if (by_name := _read_mapping(rows, shown)) is not None:
        names, columns = _read_named(list(by_name), by_name.__getitem__, shown)
        if isinstance(rows, Mapping):  # cells of rows are read like those of a file
            types = dict(enumerate(map(declared_type, by_name.values())))
        has_names = True
    elif hasattr(rows, "columns"):
        if not hasattr(rows, "__len__"):
            raise DsgecError(
                f"{shown} is a {type(rows).__name__}, which holds no rows yet",
                "Give the data frame that it makes, as .collect() does.",
            )
        keys = list(getattr(rows, "column_names", rows.columns))
        names, columns = _read_named(keys, rows.__getitem__, shown)
        types = {place: declared_type(rows[key]) for place, key in enumerate(keys)}
        has_names = True
    else:
        columns = _read_unnamed(rows, shown)
        names, has_names = tuple(f"x_{i}" for i in range(1, len(columns) + 1)), False
    if not columns:
        raise DsgecError(f"{shown} has no columns")
    return names, columns, types, has_names


def _read_mapping(rows: Any, shown: str) -> dict[Any, Any] | None:
    """Return the columns of a dictionary of columns, of one row, or of a list of such rows.

    Return None for any other table. A key that a row lacks is a missing value.
    """
    if isinstance(rows, Mapping):
        if not any(map(_is_column, rows.values())):
            return {key: [_scalar(value)] for key, value in rows.items()}
        alone = next((key for key, value in rows.items() if not _is_column(value)), None)
        if alone is not None:
            raise DsgecError(
                f"the column `{alone}` of {shown} is a {type(rows[alone]).__name__}",
                "A dictionary has a list for each column or, if it is one row, a value for each.",
            )
        return dict(rows)
    if not isinstance(rows, list | tuple) or not any(isinstance(row, Mapping) for row in rows):
        return None
    other = next((i for i, row in enumerate(rows) if not isinstance(row, Mapping)), None)
    if other is not None:
        raise DsgecError(f"row {other} of {shown} is not a dictionary, as others are")
    keys = dict.fromkeys(key for row in rows for key in row)
    return {key: [row.get(key) for row in rows] for key in keys}


def _is_column(value: Any) -> bool:
    is_sequence = hasattr(value, "__len__") and hasattr(value, "__getitem__")
    return is_sequence and not isinstance(value, _NOT_A_ROW) and getattr(value, "shape", None) != ()


def _scalar(value: Any) -> Any:
    return value.item() if isinstance(value, np.ndarray) and not value.ndim else value


def _read_named(
    keys: list[Any], column: Callable[[Any], Any], shown: str
) -> tuple[tuple[str, ...], list[Cells]]:
    """Return the names and the columns of these keys."""
    names = tuple(_encodable(str(key)).strip() for key in keys)
    twice = [name for name in names if names.count(name) > 1 and name]
    if twice:
        raise DsgecError(f"{shown} has two columns called `{twice[0]}`", "Rename one of them.")
    columns = [_read_column(column(key), name) for key, name in zip(keys, names, strict=True)]
    for name, cells in zip(names, columns, strict=True):
        if isinstance(cells, np.ndarray) and cells.ndim != 1:
            raise DsgecError(f"the column `{name}` of {shown} has {cells.ndim} dimensions, not one")
    uneven = next((i for i, cells in enumerate(columns) if len(cells) != len(columns[0])), None)
    if uneven is not None:
        raise DsgecError(
            f"the column `{names[uneven]}` of {shown} has {len(columns[uneven])} values where"
            f" {len(columns[0])} were expected"
        )
    return names, columns


def _read_unnamed(rows: Any, shown: str) -> list[Cells]:
    """Return the columns of a 2-D array or of rows."""
    if not isinstance(rows, np.ndarray):
        if not hasattr(rows, "__array__"):
            return _transpose(rows, shown)
        rows = np.asarray(rows)
    if rows.ndim != 2:
        raise DsgecError(
            f"{shown} has {rows.ndim} dimensions, not two",
            "A row alone is written as [row], a column alone as column.reshape(-1, 1).",
        )
    return [_read_column(rows[:, i], f"x_{i + 1}") for i in range(rows.shape[1])]


def _transpose(rows: Any, shown: str) -> list[Cells]:
    try:
        records = [None if isinstance(row, _NOT_A_ROW) else list(row) for row in rows]
    except TypeError:
        records = [None]
    whole = [record for record in records if record is not None]
    if len(whole) < len(records):
        raise DsgecError(
            f"{shown} is not a table: a {type(rows).__name__} whose items are not rows",
            "Give a 2-D array, a list of rows, a data frame or a dictionary of columns.",
        )
    if not whole:
        raise DsgecError(f"{shown} has no rows")
    width = len(whole[0])
    uneven = next((i for i, record in enumerate(whole) if len(record) != width), None)
    if uneven is not None:
        raise DsgecError(
            f"row {uneven} of {shown} has {len(whole[uneven])} values where {width} were expected"
        )
    columns = enumerate(zip(*whole, strict=True), 1)
    return [_read_column(values, f"x_{number}") for number, values in columns]


def _flatten_target(values: Any) -> Any:
    """Return the target as one column, also if it is a table of one column."""
    if hasattr(values, "columns"):
        keys = list(values.columns)
        if len(keys) == 1:
            return values[keys[0]]
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        raise DsgecError(
            f"y is a {type(values).__name__}", "It has a label or a number for each row."
        )
    if not hasattr(values, "__array__"):
        return list(values)
    shape = np.shape(values)
    if len(shape) == 2 and shape[1] == 1:
        return np.asarray(values)[:, 0]
    if len(shape) != 1:
        raise DsgecError(
            f"y has the shape {shape}", "A network predicts one target: y is a single column."
        )
    return values


def _read_column(values: Any, name: str) -> Cells:
    if isinstance(values, np.ma.MaskedArray):
        return _to_cells([None if one is np.ma.masked else one for one in values], name)
    if isinstance(values, list | tuple):
        if not all(type(value) in (int, float) for value in values):
            return _to_cells(values, name)
        try:
            values = np.array(values, dtype=np.float64)
        except OverflowError:
            return _to_cells(values, name)
    array = np.asarray(values)
    if array.dtype.kind in _NUMBERS:
        numbers = array.astype(np.float64)
        if np.isinf(numbers).any():
            row = int(np.flatnonzero(np.isinf(numbers))[0])
            raise DsgecError(f"row {row} of the column `{name}` is infinite")
        return numbers
    if array.dtype.kind in _TIMES:
        if array.dtype.kind == "m":
            return [_to_cell(value) or "" for value in array]
        texts = array.astype(str).tolist()
        return ["" if no else text for no, text in zip(np.isnat(array), texts, strict=True)]
    if array.dtype.kind in "cSV":
        raise DsgecError(f"the column `{name}` holds {array.dtype}", _CELL_TYPES)
    return _to_cells(array.tolist(), name)


def _to_cells(values: Sequence[Any], name: str) -> list[str]:
    cells = []
    for row, value in enumerate(values):
        cell = _to_cell(value)
        if cell is None or "\0" in cell:
            what = f"a {type(value).__name__}" if cell is None else "a text with a NUL in it"
            raise DsgecError(f"row {row} of the column `{name}` holds {what}", _CELL_TYPES)
        cells.append(cell)
    return cells


def _to_cell(value: Any) -> str | None:
    """Return a value as a file would have it, or None if it has no place in a table."""
    if isinstance(value, str):
        return _encodable(value).strip()
    if value is None or type(value).__name__ in _MISSING:
        return ""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, datetime.timedelta | np.timedelta64):
        duration = np.timedelta64(value)
        return "" if np.isnat(duration) else f"{duration / np.timedelta64(1, 's'):.9g} seconds"
    if isinstance(value, _TIME_TYPES):
        return str(value)
    if hasattr(value, "__len__"):
        return None
    try:
        number = float(value)
    except OverflowError:
        return "inf"  # which is reported as not finite, with its place
    except (TypeError, ValueError):
        return None
    return "" if math.isnan(number) else repr(number)


def _encodable(text: str) -> str:
    """Return a text with its lone surrogates, which no file can hold, replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _free_name(wanted: Any, names: tuple[str, ...]) -> str:
    """Return the wanted name or a default one for the target, whichever is free."""
    asked = _encodable(wanted).strip() if isinstance(wanted, str) else ""
    spare = (f"y_{number}" for number in range(len(names) + 1))
    return next(name for name in (asked, "y", "target", *spare) if name and name not in names)


def _digest(
    names: tuple[str, ...],
    numbers: NDArray[np.float64],
    texts: dict[int, TextColumn],
    kinds: dict[int, str],
) -> str:
    """Return the digest of names and values, whatever kind of object they came in."""
    digest = hashlib.sha256(_DIGEST_START + repr(names).encode())
    digest.update(np.ascontiguousarray(numbers).astype("<f8", copy=False).data)
    for place, column in texts.items():
        digest.update(repr((place, column.texts)).encode())
        digest.update(column.codes.astype("<i4", copy=False).data)
    declared = [place for place, kind in kinds.items() if kind == "category"]
    categories = [place for place in declared if not np.isnan(numbers[:, place]).all()]
    if categories:  # of numbers, which would otherwise be read as numbers
        digest.update(repr(categories).encode())
    return digest.hexdigest()
