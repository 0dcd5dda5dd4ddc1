"""Many networks to one source file: what backends compile and measurements run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from dsgec.arithmetic.source import Module, c_source, python_source
from dsgec.export.statements import C_COLUMNS, PYTHON, C, Program, Syntax, functions_used, program
from dsgec.network.ir import Network
from dsgec.rendering import Code, render


@dataclass(frozen=True, slots=True)
class Numbered:
    """What the templates see of one of the networks."""

    prefix: str
    inputs: int
    outputs: int
    program: Program


def emit_c_batch(networks: Sequence[Network]) -> str:
    """Many networks as one C file: `netI_outputs` is what an export of each would hold."""
    return _batch("c/batch.c.j2", networks, C, partial(c_source, hosted=True))


def emit_numpy_batch(networks: Sequence[Network]) -> str:
    """Many networks as one numpy module: `_netI_outputs` is what an export of each would hold."""
    return _batch("numpy/batch.py.j2", networks, PYTHON, numpy_source)


def emit_limit(networks: Sequence[Network]) -> str:
    """Networks as loops over columns that do their arithmetic and nothing else: to measure by."""
    return _batch("c/limit.c.j2", networks, C_COLUMNS, c_source)


def numpy_source(functions: set[str], module: Module = "vector") -> str:
    """The arithmetic of a numpy module, which imports numpy itself."""
    return python_source(module, functions, imports=False)


def _batch(
    template: str,
    networks: Sequence[Network],
    language: Syntax,
    arithmetic: Callable[[set[str]], str],
) -> str:
    views = [
        Numbered(f"net{number}", network.inputs, len(network.outputs), program(network, language))
        for number, network in enumerate(networks)
    ]
    used = set().union(*(functions_used(network, language) for network in networks))
    return render(template, networks=views, arithmetic=Code(arithmetic(used)))
