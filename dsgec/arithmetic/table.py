"""The table of functions: the entries of `scalar.py`."""

from dsgec.arithmetic import scalar
from dsgec.arithmetic.entry import ENTRIES, Function

assert all(getattr(scalar, function.symbol) for function in ENTRIES.values())

DEFINED: dict[str, Function] = ENTRIES
"""What a network may compute with: also what turns the columns of a table into features."""

FUNCTIONS: dict[str, Function] = {
    name: function for name, function in DEFINED.items() if not function.is_encoding
}
"""The language of phenotypes."""
