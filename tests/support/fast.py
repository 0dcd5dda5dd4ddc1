"""What makes tests quick and does not change what they find: engines made once, and soon."""

import os
import threading
from functools import cache, lru_cache

from dsgec.engine import source as codegen
from dsgec.engine.extension import FLAGS as EXTENSION_FLAGS
from dsgec.engine.extension import build_extension
from dsgec.engine.toolchain import compilers, find_toolchain
from dsgec.export import number_format
from dsgec.search.native import EngineEvolver
from dsgec.study import processes

QUICK = ("-O0", "-pthread")
"""Compiled in a second; bits do not depend on the flags."""


@cache
def quick_toolchain():
    """The compiler that is done in a tenth of a second, where there is one, or else the usual one.

    It has no threads and optimises nothing, and the bits do not depend on it.
    """
    return next((found for found in compilers() if found.tcc is not None), find_toolchain())


def quick_command(folder, command, level="-O0"):
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


def quick_engine(problem, settings, threads=1, flags=QUICK, kind=EngineEvolver):
    """An engine that is compiled soon; with other flags or threads, by the usual compiler."""
    toolchain = quick_toolchain() if threads == 1 and flags == QUICK else find_toolchain()
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


class NoProcess:
    """Makes the calls of `Processes` by a thread of this process, with all that is pickled.

    A process takes a second to start and to import what it needs.
    """

    _one_at_a_time = threading.Lock()

    def __init__(self, module):
        pass

    def call(self, call, on_remark):
        data = bytes(processes.ForkingPickler.dumps((call.function, call.arguments)))
        with self._one_at_a_time:
            processes._remark_listeners.append(on_remark)
            try:
                answer = processes.ForkingPickler.dumps(processes._answer(data))
            finally:
                processes._remark_listeners.remove(on_remark)
        kind, value = processes.ForkingPickler.loads(answer)
        if kind == "error":
            raise value
        return value

    def stop(self):
        processes.stop.set()

    def kill(self):
        pass

    def end(self):
        processes.stop.clear()  # which a process would have taken with it
        return 0


def start_no_processes(monkeypatch):
    """Calls that processes would make are made here, each of them by a thread."""
    monkeypatch.setattr("dsgec.study.processes._Process", NoProcess)
