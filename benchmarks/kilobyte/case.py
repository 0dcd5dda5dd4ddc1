"""A split of a table as all methods see it: training rows, folds, and rows of integers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.kilobyte.budgets import BUDGETS
from benchmarks.splits import Split

Array = NDArray[Any]
Predict = Callable[[Array], Array]
FOLDS = 3


@dataclass(frozen=True, eq=False)
class Encoding:
    """Raw rows to integers of so many bits: a power of two and an offset for each column.

    These are the rows that dsgec's own code takes in fixed point. `first` is the least integer.
    """

    bits: int
    first: int
    fractions: Array
    zeros: Array

    @classmethod
    def of(cls, rows: Array, bits: int, *, signed: bool = True) -> "Encoding":
        """Return the encoding for the ranges of some rows."""
        low, high = rows.min(axis=0), rows.max(axis=0)
        most = 2 ** (bits - 1) - 1
        span = np.maximum(high - low, 1e-9)
        fractions = np.floor(np.log2((2 * most - 1) / span))
        zeros = np.rint((low + high) / 2 * 2.0**fractions)
        return cls(bits, -most if signed else 0, fractions, zeros)

    @property
    def dtype(self) -> str:
        """Return the type of the integers, as numpy calls it."""
        return f"int{self.bits}" if self.first else f"uint{self.bits}"

    def __call__(self, rows: Array) -> Array:
        """Return rows as integers; what lies outside of the ranges is clipped."""
        most = 2 ** (self.bits - 1) - 1
        wholes = np.rint(rows * 2.0**self.fractions) - self.zeros
        found: Array = np.clip(wholes, -most, most) + (0 if self.first else most)
        return found.astype(self.dtype)


@dataclass(frozen=True, eq=False)
class Case:
    """A split, and what several methods compute from its training rows."""

    split: Split
    budgets: tuple[int, ...] = BUDGETS
    cache: dict[Any, Any] = field(default_factory=dict)

    @property
    def classes(self) -> int:
        return self.split.classes

    @property
    def x(self) -> Array:
        return self.split.x_train

    @property
    def y(self) -> Array:
        return self.split.y_train

    @cached_property
    def folds(self) -> list[tuple[Array, Array]]:
        """Return the training and validation rows of the cross-validation."""
        from sklearn.model_selection import StratifiedKFold

        cut = StratifiedKFold(FOLDS, shuffle=True, random_state=self.split.number)
        return list(cut.split(self.x, self.y))

    @property
    def parts(self) -> Iterator[tuple[int, Array]]:
        """Yield numbers and training rows of all fits: those of the folds, then -1 with all."""
        for number, (train, _) in enumerate(self.folds):
            yield number, train
        yield -1, np.arange(len(self.y))

    @cached_property
    def bytes(self) -> Encoding:
        """Return the encoding of rows as signed bytes."""
        return Encoding.of(self.x, 8)

    @cached_property
    def unsigned_bytes(self) -> Encoding:
        return Encoding.of(self.x, 8, signed=False)

    @cached_property
    def words(self) -> Encoding:
        """Return the encoding of rows as signed integers of 16 bits."""
        return Encoding.of(self.x, 16)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what `make` returns, which is called once for a key."""
        if key not in self.cache:
            self.cache[key] = make()
        return self.cache[key]

    def validated(self, fit: Callable[[int, Array], Predict], rows: Array) -> float:
        """Return the accuracy in cross-validation.

        :param fit: Fits on some training rows, and returns the labels of rows; it is given the
            number of the fold.
        :param rows: The training rows, raw or encoded.
        """
        right = 0
        for number, (train, valid) in enumerate(self.folds):
            right += int(np.sum(fit(number, train)(rows[valid]) == self.y[valid]))
        return right / len(self.y)
