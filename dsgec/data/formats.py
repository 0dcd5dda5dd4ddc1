"""Recognise files that cannot be read as tables by their first bytes, and advise what to do."""

import json
import re

from dsgec.errors import DsgecError

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
_WORDS = {b"ARROW1", b"FEA1", b"ORC", b"RDX", b"BZh"}  # which a column may be called, too
_LOOKED_AT = 512
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = b"PK\x03\x04"
_PICKLE = re.compile(rb"\x80[\x02-\x05](?:\x95|[cX}(\]K])", re.DOTALL)
_EXCEL = "in Excel or LibreOffice, save it as CSV (File, Save As), a sheet a file"
_JSON = _BY_PANDAS.format("read_json")
_JSON_START = re.compile(rb'\s*(?:\{\s*(?:"|\})|\[\s*(?:[\[{"\]]|-?\d))')
_MARKUP = re.compile(rb"\s*<(?:!doctype html|html|\?xml|table)\b", re.IGNORECASE)
_MOST_JSON = 1 << 16


def refuse_other_formats(head: bytes, shown: str) -> None:
    """Raise a DsgecError if a file that begins so is of a kind that is known and not read."""
    kind, advice = _recognise(head)
    if kind:
        raise DsgecError(
            f"{shown} is {kind}, not a table that dsgec reads", f"{_sentence(advice)}."
        )


def _recognise(head: bytes) -> tuple[str, str]:
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
    """Return what a ZIP archive holds, judged by the names of its first members."""
    if b"application/vnd.oasis.opendocument.spreadsheet" in head[:200]:
        return "a spreadsheet (.ods)", _EXCEL
    if b"[Content_Types].xml" in head or b"xl/workbook" in head:
        return "an Excel file (.xlsx)", _EXCEL
    if b".npy" in head[:200]:
        return "arrays of numpy's (.npz)", "load it and give the arrays to dsgec.evolve"
    return "a ZIP archive", "unpack it, and give the table in it; gzip is read as it is"


def _is_json(head: bytes) -> bool:
    """Return whether a file starts with a JSON value, or has lines of JSON."""
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


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
