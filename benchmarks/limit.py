"""The arithmetic of networks in C, without all else: a limit of the speed of every engine."""

from collections.abc import Sequence

from dsgec.arithmetic.source import c_source
from dsgec.export.lower import NodeWriter
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
from dsgec.rendering import Code, render


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
