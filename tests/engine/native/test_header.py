"""A header is the only declaration: C and Python follow it, and what does not is refused."""

import re
import subprocess

import pytest

from dsgec.data import native as reader
from dsgec.data.dialect import Dialect
from dsgec.data.table import TableBuilder
from dsgec.engine import source as codegen
from dsgec.engine.extension import build_extension
from dsgec.engine.library import HeaderMismatch
from dsgec.engine.toolchain import FLAGS, CompileError, find_toolchain
from dsgec.search.native import EngineUnavailable
from dsgec.search.settings import Settings
from tests.support.compilers import fast_engine
from tests.support.engine_runs import make, make_data

pytestmark = pytest.mark.needs_cc

SETTINGS = Settings(population=9, generations=4, seed=2)


@pytest.fixture(scope="module")
def problem():
    return make("one_layer", SETTINGS, make_data(1, 30, 3))


@pytest.fixture
def change(monkeypatch):
    """Has the C and cffi read a header in which one text is replaced by another."""

    def replace(module, header, old, new):
        read = module._read
        assert read(header).count(old) == 1

        def changed(name):
            return read(name).replace(old, new) if name == header else read(name)

        monkeypatch.setattr(module, "_read", changed)

    return replace


def told(problem):
    """All that an engine tells."""
    engine = fast_engine(problem, SETTINGS)
    states = engine.advance(5, float("inf"))
    individuals = [engine.individual(number) for number in range(SETTINGS.population)]
    texts = [champion.phenotype for champion in engine.champions]
    measured = [engine.measurer().describe(text) for text in texts]
    figures = [engine.measurer().measure(text) for text in texts]
    return states, individuals, engine.fitness(), engine.champions, measured, figures


@pytest.mark.parametrize("name", ["engine", "reader"])
def test_what_is_exported_is_declared(name, problem, tmp_path):
    engine = codegen.emit_engine(
        problem.language.tables, "dsge", False, "sigmoid", problem.objective
    )
    text = engine.whole if name == "engine" else reader.reader_source()
    path = tmp_path / "source.c"
    path.write_text(text)
    command = [find_toolchain().command, *FLAGS, "-fsyntax-only", "-Werror=missing-prototypes"]
    assert subprocess.run([*command, path], check=False).returncode == 0
    path.write_text(f"{text}\nint dsgec_undeclared(void) {{ return 0; }}\n")
    assert subprocess.run([*command, path], check=False, capture_output=True).returncode == 1


def test_both_sides_follow_another_order_of_fields_and_numbers(problem, change):
    expected = told(problem)
    header = codegen.engine_header()
    structs = re.findall(r"typedef struct \{\n(.*?)\n\} (dsgec_engine_\w+);", header, re.S)
    assert len(structs) > 8
    for body, name in structs:
        fields = re.findall(r"[^;]+;(?: /\*.*?\*/)?", body)
        other = "\n".join(reversed(fields))
        change(codegen, "engine.h", f"{{\n{body}\n}} {name};", f"{{\n{other}\n}} {name};")
    change(codegen, "engine.h", "TOO_LARGE, EXHAUSTED", "EXHAUSTED = 7, TOO_LARGE")
    assert codegen.engine_header() != header
    assert told(problem) == expected


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("double best, mean;", "double greatest, mean;", EngineUnavailable),
        ("int64_t start, count;", "int64_t start; int32_t *count;", EngineUnavailable),
        ("step(dsgec_engine *e, int64_t", "step(dsgec_engine *e, int", EngineUnavailable),
        ("double crossover, mutation;", "double crossover, mutation, luck;", HeaderMismatch),
        ("const int32_t *features, *req", "const int64_t *features, *req", HeaderMismatch),
        ("LANES = 8,", "LANES = 16,", HeaderMismatch),
        ("LARGEST_CHAMPION = 1000", "LARGEST_CHAMPION = 999", HeaderMismatch),
        ("NO_THREADS,", "NO_THREADS, NO_LUCK,", KeyError),
        ("double best, mean;", "double best, mean, median;", TypeError),
    ],
)
def test_what_one_side_does_not_know_is_refused(old, new, error, problem, change):
    change(codegen, "engine.h", old, new)
    with pytest.raises(error):
        told(problem)


def test_a_function_that_is_declared_and_not_defined_is_refused(change):
    change(reader, "rows.h", "int dsgec_read_rows(", "int no(void); int dsgec_read_rows(")
    with pytest.raises(CompileError, match="cannot be loaded"):
        reader.load_reader(find_toolchain())


BLOCK = b'1.5,x\n-2e3,"a ""b"""\n7,\n8,"c\nd"\n'  # the last line needs more care


def read_block():
    rows = TableBuilder(2)
    part = reader.read_block(BLOCK, Dialect(",", '"', "."), rows, 1)
    return part, repr(rows.finish())


def test_the_reader_follows_another_order_of_fields(change, monkeypatch):
    expected = read_block()
    for old, new in (
        ("row, column, start, length, doubled", "doubled, length, start, row, column"),
        ("READ_ALL, FULL, CAREFUL", "CAREFUL = 9, READ_ALL, FULL"),
        ("int64_t rows, cell_count, line_count;", "int64_t line_count, rows, cell_count;"),
    ):
        change(reader, "rows.h", old, new)
    monkeypatch.setattr(reader, "_library", lambda: reader.load_reader(find_toolchain()))
    assert read_block() == expected
    change(reader, "rows.h", "size_t used;", "size_t used; char more;")
    with pytest.raises(HeaderMismatch, match="more"):
        read_block()


def test_an_extension_that_differs_from_its_header_is_refused():
    toolchain = find_toolchain()
    assert build_extension("m", "int f(int x) { return x; }", "int f(int x);", toolchain)
    with pytest.raises(CompileError, match="conflicting types"):
        build_extension("m", "int f(long x) { return 0; }", "int f(int x);", toolchain)
