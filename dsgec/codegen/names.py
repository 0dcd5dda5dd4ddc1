"""Names of modules and C symbols: legal by construction."""

import keyword
import re
import sys

from dsgec.errors import DsgecError

_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_C_HEADERS = """
    assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdarg
    stdbool stddef stdint stdio stdlib string tgmath time wchar wctype
"""
# Python modules and C headers of the same name would be hidden by the exported files.
_TAKEN = frozenset(
    [
        *_C_HEADERS.split(),
        *keyword.kwlist,
        *keyword.softkwlist,
        *sys.stdlib_module_names,
        "numpy",
        "np",
    ]
)


def check_name(name: str) -> str:
    """`name`, if a module and C symbols can be called by it."""
    if not _is_legal(name):
        raise DsgecError(
            f"`{name}` cannot name a module",
            "Use lower-case letters, digits and `_`, beginning with a letter; no reserved word.",
        )
    return name


def safe_name(text: str) -> str:
    """A legal module name that resembles `text`."""
    name = re.sub(r"[^a-z0-9_]+", "_", text.lower()).strip("_")[:40]
    return name if _is_legal(name) else f"net_{name}".rstrip("_")


def _is_legal(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and name not in _TAKEN and not name.startswith("dsgec")
