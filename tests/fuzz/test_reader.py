"""For a table of any bytes, the native reader stays within bounds and reads what Python reads.

corpus/reader.zip has what libFuzzer found, least files first: tables have no version, so they stay
of use however the reader changes. `python -m tests.fuzz.test_reader` fuzzes on and writes it again.
"""

import io
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

from dsgec.data import read as table_module
from dsgec.data.options import ReadingOptions
from dsgec.data.read import parse_table
from dsgec.errors import DsgecError
from tests.support.cells import assert_equal_tables, random_csv
from tests.support.fuzzing.harness import Reader, fuzz, merge, replay

pytestmark = pytest.mark.needs_cc

CORPUS = Path(__file__).parent / "corpus" / "reader.zip"
RUNS = 300_000


def corpus():
    with zipfile.ZipFile(CORPUS) as archive:
        return [archive.read(name) for name in archive.namelist()]


def seeds():
    """Tables with cells of every kind, behind the bytes that say how they are read."""
    tables = [random_csv(seed, count=8, ragged=seed % 2 == 1).encode() for seed in range(8)]
    tables.append(b"1." + 900 * b"3" + b",2" + 900 * b"0" + b"e-900,,\n")  # more than can matter
    return [bytes([0, 0, 3, seed]) + table for seed, table in enumerate(tables)]


def test_what_fuzzing_found_is_read_within_bounds(tmp_path):
    replay(Reader(), corpus(), tmp_path)


def read(data, reading, block, monkeypatch, *, fast):
    """The table or the message, by native code or by Python."""
    monkeypatch.setattr(table_module, "can_read", lambda _: fast)
    monkeypatch.setattr(table_module, "BLOCK", 0)
    monkeypatch.setattr("dsgec.data.source.BLOCK", block)
    try:
        return parse_table(data, "t", "t", reading)
    except DsgecError as error:
        return str(error)


def encoding_of(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def assert_same_table(content, monkeypatch):
    """Gives whether there is a table, once lines that are too short or too long are left out."""
    separator, quote = ",;\t|"[content[0] % 4], "\"'"[content[1] % 2]
    data = content[4:].replace(b"\0", b"")  # which no table may have
    kept = [
        line
        for line in data.splitlines(keepends=True)
        if line.count(separator.encode()) == content[2] % 8
    ]
    for table, header, block in ((data, True, 64), (b"".join(kept), False, 1 << 20)):
        reading = ReadingOptions(separator, quote, ".", encoding_of(table), header)
        careful, fast = (
            read(table, reading, block, monkeypatch, fast=fast) for fast in (False, True)
        )
        if isinstance(careful, str) or isinstance(fast, str):
            assert careful == fast, content
        else:
            assert_equal_tables(careful, fast)
    return not isinstance(careful, str)


def test_what_fuzzing_found_is_read_as_python_reads_it(monkeypatch):
    read = [assert_same_table(content, monkeypatch) for content in corpus() if len(content) > 4]
    assert sum(read) > len(read) // 4


@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_the_reader_stays_within_bounds_and_reads_as_python_does(tmp_path, monkeypatch):
    for content in fuzz(Reader(), [*corpus(), *seeds()], tmp_path, RUNS):
        if len(content) > 4:
            assert_same_table(content, monkeypatch)


def write_corpus(runs):
    with tempfile.TemporaryDirectory() as folder:
        known = corpus() if CORPUS.exists() else []
        fuzz(Reader(), [*known, *seeds()], Path(folder), runs)
        least = merge(Reader(), Path(folder))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, content in enumerate(sorted(least, key=lambda one: (len(one), one))):
            archive.writestr(zipfile.ZipInfo(f"{number:05}"), content, zipfile.ZIP_DEFLATED)
    CORPUS.parent.mkdir(exist_ok=True)
    CORPUS.write_bytes(packed.getvalue())
    print(f"{len(least)} inputs are kept, {len(packed.getvalue())} bytes in all")


if __name__ == "__main__":
    write_corpus(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
