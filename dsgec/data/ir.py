"""What a table is to the rest of the program: rows of features and what they should give."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dsgec.network.model import Column, Label, plain

__all__ = ["Dataset", "Label", "Plan", "Split"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a user asks of the columns: some ignored, missing values dealt with, numbers scaled."""

    ignore: tuple[str, ...] = ()
    task: str = ""
    missing: str = "error"
    scale: str = "none"
    constant: str = "drop"

    @property
    def learns(self) -> bool:
        """Whether numbers are learnt from the rows to learn from."""
        return self.scale != "none" or self.missing in ("mean", "median")


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The numbers of the rows to learn from and of those kept aside, in the table's order."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """`x` has the features of each row, `y` the number of its class or, without classes, its value.

    `columns` tell how features come of `raw`, the row as it stood in the table; where there are
    none, raw and features are the same numbers. `own_test` is there when the rows to test with came
    from a table of their own.
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
    plan: Plan = Plan()
    notes: tuple[str, ...] = ()
    own_test: Split | None = None
    test_digest: str = ""

    @property
    def task(self) -> str:
        return "classification" if self.classes else "regression"

    @property
    def class_numbers(self) -> NDArray[np.intp]:
        return self.y.astype(np.intp)

    @property
    def inputs(self) -> tuple[Column, ...]:
        """The columns of the raw row."""
        return self.columns or plain(self.features)
