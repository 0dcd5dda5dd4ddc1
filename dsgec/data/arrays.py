"""What a program holds, arrays, lists or a data frame, to the Table that a file of it would be."""

import datetime
import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.data.cells import BLANK_WORDS, number
from dsgec.data.columns import MOST_CATEGORIES, identifies
from dsgec.data.gather import MOST_TEXTS, Gatherer
from dsgec.data.ir import Table, Texts
from dsgec.data.types import declared_type
from dsgec.errors import DsgecError, listed, mention

_NUMBERS, _TIMES = "fiu", "mM"
_PLAIN = _NUMBERS + "b"
_MISSING = ("NAType", "NaTType", "MaskedConstant")  # of pandas, which is not imported, and numpy
_TIME_TYPES = (datetime.date, datetime.time, np.datetime64)
_OF_NUMBERS_AND_TEXTS = "A table has numbers, texts and booleans."
_NO_ROW = (str, bytes, Mapping)
_FORMAT = b"dsgec-table-1\n"

Cells = NDArray[np.float64] | list[str]
"""A column: all numbers, NaN where one is missing, or what a file would have."""


def table_of(
    rows: Any, values: Any = None, *, target: str = "", name: str = "data", shown: str = "X"
) -> Table:
    """The table of a 2-D array, of rows, of a data frame or of dictionaries, with `values` as a
    last column more.

    That one is called `target` or, if that is not said, as the values are, or `y`.
    """
    names, columns, types, named = _columns(rows, shown)
    if values is not None:
        called = target or _free_name(getattr(values, "name", None), names)
        if called in names:
            raise DsgecError(f"{shown} has a column `{called}`, which is the target's name")
        flat = _flat(values)
        types[len(columns)] = declared_type(flat)
        columns.append(_column(flat, "y"))
        names = (*names, called)
        if len(columns[-1]) != len(columns[0]):
            raise DsgecError(
                f"{shown} has {len(columns[0])} rows, but y has {len(columns[-1])}",
                "Each row needs its own target.",
            )
    count = len(columns[0])
    if not count:
        raise DsgecError(f"{shown} has no rows")
    gatherer = Gatherer(len(columns))
    gatherer.reserve(count)
    exact: dict[int, Texts] = {}
    written: list[str] = []  # columns whose numbers are texts
    for place, column in enumerate(columns):
        if not isinstance(column, list):
            gatherer.numbers[:, place] = column
            continue
        gatherer.numbers[:, place] = math.nan
        if types.get(place) == "text" and not _are_quantities(column):
            exact[place] = _texts(column)
            continue
        if types.get(place) == "text":
            written.append(f"`{names[place]}`")
        gatherer.add_texts(place, np.arange(count), column)
    gatherer.lines[:] = np.arange(1, count + 1)
    gatherer.rows = count
    numbers, texts, lines = gatherer.finish()
    texts = dict(sorted({**texts, **exact}.items()))
    kinds = {place: kind for place, kind in types.items() if kind and kind != "text"}
    return Table(
        name,
        shown,
        _digest(names, numbers, texts, kinds),
        names,
        named,
        numbers,
        texts,
        lines,
        notes=_written_note(written),
        kinds=kinds,
    )


def _are_quantities(cells: list[str]) -> bool:
    """Whether texts are all numbers, and too many different ones for categories."""
    different = {*cells} - BLANK_WORDS
    if not (identifies(len(different), len(cells)) or len(different) > MOST_CATEGORIES):
        return False
    return not any(math.isnan(number(cell)) for cell in different)


def _texts(cells: list[str]) -> Texts:
    """Cells as they are, also those that could be read as numbers."""
    known: dict[str, int] = {}
    codes = [-1 if cell in BLANK_WORDS else known.setdefault(cell, len(known)) for cell in cells]
    most = np.minimum(np.array(codes, dtype=np.int32), MOST_TEXTS)
    return Texts(most.astype(np.int32), tuple(known)[:MOST_TEXTS], len(known) > MOST_TEXTS)


