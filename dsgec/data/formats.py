"""Formats other than CSV: the head of ARFF files, and files of formats that are not read."""

import json
import re

from dsgec.data.dialect import Dialect
from dsgec.data.source import LineReader
from dsgec.errors import DsgecError, Fault, Span

_ARFF_START = re.compile(rb"\s*(?:%[^\r\n]*[\r\n]\s*)*@(?:relation|attribute)\b", re.IGNORECASE)
_ARFF_SPARSE = re.compile(rb"(?:\s*%[^\n]*\n)*\s*\{")
_ARFF_CELL = rb"(?:^|,)[ \t]*"
# KEEL's files name the features and the target again.
_ARFF_IGNORED = {"@relation", "@inputs", "@input", "@outputs", "@output"}
_ARFF_ATTRIBUTE = re.compile(
    r"@attribute\s+(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^\s'\"{]+))\s*(\S.*)?",
    re.IGNORECASE,
)

_AS_CSV = "save the table as CSV"
_BY_PANDAS = "`pandas.{0}(FILE).to_csv('table.csv', index=False)` writes it as CSV"
_KINDS: tuple[tuple[bytes, str, str], ...] = (
    (b"SQLite format 3\0", "an SQLite database", "export one of its tables as CSV"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", _BY_PANDAS.format("read_hdf")),
    (b"\x93NUMPY", "an array of numpy's", "load it and give the array to dsgec.evolve"),
    (b"ARROW1", "a Feather or Arrow file", _BY_PANDAS.format("read_feather")),
    (b"FEA1", "a Feather file", _BY_PANDAS.format("read_feather")),
    (b"ORC", "an ORC file", _BY_PANDAS.format("read_orc")),
    (b"MATLAB 5.0", "a MATLAB file", "save the table as CSV, as writetable does"),
    (b"RDX", "a file of R's", "save the table as CSV, as write.csv does"),
    (b"$FL2", "an SPSS file", _BY_PANDAS.format("read_spss")),
    (b"<stata_dta>", "a Stata file", _BY_PANDAS.format("read_stata")),
    (b"BZh", "packed with bzip2", "unpack it; gzip is read as it is"),
    (b"\xfd7zXZ", "packed with xz", "unpack it; gzip is read as it is"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd", "unpack it; gzip is read as it is"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it"),
    (b"Rar!", "a RAR archive", "unpack it"),
    (b"%PDF-", "a PDF document", _AS_CSV),
    (b"\x89PNG\r\n", "a picture", "give the table itself"),
    (b"\xff\xd8\xff", "a picture", "give the table itself"),
    (b"\x7fELF", "a program", "give the table itself"),
)
_WORDS = {b"ARROW1", b"FEA1", b"ORC", b"RDX", b"BZh"}  # which may also be the name of a column
_LOOKED_AT = 512
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = b"PK\x03\x04"
_PICKLE = re.compile(rb"\x80[\x02-\x05](?:\x95|[cX}(\]K])", re.DOTALL)
_EXCEL = "in Excel or LibreOffice, save it as CSV (File, Save As), a sheet a file"
_JSON = _BY_PANDAS.format("read_json")
_JSON_START = re.compile(rb'\s*(?:\{\s*(?:"|\})|\[\s*(?:[\[{"\]]|-?\d))')
_MARKUP = re.compile(rb"\s*<(?:!doctype html|html|\?xml|table)\b", re.IGNORECASE)
_MOST_JSON = 1 << 16


def is_arff(head: bytes) -> bool:
    """Return whether a file that starts with these bytes is an ARFF file."""
    return _ARFF_START.match(head) is not None


def read_arff_header(lines: LineReader, source: str) -> list[str]:
    """Return the names of the attributes, and leave the reader where the data begin."""
    names: list[str] = []
    for line in lines.lines():
        text = line.strip()
        span = Span(source, lines.line, 1)
        keyword = text.split(maxsplit=1)[0].lower() if text else ""
        if keyword == "@data":
            if not names:
                raise DsgecError(Fault("`@data` comes before any `@attribute`", "", span))
            return names
        if keyword == "@attribute":
            found = _ARFF_ATTRIBUTE.fullmatch(text)
            if found is None or found[4] is None:
                raise DsgecError(Fault("expected `@attribute name type`", "", span, text))
            if found[4].lower().startswith("relational"):
                raise DsgecError(Fault("relational attributes are not supported", "", span, text))
            name = next(name for name in found.groups()[:3] if name is not None)
            names.append(re.sub(r"\\(.)", r"\1", name))
        elif keyword not in _ARFF_IGNORED and keyword and not keyword.startswith("%"):
            raise DsgecError(Fault("expected an `@attribute` or `@data` line", "", span, text))
    raise DsgecError(f"{source} has no @data")


def detect_arff_dialect(lines: LineReader, source: str) -> Dialect:
    """Return the dialect of the rows, whose quote is detected; raise if they are sparse."""
    first = lines.rest if lines.has_more() else b""
    if _ARFF_SPARSE.match(first):
        raise DsgecError(
            Fault(
                "the rows are sparse, `{column value, …}`, which is not supported",
                "Write all values of each row, as Weka's filter SparseToNonSparse does.",
                Span(source, lines.line + 1, 1),
            )
        )
    double = re.search(_ARFF_CELL + b'"', first, re.MULTILINE)
    single = re.search(_ARFF_CELL + b"'", first, re.MULTILINE)
    return Dialect(",", '"' if double and not single else "'", ".", "\\", "%")


def refuse_other_formats(head: bytes, shown: str) -> None:
    """Raise a DsgecError if the first bytes are those of a format that is known but not read."""
    kind, advice = _recognise(head)
    if kind:
        advice = f"{advice[0].upper()}{advice[1:]}."
        raise DsgecError(f"{shown} is {kind}, not a table that dsgec reads", advice)


def _recognise(head: bytes) -> tuple[str, str]:
    """Return the name of a file's format and advice, or two empty texts if it is unknown."""
    is_binary = any(byte < 9 or byte > 126 for byte in head[:_LOOKED_AT])
    for start, kind, advice in _KINDS:
        if head.startswith(start) and (is_binary or start not in _WORDS):
            return kind, advice
    if head.startswith(_OLD_OFFICE):
        return "an Excel file (.xls)", _EXCEL
    if head.startswith(_ZIP):
        return _archive(head)
    if _PICKLE.match(head):
        return "a pickle of Python's", "load it where it was made, and save the table as CSV"
    if _is_json(head):
        return "a JSON file", _JSON
    if _MARKUP.match(head):
        return "an HTML or XML file", _AS_CSV
    return "", ""


def _archive(head: bytes) -> tuple[str, str]:
    """Return the format of a ZIP archive, judged by the names of its first members."""
    if b"application/vnd.oasis.opendocument.spreadsheet" in head[:200]:
        return "a spreadsheet (.ods)", _EXCEL
    if b"[Content_Types].xml" in head or b"xl/workbook" in head:
        return "an Excel file (.xlsx)", _EXCEL
    if b".npy" in head[:200]:
        return "arrays of numpy's (.npz)", "load it and give the arrays to dsgec.evolve"
    return "a ZIP archive", "unpack it, and give the table in it; gzip is read as it is"


def _is_json(head: bytes) -> bool:
    """Return whether a file is a JSON value or has lines of JSON."""
    if not _JSON_START.match(head):
        return False
    text = head[:_MOST_JSON].decode("utf-8", "replace").lstrip()
    try:
        end = json.JSONDecoder().raw_decode(text)[1]
    except RecursionError:
        return True
    except json.JSONDecodeError as error:
        return len(head) > _MOST_JSON and error.pos >= len(text) - _LOOKED_AT  # it is cut there
    return text[end:].lstrip(" \t\r")[:1] in ("", "\n")
