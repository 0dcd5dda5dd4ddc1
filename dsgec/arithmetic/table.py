"""The table of functions: the entries of `scalar.py`."""

import inspect

from dsgec.arithmetic import scalar  # enters them
from dsgec.arithmetic.entry import ENTRIES, Function

DEFINED: dict[str, Function] = ENTRIES
"""What a network may compute with: also what turns the columns of a table into features."""

FUNCTIONS: dict[str, Function] = {
    name: function for name, function in DEFINED.items() if not function.is_encoding
}
"""The language of phenotypes."""


def _slopes(function: Function) -> tuple[str, ...]:
    names = [*inspect.signature(getattr(scalar, function.symbol)).parameters]
    parts = [f"_{name}" for name in names] if len(names) > 1 else [""]
    return tuple(f"{function.symbol}_slope{part}" for part in parts)


SLOPES: dict[str, tuple[str, ...]] = {
    name: _slopes(function) for name, function in DEFINED.items() if function.arity
}
"""What the derivatives of each function are called, by its arguments in their order."""
