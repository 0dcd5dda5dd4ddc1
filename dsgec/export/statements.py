"""Write the operations of a network as statements that templates print, one operation a line.

A row's program is one flat list of statements. A batch of rows is computed by loops over a block
of rows, which compilers turn into vector instructions.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Generic, TypeVar, assert_never

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.literals import number
from dsgec.network.ir import Apply, Constant, Input, Network, multiplications
from dsgec.rendering import Code

Written = TypeVar("Written")
Operand = TypeVar("Operand")
"""The form in which a value is read: a name, or code that fetches it."""

LONGEST_FUNCTION = 2000
"""The most statements of an exported function; compilers are slow, or fail, on longer ones."""

_LONG_ENOUGH, _TOO_LONG = 48, 160  # statements of a loop


@dataclass(frozen=True, slots=True)
class Syntax:
    """The syntax in which a target writes operations; targets differ by entries here."""

    call: Callable[[str], str]
    feature: str = "x[{}]"
    literal: Callable[[float], str] = number
    real: str = "double"
    alone: str = "{}"  # a literal among literals, which some languages fold in other precision
    inline: Mapping[str, str] = field(
        default_factory=lambda: {"add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "neg": "-{}"}
    )

    def apply(self, function: str, *operands: str) -> str:
        """Return the expression of one operation."""
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
    """An assignment of `value` to `name`."""

    name: Code
    value: Code

    @property
    def is_kept(self) -> bool:
        """True if it assigns to an element of an array, which needs no declaration."""
        return self.name.endswith("]")


@dataclass(frozen=True, slots=True)
class FlatProgram:
    """Statements in parts of at most LONGEST_FUNCTION, and the expressions of the outputs.

    Names are variables. If the program `is_split`, they are elements of an array `t` of `slots`
    numbers that the parts share; a slot is reused after its last read.
    """

    parts: tuple[tuple[Statement, ...], ...]
    is_split: bool
    slots: int
    outputs: tuple[Code, ...]
    softmax: bool
    real: Code  # the type of its values
    is_integer: bool = False  # in fixed point

    @property
    def function(self) -> str:
        """The name of its function, behind the name of the network."""
        return "integers" if self.is_integer else "outputs"


def program(network: Network, language: Syntax) -> FlatProgram:
    """Return the statements that compute the network, in the order of its nodes."""
    writer = StatementWriter(network, language)
    outputs = tuple(map(Code, writer.write()))
    return FlatProgram(
        parts(writer.statements, split=writer.array),
        writer.array,
        writer.slots if writer.array else len(writer.statements),
        outputs,
        network.softmax,
        Code(language.real),
    )


def parts(statements: list[Written], *, split: bool) -> tuple[tuple[Written, ...], ...]:
    """Split statements into functions that are not too long, or into one, which may be empty."""
    length = LONGEST_FUNCTION if split else max(len(statements), 1)
    starts = range(0, max(len(statements), 1), length)
    return tuple(tuple(statements[start : start + length]) for start in starts)


def functions_used(network: Network, language: Syntax) -> set[str]:
    """Return the symbols of the arithmetic functions that the statements call."""
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
    """Return whether the statements of a network may be too many for one function."""
    longest_power = 11  # 63 takes 10 multiplications; a negative one a division more
    most = sum(
        longest_power if node.function == "pow" else 1
        for node in network.nodes
        if isinstance(node, Apply)
    )
    return most > LONGEST_FUNCTION


class OperationWriter(ABC, Generic[Operand]):
    """A writer of operations, node by node; `names` are the operands that nodes became."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.names: dict[int, Operand] = {}
        self.neurons: dict[int, str] = {}
        for depth, layer in enumerate(network.layers, 1):
            for index, position in enumerate(layer, 1):
                self.neurons.setdefault(position, f"h_{depth}_{index}")

    @abstractmethod
    def number(self, value: float) -> Operand:
        """Return a constant as an operand."""

    @abstractmethod
    def column(self, column: int) -> Operand:
        """Return the value of a column as an operand."""

    @abstractmethod
    def operation(self, function: str, *operands: Operand) -> Operand:
        """Return the value of one operation."""

    @abstractmethod
    def assign(self, value: Operand, name: str = "") -> Operand:
        """Write a statement that computes a value, perhaps under a name; return its operand."""

    def write(self) -> list[Operand]:
        """Write all operations; return the outputs, before a softmax."""
        for position, node in enumerate(self.network.nodes):
            if isinstance(node, Apply):
                self.node(position, node)
        return [self.operand(position) for position in self.network.outputs]

    def operand(self, position: int) -> Operand:
        node = self.network.nodes[position]
        match node:
            case Constant(value):
                return self.number(value)
            case Input(column):
                return self.column(column)
            case Apply():
                return self.names[position]
            case _:
                assert_never(node)

    def node(self, position: int, node: Apply) -> None:
        name = self.neurons.get(position, "")
        operands = [self.operand(argument) for argument in node.arguments]
        if node.function == "pow":
            self.names[position] = self.power(operands[0], exponent_of(self.network, node), name)
        else:
            self.names[position] = self.assign(self.operation(node.function, *operands), name)

    def power(self, base: Operand, exponent: int, name: str) -> Operand:
        if exponent == 0:
            return self.assign(self.number(1.0), name)
        last = base
        for step in multiplications(exponent):
            last = self.assign(self.operation("mul", last, last if step == "square" else base))
        if exponent < 0:
            return self.assign(self.operation("div", self.number(1.0), last), name)
        return last


