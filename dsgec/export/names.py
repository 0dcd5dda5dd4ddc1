"""Names of modules, C symbols and folders that are legal everywhere."""

import keyword
import re
import sys
import unicodedata
from collections.abc import Sequence

from dsgec.errors import DsgecError

_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_LONGEST_ENDING = 40
_FORBIDDEN = frozenset('<>:"/\\|?*')  # in names of folders on some system
_C_HEADERS = """
    alloca assert complex ctype dirent endian errno features fcntl fenv float inttypes iso646 limits
    locale malloc math memory poll pthread regex sched search semaphore setjmp signal spawn stdalign
    stdarg stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string strings
    tgmath threads time uchar unistd utime wchar wctype
"""
# Names that Windows takes for devices, in any folder and with any suffix.
_DEVICES = {"con", "prn", "aux", "nul"} | {f"{d}{n}" for d in ("com", "lpt") for n in range(10)}
_PYTHON_MODULES = "cffi numpy np onnx onnxruntime pandas pd pip polars scipy setuptools sklearn"
# Names that no crate and no package of Java or Go can have, besides keywords of Python.
_KEYWORDS = """
    abstract alloc become boolean box byte case catch chan char const core crate default defer do
    double dyn enum extends extern fallthrough false final fn func go goto gen impl implements init
    instanceof int interface internal java javax let long loop macro main map mod move mut native
    new null override package priv private protected pub public range ref self short static std
    strictfp struct super switch synchronized this throw throws trait transient true type typeof
    union unsafe unsized use var vendor virtual void volatile where
"""
C_HEADERS = frozenset(_C_HEADERS.split())
# Exported files would hide Python modules and C headers of the same name.
TAKEN = frozenset(
    [
        *C_HEADERS,
        *keyword.kwlist,
        *keyword.softkwlist,
        *sys.stdlib_module_names,
        *_PYTHON_MODULES.split(),
        *_DEVICES,
    ]
)
_RESERVED = frozenset(_KEYWORDS.split())


def check_name(name: str) -> str:
    """Return `name` if it can name a module and C symbols; raise a DsgecError if not."""
    if not _is_legal(name):
        raise DsgecError(
            f"`{name}` cannot name a module",
            "Use lower-case letters, digits and `_`, beginning with a letter; not a name in use.",
        )
    return name


def is_portable(name: str) -> bool:
    """Return whether a folder can have this name on every system and in every command."""
    return (
        bool(name)
        and name.isprintable()
        and not name.startswith("-")
        and name[-1] not in ". "
        and _FORBIDDEN.isdisjoint(name)
        and name.split(".")[0].rstrip().lower() not in _DEVICES
    )


def safe_name(text: str) -> str:
    """Return a legal module name that resembles `text`."""
    name = re.sub(r"[^a-z0-9_]+", "_", text.lower()).strip("_")[:40]
    tries = (name, f"net_{name}".rstrip("_"), f"net_{name}_net")
    return next(filter(_is_legal, tries))


def macro_endings(labels: Sequence[str | int]) -> list[str]:
    """Return a distinct ending of a macro's name for each label, which resembles the label.

    It has capital letters, digits and `_`.
    """
    found: dict[str, None] = {}
    for number, label in enumerate(labels):
        text = f"minus {-label}" if isinstance(label, int) and label < 0 else str(label)
        plain = unicodedata.normalize("NFKD", text[:_LONGEST_ENDING]).encode("ascii", "ignore")
        ending = re.sub(r"[^A-Z0-9]+", "_", plain.decode().upper()).strip("_") or f"NUMBER_{number}"
        while ending in found:
            ending += f"_{number}"
        found[ending] = None
    return list(found)


def _is_legal(name: str) -> bool:
    return (
        bool(_NAME.fullmatch(name))
        and name not in TAKEN
        and name not in _RESERVED
        and not name.startswith("dsgec")
        # Files beside the C of another name end so, and the package of a test in Go.
        and not name.endswith(("_selftest", "_test"))
    )
