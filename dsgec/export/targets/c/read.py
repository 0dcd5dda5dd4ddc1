"""The metadata of an exported C file, from the JSON that it holds in pieces of strings."""

import re
from collections.abc import Iterator
from typing import Any

from dsgec.export.targets.target import parse_json

_DESCRIPTION = re.compile(rb"\n#ifdef \w+_DESCRIPTION\nconst char [^\n]+\{\n")


def read_c(data: bytes) -> Any:
    """The metadata; None where there are none."""
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