def exponent_of(network: Network, node: Apply) -> int:
    """Return the whole exponent of a `pow`."""
    exponent = network.nodes[node.arguments[1]]
    assert isinstance(exponent, Constant)
    return int(exponent.value)


class StatementWriter(OperationWriter[str]):
    """A writer of operations as statements, whose names are operands."""

    def __init__(self, network: Network, language: Syntax, *, split: bool = True) -> None:
        super().__init__(network)
        self.language = language
        self.statements: list[Statement] = []
        self.array = split and is_long(network)
        self.literals: set[str] = set()
        self.slots = 0
        self.free: list[int] = []  # slots, as a heap
        self.last_reads = last_reads(network) if self.array else {}

    def node(self, position: int, node: Apply) -> None:
        super().node(position, node)
        last = {a for a in node.arguments if self.last_reads.get(a) == position}
        self.reuse(self.names[a] for a in last if a in self.names)

    def power(self, base: str, exponent: int, name: str) -> str:
        if exponent == 1 and self.array:  # two nodes in one slot would both free it
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
        """Return a free element of the array, or a new one."""
        if self.free:
            return heappop(self.free)
        self.slots += 1
        return self.slots - 1

    def reuse(self, names: Iterable[str]) -> None:
        if self.array:
            for name in names:
                heappush(self.free, int(name[2:-1]))


def last_reads(network: Network) -> dict[int, int]:
    """Return the position of the last read of each node; outputs are read after all nodes."""
    last: dict[int, int] = {}
    for position, node in enumerate(network.nodes):
        if isinstance(node, Apply):
            last.update(dict.fromkeys(node.arguments, position))
    return last | dict.fromkeys(network.outputs, len(network.nodes))


@dataclass(frozen=True, slots=True)
class Loops:
    """The statements of each loop; the loops share `slots` arrays, as `v[slot][i]`."""

    loops: tuple[tuple[Statement, ...], ...]
    slots: int
    outputs: tuple[Code, ...]


def loops(network: Network, language: Syntax) -> Loops:
    """Return the operations of a row's program, in the same order, as loops over rows.

    A long loop body spills registers and takes compilers minutes, so a loop ends with a neuron as
    soon as it is long enough; values that a later loop reads are kept in arrays.
    """
    last_read = last_reads(network)
    neurons = {position for layer in network.layers for position in layer}
    writer = StatementWriter(network, language, split=False)
    found: list[list[Statement]] = []
    open_: list[int] = []  # the positions of the current loop
    slots = 0
    begin = 0
    for position, node in enumerate(network.nodes):
        if not isinstance(node, Apply):
            continue
        writer.node(position, node)
        open_.append(position)
        length = len(writer.statements) - begin
        if length < _TOO_LONG and not (position in neurons and length >= _LONG_ENOUGH):
            continue
        body = writer.statements[begin:]
        for kept in open_:
            if last_read.get(kept, -1) > position:
                body.append(Statement(Code(f"v[{slots}][i]"), Code(writer.names[kept])))
                writer.names[kept] = f"v[{slots}][i]"
                slots += 1
        found.append(body)
        open_, begin = [], len(writer.statements)
    found.append(writer.statements[begin:])
    outputs = tuple(Code(writer.operand(position)) for position in network.outputs)
    return Loops(tuple(map(tuple, found)), slots, outputs)
