"""Ranges of columns: as training rows have them, widened, and as a user gives them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dsgec.errors import DsgecError, listed, wrong
from dsgec.network.model import Column
from dsgec.plain_data import is_number

Range = tuple[float, float]
Ranges = Sequence[Range | None]

ALL = "*"
"""In the place of a column's name: all columns that are not named."""

NO_RANGES: Mapping[str, Range] = {}

_WIDER = 1 / 16
_FORM = "Write COLUMN=LO:HI, such as `width=0:4095`; `*=LO:HI` is for all other columns."


def parse_ranges(texts: Iterable[str]) -> dict[str, Range]:
    """The ranges of texts such as `width=0:4095`."""
    found = {}
    for text in texts:
        name, equals, pair = text.rpartition("=")
        low, colon, high = pair.partition(":")
        try:
            range_ = float(low), float(high)
        except ValueError:
            range_ = (1.0, 0.0)
        if not (name and equals and colon and is_range(range_)):
            raise wrong("range", f"cannot be `{text}`", _FORM)
        found[name] = range_
    return found


def choose_ranges(
    columns: Sequence[Column],
    recorded: Sequence[Range | None],
    given: Mapping[str, Range],
) -> tuple[Range | None, ...]:
    """The range of each column: as given, otherwise that of the training rows, widened."""
    names = {column.name for column in columns}
    unknown = [name for name in given if name not in names and name != ALL]
    if unknown:
        raise wrong(
            "range",
            f"names `{unknown[0]}`, which is not a column",
            f"The columns are {listed([column.name for column in columns])}.",
        )
    texts = [
        column.name for column in columns if column.categories and column.name in {*given} - {ALL}
    ]
    if texts:
        raise wrong("range", f"names `{texts[0]}`, a column of texts", "Leave it out.")
    for name, pair in given.items():
        if not is_range(pair):
            raise wrong("range", f"has {pair!r} for `{name}`", "Give a low and a high number.")
    known = recorded or (None,) * len(columns)
    return tuple(
        None
        if column.categories or column.kind == "constant"
        else _plain(given.get(column.name, given.get(ALL))) or widened(range_)
        for column, range_ in zip(columns, known, strict=True)
    )


def widened(range_: Range | None) -> Range | None:
    """A sixteenth of the range more on each side: rows to come are not all within it."""
    if range_ is None:
        return None
    low, high = range_
    more = (high - low) * _WIDER
    wider = low - more, high + more
    return wider if is_range(wider) else range_


def refuse_ranges(given: Mapping[str, Range], dtype: str) -> None:
    """Ranges mean nothing to other numbers than fixed point."""
    if given:
        raise DsgecError(
            f"ranges are for fixed point, not for the type {dtype}",
            "Leave them out, or export it as q15 or q7.",
        )


def _plain(pair: Sequence[float] | None) -> Range | None:
    return None if pair is None else (float(pair[0]), float(pair[1]))


def read_ranges(value: Any, count: int) -> tuple[Range | None, ...] | None:
    """The ranges of so many columns, as a file has them; None if this is something else."""
    if not isinstance(value, list) or len(value) != count:
        return None
    found: list[Range | None] = []
    for pair in value:
        if pair is None:
            found.append(None)
        elif is_range(pair):
            found.append((float(pair[0]), float(pair[1])))
        else:
            return None
    return tuple(found)


def is_range(value: Any) -> bool:
    """Whether this is a pair of finite numbers, the first of which is not the greater."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    low, high = value
    return is_number(low) and is_number(high) and low <= high
