"""The table of functions: the entries of `scalar.py`."""

import dsgec.arithmetic.scalar  # noqa: F401  (enters them)
from dsgec.arithmetic.entry import ENTRIES, Function

DEFINED: dict[str, Function] = ENTRIES
"""What a network may compute with: also what turns the columns of a table into features."""

FUNCTIONS: dict[str, Function] = {
    name: function for name, function in DEFINED.items() if not function.is_encoding
}
"""The language of phenotypes."""
