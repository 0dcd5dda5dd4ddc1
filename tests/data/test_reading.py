"""Native code and Python read the same table, bit for bit, for any block size."""

import csv
import io
import math
import random
import sys

import numpy as np
import pytest

from dsgec.data import native
from dsgec.data import read as table_module
from dsgec.data.dialect import Dialect
from dsgec.data.options import ReadingOptions
from dsgec.data.read import parse_table, read_table
from dsgec.data.table import MOST_TEXTS, TableBuilder
from dsgec.errors import DsgecError
from tests.support.cells import BLANK, HEAD, assert_equal_tables, random_csv
from tests.support.command_line import dsgec

PLAIN = ReadingOptions(separator=",", quote='"', header=True)


def both(text, monkeypatch, block):
    """Return the table that Python reads at once, and the one that native code reads in blocks."""
    tables = []
    for fast, size in ((False, 1 << 20), (True, block)):
        monkeypatch.setattr(table_module, "can_read", lambda dialect, fast=fast: fast)
        monkeypatch.setattr(table_module, "BLOCK", 0)
        monkeypatch.setattr("dsgec.data.source.BLOCK", size)
        try:
            tables.append(parse_table(text.encode(), "t", "t", PLAIN))
        except DsgecError as error:
            tables.append(str(error))
    return tables


@pytest.mark.needs_cc
@pytest.mark.parametrize("seed", range(12))
def test_native_code_reads_as_python_does(seed, monkeypatch):
    text = random_csv(seed, ragged=seed % 4 == 3)
    careful, fast = both(text, monkeypatch, random.Random(seed).choice([64, 500, 5000, 1 << 20]))
    if isinstance(careful, str):
        assert fast == careful
    else:
        assert_equal_tables(careful, fast)


@pytest.mark.needs_cc
@pytest.mark.parametrize("line", BLANK)
def test_a_line_of_blanks_of_any_kind_is_read_as_python_does(line, monkeypatch):
    careful, fast = both(f"{HEAD}1,2,3,4\n{line}\n5,6,7,x\n", monkeypatch, 1 << 20)

    assert_equal_tables(careful, fast)
    assert len(careful) == 2 + any(cell.strip('"').strip() for cell in line.split(","))


def test_native_code_knows_the_first_bytes_of_all_blanks_of_python():
    blanks = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]
    first = {blank.encode()[0] for blank in blanks}

    assert {byte for byte in first if byte > ord(" ")} == {0xC2, 0xE1, 0xE2, 0xE3}


@pytest.mark.campaign
@pytest.mark.needs_cc
@pytest.mark.parametrize("seed", range(12, 1000))
def test_native_code_reads_many_tables_as_python_does(seed, monkeypatch):
    test_native_code_reads_as_python_does(seed, monkeypatch)


@pytest.mark.needs_cc
def test_a_reader_that_cannot_be_compiled_says_why(monkeypatch):
    monkeypatch.setattr(native, "reader_source", lambda: "this is no C;")
    native._library.cache_clear()
    try:
        assert "error" in native.why_not()
        assert not native.can_read(Dialect(",", '"', "."))
    finally:
        native._library.cache_clear()


@pytest.mark.needs_cc
def test_numbers_are_those_of_python():
    rng = random.Random(5)
    texts = [repr(rng.uniform(-1, 1) * 10.0 ** rng.randint(-18, 18)) for _ in range(20_000)]
    texts += [f"{rng.random():.{rng.randint(1, 19)}f}" for _ in range(20_000)]
    texts += [str(rng.randrange(10**k)) for k in range(1, 25) for _ in range(100)]
    texts += [f"{rng.randrange(10**19)}e-{rng.randint(1, 30)}" for _ in range(5000)]
    rows = TableBuilder(1)
    block = "\n".join(texts).encode()
    part = native.read_block(block, Dialect(",", '"', "."), rows, 1)

    assert part.used == len(block)
    assert rows.finish()[0][:, 0].tobytes() == np.array(list(map(float, texts))).tobytes()


def test_a_table_is_what_the_csv_module_and_float_make_of_it():
    text = random_csv(0)
    table = parse_table(text.encode(), "t", "t", PLAIN)
    expected = [r for r in csv.reader(io.StringIO(text, newline="")) if any(c.strip() for c in r)]

    assert len(table) == len(expected) - 1
    for row, cells in enumerate(expected[1:]):
        for column, cell in enumerate(map(str.strip, cells)):
            try:
                value = float(cell) if "_" not in cell and cell.isascii() else math.nan
            except ValueError:
                value = math.nan
            found = table.numbers[row, column]
            if math.isfinite(value):
                assert found == value
            else:
                assert math.isnan(found)
                assert table.cell(row, column) == ("" if cell in ("", "?") else cell)


def test_lines_are_those_of_the_file():
    table = parse_table(b'\na,b\n1,"x\ny"\n\n2,z\n', "t", "t")

    assert table.lines.tolist() == [3, 6]


def test_very_many_texts_do_not_fill_the_memory():
    text = "a,b\n" + "".join(f"t{i},{i % 2}\n" for i in range(MOST_TEXTS + 50))
    texts = parse_table(text.encode(), "t", "t").texts[0]

    assert len(texts.texts) == MOST_TEXTS
    assert texts.overflowed
    assert texts.codes[-1] == MOST_TEXTS


def test_standard_input_is_a_table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n1,2,x\n3,4,y\n5,7,x\n")
    with path.open() as file:
        answer = dsgec("inspect", "-", stdin=file)

    assert "stdin: 3 rows, 3 columns" in answer.stdout


def test_a_small_table_needs_no_compiler(monkeypatch):
    monkeypatch.setattr(
        table_module, "can_read", lambda _: pytest.fail("a compiler was looked for")
    )

    assert len(read_table("wdbc")) == 569


def test_parquet_is_read_where_pyarrow_is_installed(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {
        "n": [1, None, 3],
        "f": [0.1, 0.2, float("nan")],
        "t": ["red", None, "blue"],
        "b": [True, False, None],
        "c": pyarrow.array(["x", "y", "x"]).dictionary_encode(),
    }
    path = tmp_path / "t.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    table = read_table(str(path))

    assert table.columns == tuple(columns)
    assert np.array_equal(table.numbers[:, 0], [1, np.nan, 3], equal_nan=True)
    assert np.array_equal(table.numbers[:, 1], [0.1, 0.2, np.nan], equal_nan=True)
    cells = [[table.cell(row, column) for column in (2, 3, 4)] for row in range(3)]
    assert cells == [["red", "true", "x"], ["", "false", "y"], ["blue", "", "x"]]


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1" + bytes(20))

    with pytest.raises(DsgecError, match="pip install"):
        read_table(str(path))
