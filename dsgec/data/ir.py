"""What a table is: as it was read, and as rows of features and what they should give."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dsgec.data.cells import number_text
from dsgec.data.plan import DEFAULT, Plan
from dsgec.errors import Fault, Span
from dsgec.network.model import Column, Label, TargetScale, plain_columns

__all__ = ["Dataset", "Label", "Plan", "Split", "Table", "Texts", "number_text"]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """The texts of a column: `codes` has the number of each row's, -1 where it has none.

    A column of very many different texts keeps the first of them only, and `overflowed`: the others
    all have the number after the last.
    """

    codes: NDArray[np.int32]
    texts: tuple[str, ...]
    overflowed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """`numbers` has a NaN for what is no number: a text, which is in `texts`, or nothing at all.

    Row i stood on line `lines[i]` of the file; with `has_header`, the names are the file's.
    `reading` is what was said about the file, as far as it was not left to be found out.
    `row_weights` and `groups` are there where a user gave some, for each row; their digests are of
    all that were given. `kinds` has what a data frame, a file or a user declares of a column:
    `category`, also of numbers, `boolean` or `duration`. One that is declared as texts has no
    numbers.
    """

    name: str
    source: str
    digest: str
    columns: tuple[str, ...]
    has_header: bool
    numbers: NDArray[np.float64]
    texts: Mapping[int, Texts]
    lines: NDArray[np.int32]
    written: str = ""
    notes: tuple[str, ...] = ()
    reading: tuple[tuple[str, str | bool], ...] = ()
    row_weights: NDArray[np.float64] | None = None
    weights_digest: str = ""
    groups: NDArray[np.intp] | None = None
    groups_digest: str = ""
    kinds: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.numbers)

    def cell(self, row: int, column: int) -> str:
        """A cell as text; nothing for a missing value."""
        texts = self.texts.get(column)
        if texts is not None and texts.codes[row] >= 0:
            code = int(texts.codes[row])
            return texts.texts[code] if code < len(texts.texts) else "…"
        value = float(self.numbers[row, column])
        return "" if np.isnan(value) else number_text(value)

    def fault(self, row: int, column: int, message: str, advice: str = "") -> Fault:
        """A fault at one cell, which is shown as it is."""
        span = Span(self.source, int(self.lines[row]), column + 1)
        where = f"column {column + 1} (`{self.columns[column]}`)"
        return Fault(f"{message}: `{self.cell(row, column)[:60]}` in {where}", advice, span)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The numbers of the training and the test rows, in the table's order; training rows that are
    taken in batches are shuffled."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """`x` has the features of each row, `y` the number of its class or, without classes, its value.

    `columns` say how features are made of `raw`, the row as it stood in the table; where there are
    none, raw and features are the same numbers. `target_scale` is there when a numeric target is
    scaled, `own_test` when the rows to test with came from a table of their own. `row_weights` are
    those that a user gave. `groups` has the number of the group of each row, where rows belong
    together; -1 for a row of a table to test with that does not say.
    """

    name: str
    features: tuple[str, ...]
    target: str
    classes: tuple[Label, ...]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    digest: str
    columns: tuple[Column, ...] = ()
    raw: NDArray[np.float64] | None = None
    plan: Plan = DEFAULT
    notes: tuple[str, ...] = ()
    own_test: Split | None = None
    test_digest: str = ""
    reading: tuple[tuple[str, str | bool], ...] = ()
    target_scale: TargetScale | None = None
    row_weights: NDArray[np.float64] | None = None
    weights_digest: str = ""
    groups: NDArray[np.intp] | None = None
    groups_digest: str = ""

    @property
    def task(self) -> str:
        return "classification" if self.classes else "regression"

    @property
    def class_numbers(self) -> NDArray[np.intp]:
        return self.y.astype(np.intp)

    @property
    def learned_y(self) -> NDArray[np.float64]:
        """What networks are evolved to give: `y`, scaled where the target is."""
        if self.target_scale is None:
            return self.y
        mean, deviation = self.target_scale
        with np.errstate(over="ignore"):  # of a row that is not learned from
            scaled: NDArray[np.float64] = (self.y - mean) / deviation
        return scaled

    @property
    def inputs(self) -> tuple[Column, ...]:
        """The columns of the raw row."""
        return self.columns or plain_columns(self.features)
