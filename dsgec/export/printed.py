"""Programs of networks printed in Python, numpy or JavaScript, as templates see them."""

from dataclasses import dataclass

from dsgec.program.ir import functions_called
from dsgec.program.printer import Printer
from dsgec.rendering import Code


@dataclass(frozen=True, slots=True)
class PrintedNetwork:
    """The code of a network; `functions` are those of the arithmetic that it needs."""

    prefix: str
    code: Code
    softmax: bool  # comes after what the code computes
    functions: frozenset[str]


def printed_network(printer: Printer, prefix: str) -> PrintedNetwork:
    """Return the code of the program of a printer."""
    program = printer.source
    softmax = program.entry.name == "sums"
    functions = functions_called(program) | ({"softmax"} if softmax else set())
    return PrintedNetwork(prefix, Code(printer.print().rstrip("\n")), softmax, frozenset(functions))
