"""The words of the language of phenotypes."""

import re

from dsgec.arithmetic.functions import FUNCTIONS
from dsgec.errors import DsgecError, Fault, Span
from dsgec.network.ir import OPERATORS

TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | x(?:_?(?P<feature>\d+)|\[\s*(?::\s*,\s*)?(?P<column>\d+)\s*\])(?![\w\[])
    | h_(?P<layer>\d+)[_,](?P<neuron>\d+)(?!\w)
    | (?P<name>[A-Za-z_][\w.]*)
    | (?P<sign>\*\*|[-+*/^(),])
    | (?P<end>\Z)
    | (?P<other>.)
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
EQUATION = re.compile(r"\s*(h_\d+_\d+|y_\d+(?:\s*,\s*y_\d+)*|inputs)\s*=(.*)", re.ASCII)

LONGEST_INDEX = 7
"""Digits of the number of a feature or of a neuron."""

MOST_INPUTS = 100_000
"""Features of a network whose text alone says how many there are."""

ALIASES = {
    **{operator: operator for operator in OPERATORS},
    **{alias: name for name, function in FUNCTIONS.items() for alias in (name, *function.aliases)},
}
"""Every name that can be called, and the function that it means."""


def function_called(name: str) -> str | None:
    """The function that a name means; PonyGE2's `np.sin` and sge3's `_sin_` are `sin`."""
    return ALIASES.get(name.removeprefix("np.").strip("_"))


class PhenotypeError(DsgecError):
    """A text that is not a network. `offset` is the place in the text that was parsed."""

    def __init__(self, text: str, source: str, offset: int, message: str, advice: str) -> None:
        self.offset = offset
        start = text.rfind("\n", 0, offset) + 1
        end = text.find("\n", offset)
        line_text = text[start : end if end >= 0 else len(text)]
        span = Span(source, text.count("\n", 0, offset) + 1, offset - start + 1)
        super().__init__(Fault(message, advice, span, line_text))
