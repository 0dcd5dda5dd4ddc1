"""Read a folder of tables, each of which is a recording of samples.

Its class is the name of its subfolder or, in a folder without subfolders, the beginning of its
file's name: `wave/3.csv` and `wave_3.csv` are recordings of `wave`.
"""

import hashlib
import io
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from dsgec.data.source import TableSource
from dsgec.data.table import RecordingColumns, Table, TextColumn, encode_texts
from dsgec.data.ts_files import RECORDING
from dsgec.errors import DsgecError, Fault, counted, join_names
from dsgec.folder import Folder, open_folder

CLASS = "class"
_SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_CLASS = re.compile(r"(.*?[^\W\d_])[\W\d_]*", re.DOTALL)
_MOST_FILES = 10_000
_MOST_BYTES = 1 << 30
_MOST_ALL = 4 << 30

ReadOne = Callable[[TableSource], Table]


def holds_recordings(path: Path) -> bool:
    """Return whether a folder has tables in it or in its subfolders."""
    with open_folder(path) as folder:
        return next(iter(_find(folder)), None) is not None


def read_recordings(path: Path, shown: str, read: ReadOne, encoding: str = "") -> Table:
    """Return the samples of all recordings, with the columns `recording` and `class`."""
    with open_folder(path) as folder:
        names = sorted(_find(folder))
        if not names:
            raise DsgecError(
                f"{shown} has no tables",
                "A folder of recordings has a CSV file for each, perhaps in a folder of its class.",
            )
        if len(names) > _MOST_FILES:
            raise DsgecError(f"{shown} has more than {_MOST_FILES:,} tables")
        digest = hashlib.sha256()
        tables: list[Table] = []
        total = 0
        for name in names:
            data = folder.read(name, _MOST_BYTES)
            total += len(data)
            if total > _MOST_ALL:
                raise DsgecError(f"the tables in {shown} have more than {_MOST_ALL >> 30} GB")
            source = TableSource(io.BytesIO(data), f"{shown}/{name}", name, encoding)
            table = _read_one(source, read)
            digest.update(f"{name}\0{table.digest}\n".encode())
            _check_alike(tables, table)
            tables.append(table)
    labels = [_class_of(name) for name in names]
    called = path.resolve().name or "recordings"
    return _join(called, shown, digest.hexdigest(), tables, names, labels)


def _read_one(source: TableSource, read: ReadOne) -> Table:
    try:
        return read(source)
    except DsgecError as error:
        what = "what was named is a folder, whose tables are read as recordings of samples"
        raise DsgecError([*error.faults, Fault(what, "Name one file to read one table.")]) from None


def _find(folder: Folder) -> list[str]:
    """Return the names of the tables in a folder and in its subfolders."""
    found: list[str] = []
    for name in folder.names():
        if name.startswith("."):
            continue
        if folder.has_folder(name):
            with folder.below(name) as inner:
                found += [f"{name}/{one}" for one in inner.names() if _is_table(inner, one)]
        elif _is_table(folder, name):
            found.append(name)
        if len(found) > _MOST_FILES:
            break
    in_folders = [name for name in found if "/" in name]
    return in_folders or found


def _is_table(folder: Folder, name: str) -> bool:
    is_named = name.lower().endswith(_SUFFIXES) and not name.startswith(".")
    return is_named and folder.has_file(name)


def _class_of(name: str) -> str:
    subfolder, _, file = name.rpartition("/")
    if subfolder:
        return subfolder
    stem = file.split(".")[0]
    match = _CLASS.match(stem)
    return match[1] if match else stem


def _check_alike(tables: Sequence[Table], table: Table) -> None:
    if tables and table.columns != tables[0].columns:
        raise DsgecError(
            f"the columns of {table.source} are not those of {tables[0].source}:"
            f" {join_names([f'`{name}`' for name in table.columns])}",
            "All recordings have the same columns in the same order.",
        )
    for name in (RECORDING, CLASS):
        if name in table.columns:
            raise DsgecError(
                f"{table.source} has a column `{name}`, which a folder of recordings gives itself",
                "Put all samples in one table, or rename the column.",
            )


def _join(
    name: str,
    shown: str,
    digest: str,
    tables: Sequence[Table],
    files: Sequence[str],
    labels: Sequence[str],
) -> Table:
    lengths = [len(table) for table in tables]
    columns = tables[0].columns
    numbers = np.full((sum(lengths), len(columns) + 2), math.nan)
    np.concatenate([table.numbers for table in tables], out=numbers[:, : len(columns)])
    texts = {
        place: _join_texts(tables, place)
        for place in range(len(columns))
        if any(place in table.texts for table in tables)
    }
    for place, each in ((len(columns), files), (len(columns) + 1, labels)):
        codes, known = encode_texts(each)
        column = TextColumn.limit(np.array(codes), known)
        texts[place] = TextColumn(np.repeat(column.codes, lengths), column.texts)
    return Table(
        *(name, shown, digest, (*columns, RECORDING, CLASS), tables[0].has_header),
        *(numbers, texts, np.concatenate([table.lines for table in tables])),
        format=f"a folder of {counted(len(tables), 'recording')}",
        notes=(f"classes are the names of folders or files: {join_names(sorted({*labels}))}",),
        recorded=RecordingColumns(RECORDING, CLASS),
    )


def _join_texts(tables: Sequence[Table], place: int) -> TextColumn:
    """Return the texts of a column of all tables, with one code for equal texts."""
    known: dict[str, int] = {}
    parts = []
    overflowed = False
    for table in tables:
        column = table.texts.get(place)
        if column is None:
            parts.append(np.full(len(table), -1, dtype=np.int64))
            continue
        overflowed |= column.overflowed
        codes = [known.setdefault(text, len(known)) for text in column.texts]
        parts.append(np.array([*codes, len(known), -1])[column.codes])
    joined = TextColumn.limit(np.concatenate(parts), known)
    return TextColumn(joined.codes, joined.texts, joined.overflowed or overflowed)
