"""Programs of networks printed in Python, numpy or JavaScript, as templates see them."""

from dataclasses import dataclass

from dsgec.program.print_script import ScriptPrinter
from dsgec.rendering import Code


@dataclass(frozen=True, slots=True)
class PrintedNetwork:
    """The code of a network; `functions` are those of the arithmetic that it needs."""

    prefix: str
    code: Code
    softmax: bool  # comes after what the code computes
    functions: frozenset[str]


def printed_network(printer: ScriptPrinter, prefix: str) -> PrintedNetwork:
    """Return the code of the program of a printer."""
    code = Code(printer.print().rstrip("\n"))
    softmax = printer.source.entry.name == "sums"
    functions = frozenset(printer.called | ({"softmax"} if softmax else set()))
    return PrintedNetwork(prefix, code, softmax, functions)
