"""A Parquet file to a Table, by pyarrow where it is installed."""

import math
from typing import Any

import numpy as np

from dsgec.data.cells import MARKS
from dsgec.data.gather import MOST_TEXTS
from dsgec.data.ir import Table, Texts
from dsgec.data.source import Source
from dsgec.errors import DsgecError

_MAGIC = b"PAR1"


def recognises(head: bytes) -> bool:
    """Whether a file that begins so is a Parquet file."""
    return head.startswith(_MAGIC)


def read_parquet(source: Source) -> Table:
    """The table; its line numbers are those of the rows."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise DsgecError(
            f"{source.shown} is a Parquet file, and pyarrow, which reads those, is not installed",
            "`pip install 'dsgec[parquet]'` installs it.",
        ) from error
    try:
        content = parquet.read_table(pyarrow.BufferReader(source.everything()))
        columns = tuple(map(str, content.column_names))
        if len(set(columns)) < len(columns):
            raise DsgecError(f"{source.shown} has two columns of the same name")
        if not content.num_rows or not columns:
            raise DsgecError(f"{source.shown} has no rows")
        numbers = np.full((content.num_rows, len(columns)), math.nan)
        texts: dict[int, Texts] = {}
        for number, name in enumerate(columns):
            found = _column(content.column(number), name, source.shown)
            if isinstance(found, Texts):
                texts[number] = found
            else:
                numbers[:, number] = found
    except (pyarrow.ArrowException, OSError) as error:
        cause = " ".join(str(error).split())[:200]
        raise DsgecError(f"{source.shown} cannot be read as Parquet: {cause}") from error
    lines = np.arange(1, content.num_rows + 1, dtype=np.int32)
    return Table(
        source.name, source.shown, source.digest, columns, True, numbers, texts, lines, "Parquet"
    )


def _column(column: Any, name: str, shown: str) -> Any:
    """The numbers of a column, or its texts."""
    import pyarrow
    from pyarrow import types

    kind = column.type
    if types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        values = column.cast(pyarrow.float64(), safe=False).to_numpy()
        if np.isinf(values).any():
            raise DsgecError(f"the column `{name}` of {shown} has infinite values")
        return values
    if types.is_null(kind):
        return np.full(len(column), math.nan)
    if types.is_nested(kind) or types.is_binary(kind) or types.is_large_binary(kind):
        raise DsgecError(
            f"the column `{name}` of {shown} holds {kind}", "A table has numbers and texts."
        )
    encoded = column.cast(pyarrow.string()).combine_chunks().dictionary_encode()
    found = [str(text).strip() for text in encoded.dictionary.to_pylist()]
    known: dict[str, int] = {}
    new = [-1 if t in MARKS else known.setdefault(t, len(known)) for t in found]
    codes = encoded.indices.fill_null(len(new)).to_numpy(zero_copy_only=False)
    most = np.minimum(np.array([*new, -1], dtype=np.int32)[codes], MOST_TEXTS)
    return Texts(most.astype(np.int32), tuple(known)[:MOST_TEXTS], len(known) > MOST_TEXTS)
