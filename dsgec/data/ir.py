"""What a table is to the rest of the program: rows of features and what they should give."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Label = str | int


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """`y` has the number of each row's class or, without classes, its target value."""

    name: str
    features: tuple[str, ...]
    target: str
    classes: tuple[Label, ...]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    digest: str

    @property
    def task(self) -> str:
        return "classification" if self.classes else "regression"

    @property
    def class_numbers(self) -> NDArray[np.intp]:
        return self.y.astype(np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The numbers of the rows to learn from and of those kept aside, in the table's order."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]
