"""The entry of a function in the table: what it means everywhere, and how it is learned through."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Slope = Callable[..., float]
Defined = TypeVar("Defined", bound=Callable[..., Any])

LONGEST_NAME = 8
"""Characters of a name: the engine compares names as machine words."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function of a network.

    `slopes` has for each argument the derivative by it, in the language of `parse.py`, of the
    arguments and the result: of the function as it is defined, its protected values included.
    Where there is no derivative (a kink, a jump, an infinite slope) it is 0; where two pieces meet
    in a tie of `min` or `max`, it is that of the piece whose value is taken. The one of `softmax`
    is of a result, another result and 1 if they are the same, otherwise 0.
    """

    name: str
    symbol: str  # its name in Python, numpy and JavaScript, and in C behind `dsgec_`
    arity: int | None  # None: any number of arguments, and as many results
    meaning: str
    ulp: float  # the greatest error, in units in the last place of the exact result
    slopes: tuple[Slope, ...]
    aliases: tuple[str, ...] = ()
    is_activation: bool = False  # makes a neuron of an expression
    is_bounded: bool = False  # its results are from −1 to 1
    is_encoding: bool = False  # only turns columns of a table into features
    onnx: str | Callable[..., str] | None = None  # None: the operations of numpy, one by one

    def __post_init__(self) -> None:
        for name in (self.name, *self.aliases):
            if len(name) > LONGEST_NAME:
                raise ValueError(f"{name}: a name has at most {LONGEST_NAME} characters")
        if len(self.slopes) != (1 if self.arity is None else self.arity):
            raise ValueError(f"{self.name}: one slope for each argument")

    @property
    def accuracy(self) -> str:
        """The bound in words."""
        match self.ulp:
            case 0.0:
                return "exact"
            case 0.5:
                return "correctly rounded"
            case bound:
                return f"{bound:g} ulp"


ENTRIES: dict[str, Function] = {}
"""Filled by `scalar.py`, in its order."""


def function(
    meaning: str, *slopes: Slope, name: str = "", ulp: float, **traits: Any
) -> Callable[[Defined], Defined]:
    """Enter the function that follows in the table; `traits` are further fields of its entry."""

    def enter(defined: Defined) -> Defined:
        code = defined.__code__
        several = code.co_flags & 4  # *arguments
        entry = Function(
            name or defined.__name__,
            defined.__name__,
            None if several else code.co_argcount,
            meaning,
            ulp,
            slopes,
            **traits,
        )
        if entry.name in ENTRIES:
            raise ValueError(f"{entry.name} is in the table already")
        ENTRIES[entry.name] = entry
        return defined

    return enter
