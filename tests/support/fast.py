"""What makes tests quick and does not change what they find: engines made once, and soon."""

import os
from functools import cache, lru_cache

from dsgec.engine import source as codegen
from dsgec.engine.extension import FLAGS as EXTENSION_FLAGS
from dsgec.engine.extension import build_extension
from dsgec.engine.toolchain import compilers, find_toolchain
from dsgec.export import number_format
from dsgec.search.native import EngineEvolver

FAST_FLAGS = ("-O0", "-pthread")
"""Compiled in a second; bits do not depend on the flags."""


@cache
def fast_toolchain():
    """The compiler that is done in a tenth of a second, where there is one, or else the usual one.

    It has no threads and optimises nothing, and the bits do not depend on it.
    """
    return next((found for found in compilers() if found.tcc is not None), find_toolchain())


def write_fast_compiler(folder, command, level="-O0"):
    """A compiler for processes that tests start, which does what `command` does at this level."""
    path = folder / f"quick-cc-{os.getpid()}"
    path.write_text(
        "#!/bin/sh\n"
        f'[ "$1" = --version ] && {command} --version | sed "1s/$/ at {level}/" && exit\n'
        f'case " $* " in *" -Os "*) exec {command} "$@";; esac\n'  # firmware is to be small
        f'exec {command} "$@" {level}\n'
    )
    path.chmod(0o700)
    return path.rename(folder / "quick-cc")  # whole for the worker beside this one, too


def fast_engine(problem, settings, threads=1, flags=FAST_FLAGS, kind=EngineEvolver):
    """An engine that is compiled soon; with other flags or threads, by the usual compiler."""
    toolchain = fast_toolchain() if threads == 1 and flags == FAST_FLAGS else find_toolchain()
    return kind(problem, settings, threads, toolchain=toolchain, flags=flags)


def use_compiler(monkeypatch, find):
    """What engines are compiled by that are not told by what."""
    for user in ("search.native", "search.choose"):
        monkeypatch.setattr(f"dsgec.{user}.find_toolchain", find)


def emit_engines_once(monkeypatch, real=codegen.emit_engine):
    """The source of an engine, which takes longer than a short run, is made once for a grammar."""

    @lru_cache(maxsize=64)
    def emitted(read, *arguments, **options):
        return real(*arguments, **options)

    def emit(*arguments, **options):
        return emitted(codegen._read, *arguments, **options)  # which a test may have changed

    monkeypatch.setattr("dsgec.search.native.emit_engine", emit)


def find_goldens_once(monkeypatch, real=number_format.golden):
    """The rows of a self-test are searched once for a model, which is exported time and again."""
    found = {}

    def find(model, network, dtype, effort):
        key = repr((model, network, dtype, effort))  # 0.0 and -0.0 are equal, but not to this
        if key not in found:
            found[key] = real(model, network, dtype, effort)
        return found[key]

    monkeypatch.setattr("dsgec.export.number_format.golden", find)


def wait_for_no_disk(monkeypatch):
    """Files are written as ever, but nobody waits until a disk has them: no power fails here."""
    monkeypatch.setattr("os.fsync", lambda descriptor: None)


def build_extensions_soon(monkeypatch):
    """Extensions are not optimised, and the same one is compiled once by each worker."""
    monkeypatch.setattr("dsgec.engine.extension.FLAGS", ("-O0", *EXTENSION_FLAGS[1:]))
    built = lru_cache(maxsize=64)(build_extension)
    monkeypatch.setattr("dsgec.export.targets.cffi.build_extension", built)


def build_extensions_as_usual(monkeypatch):
    monkeypatch.setattr("dsgec.engine.extension.FLAGS", EXTENSION_FLAGS)
    monkeypatch.setattr("dsgec.export.targets.cffi.build_extension", build_extension)
