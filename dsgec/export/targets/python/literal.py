"""Parse Python literals of plain data, as dsgec writes them.

The time grows linearly with the length of the text, which is untrusted: Python's own parser takes
minutes for some texts of a few hundred kilobytes.
"""

import json
import re
from typing import Any

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>'[^'\\\n]*(?:\\.[^'\\\n]*)*'|"[^"\\\n]*(?:\\.[^"\\\n]*)*")
    | (?P<opening>[\[{])
    | (?P<closing>[\]}])
    | (?P<mark>[,:])
    | (?P<around>[()])
    | (?P<word>[\w.+-]+)
    )""",
    re.VERBOSE | re.ASCII,
)
_ESCAPE = re.compile(r"\\(?:([\\'\"nrt])|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_WORDS = {"None": "null", "True": "true", "False": "false"}


def read_literal(source: str) -> Any:
    """Parse the literal at the start of a text; raise ValueError if there is none.

    The literal is converted to JSON, which Python parses quickly: adjacent strings are joined, as
    in Python, and a comma before the end of a list is dropped.
    """
    pieces: list[str] = []
    texts: list[str] = []
    depth = at = 0
    comma = ""
    while True:
        match = _TOKEN.match(source, at)
        if match is None:
            raise ValueError("expected a literal")
        at, kind = match.end(), match.lastgroup
        written = match[kind or 0]
        if kind == "text":
            inner = written[1:-1]
            texts.append(_ESCAPE.sub(_unescaped, inner) if "\\" in inner else inner)
            continue
        if kind == "around":
            continue
        if texts:
            pieces += [comma, json.dumps("".join(texts))]
            texts, comma = [], ""
        if written == ",":
            pieces.append(comma)
            comma = written
            continue
        pieces += ["" if kind == "closing" else comma, _WORDS.get(written, written)]
        comma = ""
        depth += (kind == "opening") - (kind == "closing")
        if depth <= 0:
            break
    try:
        return json.loads("".join(pieces))
    except RecursionError as error:
        raise ValueError("the literal is nested too deeply") from error


def _unescaped(escape: re.Match[str]) -> str:
    plain, *digits, other = escape.groups()
    if other:
        raise ValueError("unknown escape sequence")
    return _ESCAPES.get(plain, plain) if plain else chr(int("".join(filter(None, digits)), 16))
