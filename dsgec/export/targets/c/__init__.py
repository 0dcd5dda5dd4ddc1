"""C99 files that need no library, for machines of any size."""

import re
from collections.abc import Iterator
from typing import Any

from dsgec.export.artefact import DTYPES
from dsgec.export.targets.c.emit import emit_c
from dsgec.export.targets.c.run import can_compile, check_c, run_c
from dsgec.export.targets.target import Target, parse_json

_DESCRIPTION = re.compile(rb"\n#ifdef \w+_DESCRIPTION\nconst char [^\n]+\{\n")


def read_c(data: bytes) -> Any:
    """Return the metadata, which is JSON in pieces of strings, or None."""
    begin = _DESCRIPTION.search(data)
    end = data.find(b"\n};", begin.end() - 1) if begin else -1
    if begin is None or end < 0:
        return None
    return parse_json("".join(_text(piece) for piece in _pieces(data[begin.end() : end])))


def _pieces(table: bytes) -> Iterator[bytes]:
    for line in table.splitlines():
        piece = re.fullmatch(rb'    "((?:[^"\\]|\\[0-7]{3})*)",', line)
        yield piece[1] if piece else b"?"


def _text(piece: bytes) -> str:
    plain = re.sub(rb"\\([0-7]{3})", lambda octal: bytes([int(octal[1], 8) & 255]), piece)
    return plain.decode("utf-8", "replace")


TARGET = Target(
    ("{}.c", "{}.h", "{}_selftest.c", "{}_README.md"),
    emit_c,
    read_c,
    run_c,
    dtypes=DTYPES,
    check=check_c,
    can_check=can_compile,
)
