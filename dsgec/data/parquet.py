"""A Parquet file to a Table, by pyarrow where it is installed."""

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from dsgec.data.cells import BLANK_WORDS
from dsgec.data.gather import MOST_TEXTS
from dsgec.data.ir import Table, Texts
from dsgec.data.source import TableSource
from dsgec.errors import DsgecError

_MAGIC = b"PAR1"
_NUMBER_BYTES = 8
_BATCH_ROWS, _BATCH_BYTES = 1 << 16, 64 << 20
_SHARED_PREFIXES = "DELTA_BYTE_ARRAY"


def recognises(head: bytes) -> bool:
    """Whether a file that begins so is a Parquet file."""
    return head.startswith(_MAGIC)


def read_parquet(source: TableSource) -> Table:
    """The table; its line numbers are those of the rows."""
    try:
        import pyarrow
    except ImportError as error:
        raise DsgecError(
            f"{source.shown} is a Parquet file, and pyarrow, which reads those, is not installed",
            "`pip install 'dsgec[parquet]'` installs it.",
        ) from error
    try:
        return _File(source).table()
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        cause = " ".join(str(error).split())[:200]
        raise DsgecError(f"{source.shown} cannot be read as Parquet: {cause}") from error


class _File:
    """An open file, read a column at a time.

    A few bytes of it can stand for any number of values, so what they come to is checked first.
    """

    def __init__(self, source: TableSource) -> None:
        import pyarrow
        from pyarrow import parquet

        self._source = source
        data = pyarrow.BufferReader(source.everything())
        plain = parquet.ParquetFile(data)
        self._schema, self._metadata = plain.schema_arrow, plain.metadata
        self._names = tuple(map(str, self._schema.names))
        self._refuse()
        # Texts stay one for each that is different, except where pyarrow cannot read them so.
        self._prefixed = self._columns_of_shared_prefixes()
        texts = [n for n in self._names if n not in self._prefixed]
        data.seek(0)
        self._open = parquet.ParquetFile(data, read_dictionary=texts)

    def table(self) -> Table:
        source, rows = self._source, self._metadata.num_rows
        numbers = np.full((rows, len(self._names)), math.nan)
        texts: dict[int, Texts] = {}
        kinds = self._kinds()
        for number, name in enumerate(self._names):
            found = self._read(name)
            if len(found.codes if isinstance(found, Texts) else found) != rows:
                raise DsgecError(f"{source.shown} is damaged: its columns are not equally long")
            if isinstance(found, Texts):
                texts[number] = found
            else:
                numbers[:, number] = found
        lines = np.arange(1, rows + 1, dtype=np.int32)
        names = self._names
        return Table(
            *(source.name, source.shown, source.digest, names, True),
            *(numbers, texts, lines, "Parquet"),
            kinds=kinds,
        )

    def _kinds(self) -> dict[int, str]:
        """Columns that the file says to be booleans, or categories of something else than texts."""
        from pyarrow import types

        found = {}
        categories = self._categories_of_pandas()
        for number, kind in enumerate(self._schema.types):
            if types.is_boolean(kind):
                found[number] = "boolean"
            elif types.is_dictionary(kind) or self._names[number] in categories:
                found[number] = "category"
        return found

    def _categories_of_pandas(self) -> set[str]:
        """The names of columns that were categories of a data frame, if the file says so."""
        said = (self._schema.metadata or {}).get(b"pandas", b"{}")
        try:
            columns = json.loads(said).get("columns", [])
        except (ValueError, AttributeError, RecursionError):  # it is untrusted
            return set()
        of_dicts = (
            [one for one in columns if isinstance(one, dict)] if isinstance(columns, list) else []
        )
        return {str(one.get("name")) for one in of_dicts if one.get("pandas_type") == "categorical"}

    def _refuse(self) -> None:
        from pyarrow import types

        shown, metadata = self._source.shown, self._metadata
        if len(set(self._names)) < len(self._names):
            raise DsgecError(f"{shown} has two columns of the same name")
        if metadata.num_rows < 1 or not self._names:
            raise DsgecError(f"{shown} has no rows")
        for name, kind in zip(self._names, self._schema.types, strict=True):
            if types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind):
                raise DsgecError(
                    f"the column `{name}` of {shown} holds {kind}", "A table has numbers and texts."
                )
        values = metadata.num_rows * metadata.num_columns * _NUMBER_BYTES
        size = sum(chunk.total_uncompressed_size for chunk in self._chunks())
        self._unpacked = max(values, size)
        self._source.refuse_unpacked(self._unpacked, "save it as CSV first")

    def _chunks(self) -> Iterator[Any]:
        for group in map(self._metadata.row_group, range(self._metadata.num_row_groups)):
            yield from map(group.column, range(group.num_columns))

    def _columns_of_shared_prefixes(self) -> dict[str, int]:
        """Columns whose texts repeat the beginning of one another, and the largest chunk's size."""
        found: dict[str, int] = {}
        for chunk in self._chunks():
            if _SHARED_PREFIXES in chunk.encodings:
                name = chunk.path_in_schema
                found[name] = max(found.get(name, 1), chunk.total_uncompressed_size)
        return found

    def _read(self, name: str) -> Any:
        """The numbers of a column, or its texts."""
        import pyarrow
        from pyarrow import types

        if name in self._prefixed:
            return _texts(pyarrow.chunked_array(self._read_prefixed(name)))
        column = self._open.read(columns=[name], use_threads=False).column(name)
        kind = column.type.value_type if types.is_dictionary(column.type) else column.type
        if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
            values = column.cast(pyarrow.float64(), safe=False).to_numpy()
            if np.isinf(values).any():
                raise DsgecError(f"the column `{name}` of {self._source.shown} has infinite values")
            return values
        if types.is_null(kind):
            return np.full(len(column), math.nan)
        return _texts(column)

    def _read_prefixed(self, name: str) -> Iterator[Any]:
        """So few rows at a time that they fit, were each as long as all that is stored."""
        rows = min(max(_BATCH_BYTES // self._prefixed[name], 1), _BATCH_ROWS)
        for batch in self._open.iter_batches(rows, columns=[name], use_threads=False):
            encoded = batch.column(name).dictionary_encode()
            self._unpacked += encoded.nbytes
            self._source.refuse_unpacked(self._unpacked, "save it as CSV first")
            yield encoded


def _texts(column: Any) -> Texts:
    """What is no number as texts, numbered as they come."""
    import pyarrow

    encoded = column.dictionary_encode().unify_dictionaries().combine_chunks()
    used = encoded.indices.dictionary_encode()  # not all of a dictionary need occur
    texts = encoded.dictionary.take(used.dictionary).cast(pyarrow.string())
    found = ["" if text is None else str(text).strip() for text in texts.to_pylist()]
    known: dict[str, int] = {}
    new = [-1 if t in BLANK_WORDS else known.setdefault(t, len(known)) for t in found]
    codes = used.indices.fill_null(len(new)).to_numpy(zero_copy_only=False)
    most = np.minimum(np.array([*new, -1], dtype=np.int32)[codes], MOST_TEXTS)
    return Texts(most.astype(np.int32), tuple(known)[:MOST_TEXTS], len(known) > MOST_TEXTS)
