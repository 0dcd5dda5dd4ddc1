"""Write many networks into one source file, which backends compile and benchmarks run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dsgec.arithmetic.source import Module, c_source, python_source
from dsgec.export.lower import network_program
from dsgec.export.printed import printed_network
from dsgec.network.ir import Network
from dsgec.program.ir import functions_called
from dsgec.program.print_c import CPrinter
from dsgec.program.print_numpy import NumpyPrinter
from dsgec.rendering import Code, render


@dataclass(frozen=True, slots=True)
class CNetwork:
    """One of the networks as the templates of C see it."""

    prefix: str
    inputs: int
    outputs: int
    entry: str
    softmax: bool
    code: Code


def emit_c_batch(networks: Sequence[Network]) -> str:
    """Return one C file of many networks, with a function `netI_outputs` for network I."""
    views = []
    used: set[str] = set()
    for number, network in enumerate(networks):
        program = network_program(network, "double")
        used |= functions_called(program) | ({"softmax"} if network.softmax else set())
        prefix = f"net{number}"
        code = Code(CPrinter(program, prefix).print().rstrip("\n"))
        entry = program.procedures[-1].name
        size = len(network.outputs)
        views.append(CNetwork(prefix, network.inputs, size, entry, network.softmax, code))
    arithmetic = Code(c_source(used, hosted=True))
    return render("c/batch.c.j2", networks=views, arithmetic=arithmetic)


def emit_numpy_batch(networks: Sequence[Network]) -> str:
    """Return one numpy module of many networks, with a function `_netI_outputs` for network I."""
    views = []
    for number, network in enumerate(networks):
        prefix = f"net{number}"
        printer = NumpyPrinter(network_program(network, "double"), prefix)
        views.append(printed_network(printer, prefix))
    used = frozenset[str]().union(*(view.functions for view in views))
    return render("numpy/batch.py.j2", networks=views, arithmetic=Code(numpy_source(used)))


def numpy_source(functions: Iterable[str], module: Module = "vector") -> str:
    """Return the arithmetic of a numpy module, without the import of numpy."""
    return python_source(module, functions, imports=False)
