"""Network to the flat list of statements that a template prints: one operation a line."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import TypeVar

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.export.walk import OperationWriter, exponent_of
from dsgec.literals import number
from dsgec.network.ir import Apply, Network
from dsgec.rendering import Code

Written = TypeVar("Written")

LONGEST_FUNCTION = 2000
"""Statements of one emitted function; compilers get slow, or give up, on much longer ones."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a target writes what it computes: differences between targets are entries here."""

    call: Callable[[str], str]
    feature: str = "x[{}]"
    literal: Callable[[float], str] = number
    real: str = "double"
    alone: str = "{}"  # a literal beside literals only, which some languages compute with exactly
    inline: Mapping[str, str] = field(
        default_factory=lambda: {"add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "neg": "-{}"}
    )

    def apply(self, function: str, *operands: str) -> str:
        """The expression of one operation."""
        pattern = self.inline.get(function)
        if pattern:
            return pattern.format(*operands)
        return f"{self.call(ALL_FUNCTIONS[function].symbol)}({', '.join(operands)})"


C = Syntax(call=lambda symbol: f"dsgec_{symbol}")
C_COLUMNS = replace(C, feature="columns[(size_t){} * rows + i]")
PYTHON = Syntax(call=lambda symbol: symbol)
JAVASCRIPT = Syntax(call=lambda symbol: symbol)


@dataclass(frozen=True, slots=True)
class Statement:
    """`name` becomes `value`."""

    name: Code
    value: Code

    @property
    def is_kept(self) -> bool:
        """An element of an array, which is there already."""
        return self.name.endswith("]")


@dataclass(frozen=True, slots=True)
class Program:
    """Statements in parts of at most LONGEST_FUNCTION, and the expressions of the outputs.

    Names are variables; where the program `is_split`, they are elements of an array `t` of `slots`
    numbers, which the parts share; a slot is used again once its number was read for the last time.
    """

    parts: tuple[tuple[Statement, ...], ...]
    is_split: bool
    slots: int
    outputs: tuple[Code, ...]
    softmax: bool
    real: Code  # the type of its numbers
    is_integer: bool = False  # of fixed point

    @property
    def function(self) -> str:
        """What it is called, behind the name of the network."""
        return "integers" if self.is_integer else "outputs"


def program(network: Network, language: Syntax) -> Program:
    """The statements that compute the network, in its own order."""
    writer = StatementWriter(network, language)
    outputs = tuple(map(Code, writer.write()))
    return Program(
        parts(writer.statements, split=writer.array),
        writer.array,
        writer.slots if writer.array else len(writer.statements),
        outputs,
        network.softmax,
        Code(language.real),
    )


def parts(statements: list[Written], *, split: bool) -> tuple[tuple[Written, ...], ...]:
    """Statements in functions that are not too long, or in one, as it may be empty."""
    length = LONGEST_FUNCTION if split else max(len(statements), 1)
    starts = range(0, max(len(statements), 1), length)
    return tuple(tuple(statements[start : start + length]) for start in starts)


def functions_used(network: Network, language: Syntax) -> set[str]:
    """The arithmetic functions, by their symbols, that the statements call."""
    used = {"softmax"} if network.softmax else set()
    for node in network.nodes:
        if not isinstance(node, Apply) or node.function in language.inline:
            continue
        if node.function != "pow":
            used.add(ALL_FUNCTIONS[node.function].symbol)
        elif exponent_of(network, node) < 0:
            used.add("div")
    return used


def is_long(network: Network) -> bool:
    """Whether one function may be too long for it."""
    longest_power = 11  # 63 takes 10 multiplications; a negative one a division more
    most = sum(
        longest_power if node.function == "pow" else 1
        for node in network.nodes
        if isinstance(node, Apply)
    )
    return most > LONGEST_FUNCTION


class StatementWriter(OperationWriter[str]):
    """Writes operations as statements, whose names are operands."""

    def __init__(self, network: Network, language: Syntax, *, split: bool = True) -> None:
        super().__init__(network)
        self.language = language
        self.statements: list[Statement] = []
        self.array = split and is_long(network)
        self.literals: set[str] = set()
        self.slots = 0
        self.free: list[int] = []  # a heap of slots
        self.last_reads = last_reads(network) if self.array else {}

    def node(self, position: int, node: Apply) -> None:
        super().node(position, node)
        last = {a for a in node.arguments if self.last_reads.get(a) == position}
        self.reuse(self.names[a] for a in last if a in self.names)

    def power(self, base: str, exponent: int, name: str) -> str:
        if exponent == 1 and self.array:  # two nodes in one slot would both give it back
            return self.assign(base, name)
        first = len(self.statements)
        result = super().power(base, exponent, name)
        self.reuse(statement.name for statement in self.statements[first:-1])
        return result

    def number(self, value: float) -> str:
        literal = self.language.literal(value)
        literal = f"({literal})" if literal[0] == "-" else literal
        self.literals.add(literal)
        return literal

    def column(self, column: int) -> str:
        return self.language.feature.format(column)

    def operation(self, function: str, *operands: str) -> str:
        if self.literals.issuperset(operands):
            operands = tuple(map(self.language.alone.format, operands))
        return self.language.apply(function, *operands)

    def assign(self, value: str, name: str = "") -> str:
        number_ = len(self.statements)
        name = f"t[{self.slot()}]" if self.array else name or f"t{number_}"
        value = self.language.alone.format(value) if value in self.literals else value
        self.statements.append(Statement(Code(name), Code(value)))
        return name

    def slot(self) -> int:
        """An element of the array that nothing needs any more, or a new one."""
        if self.free:
            return heappop(self.free)
        self.slots += 1
        return self.slots - 1

    def reuse(self, names: Iterable[str]) -> None:
        if self.array:
            for name in names:
                heappush(self.free, int(name[2:-1]))


def last_reads(network: Network) -> dict[int, int]:
    """Where each node is read for the last time; an output is read after all."""
    last: dict[int, int] = {}
    for position, node in enumerate(network.nodes):
        if isinstance(node, Apply):
            last.update(dict.fromkeys(node.arguments, position))
    return last | dict.fromkeys(network.outputs, len(network.nodes))
