"""Lower a network of floats to a program: straight-line code, in the order of its nodes.

A row's program is the procedure `outputs(x, y)`, or `sums(x, y)` for what goes into a softmax. If
it is too long for one function, it calls `part0`, `part1` and so on, which share an array.
"""

from collections.abc import Iterable
from dataclasses import replace
from heapq import heappop, heappush
from typing import assert_never

import numpy as np

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.export.parts import in_parts, index
from dsgec.network.ir import Apply, Constant, Input, Network, Node, multiplications
from dsgec.program import ir

LONGEST_FUNCTION = 2000
"""The most statements of an exported function; compilers are slow, or fail, on longer ones."""

_OPERATORS = {"add": "+", "sub": "-", "mul": "*"}


def network_program(
    network: Network, real: ir.Real, *, longest: int = LONGEST_FUNCTION
) -> ir.Program:
    """Return the flat program of a network, whose functions have at most `longest` statements."""
    count = statements(network.nodes) + len(network.outputs)
    writer = NodeWriter(network, real, is_split=count > longest)
    outputs = writer.write()
    stores: tuple[ir.Instruction, ...] = tuple(
        ir.Store("y", index(at), output) for at, output in enumerate(outputs)
    )
    if not writer.is_split:
        return ir.Program((), (entry(network, real, (*writer.body, *stores)),))
    t = ir.ArrayParameter("t", real, writer.slots, is_written=True)
    long = entry(network, real, (*writer.body, *stores))
    return ir.Program(
        (), in_parts(replace(long, parameters=(*long.arrays, t)), len(stores), longest)
    )


def entry(network: Network, real: ir.Real, body: tuple[ir.Instruction, ...]) -> ir.Procedure:
    """Return the procedure that computes the outputs of a row."""
    x = ir.ArrayParameter("x", real, network.inputs)
    y = ir.ArrayParameter("y", real, len(network.outputs), is_written=True)
    if network.softmax:
        return ir.Procedure("sums", "Compute what goes into the softmax.", (x, y), body)
    return ir.Procedure("outputs", "Compute the outputs of the network.", (x, y), body)


def with_softmax(program: ir.Program) -> ir.Program:
    """Return a program with `softmax(y)` and `outputs(x, y)` after `sums(x, y)`, if it has that."""
    sums = program.procedures[-1]
    if sums.name != "sums":
        return program
    x, y = sums.arrays
    about = "Compute the outputs of the network."
    calls = ir.Perform("sums", ("x", "y")), ir.Perform("softmax", ("y",))
    outputs = ir.Procedure("outputs", about, (x, y), calls)
    return ir.Program(program.tables, (*program.procedures, _softmax(y), outputs))


def _softmax(y: ir.ArrayParameter) -> ir.Procedure:
    """Return the softmax of an array, which replaces its elements."""
    i, real = ir.Variable("i"), y.type
    most, value, total = (ir.Variable(name, real) for name in ("most", "value", "total"))
    element, count = ir.Element("y", i, real), ir.Number(y.size)
    above = ir.Binary("-", element, most, real)
    body = (
        ir.Declare(most, ir.Element("y", index(0), real)),
        ir.Loop(i, count, (ir.Update(most, ir.Invoke("maximum", (most, element), type=real)),)),
        ir.Declare(total, ir.Number(0.0, real)),
        ir.Loop(
            i,
            count,
            (
                ir.Declare(value, ir.Invoke("exp_down", (above,), type=real)),
                ir.Store("y", i, value),
                ir.Update(total, ir.Binary("+", total, value, real)),
            ),
        ),
        ir.Loop(i, count, (ir.Store("y", i, ir.Binary("/", element, total, real)),)),
    )
    return ir.Procedure("softmax", "Replace numbers by their softmax.", (y,), body)


def constant(value: float, real: ir.Real) -> ir.Number:
    """Return a float, rounded to its type."""
    return ir.Number(float(np.float32(value)) if real == "float" else value, real)


def exponent_of(network: Network, node: Apply) -> int:
    """Return the whole exponent of a `pow`."""
    exponent = network.nodes[node.arguments[1]]
    assert isinstance(exponent, Constant)
    return int(exponent.value)


def statements(nodes: Iterable[Node]) -> int:
    """Return how many statements nodes may take."""
    longest_power = 11  # 63 takes 10 multiplications; a negative one a division more
    applied = (node for node in nodes if isinstance(node, Apply))
    return sum(longest_power if node.function == "pow" else 1 for node in applied)


