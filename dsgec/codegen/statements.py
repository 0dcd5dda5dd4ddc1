"""Network to the flat list of statements that a template prints: one operation a line."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush

from dsgec.arithmetic.table import DEFINED
from dsgec.codegen.environment import Code
from dsgec.codegen.literals import number
from dsgec.network.ir import Apply, Constant, Input, Network
from dsgec.network.powers import multiplications

LONGEST_FUNCTION = 2000
"""Statements of one emitted function; compilers get slow, or give up, on much longer ones."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a target writes what it computes: differences between targets are entries here."""

    call: Callable[[str], str]
    feature: str = "x[{}]"
    literal: Callable[[float], str] = number
    real: str = "double"
    inline: Mapping[str, str] = field(
        default_factory=lambda: {"add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "neg": "-{}"}
    )

    def apply(self, function: str, *operands: str) -> str:
        """The expression of one operation."""
        pattern = self.inline.get(function)
        if pattern:
            return pattern.format(*operands)
        return f"{self.call(DEFINED[function].symbol)}({', '.join(operands)})"


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


def program(network: Network, language: Syntax) -> Program:
    """The statements that compute the network, in its own order."""
    writer = StatementWriter(network, language)
    for position, node in enumerate(network.nodes):
        if isinstance(node, Apply):
            writer.node(position, node)
    statements = writer.statements
    length = LONGEST_FUNCTION if writer.array else max(len(statements), 1)
    parts = [
        tuple(statements[start : start + length]) for start in range(0, len(statements), length)
    ]
    outputs = tuple(Code(writer.operand(position)) for position in network.outputs)
    return Program(
        tuple(parts) or ((),),
        writer.array,
        writer.slots if writer.array else len(statements),
        outputs,
        network.softmax,
        Code(language.real),
    )


def functions_used(network: Network, language: Syntax) -> set[str]:
    """The arithmetic functions, by their symbols, that the statements call."""
    used = {"softmax"} if network.softmax else set()
    for node in network.nodes:
        if not isinstance(node, Apply) or node.function in language.inline:
            continue
        if node.function != "pow":
            used.add(DEFINED[node.function].symbol)
        elif _exponent(network, node) < 0:
            used.add("div")
    return used


class StatementWriter:
    """Writes the statements of one node after the other; `names` are what they can be read by."""

    def __init__(self, network: Network, language: Syntax, *, split: bool = True) -> None:
        self.network, self.language = network, language
        self.statements: list[Statement] = []
        self.names: dict[int, str] = {}
        self.array = split and _most_statements(network) > LONGEST_FUNCTION
        self.last_reads = last_reads(network) if self.array else {}
        self.slots = 0
        self.free: list[int] = []  # a heap of slots
        self.neurons: dict[int, str] = {}
        for number_, layer in enumerate(network.layers, 1):
            for index, position in enumerate(layer, 1):
                self.neurons.setdefault(position, f"h_{number_}_{index}")

    def operand(self, position: int) -> str:
        node = self.network.nodes[position]
        if isinstance(node, Constant):
            literal = self.language.literal(node.value)
            return f"({literal})" if literal[0] == "-" else literal
        if isinstance(node, Input):
            return self.language.feature.format(node.column)
        return self.names[position]

    def node(self, position: int, node: Apply) -> None:
        name = self.neurons.get(position, "")
        operands = [self.operand(argument) for argument in node.arguments]
        if node.function == "pow":
            self.names[position] = self.power(operands[0], _exponent(self.network, node), name)
            self.release(position, node)
        else:
            value = self.language.apply(node.function, *operands)
            self.release(position, node)
            self.names[position] = self.assign(value, name)

    def power(self, base: str, exponent: int, name: str) -> str:
        if exponent == 0:
            return self.assign(self.language.literal(1.0), name)
        if exponent == 1 and self.array:  # two nodes in one slot would both give it back
            return self.assign(base, name)
        values = [base]
        for step in multiplications(exponent):
            values.append(self.assign(f"{values[-1]} * {values[-1] if step == 'square' else base}"))
        last = values[-1]
        self.reuse(values[1:-1])
        return (
            self.assign(self.language.apply("div", self.language.literal(1.0), last), name)
            if exponent < 0
            else last
        )

    def assign(self, value: str, name: str = "") -> str:
        number_ = len(self.statements)
        name = f"t[{self.slot()}]" if self.array else name or f"t{number_}"
        self.statements.append(Statement(Code(name), Code(value)))
        return name

    def slot(self) -> int:
        """An element of the array that nothing needs any more, or a new one."""
        if self.free:
            return heappop(self.free)
        self.slots += 1
        return self.slots - 1

    def release(self, position: int, node: Apply) -> None:
        """Free the slots of the arguments that are read here for the last time."""
        last = {a for a in node.arguments if self.last_reads.get(a) == position}
        self.reuse(self.names[a] for a in last if a in self.names)

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


def _exponent(network: Network, node: Apply) -> int:
    exponent = network.nodes[node.arguments[1]]
    assert isinstance(exponent, Constant)
    return int(exponent.value)


def _most_statements(network: Network) -> int:
    longest_power = 11  # 63 takes 10 multiplications; a negative one a division more
    return sum(
        longest_power if node.function == "pow" else 1
        for node in network.nodes
        if isinstance(node, Apply)
    )
