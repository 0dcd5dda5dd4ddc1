"""The head of an ARFF file to the names of its columns; its rows are read as CSV."""

import re

from dsgec.data.dialect import Dialect
from dsgec.data.stream import Stream
from dsgec.errors import DsgecError, Fault, Span

DIALECT = Dialect(",", "'", ".", "\\", "%")
_START = re.compile(rb"\s*(?:%[^\n]*\s*)*@relation\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"@attribute\s+(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^\s'\"{]+))\s*(\S.*)?",
    re.IGNORECASE,
)


def recognises(head: bytes) -> bool:
    """Whether a file that begins so is an ARFF file."""
    return _START.match(head) is not None


def read_header(stream: Stream, source: str) -> list[str]:
    """The names of the attributes; the stream is left where the data begin."""
    names: list[str] = []
    for line in stream.lines():
        text = line.strip()
        span = Span(source, stream.line, 1)
        keyword = text.split(maxsplit=1)[0].lower() if text else ""
        if keyword == "@data":
            if not names:
                raise DsgecError(Fault("no attribute stands before the data", "", span))
            return names
        if keyword == "@attribute":
            found = _ATTRIBUTE.fullmatch(text)
            if found is None or found[4] is None:
                raise DsgecError(Fault("this is no `@attribute name type`", "", span, text))
            if found[4].lower().startswith("relational"):
                raise DsgecError(Fault("tables within tables are not read", "", span, text))
            name = next(name for name in found.groups()[:3] if name is not None)
            names.append(re.sub(r"\\(.)", r"\1", name))
        elif keyword != "@relation" and keyword and not keyword.startswith("%"):
            raise DsgecError(Fault("this is no line of an ARFF head", "", span, text))
    raise DsgecError(f"{source} has no @data")