def _written_note(names: list[str]) -> tuple[str, ...]:
    if not names:
        return ()
    have = "holds" if len(names) == 1 else "hold"
    return (
        f"{listed(names)} {have} numbers that are written as texts: read as numbers;"
        f" {mention('categorical')} makes categories of them",
    )


def has_texts(rows: Any) -> bool:
    """Whether it is a data frame with a column that is not of numbers."""
    if not (hasattr(rows, "columns") and hasattr(rows, "__getitem__") and hasattr(rows, "__len__")):
        return False
    return any(
        np.asarray(rows[name][:0]).dtype.kind not in _PLAIN
        or declared_type(rows[name]) == "category"
        for name in rows.columns
    )


def _columns(rows: Any, shown: str) -> tuple[tuple[str, ...], list[Cells], dict[int, str], bool]:
    """Names, columns, their types where they are declared, and whether the names are the table's
    own."""
    types: dict[int, str] = {}
    if hasattr(rows, "toarray"):
        raise DsgecError(f"{shown} is sparse", f"Give all its values: {shown}.toarray().")
    if (by_name := _by_name(rows, shown)) is not None:
        names, columns = _named(list(by_name), by_name.__getitem__, shown)
        if isinstance(rows, Mapping):  # the cells of rows are taken as those of a file are
            types = dict(enumerate(map(declared_type, by_name.values())))
        named = True
    elif hasattr(rows, "columns"):
        if not hasattr(rows, "__len__"):
            raise DsgecError(
                f"{shown} is a {type(rows).__name__}, which holds no rows yet",
                "Give the data frame that it makes, as .collect() does.",
            )
        keys = list(getattr(rows, "column_names", rows.columns))
        names, columns = _named(keys, rows.__getitem__, shown)
        types = {place: declared_type(rows[key]) for place, key in enumerate(keys)}
        named = True
    else:
        columns = _unnamed(rows, shown)
        names, named = tuple(f"x_{i}" for i in range(1, len(columns) + 1)), False
    if not columns:
        raise DsgecError(f"{shown} has no columns")
    return names, columns, types, named


