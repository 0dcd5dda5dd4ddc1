"""What every learner is here: rows and a request in, predictions and a size out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from benchmarks.splits import Split

TASKS = ("classification", "regression")


@dataclass(frozen=True, slots=True)
class Request:
    """The seed, and where a learner asks for them, CPU seconds and hidden neurons."""

    seed: int
    seconds: float | None = None
    neurons: int | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """`weights` are the numbers that were learnt; of trees, the nodes.

    `length` is how many numbers, features, operators and functions a formula of the standardised
    features has that gives the target in its own units.
    """

    predict: Callable[[NDArray[Any]], NDArray[Any]]
    weights: int
    neurons: int | None = None
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Learner:
    """A way to learn, by name; `fit` is a function of a module, so that it can be pickled.

    `is_timed`: it can learn for as many seconds as it is given. `needs`: `seconds` or `neurons`,
    which are those of dsgec on the same split unless the command gives them. `modules` are
    imported before the clock starts.
    """

    name: str
    fit: Callable[[Split, Request], Model]
    tasks: tuple[str, ...] = TASKS
    is_timed: bool = False
    needs: str = ""
    modules: tuple[str, ...] = ()
