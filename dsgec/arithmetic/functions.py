"""The functions of networks by name, as `scalar.py` and `conditions.py` define them."""

import inspect

from dsgec.arithmetic import conditions, scalar
from dsgec.arithmetic.entry import ENTRIES, Function

REGISTERED = (scalar, conditions)
"""The modules that register functions when they are imported."""

ALL_FUNCTIONS: dict[str, Function] = ENTRIES
"""All functions, including those that only encode the columns of a table as features."""

FUNCTIONS: dict[str, Function] = {
    name: function for name, function in ALL_FUNCTIONS.items() if not function.is_encoding
}
"""The functions that a phenotype may call."""


def _derivatives(function: Function) -> tuple[str, ...]:
    names = [*inspect.signature(function.compute).parameters] if function.derivatives else []
    suffixes = [f"_{name}" for name in names] if len(names) != 1 else [""]
    return tuple(f"{function.symbol}_derivative{suffix}" for suffix in suffixes)


DERIVATIVES: dict[str, tuple[str, ...]] = {
    name: _derivatives(function) for name, function in ALL_FUNCTIONS.items() if function.arity
}
"""The symbols of the partial derivatives of each function, in the order of its arguments.

Those of a condition are 0, and have no symbols.
"""
