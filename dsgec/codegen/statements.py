"""Network to the flat list of statements that a template prints: one operation a line."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

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
    alone: str = "{}"  # a literal beside literals only, which some languages compute with exactly
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
    numbers, which the parts share.
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
        len(statements),
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
        if all(isinstance(self.network.nodes[place], Constant) for place in node.arguments):
            operands = [self.language.alone.format(operand) for operand in operands]
        if node.function == "pow":
            self.names[position] = self.power(operands[0], _exponent(self.network, node), name)
        else:
            value = self.language.apply(node.function, *operands)
            self.names[position] = self.assign(value, name)

    def power(self, base: str, exponent: int, name: str) -> str:
        if exponent == 0:
            return self.assign(self.language.alone.format(self.language.literal(1.0)), name)
        values = [base]
        for step in multiplications(exponent):
            factor = values[-1] if step == "square" else base
            values.append(self.assign(self.language.apply("mul", values[-1], factor)))
        last = values[-1]
        return (
            self.assign(self.language.apply("div", self.language.literal(1.0), last), name)
            if exponent < 0
            else last
        )

    def assign(self, value: str, name: str = "") -> str:
        number_ = len(self.statements)
        name = f"t[{number_}]" if self.array else name or f"t{number_}"
        self.statements.append(Statement(Code(name), Code(value)))
        return name


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
