"""A run begins with a quickly compiled engine and continues with the fast one: same bytes."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from dsgec.engine import cache, library
from dsgec.engine.toolchain import find_toolchain
from dsgec.run.search import Search
from dsgec.search import choose as choosing
from dsgec.search import native as engines
from dsgec.search.islands import IslandEvolver, island_settings
from dsgec.search.native import EngineEvolver, EngineUnavailable, build_engine
from dsgec.search.presets import Preset, make_settings
from dsgec.search.settings import Settings
from tests.support.command_line import dsgec, restore_signals
from tests.support.compilers import FAST_FLAGS, fast_toolchain
from tests.support.engine_runs import make

pytestmark = pytest.mark.needs_cc

SETTINGS = make_settings({"population": 12, "generations": 9, "seed": 3}, Preset())


class Planned:
    """An upgrade that is compiled from the `looks`-th look on."""

    seconds = 1.5

    def __init__(self, build, looks):
        self.build, self.looks = build, looks

    @property
    def is_over(self):
        self.looks -= 1
        return self.looks < 0

    def wait(self):
        self.looks = 0
        if self.build is None:
            raise EngineUnavailable
        return self.build


@pytest.fixture(scope="module")
def problem():
    return make("multi_layer", SETTINGS)


@pytest.fixture(scope="module")
def build(problem):
    return build_engine(problem, "dsge", fast_toolchain(), FAST_FLAGS)


def outcome(evolver, share=1.0):
    """Return all results of a run, with slices of `share` seconds."""
    advance = type(evolver).advance
    evolver.advance = lambda count, seconds: advance(evolver, count, seconds * share)
    made = Search(evolver).run()
    return made.last, made.history, made.champions


@pytest.mark.parametrize("looks", [0, 1, 4, 1000])
@pytest.mark.parametrize("share", [1.0, 0.0])
def test_generations_do_not_depend_on_when_the_fast_engine_comes(problem, build, looks, share):
    plain = outcome(EngineEvolver(problem, SETTINGS, build=build))
    upgrade = Planned(build, looks)
    moved = EngineEvolver(problem, SETTINGS, build=build, upgrade=upgrade)
    first = moved.native
    assert outcome(moved, share) == plain
    assert moved.native is not first
    assert moved.upgrade_seconds == 1.5


def test_a_run_goes_on_where_the_fast_engine_cannot_be_compiled(problem, build):
    plain = outcome(EngineEvolver(problem, SETTINGS, build=build))
    upgrade = Planned(None, 3)
    assert outcome(EngineEvolver(problem, SETTINGS, build=build, upgrade=upgrade)) == plain


def test_islands_move_to_the_fast_engine_with_their_migrants(problem, build):
    settings = make_settings(
        {"population": 6, "generations": 9, "islands": 3, "migrate_every": 2}, Preset()
    )

    def islands(looks):
        each = [
            EngineEvolver(
                problem, one, build=build, upgrade=Planned(build, looks) if looks else None
            )
            for one in island_settings(settings)
        ]
        return IslandEvolver(problem, settings, each, 2)

    assert outcome(islands(4)) == outcome(islands(0))


@pytest.fixture
def empty_cache(tmp_path):
    with cache.elsewhere(tmp_path / "cache"):
        yield tmp_path / "cache"


def test_a_second_grammar_compiles_nothing_but_its_constants(empty_cache, monkeypatch):
    compiled, waited = [], []

    def compile_object(*arguments):
        compiled.append(arguments)
        return real(*arguments)

    @contextmanager
    def waiting():
        waited.append(1)
        yield

    real = library.compile_object
    monkeypatch.setattr(library, "compile_object", compile_object)
    settings = Settings(population=6, generations=2)
    for grammar in ("one_layer", "<s> ::= sig(<x> + <x>)\n<x> ::= x_1 | x_2 | sin(x_3)\n"):
        problem = make(grammar, settings)
        made = build_engine(problem, "dsge", find_toolchain(), FAST_FLAGS, waiting=waiting)
        plain = build_engine(problem, "dsge", fast_toolchain(), FAST_FLAGS)
        assert outcome(EngineEvolver(problem, settings, build=made)) == outcome(
            EngineEvolver(problem, settings, build=plain)
        )
    assert len(compiled) == len(waited) == 1
    next(empty_cache.glob("*.o")).write_bytes(b"cut")  # a damaged entry is made again
    for entry in empty_cache.glob("*.so"):
        entry.unlink()
    build_engine(problem, "dsge", find_toolchain(), FAST_FLAGS)
    assert len(compiled) == 2


def test_the_fast_engine_is_compiled_beside_the_run_where_a_processor_is_left(
    empty_cache, monkeypatch
):
    monkeypatch.setattr(engines, "NATIVE", FAST_FLAGS)  # which is fast enough for this
    settings = Settings(population=6, generations=2)
    problem = make("one_layer", settings)
    for processors, soon in ((1, False), (2, True), (2, False)):  # the last one finds it compiled
        monkeypatch.setattr(choosing, "processors", lambda count=processors: count)
        evolver = choosing.choose_evolver(problem, settings, "engine", soon=True)
        upgrade = evolver._upgrade
        assert (upgrade is not None) == soon
        assert ("until then" in evolver.description) == soon
        assert evolver.compile_seconds > 0
        if upgrade is not None:
            upgrade.wait()
        elif processors == 1:
            for entry in empty_cache.iterdir():
                entry.unlink()


WAITS = """
import sys
from pathlib import Path
from dsgec.engine.toolchain import Toolchain, compile_object
compile_object(Toolchain(sys.argv[1], "slow"), "", Path(sys.argv[2]), ())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_compiler_ends_with_the_process_that_has_started_it(number, tmp_path):
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\nsleep 60 &\necho $$ $! > pids.new\nmv pids.new pids\nwait\n")
    compiler.chmod(0o700)
    command = [sys.executable, "-c", WAITS, compiler, tmp_path]
    with subprocess.Popen(
        command, stderr=subprocess.DEVNULL, preexec_fn=restore_signals
    ) as started:
        pids = [*map(int, eventually((tmp_path / "pids").read_text).split())]
        started.send_signal(number)
    for pid in pids:
        assert eventually(lambda pid=pid: is_gone(pid))


def eventually(look):
    """Call `look` until its result is true, and return it."""
    for _ in range(300):
        try:
            if found := look():
                return found
        except OSError:
            pass
        time.sleep(0.05)
    raise AssertionError("it did not happen")


def is_gone(pid):
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_folder_that_cannot_be_written_is_found_before_anything_is_compiled(
    tmp_path, empty_cache
):
    (tmp_path / "file").touch()
    out = tmp_path / "file" / "out"
    answer = dsgec("evolve", "one_layer", "wdbc", "--out", out, cwd=tmp_path, code=1)
    assert "cannot write to" in answer.stderr
    assert "compiling" not in answer.stderr
    assert not [*empty_cache.glob("*")]