class NodeWriter:
    """Writes operations node by node; `values` are the expressions that read nodes.

    If the program `is_split`, values are elements of an array `t`; an element is used again after
    its last read.
    """

    def __init__(self, network: Network, real: ir.Real, *, is_split: bool = False) -> None:
        self.network, self.real, self.is_split = network, real, is_split
        self.body: list[ir.Instruction] = []
        self.values: dict[int, ir.Expression] = {}
        self.neurons: dict[int, str] = {}
        for depth, layer in enumerate(network.layers, 1):
            for place, position in enumerate(layer, 1):
                self.neurons.setdefault(position, f"h_{depth}_{place}")
        self.slots = 0
        self.free: list[int] = []  # elements of `t`, as a heap
        self.last_reads = last_reads(network) if is_split else {}

    def write(self) -> list[ir.Expression]:
        """Write all operations; return the outputs, before a softmax."""
        self.nodes(range(len(self.network.nodes)))
        return [self.operand(position) for position in self.network.outputs]

    def nodes(self, positions: Iterable[int]) -> None:
        """Write the operations of some nodes, whose arguments have values."""
        for position in positions:
            node = self.network.nodes[position]
            if isinstance(node, Apply):
                self.node(position, node)

    def operand(self, position: int) -> ir.Expression:
        """Return the expression that reads a node."""
        node = self.network.nodes[position]
        match node:
            case Apply():
                return self.values[position]
            case Constant(value):
                return constant(value, self.real)
            case Input(column):
                return self.column(column)
            case _:
                assert_never(node)

    def column(self, column: int) -> ir.Expression:
        return ir.Element("x", index(column), self.real)

    def node(self, position: int, node: Apply) -> None:
        name = self.neurons.get(position, "")
        operands = [self.operand(argument) for argument in node.arguments]
        if node.function == "pow":
            value = self.power(operands[0], exponent_of(self.network, node), name)
        else:
            value = self.assign(self.operation(node.function, *operands), name)
        self.values[position] = value
        if self.is_split:
            last = {a for a in node.arguments if self.last_reads.get(a) == position}
            self.reuse(self.values[a] for a in last if a in self.values)

    def operation(self, function: str, *operands: ir.Expression) -> ir.Expression:
        if function in _OPERATORS:
            left, right = operands
            return ir.Binary(_OPERATORS[function], left, right, self.real)
        if function == "neg":
            return ir.Negative(operands[0], self.real)
        return ir.Invoke(ALL_FUNCTIONS[function].symbol, operands, type=self.real)

    def power(self, base: ir.Expression, exponent: int, name: str) -> ir.Expression:
        if exponent == 0:
            return self.assign(constant(1.0, self.real), name)
        if exponent == 1:
            # Two nodes in one element would both free it.
            return self.assign(base, name) if self.is_split else base
        steps: list[ir.Expression] = []
        last = base
        for step in multiplications(exponent):
            last = self.assign(self.operation("mul", last, last if step == "square" else base))
            steps.append(last)
        if exponent < 0:
            last = self.assign(self.operation("div", constant(1.0, self.real), last), name)
            steps.append(last)
        self.reuse(steps[:-1])
        return last

    def assign(self, value: ir.Expression, name: str = "") -> ir.Expression:
        if self.is_split:
            place = index(self.take())
            self.body.append(ir.Store("t", place, value))
            return ir.Element("t", place, self.real)
        variable = ir.Variable(name or f"t{len(self.body)}", self.real)
        self.body.append(ir.Declare(variable, value))
        return variable

    def take(self) -> int:
        """Return a free element of the array, or a new one."""
        if self.free:
            return heappop(self.free)
        self.slots += 1
        return self.slots - 1

    def reuse(self, values: Iterable[ir.Expression]) -> None:
        for value in values:
            match value:
                case ir.Element("t", ir.Number(place)):
                    heappush(self.free, int(place))


def last_reads(network: Network) -> dict[int, int]:
    """Return the position of the last read of each node; outputs are read after all nodes."""
    last: dict[int, int] = {}
    for position, node in enumerate(network.nodes):
        if isinstance(node, Apply):
            last.update(dict.fromkeys(node.arguments, position))
    return last | dict.fromkeys(network.outputs, len(network.nodes))
