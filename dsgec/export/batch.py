"""Write many networks into one source file, which backends compile and benchmarks run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from dsgec.arithmetic.source import Module, c_source, python_source
from dsgec.export.statements import (
    C_COLUMNS,
    PYTHON,
    C,
    FlatProgram,
    Syntax,
    functions_used,
    program,
)
from dsgec.network.ir import Network
from dsgec.rendering import Code, render


@dataclass(frozen=True, slots=True)
class NumberedNetwork:
    """One of the networks as the templates see it."""

    prefix: str
    inputs: int
    outputs: int
    program: FlatProgram


def emit_c_batch(networks: Sequence[Network]) -> str:
    """Return one C file of many networks, with a function `netI_outputs` for network I."""
    return _batch("c/batch.c.j2", networks, C, partial(c_source, hosted=True))


def emit_numpy_batch(networks: Sequence[Network]) -> str:
    """Return one numpy module of many networks, with a function `_netI_outputs` for network I."""
    return _batch("numpy/batch.py.j2", networks, PYTHON, numpy_source)


def emit_limit(networks: Sequence[Network]) -> str:
    """Return C loops over columns that only do the arithmetic of networks, as a limit of speed."""
    return _batch("c/limit.c.j2", networks, C_COLUMNS, c_source)


def numpy_source(functions: set[str], module: Module = "vector") -> str:
    """Return the arithmetic of a numpy module, without the import of numpy."""
    return python_source(module, functions, imports=False)


def _batch(
    template: str,
    networks: Sequence[Network],
    language: Syntax,
    arithmetic: Callable[[set[str]], str],
) -> str:
    views = [
        NumberedNetwork(
            f"net{number}", network.inputs, len(network.outputs), program(network, language)
        )
        for number, network in enumerate(networks)
    ]
    used = set().union(*(functions_used(network, language) for network in networks))
    return render(template, networks=views, arithmetic=Code(arithmetic(used)))
