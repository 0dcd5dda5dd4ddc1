"""Lower a network of floats to a program: straight-line code, in the order of its nodes.

A row's program is the procedure `outputs(x, y)`, or `sums(x, y)` for what goes into a softmax. If
it is too long for one function, it calls `part0`, `part1` and so on, which share an array. For a
block of rows there are loops over the rows, which compilers turn into vector instructions.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from typing import assert_never

import numpy as np

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.export.parts import in_parts, index
from dsgec.network.ir import Apply, Constant, Input, Network, Node, multiplications
from dsgec.program.ir import (
    ArrayParameter,
    Binary,
    Declare,
    Element,
    Expression,
    Instruction,
    Invoke,
    LocalArray,
    Loop,
    Negative,
    Number,
    Perform,
    Procedure,
    Program,
    Real,
    Store,
    Update,
    Variable,
)

LONGEST_FUNCTION = 2000
"""The most statements of an exported function; compilers are slow, or fail, on longer ones."""

_LONG_ENOUGH, _TOO_LONG = 48, 160  # statements of a loop over rows
_OPERATORS = {"add": "+", "sub": "-", "mul": "*"}


def network_program(network: Network, real: Real, *, longest: int = LONGEST_FUNCTION) -> Program:
    """Return the flat program of a network, whose functions have at most `longest` statements."""
    count = statements(network.nodes) + len(network.outputs)
    writer = NodeWriter(network, real, is_split=count > longest)
    outputs = writer.write()
    stores: tuple[Instruction, ...] = tuple(
        Store("y", index(at), output) for at, output in enumerate(outputs)
    )
    if not writer.is_split:
        return Program((), (entry(network, real, (*writer.body, *stores)),))
    t = ArrayParameter("t", real, writer.slots, is_written=True)
    long = entry(network, real, (*writer.body, *stores))
    return Program((), in_parts(replace(long, parameters=(*long.arrays, t)), len(stores), longest))


def entry(network: Network, real: Real, body: tuple[Instruction, ...]) -> Procedure:
    """Return the procedure that computes the outputs of a row."""
    x = ArrayParameter("x", real, network.inputs)
    y = ArrayParameter("y", real, len(network.outputs), is_written=True)
    if network.softmax:
        return Procedure("sums", "Compute what goes into the softmax.", (x, y), body)
    return Procedure("outputs", "Compute the outputs of the network.", (x, y), body)


def with_softmax(program: Program) -> Program:
    """Return a program with `softmax(y)` and `outputs(x, y)` after `sums(x, y)`, if it has that."""
    sums = program.procedures[-1]
    if sums.name != "sums":
        return program
    x, y = sums.arrays
    about = "Compute the outputs of the network."
    calls = Perform("sums", ("x", "y")), Perform("softmax", ("y",))
    outputs = Procedure("outputs", about, (x, y), calls)
    return Program(program.tables, (*program.procedures, _softmax(y), outputs))


def _softmax(y: ArrayParameter) -> Procedure:
    """Return the softmax of an array, which replaces its elements."""
    i, real = Variable("i"), y.type
    most, value, total = (Variable(name, real) for name in ("most", "value", "total"))
    element, count = Element("y", i, real), Number(y.size)
    above = Binary("-", element, most, real)
    body = (
        Declare(most, Element("y", index(0), real)),
        Loop(i, count, (Update(most, Invoke("maximum", (most, element), type=real)),)),
        Declare(total, Number(0.0, real)),
        Loop(
            i,
            count,
            (
                Declare(value, Invoke("exp_down", (above,), type=real)),
                Store("y", i, value),
                Update(total, Binary("+", total, value, real)),
            ),
        ),
        Loop(i, count, (Store("y", i, Binary("/", element, total, real)),)),
    )
    return Procedure("softmax", "Replace numbers by their softmax.", (y,), body)


def constant(value: float, real: Real) -> Number:
    """Return a float, rounded to its type."""
    return Number(float(np.float32(value)) if real == "float" else value, real)


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

    def __init__(self, network: Network, real: Real, *, is_split: bool = False) -> None:
        self.network, self.real, self.is_split = network, real, is_split
        self.body: list[Instruction] = []
        self.values: dict[int, Expression] = {}
        self.neurons: dict[int, str] = {}
        for depth, layer in enumerate(network.layers, 1):
            for place, position in enumerate(layer, 1):
                self.neurons.setdefault(position, f"h_{depth}_{place}")
        self.slots = 0
        self.free: list[int] = []  # elements of `t`, as a heap
        self.last_reads = last_reads(network) if is_split else {}

    def write(self) -> list[Expression]:
        """Write all operations; return the outputs, before a softmax."""
        self.nodes(range(len(self.network.nodes)))
        return [self.operand(position) for position in self.network.outputs]

    def nodes(self, positions: Iterable[int]) -> None:
        """Write the operations of some nodes, whose arguments have values."""
        for position in positions:
            node = self.network.nodes[position]
            if isinstance(node, Apply):
                self.node(position, node)

    def operand(self, position: int) -> Expression:
        """Return the expression that reads a node."""
        node = self.network.nodes[position]
        match node:
            case Constant(value):
                return constant(value, self.real)
            case Input(column):
                return self.column(column)
            case Apply():
                return self.values[position]
            case _:
                assert_never(node)

    def column(self, column: int) -> Expression:
        return Element("x", index(column), self.real)

    def node(self, position: int, node: Apply) -> None:
        name = self.neurons.get(position, "")
        operands = [self.operand(argument) for argument in node.arguments]
        if node.function == "pow":
            value = self.power(operands[0], exponent_of(self.network, node), name)
        else:
            value = self.assign(self.operation(node.function, *operands), name)
        self.values[position] = value
        last = {a for a in node.arguments if self.last_reads.get(a) == position}
        self.reuse(self.values[a] for a in last if a in self.values)

    def operation(self, function: str, *operands: Expression) -> Expression:
        if function in _OPERATORS:
            left, right = operands
            return Binary(_OPERATORS[function], left, right, self.real)
        if function == "neg":
            return Negative(operands[0], self.real)
        return Invoke(ALL_FUNCTIONS[function].symbol, operands, type=self.real)

    def power(self, base: Expression, exponent: int, name: str) -> Expression:
        if exponent == 0:
            return self.assign(constant(1.0, self.real), name)
        if exponent == 1:
            # Two nodes in one element would both free it.
            return self.assign(base, name) if self.is_split else base
        steps: list[Expression] = []
        last = base
        for step in multiplications(exponent):
            last = self.assign(self.operation("mul", last, last if step == "square" else base))
            steps.append(last)
        if exponent < 0:
            last = self.assign(self.operation("div", constant(1.0, self.real), last), name)
            steps.append(last)
        self.reuse(steps[:-1])
        return last

    def assign(self, value: Expression, name: str = "") -> Expression:
        if self.is_split:
            place = index(self.take())
            self.body.append(Store("t", place, value))
            return Element("t", place, self.real)
        variable = Variable(name or f"t{len(self.body)}", self.real)
        self.body.append(Declare(variable, value))
        return variable

    def take(self) -> int:
        """Return a free element of the array, or a new one."""
        if self.free:
            return heappop(self.free)
        self.slots += 1
        return self.slots - 1

    def reuse(self, values: Iterable[Expression]) -> None:
        for value in values:
            match value:
                case Element("t", Number(place)):
                    heappush(self.free, int(place))


def last_reads(network: Network) -> dict[int, int]:
    """Return the position of the last read of each node; outputs are read after all nodes."""
    last: dict[int, int] = {}
    for position, node in enumerate(network.nodes):
        if isinstance(node, Apply):
            last.update(dict.fromkeys(node.arguments, position))
    return last | dict.fromkeys(network.outputs, len(network.nodes))


_ROWS, _ROW = Variable("rows", "size"), Variable("i", "size")


def block_procedure(
    network: Network, real: Real, columns: Sequence[int], places: Sequence[int], results: int
) -> Procedure:
    """Return `rows(x, rows, out)`: the operations of a row's program as loops over a block of rows.

    `columns` are those that the network reads; `places` are those of the outputs among the
    `results` of a row. Columns and values that later loops read are in arrays of a block.
    """
    writer = _BlockWriter(network, real, columns)
    loops = writer.loops()
    outputs = [writer.operand(position) for position in network.outputs]
    stores = [
        Store("out", row_index(results, place), output)
        for place, output in zip(places, outputs, strict=True)
    ]
    *first, last = loops
    body = [Loop(_ROW, _ROWS, tuple(loop)) for loop in (*first, [*last, *stores])]
    arrays = [LocalArray(name, real, 0) for name in writer.arrays]
    parameters = (
        ArrayParameter("x", real, 0),
        _ROWS,
        ArrayParameter("out", real, 0, is_written=True),
    )
    about = "Compute a block of rows, column by column."
    return Procedure("rows", about, parameters, (*arrays, *writer.copies(), *body))


def row_index(width: int, place: int) -> Expression:
    """Return the index of a value of the row `i` in a table whose rows have so many."""
    start = Binary("*", _ROW, Number(width, "size"), "size") if width > 1 else _ROW
    return Binary("+", start, Number(place, "size"), "size") if place else start


class _BlockWriter(NodeWriter):
    """Writes loops over rows; a value is a variable, or an element of an array of the block."""

    def __init__(self, network: Network, real: Real, columns: Sequence[int]) -> None:
        super().__init__(network, real)
        self.read = {column: f"c{place}" for place, column in enumerate(columns)}
        self.is_copied = network.inputs > 1
        self.arrays = [*self.read.values()] if self.is_copied else []

    def column(self, column: int) -> Expression:
        return Element(self.read[column] if self.is_copied else "x", _ROW, self.real)

    def copies(self) -> list[Instruction]:
        """Return the loop that copies columns out of rows."""
        width = self.network.inputs
        stores = tuple(
            Store(name, _ROW, Element("x", row_index(width, column), self.real))
            for column, name in self.read.items()
        )
        return [Loop(_ROW, _ROWS, stores)] if self.is_copied and stores else []

    def loops(self) -> list[list[Instruction]]:
        """Return the instructions of each loop.

        A long loop body spills registers and takes compilers minutes, so a loop ends with a neuron
        as soon as it is long enough.
        """
        last_read = last_reads(self.network)
        found: list[list[Instruction]] = []
        begin, open_ = 0, list[int]()  # the first instruction and the nodes of the current loop
        for position, node in enumerate(self.network.nodes):
            if not isinstance(node, Apply):
                continue
            self.node(position, node)
            open_.append(position)
            length = len(self.body) - begin
            if length < _TOO_LONG and not (position in self.neurons and length >= _LONG_ENOUGH):
                continue
            kept = [each for each in open_ if last_read.get(each, -1) > position]
            found.append([*self.body[begin:], *map(self.keep, kept)])
            begin, open_ = len(self.body), []
        return [*found, self.body[begin:]]

    def keep(self, position: int) -> Instruction:
        """Keep the value of a node for later loops."""
        name = f"v{len(self.arrays) - len(self.read) * self.is_copied}"
        self.arrays.append(name)
        kept = Store(name, _ROW, self.values[position])
        self.values[position] = Element(name, _ROW, self.real)
        return kept


def softmax_of_rows(count: int, real: Real) -> Procedure:
    """Return `finish_rows(out, rows)`, which turns `count` sums of each row into probabilities."""

    def element(place: int) -> Expression:
        return Element("out", row_index(count, place), real)

    def named(name: str, place: int) -> Variable:
        return Variable(f"{name}{place}", real)

    body: list[Instruction] = []
    for place in range(count):
        top: Expression = element(place)
        if place:
            top = Invoke("maximum", (named("top", place - 1), top), type=real)
        body.append(Declare(named("top", place), top))
    greatest = named("top", count - 1)
    for place in range(count):
        difference = Binary("-", element(place), greatest, real)
        body.append(Declare(named("e", place), Invoke("exp_down", (difference,), type=real)))
    for place in range(count):
        total: Expression = named("e", place)
        if place:
            total = Binary("+", named("sum", place - 1), total, real)
        body.append(Declare(named("sum", place), total))
    for place in range(count):
        share = Binary("/", named("e", place), named("sum", count - 1), real)
        body.append(Store("out", row_index(count, place), share))
    about = "Turn the sums of each row into probabilities, in the order of a row's operations."
    parameters = (ArrayParameter("out", real, 0, is_written=True), _ROWS)
    return Procedure("finish_rows", about, parameters, (Loop(_ROW, _ROWS, tuple(body)),))
