"""The entry of a function in the table: its meaning, its accuracy and its derivatives."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Derivative = Callable[..., float]
Implementation = TypeVar("Implementation", bound=Callable[..., Any])

LONGEST_NAME = 8
"""The most characters of a name: the engine compares names as machine words."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function of a network.

    `derivatives` has the partial derivative by each argument, written in the language of `read.py`
    as a lambda of the arguments and the result. It is the derivative of the function as defined,
    protected values included. Where none exists (a kink, a jump, a vertical tangent) it is 0; at a
    tie of `min` or `max` it is that of the argument whose value is taken. The one derivative of
    `softmax` takes a result, another result, and 1 if the two are the same or else 0. A condition
    has no derivatives listed: they are 0.
    """

    name: str
    symbol: str  # its name in Python, numpy and JavaScript; in C it is prefixed by `dsgec_`
    compute: Callable[..., Any]  # the function on Python's floats
    arity: int | None  # None: any number of arguments, and as many results
    meaning: str
    ulp: float  # the largest error, in units in the last place of the exact result
    derivatives: tuple[Derivative, ...]
    aliases: tuple[str, ...] = ()
    is_activation: bool = False  # turns an expression into a neuron
    is_bounded: bool = False  # its results lie between −1 and 1
    is_encoding: bool = False  # only encodes columns of a table as features
    onnx: str | Callable[..., str] | None = None  # None: translate the definition step by step

    def __post_init__(self) -> None:
        for name in (self.name, *self.aliases):
            if len(name) > LONGEST_NAME:
                raise ValueError(f"{name}: a name has at most {LONGEST_NAME} characters")
        if self.derivatives and len(self.derivatives) != (1 if self.arity is None else self.arity):
            raise ValueError(f"{self.name}: expected one derivative per argument")

    @property
    def accuracy(self) -> str:
        """Return the error bound in words."""
        match self.ulp:
            case 0.0:
                return "exact"
            case 0.5:
                return "correctly rounded"
            case bound:
                return f"{bound:g} ulp"


ENTRIES: dict[str, Function] = {}
"""The registered functions, in the order of `scalar.py` and `conditions.py`."""


def function(
    meaning: str, *derivatives: Derivative, name: str = "", ulp: float, **traits: Any
) -> Callable[[Implementation], Implementation]:
    """Return a decorator that registers a function; `traits` are further fields of its entry."""

    def register(implementation: Implementation) -> Implementation:
        code = implementation.__code__
        is_variadic = code.co_flags & 4  # *arguments
        entry = Function(
            name or implementation.__name__,
            implementation.__name__,
            implementation,
            None if is_variadic else code.co_argcount,
            meaning,
            ulp,
            derivatives,
            **traits,
        )
        if entry.name in ENTRIES:
            raise ValueError(f"{entry.name} is already registered")
        ENTRIES[entry.name] = entry
        return implementation

    return register


def condition(meaning: str, name: str = "") -> Callable[[Implementation], Implementation]:
    """Return a decorator that registers a function with the results 0 and 1 only."""
    return function(meaning, name=name, ulp=0.0, is_bounded=True)
