"""A Parquet file is refused if it would take far more memory than its size suggests."""

import contextlib
import random
import resource
import subprocess
import sys

import numpy as np
import pytest

from dsgec.data.read import parse_table, read_table
from dsgec.errors import DsgecError

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

LIMIT = 1 << 29  # bytes of address space beyond what Python and its libraries take themselves
CHILD = """
import resource, sys
import pyarrow.parquet
from dsgec.data.read import read_table
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + int(sys.argv[2]),) * 2)
try:
    print(len(read_table(sys.argv[1])))
except Exception as error:
    print(type(error).__name__, error)
"""


def read_with_little_memory(path):
    command = [sys.executable, "-c", CHILD, str(path), str(LIMIT)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def write(path, columns, **options):
    with parquet.ParquetWriter(path, pyarrow.table(columns).schema, **options) as writer:
        for _ in range(20):
            writer.write_table(pyarrow.table(columns))
    return path


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_AS"), reason="memory cannot be limited here")
def test_a_small_file_of_very_many_values_is_refused_before_they_are_read(tmp_path):
    zeros = pyarrow.array(np.zeros(200_000))
    path = write(tmp_path / "t.parquet", {f"x{i}": zeros for i in range(20)})

    answer = read_with_little_memory(path)
    assert path.stat().st_size < 2e6
    assert answer.startswith("DsgecError")
    assert "unpacks to more than 200 times its size, and to more than 256 MB" in answer
    assert "save it as CSV first" in answer


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_AS"), reason="memory cannot be limited here")
@pytest.mark.parametrize(
    "encoding", ["RLE_DICTIONARY", pytest.param("DELTA_BYTE_ARRAY", marks=pytest.mark.campaign)]
)
def test_a_long_repeated_text_is_in_memory_once(tmp_path, encoding):
    texts = pyarrow.array(["a" * 4000, "a" * 3999 + "b"] * 5_000)
    options = {"use_dictionary": encoding == "RLE_DICTIONARY"}
    if encoding == "DELTA_BYTE_ARRAY":
        options["column_encoding"] = {"text": encoding}
    path = write(tmp_path / "t.parquet", {"text": texts}, **options)

    assert path.stat().st_size < 2e6
    assert read_with_little_memory(path) == "200000\n"


def test_texts_that_share_a_long_beginning_are_refused_when_they_are_too_many(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("dsgec.data.source._UNSUSPICIOUS", 1 << 20)
    texts = pyarrow.array(["a" * 9000 + str(i) for i in range(2000)])
    options = {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}}
    path = tmp_path / "t.parquet"
    parquet.write_table(pyarrow.table({"text": texts}), path, **options)

    assert path.stat().st_size < 6e4
    with pytest.raises(DsgecError, match="unpacks to more than 200 times its size"):
        read_table(str(path))


@pytest.mark.parametrize("encoding", ["RLE_DICTIONARY", "DELTA_BYTE_ARRAY", "PLAIN"])
def test_texts_are_coded_in_the_order_in_which_they_occur(tmp_path, encoding):
    texts = ["b", None, " a ", "?", "b", "c"]
    column = pyarrow.array(texts)
    if encoding == "RLE_DICTIONARY":  # with a text that no row has, and in another order
        places = pyarrow.array([2, None, 1, 3, 2, 4])
        column = pyarrow.DictionaryArray.from_arrays(places, ["unused", " a ", "b", "?", "c"])
    options = {"use_dictionary": encoding == "RLE_DICTIONARY"}
    if encoding != "RLE_DICTIONARY":
        options["column_encoding"] = {"text": encoding}
    parquet.write_table(pyarrow.table({"text": column}), tmp_path / "t.parquet", **options)

    found = read_table(str(tmp_path / "t.parquet")).texts[0]
    assert found.texts == ("b", "a", "c")
    assert found.codes.tolist() == [0, -1, 1, -1, 0, 2]


def test_a_damaged_file_is_read_or_refused(tmp_path):
    path = tmp_path / "t.parquet"
    columns = {"x": [1.5, 2.5, None], "s": ["a", "b", "ä"], "y": [True, False, None]}
    parquet.write_table(pyarrow.table(columns), path)
    whole, random_ = path.read_bytes(), random.Random(1)
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(random_.randint(1, 3)):
            data[random_.randrange(4, len(data) - 8)] = random_.randrange(256)
        with contextlib.suppress(DsgecError):
            parse_table(bytes(data), "t.parquet", "t")
