"""The head of an ARFF file to the names of its columns; its rows are read as CSV."""

import re

from dsgec.data.dialect import Dialect
from dsgec.data.stream import TextStream
from dsgec.errors import DsgecError, Fault, Span

_SPARSE = re.compile(rb"(?:\s*%[^\n]*\n)*\s*\{")
_CELL = rb"(?:^|,)[ \t]*"
_START = re.compile(rb"\s*(?:%[^\r\n]*[\r\n]\s*)*@(?:relation|attribute)\b", re.IGNORECASE)
# KEEL's files name the features and the target again.
_NO_COLUMNS = {"@relation", "@inputs", "@input", "@outputs", "@output"}
_ATTRIBUTE = re.compile(
    r"@attribute\s+(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^\s'\"{]+))\s*(\S.*)?",
    re.IGNORECASE,
)


def recognises(head: bytes) -> bool:
    """Whether a file that begins so is an ARFF file."""
    return _START.match(head) is not None


def look_at_rows(stream: TextStream, source: str) -> Dialect:
    """How the rows are written, as the first of them show: either sign may be the quote."""
    first = stream.rest if stream.more() else b""
    if _SPARSE.match(first):
        raise DsgecError(
            Fault(
                "the rows are sparse, `{column value, …}`, which is not read",
                "Write all values of each row, as Weka's filter SparseToNonSparse does.",
                Span(source, stream.line + 1, 1),
            )
        )
    double = re.search(_CELL + b'"', first, re.MULTILINE)
    single = re.search(_CELL + b"'", first, re.MULTILINE)
    return Dialect(",", '"' if double and not single else "'", ".", "\\", "%")


def read_header(stream: TextStream, source: str) -> list[str]:
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
        elif keyword not in _NO_COLUMNS and keyword and not keyword.startswith("%"):
            raise DsgecError(Fault("this is no line of an ARFF head", "", span, text))
    raise DsgecError(f"{source} has no @data")
