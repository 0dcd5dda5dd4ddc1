"""Resolve the local `#include`s of C files, so that compilers and the cache get one text."""

import re
from collections.abc import Callable

_INCLUDE = re.compile(r'^#include "([^"]+)"\n', re.MULTILINE)
_DIRECTIVE = re.compile(r"^#.*\n", re.MULTILINE)


def resolve_includes(name: str, read: Callable[[str], str], done: set[str]) -> str:
    """Return a file with the local files that it includes in place, each of them once.

    Those in `done` are left out, and those that are included are added to it.
    """

    def included(match: re.Match[str]) -> str:
        if match[1] in done:
            return ""
        done.add(match[1])
        return resolve_includes(match[1], read, done)

    return _INCLUDE.sub(included, read(name))


def without_directives(text: str) -> str:
    """Return a header as cffi can read it."""
    return _DIRECTIVE.sub("", text)
