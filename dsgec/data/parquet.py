"""Read a Parquet file as a table, with pyarrow if it is installed."""

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dsgec.data.source import TableSource
from dsgec.data.table import Table, TextColumn, encode_texts
from dsgec.errors import DsgecError

_NUMBER_BYTES = 8
_BATCH_ROWS, _BATCH_BYTES = 1 << 16, 64 << 20


def is_parquet(head: bytes) -> bool:
    """Return whether a file that starts with these bytes is a Parquet file."""
    return head.startswith(b"PAR1")


def read_parquet(source: TableSource) -> Table:
    """Read a Parquet file; the line numbers of its table are row numbers."""
    try:
        import pyarrow
    except ImportError as error:
        raise DsgecError(
            f"{source.shown} is a Parquet file, and pyarrow, which reads those, is not installed",
            "`pip install 'dsgec[parquet]'` installs it.",
        ) from error
    try:
        return _ParquetReader(source).read()
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        cause = " ".join(str(error).split())[:200]
        raise DsgecError(f"{source.shown} cannot be read as Parquet: {cause}") from error


class _ParquetReader:
    """An open Parquet file, read one column at a time.

    A few bytes of the file can stand for any number of values, so their size is checked first.
    """

    def __init__(self, source: TableSource) -> None:
        import pyarrow
        from pyarrow import parquet

        self._source = source
        data = pyarrow.BufferReader(source.read_all())
        plain = parquet.ParquetFile(data)
        self._schema, self._metadata = plain.schema_arrow, plain.metadata
        self._names = tuple(map(str, self._schema.names))
        self._refuse_unreadable()
        # Texts are read as dictionaries of distinct texts, except where pyarrow cannot do that.
        self._prefixed = self._find_prefixed()
        texts = [n for n in self._names if n not in self._prefixed]
        data.seek(0)
        self._file = parquet.ParquetFile(data, read_dictionary=texts)

    def read(self) -> Table:
        source, rows = self._source, self._metadata.num_rows
        numbers = np.full((rows, len(self._names)), math.nan)
        texts: dict[int, TextColumn] = {}
        for place, name in enumerate(self._names):
            column = self._read_column(name)
            if len(column.codes if isinstance(column, TextColumn) else column) != rows:
                raise DsgecError(f"{source.shown} is damaged: its columns are not equally long")
            if isinstance(column, TextColumn):
                texts[place] = column
            else:
                numbers[:, place] = column
        return Table(
            *(source.name, source.shown, source.digest, self._names, True),
            *(numbers, texts, np.arange(1, rows + 1, dtype=np.int32), "Parquet"),
            kinds=self._declared_kinds(),
        )

    def _declared_kinds(self) -> dict[int, str]:
        """Return which columns the file declares as boolean or as categories."""
        from pyarrow import types

        kinds = {}
        categories = self._pandas_categories()
        for place, kind in enumerate(self._schema.types):
            if types.is_boolean(kind):
                kinds[place] = "boolean"
            elif types.is_dictionary(kind) or self._names[place] in categories:
                kinds[place] = "category"
        return kinds

    def _pandas_categories(self) -> set[str]:
        """Return the names of columns that pandas noted as categorical in the file's metadata."""
        metadata = (self._schema.metadata or {}).get(b"pandas", b"{}")
        try:
            columns = json.loads(metadata).get("columns", [])
        except (ValueError, AttributeError, RecursionError):  # it is untrusted
            return set()
        known = columns if isinstance(columns, list) else []
        return {
            str(one.get("name"))
            for one in known
            if isinstance(one, dict) and one.get("pandas_type") == "categorical"
        }

    def _refuse_unreadable(self) -> None:
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

    def _find_prefixed(self) -> dict[str, int]:
        """Return the columns whose texts share prefixes, with the size of their largest chunk."""
        found: dict[str, int] = {}
        for chunk in self._chunks():
            if "DELTA_BYTE_ARRAY" in chunk.encodings:
                name = chunk.path_in_schema
                found[name] = max(found.get(name, 1), chunk.total_uncompressed_size)
        return found

    def _read_column(self, name: str) -> NDArray[np.float64] | TextColumn:
        import pyarrow
        from pyarrow import types

        if name in self._prefixed:
            return _text_column(pyarrow.chunked_array(self._read_prefixed(name)))
        column = self._file.read(columns=[name], use_threads=False).column(name)
        kind = column.type.value_type if types.is_dictionary(column.type) else column.type
        if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
            values: NDArray[np.float64] = column.cast(pyarrow.float64(), safe=False).to_numpy()
            if np.isinf(values).any():
                raise DsgecError(f"the column `{name}` of {self._source.shown} has infinite values")
            return values
        if types.is_null(kind):
            return np.full(len(column), math.nan)
        return _text_column(column)

    def _read_prefixed(self, name: str) -> Iterator[Any]:
        """Yield batches so small that they fit in memory if each text has the size of a chunk."""
        rows = min(max(_BATCH_BYTES // self._prefixed[name], 1), _BATCH_ROWS)
        for batch in self._file.iter_batches(rows, columns=[name], use_threads=False):
            encoded = batch.column(name).dictionary_encode()
            self._unpacked += encoded.nbytes
            self._source.refuse_unpacked(self._unpacked, "save it as CSV first")
            yield encoded


def _text_column(column: Any) -> TextColumn:
    """Return a pyarrow column as texts, coded in the order in which they occur."""
    import pyarrow

    encoded = column.dictionary_encode().unify_dictionaries().combine_chunks()
    used = encoded.indices.dictionary_encode()  # not all of a dictionary need occur
    texts = encoded.dictionary.take(used.dictionary).cast(pyarrow.string())
    new, known = encode_texts(
        "" if text is None else str(text).strip() for text in texts.to_pylist()
    )
    codes = used.indices.fill_null(len(new)).to_numpy(zero_copy_only=False)
    return TextColumn.limit(np.array([*new, -1], dtype=np.int32)[codes], known)