def _by_name(rows: Any, shown: str) -> dict[Any, Any] | None:
    """The columns of a dictionary of them, of a dictionary that is one row, or of a list of such
    rows; None for any other table. What a row lacks is missing.
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
    return is_sequence and not isinstance(value, _NO_ROW) and getattr(value, "shape", None) != ()


def _scalar(value: Any) -> Any:
    """A value that may come as an array without dimensions."""
    return value.item() if isinstance(value, np.ndarray) and not value.ndim else value


def _named(
    keys: list[Any], column: Callable[[Any], Any], shown: str
) -> tuple[tuple[str, ...], list[Cells]]:
    """Names as a file would have them, and the columns."""
    names = tuple(_text(str(key)).strip() for key in keys)
    twice = [name for name in names if names.count(name) > 1 and name]
    if twice:
        raise DsgecError(f"{shown} has two columns called `{twice[0]}`", "Rename one of them.")
    columns = [_column(column(key), name) for key, name in zip(keys, names, strict=True)]
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


def _unnamed(rows: Any, shown: str) -> list[Cells]:
    """The columns of a 2-D array, or of rows."""
    if not isinstance(rows, np.ndarray):
        if hasattr(rows, "__array__"):
            rows = np.asarray(rows)
        else:
            return _of_rows(rows, shown)
    if rows.ndim != 2:
        raise DsgecError(
            f"{shown} has {rows.ndim} dimensions, not two",
            "A row alone is written as [row], a column alone as column.reshape(-1, 1).",
        )
    return [_column(rows[:, i], f"x_{i + 1}") for i in range(rows.shape[1])]


def _of_rows(rows: Any, shown: str) -> list[Cells]:
    try:
        records = [None if isinstance(row, _NO_ROW) else list(row) for row in rows]
    except TypeError:
        records = [None]
    whole = [record for record in records if record is not None]
    if len(whole) < len(records):
        raise DsgecError(
            f"{shown} is not a table: a {type(rows).__name__} whose items are not rows",
            "Give a 2-D array, a list of rows, a data frame or a dictionary of columns.",
        )
    wide = len(whole[0]) if whole else 0
    uneven = next((i for i, record in enumerate(whole) if len(record) != wide), None)
    if uneven is not None:
        raise DsgecError(
            f"row {uneven} of {shown} has {len(whole[uneven])} values where {wide} were expected"
        )
    if not whole:
        raise DsgecError(f"{shown} has no rows")
    return [
        _column(list(values), f"x_{i + 1}") for i, values in enumerate(zip(*whole, strict=True))
    ]


def _flat(values: Any) -> Any:
    """The target as one column, also if it comes as a table of one."""
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


def _column(values: Any, name: str) -> Cells:
    if isinstance(values, np.ma.MaskedArray):
        return _cells([None if gone is np.ma.masked else gone for gone in values], name)
    if isinstance(values, list | tuple):
        if not all(type(value) in (int, float) for value in values):
            return _cells(values, name)
        try:
            values = np.array(values, dtype=np.float64)
        except OverflowError:
            return _cells(values, name)
    array = np.asarray(values)
    if array.dtype.kind in _NUMBERS:
        numbers = array.astype(np.float64)
        if np.isinf(numbers).any():
            row = int(np.flatnonzero(np.isinf(numbers))[0])
            raise DsgecError(f"row {row} of the column `{name}` is infinite")
        return numbers
    if array.dtype.kind in _TIMES:
        missing = np.isnat(array)
        if array.dtype.kind == "m":
            return [_cell(value) or "" for value in array]
        texts = array.astype(str).tolist()
        return ["" if gone else text for gone, text in zip(missing, texts, strict=True)]
    if array.dtype.kind in "cSV":
        raise DsgecError(f"the column `{name}` holds {array.dtype}", _OF_NUMBERS_AND_TEXTS)
    return _cells(array.tolist(), name)


def _cells(values: Sequence[Any], name: str) -> list[str]:
    """Every value as a file would have it."""
    cells = []
    for row, value in enumerate(values):
        cell = _cell(value)
        if cell is None or "\0" in cell:
            what = f"a {type(value).__name__}" if cell is None else "a text with a NUL in it"
            raise DsgecError(
                f"row {row} of the column `{name}` holds {what}", _OF_NUMBERS_AND_TEXTS
            )
        cells.append(cell)
    return cells


def _cell(value: Any) -> str | None:
    if isinstance(value, str):
        return _text(value).strip()
    if value is None or type(value).__name__ in _MISSING:
        return ""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, datetime.timedelta | np.timedelta64):
        return "" if np.isnat(np.timedelta64(value)) else _duration(value)
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


def _duration(value: Any) -> str:
    """A duration as texts in files have it."""
    seconds = np.timedelta64(value) / np.timedelta64(1, "s")
    return f"{seconds:.9g} seconds"


def _text(text: str) -> str:
    """Halves of characters, which no file can hold, replaced as in what is read."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _free_name(wanted: Any, names: tuple[str, ...]) -> str:
    """What the target is called, if nobody says."""
    asked = _text(wanted).strip() if isinstance(wanted, str) else ""
    spare = (f"y_{number}" for number in range(len(names) + 1))
    return next(name for name in (asked, "y", "target", *spare) if name and name not in names)


def _digest(
    names: tuple[str, ...],
    numbers: NDArray[np.float64],
    texts: dict[int, Texts],
    kinds: dict[int, str],
) -> str:
    """Of names and values, in whatever kind of table they came."""
    digest = hashlib.sha256(_FORMAT + repr(names).encode())
    digest.update(np.ascontiguousarray(numbers).astype("<f8", copy=False).data)
    for place, column in texts.items():
        digest.update(repr((place, column.texts)).encode())
        digest.update(column.codes.astype("<i4", copy=False).data)
    named = [place for place, kind in kinds.items() if kind == "category"]
    categories = [place for place in named if not np.isnan(numbers[:, place]).all()]
    if categories:  # of numbers, which are not what they would be otherwise
        digest.update(repr(categories).encode())
    return digest.hexdigest()
