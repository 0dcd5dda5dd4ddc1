"""A model with one setting: its C, its labels in Python, and its accuracy in cross-validation."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.kilobyte.budgets import CHIPS
from benchmarks.kilobyte.case import Array, Predict


@dataclass(frozen=True)
class Source:
    """C that has `int <function>(const T *row)`, where T is `dtype`; `flags` are the compiler's."""

    files: Mapping[str, str]
    dtype: str
    function: str = "predict"
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model of a method.

    :param setting: The setting in a few words.
    :param validated: The accuracy in cross-validation on the training rows.
    :param source: Its C, or a function that returns it.
    :param encode: Turns raw rows into those that the C takes.
    :param predict: Returns the labels of raw rows, by the model that the C was made from.
    :param budget: The chip and the bytes that it was made for; None if for any.
    :param least: Bytes that its flash has at least: those of its tables.
    :param chips: The chips on which its C works.
    :param is_exact: Whether `predict` computes in integers as the C does.
    :param least_agreement: The least share of labels of the C that are those of `predict`.
    """

    setting: str
    validated: float
    source: Source
    encode: Callable[[Array], Array]
    predict: Predict
    budget: tuple[str, int] | None = None
    least: int = 0
    chips: tuple[str, ...] = tuple(CHIPS)
    is_exact: bool = False
    least_agreement: float = 0.97


def choose(
    measured: Iterable[Mapping[str, Any]], chip: str, budget: int
) -> Mapping[str, Any] | None:
    """Return the best by cross-validation of those that fit; the smaller one if they are equal."""
    fitting = [one for one in measured if fits(one, chip, budget)]
    best = max(fitting, key=lambda one: (one["validated"], -one["flash"][chip]), default=None)
    return best


def fits(one: Mapping[str, Any], chip: str, budget: int) -> bool:
    """Return whether a measured candidate may be chosen for a budget."""
    made_for: Sequence[Any] | None = one.get("budget")
    if made_for is not None and tuple(made_for) != (chip, budget):
        return False
    flash = one["flash"].get(chip)
    return flash is not None and flash <= budget
