"""Write many networks into one source file, which backends compile and benchmarks run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dsgec.arithmetic.source import Module, c_source, python_source
from dsgec.export.lower import NodeWriter, network_program
from dsgec.export.printed import printed_network
from dsgec.network.ir import Network
from dsgec.program.ir import (
    ArrayParameter,
    Binary,
    Element,
    Expression,
    Loop,
    Number,
    Procedure,
    Program,
    Store,
    Variable,
    functions_called,
)
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


def emit_limit(networks: Sequence[Network]) -> str:
    """Return C loops over columns that only do the arithmetic of networks, as a limit of speed."""
    programs = [Program((), (_limit(network),)) for network in networks]
    used = {name for program in programs for name in functions_called(program)}
    code = [Code(_LimitPrinter(p, f"net{n}").print()) for n, p in enumerate(programs)]
    return render("c/limit.c.j2", code=code, arithmetic=Code(c_source(used)))


class _LimitPrinter(CPrinter):
    linkage = ""


def _limit(network: Network) -> Procedure:
    """Return the loop over rows of a network of one output, whose columns are one after another."""
    rows, row = Variable("rows", "size"), Variable("i", "size")

    class Columns(NodeWriter):
        def column(self, column: int) -> Expression:
            start = Binary("*", Number(column, "size"), rows, "size")
            return Element("columns", Binary("+", start, row, "size"), self.real)

    writer = Columns(network, "double")
    (output,) = writer.write()
    return Procedure(
        "limit",
        "",
        (ArrayParameter("columns", "double", 0), rows, ArrayParameter("y", "double", 0, (), True)),
        (Loop(row, rows, (*writer.body, Store("y", row, output))),),
    )


def numpy_source(functions: Iterable[str], module: Module = "vector") -> str:
    """Return the arithmetic of a numpy module, without the import of numpy."""
    return python_source(module, functions, imports=False)
