"""Engines that are compiled quickly, and caches of slow functions for a whole test session.

The bits of an engine depend neither on the compiler nor on its flags, so a test that runs an engine
for a moment may compile it without optimisation. Other tests compile as a user does.
"""

from functools import cache, lru_cache

from dsgec.engine import source as engine_source
from dsgec.engine.toolchain import compilers, find_toolchain
from dsgec.export import number_format
from dsgec.search.native import EngineEvolver

FAST_FLAGS = ("-O0", "-pthread")


@cache
def fast_toolchain():
    """Return tcc, which takes a twentieth of the time of others and has no threads, if it is there.

    Without it, return the default compiler.
    """
    return next((found for found in compilers() if found.tcc is not None), find_toolchain())


def fast_engine(problem, settings, threads=1, flags=FAST_FLAGS, kind=EngineEvolver):
    """Return an engine that is compiled by tcc; with other flags or threads, by the default one."""
    toolchain = fast_toolchain() if threads == 1 and flags == FAST_FLAGS else find_toolchain()
    return kind(problem, settings, threads, toolchain=toolchain, flags=flags)


def use_fast_compiler(monkeypatch):
    """Compile engines by `fast_toolchain` wherever no compiler is named."""
    for user in ("search.native", "search.choose"):
        monkeypatch.setattr(f"dsgec.{user}.find_toolchain", fast_toolchain)


def write_compiler(folder, command, level):
    """Write a script that calls a compiler at this optimisation level, or at -Os if asked to."""
    path = folder / "compiler"
    path.write_text(
        "#!/bin/sh\n"
        f'[ "$1" = --version ] && {command} --version | sed "1s/$/ at {level}/" && exit\n'
        f'case " $* " in *" -Os "*) exec {command} "$@";; esac\n'  # firmware is to be small
        f'exec {command} "$@" {level}\n'
    )
    path.chmod(0o700)
    return path


def cache_engine_sources(monkeypatch, emit_engine=engine_source.emit_engine):
    """Emit the source of an engine once for each grammar; it takes longer than a short run."""

    @lru_cache(maxsize=64)
    def emit_once(read, *arguments, **options):
        return emit_engine(*arguments, **options)

    def emit(*arguments, **options):
        return emit_once(engine_source._read, *arguments, **options)  # a test may replace `_read`

    monkeypatch.setattr("dsgec.search.native.emit_engine", emit)


def cache_self_test_rows(monkeypatch, golden=number_format.golden):
    """Search the rows of a self-test once for each model; tests export one model many times."""
    found = {}

    def find(model, network, dtype, effort):
        key = repr((model, network, dtype, effort))  # unlike ==, it tells 0.0 from -0.0
        if key not in found:
            found[key] = golden(model, network, dtype, effort)
        return found[key]

    monkeypatch.setattr("dsgec.export.number_format.golden", find)
