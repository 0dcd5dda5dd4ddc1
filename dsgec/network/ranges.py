"""The ranges of columns: those of the training rows, widened, or as a user gives them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dsgec.errors import DsgecError, join_names, setting_error
from dsgec.network.model import Column
from dsgec.plain_data import is_number

Range = tuple[float, float]
Ranges = Sequence[Range | None]

ALL = "*"
"""The name that stands for all columns that are not named."""

NO_RANGES: Mapping[str, Range] = {}

_WIDER = 1 / 16
_FORM = "Write COLUMN=LO:HI, such as `width=0:4095`; `*=LO:HI` is for all other columns."


def parse_ranges(texts: Iterable[str]) -> dict[str, Range]:
    """Parse texts such as `width=0:4095` into ranges by column name."""
    found = {}
    for text in texts:
        name, _, pair = text.rpartition("=")
        low, _, high = pair.partition(":")
        try:
            range_ = float(low), float(high)
        except ValueError:
            range_ = (1.0, 0.0)
        if not (name and is_range(range_)):
            raise setting_error("range", f"cannot be `{text}`", _FORM)
        found[name] = range_
    return found


def choose_ranges(
    columns: Sequence[Column], recorded: Ranges, given: Mapping[str, Range]
) -> tuple[Range | None, ...]:
    """Return the range of each column: as given, otherwise that of the training rows, widened."""
    by_name = {column.name: column for column in columns}
    for name, pair in given.items():
        if name != ALL and name not in by_name:
            raise setting_error(
                "range",
                f"names `{name}`, which is not a column",
                f"The columns are {join_names([*by_name])}.",
            )
        if name != ALL and by_name[name].categories:
            raise setting_error("range", f"names `{name}`, a column of texts", "Leave it out.")
        if not is_range(pair):
            raise setting_error(
                "range", f"has {pair!r} for `{name}`", "Give a low and a high number."
            )
    known = recorded or (None,) * len(columns)
    return tuple(
        None
        if column.categories or column.kind == "constant"
        else _as_range(given.get(column.name, given.get(ALL))) or widen(range_)
        for column, range_ in zip(columns, known, strict=True)
    )


def widen(range_: Range | None) -> Range | None:
    """Add a sixteenth of the range on each side: rows to come are not all within it."""
    if range_ is None:
        return None
    low, high = range_
    more = (high - low) * _WIDER
    wider = low - more, high + more
    return wider if is_range(wider) else range_


def refuse_ranges(given: Mapping[str, Range], dtype: str) -> None:
    """Raise a DsgecError if ranges are given: only fixed point needs them."""
    if given:
        raise DsgecError(
            f"ranges are for fixed point, not for the type {dtype}",
            "Leave them out, or export it as q15 or q7.",
        )


def read_ranges(value: Any, count: int) -> tuple[Range | None, ...] | None:
    """Return the ranges of `count` columns from untrusted plain data, or None if it has none."""
    if not isinstance(value, list) or len(value) != count:
        return None
    if not all(pair is None or is_range(pair) for pair in value):
        return None
    return tuple(map(_as_range, value))


def _as_range(pair: Sequence[float] | None) -> Range | None:
    return None if pair is None else (float(pair[0]), float(pair[1]))


def is_range(value: Any) -> bool:
    """Return whether this is a pair of finite numbers in order."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    low, high = value
    return is_number(low) and is_number(high) and low <= high
