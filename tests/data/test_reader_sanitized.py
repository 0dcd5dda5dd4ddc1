"""The native reader stays within its buffers for any file."""

import random
import subprocess
from pathlib import Path

import numpy as np
import pytest

from dsgec.data.native import load_reader, reader_source
from dsgec.engine.toolchain import compilers
from tests.support.cells import random_csv

pytestmark = pytest.mark.needs_cc

DRIVER = Path(__file__).parent / "reader_driver.c"
FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Wshadow", "-pedantic", "-Werror", "-g", "-O1")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reader")
    (folder / "reader.c").write_text(reader_source() + DRIVER.read_text(), encoding="utf-8")
    sanitizers = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    command = ["cc", *FLAGS, *sanitizers, str(folder / "reader.c"), "-o", str(folder / "reader")]
    subprocess.run(command, check=True)
    return folder / "reader"


def test_mutated_tables_are_read_within_bounds(program, tmp_path):
    rng = random.Random(7)
    for seed in range(60):
        data = bytearray(random_csv(seed, count=rng.randint(0, 30), ragged=True).encode())
        for _ in range(rng.randint(0, 10)):
            data[rng.randrange(len(data))] = rng.choice(b'",\n\r0123456789.eE+- x\xff\0')
        path = tmp_path / "t.csv"
        path.write_bytes(data[: rng.randint(0, len(data))])
        columns, rows = rng.choice([1, 4, 5]), rng.choice([1, 3, 1000])
        sizes = map(str, (columns, rows, rng.choice([columns, 100, 10_000])))
        answer = subprocess.run(
            [program, path, *sizes], capture_output=True, text=True, check=False
        )
        assert answer.returncode == 0, answer.stderr[-2000:]


@pytest.mark.parametrize("compiler", compilers(), ids=lambda compiler: compiler.identity)
def test_every_compiler_makes_a_reader(compiler):
    library = load_reader(compiler)
    ffi = library.ffi
    text = b"1.5,x\n-2e3,\n"
    numbers, rows = np.empty((2, 2)), ffi.new("dsgec_rows *")
    held = [ffi.from_buffer(text), ffi.new("int32_t[2]"), ffi.new("dsgec_cell[4]")]
    rows.text, rows.lines, rows.cells = held
    rows.length, rows.separator, rows.quote = len(text), b",", b'"'
    rows.columns, rows.most_rows, rows.most_cells = 2, 2, 4
    rows.numbers = ffi.cast("double *", numbers.ctypes.data)

    assert library.functions.dsgec_read_rows(rows) == library.functions.READ_ALL
    assert (rows.rows, rows.cell_count, rows.used) == (2, 1, len(text))
    assert numbers[:, 0].tolist() == [1.5, -2000.0]
