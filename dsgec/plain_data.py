"""Write plain data as JSON and CSV, and read and check untrusted JSON data."""

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from dsgec.errors import DsgecError
from dsgec.folder import Folder

MOST_BYTES = 256 << 20
"""The largest file in the folder of a run or a study."""

_LARGEST = 1.7976931348623157e308


def to_json(value: Any) -> str:
    """Return indented JSON; numbers that are not finite, which JSON lacks, become null."""
    return json.dumps(_finite(value), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def csv_text(head: Sequence[Any], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table as CSV with lines that end in `\\n`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_json(folder: Folder, name: str) -> Any:
    """Return the value of a JSON file in the folder of a run or a study."""
    try:
        return json.loads(folder.read(name, MOST_BYTES))
    except (ValueError, RecursionError) as error:
        raise DsgecError(f"cannot read {folder.path / name}: {error}") from error


def expect(holds: bool, path: Path, what: str) -> None:
    """Raise a DsgecError about a file that is not what its name says, unless a condition holds."""
    if not holds:
        raise DsgecError(f"{path} is not {what}", "`dsgec evolve … --overwrite` makes it again.")


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number in the range of doubles."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= _LARGEST


def is_count(value: Any) -> bool:
    """Return whether a value is a whole number from 0 to 2^53 − 1."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def is_list(value: Any, test: Callable[[Any], bool]) -> bool:
    """Return whether a value is a list whose items all pass a test."""
    return isinstance(value, list) and all(map(test, value))


def is_text(value: Any) -> bool:
    """Return whether a value is a text without halves of surrogate pairs, which JSON can spell."""
    return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)


T = TypeVar("T")

REST = {"rest": True}
"""Metadata of the one field of a dataclass that holds the keys without a field of their own."""


def as_plain(value: Any) -> Any:
    """Return dataclasses as the dictionaries that JSON has, field by field.

    A field that is None by default is left out when it is None. A trailing underscore, as in
    `class_`, is not part of the key.
    """
    if is_dataclass(value):
        found: dict[str, Any] = {}
        for field in fields(value):
            inner = getattr(value, field.name)
            if field.metadata == REST:
                found |= as_plain(inner)
            elif inner is not None or field.default is not None:
                found[field.name.rstrip("_")] = as_plain(inner)
        return found
    if isinstance(value, Mapping):
        return {key: as_plain(inner) for key, inner in value.items()}
    return [as_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def from_plain(kind: type[T], value: Any, place: str = "") -> T:
    """Return the value that untrusted JSON data describes; raise a ValueError if it has none.

    `kind` is a dataclass whose fields are of plain types, of other such dataclasses, or tuples,
    dictionaries and unions of them. An `int` is a count, a `float` is finite, and a key without a
    field is ignored unless there is a REST field. A dataclass with a method `validate` is checked
    further by it.
    """
    return cast(T, _read(kind, value, place))


def _read(kind: Any, value: Any, place: str) -> Any:
    test = _TESTS.get(kind)
    if test is not None:
        if not test(value):
            raise _error_at(place)
        return float(value) if kind is float else value
    if is_dataclass(kind):
        return _read_dataclass(cast(type, kind), value, place)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return _read_union(inner, value, place)
    if origin is tuple and isinstance(value, list):
        kinds = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        if len(kinds) == len(value):
            each = enumerate(zip(kinds, value, strict=True))
            return tuple(_read(one, item, f"{place}[{i}]") for i, (one, item) in each)
    if origin in (dict, Mapping) and isinstance(value, dict):
        return {key: _read(inner[1], item, f"{place}.{key}") for key, item in value.items()}
    raise _error_at(place)


def _error_at(place: str) -> ValueError:
    return ValueError(f"`{place}` is missing or wrong" if place else "it is of another type")


def _read_union(kinds: tuple[Any, ...], value: Any, place: str) -> Any:
    if value is None and NoneType in kinds:
        return None
    *others, last = (kind for kind in kinds if kind is not NoneType)
    for kind in others:
        try:
            return _read(kind, value, place)
        except ValueError:
            continue
    return _read(last, value, place)


def _read_dataclass(kind: type, value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        raise _error_at(place)
    given, rest = {}, dict(value)
    for name, key, own, is_required in _fields(kind):
        if key is None:
            continue
        if key in rest:
            given[name] = _read(own, rest.pop(key), f"{place}.{key}".lstrip("."))
        elif is_required:
            raise ValueError(f"`{place}.{key}`".replace("`.", "`") + " is missing")
    given |= {name: rest for name, key, *_ in _fields(kind) if key is None}
    read = kind(**given)
    if hasattr(read, "validate"):
        read.validate()
    return read


@cache
def _fields(kind: type) -> list[tuple[str, str | None, Any, bool]]:
    """Return name, key, type and necessity of each field; the REST field has no key."""
    hints = get_type_hints(kind)
    found: list[tuple[str, str | None, Any, bool]] = []
    for field in fields(kind):
        key = None if field.metadata == REST else field.name.rstrip("_")
        is_required = field.default is MISSING and field.default_factory is MISSING
        found.append((field.name, key, hints[field.name], is_required))
    return found


_TESTS: dict[Any, Callable[[Any], bool]] = {
    Any: lambda _: True,
    bool: lambda value: isinstance(value, bool),
    float: is_number,
    int: is_count,
    str: is_text,
}
