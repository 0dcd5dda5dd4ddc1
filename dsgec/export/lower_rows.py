"""Lower a network of floats to loops over the rows of a block, which compilers vectorise.

The operations of each row are those of the flat program, in the same order.
"""

from collections.abc import Sequence

from dsgec.export.lower import NodeWriter, last_reads
from dsgec.network.ir import Apply, Network
from dsgec.program import ir

_LONG_ENOUGH, _TOO_LONG = 48, 160  # statements of a loop over rows
_ROWS, _ROW = ir.Variable("rows", "size"), ir.Variable("i", "size")


def block_procedure(
    network: Network, real: ir.Real, columns: Sequence[int], places: Sequence[int], results: int
) -> ir.Procedure:
    """Return `rows(x, rows, out)`: the operations of a row's program as loops over a block of rows.

    `columns` are those that the network reads; `places` are those of the outputs among the
    `results` of a row. Columns and values that later loops read are in arrays of a block.
    """
    writer = _BlockWriter(network, real, columns)
    loops = writer.loops()
    outputs = [writer.operand(position) for position in network.outputs]
    stores = [
        ir.Store("out", row_index(results, place), output)
        for place, output in zip(places, outputs, strict=True)
    ]
    *first, last = loops
    body = [ir.Loop(_ROW, _ROWS, tuple(loop)) for loop in (*first, [*last, *stores])]
    arrays = [ir.LocalArray(name, real, 0) for name in writer.arrays]
    parameters = (
        ir.ArrayParameter("x", real, 0),
        _ROWS,
        ir.ArrayParameter("out", real, 0, is_written=True),
    )
    about = "Compute a block of rows, column by column."
    return ir.Procedure("rows", about, parameters, (*arrays, *writer.copies(), *body))


def row_index(width: int, place: int) -> ir.Expression:
    """Return the index of a value of the row `i` in a table whose rows have so many."""
    start = ir.Binary("*", _ROW, ir.Number(width, "size"), "size") if width > 1 else _ROW
    return ir.Binary("+", start, ir.Number(place, "size"), "size") if place else start


class _BlockWriter(NodeWriter):
    """Writes loops over rows; a value is a variable, or an element of an array of the block."""

    def __init__(self, network: Network, real: ir.Real, columns: Sequence[int]) -> None:
        super().__init__(network, real)
        self.read = {column: f"c{place}" for place, column in enumerate(columns)}
        self.is_copied = network.inputs > 1
        self.arrays = [*self.read.values()] if self.is_copied else []

    def column(self, column: int) -> ir.Expression:
        return ir.Element(self.read[column] if self.is_copied else "x", _ROW, self.real)

    def copies(self) -> list[ir.Instruction]:
        """Return the loop that copies columns out of rows."""
        width = self.network.inputs
        stores = tuple(
            ir.Store(name, _ROW, ir.Element("x", row_index(width, column), self.real))
            for column, name in self.read.items()
        )
        return [ir.Loop(_ROW, _ROWS, stores)] if self.is_copied and stores else []

    def loops(self) -> list[list[ir.Instruction]]:
        """Return the instructions of each loop.

        A long loop body spills registers and takes compilers minutes, so a loop ends with a neuron
        as soon as it is long enough.
        """
        last_read = last_reads(self.network)
        found: list[list[ir.Instruction]] = []
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

    def keep(self, position: int) -> ir.Instruction:
        """Keep the value of a node for later loops."""
        name = f"v{len(self.arrays) - len(self.read) * self.is_copied}"
        self.arrays.append(name)
        kept = ir.Store(name, _ROW, self.values[position])
        self.values[position] = ir.Element(name, _ROW, self.real)
        return kept


def softmax_of_rows(count: int, real: ir.Real) -> ir.Procedure:
    """Return `finish_rows(out, rows)`, which turns `count` sums of each row into probabilities."""

    def element(place: int) -> ir.Expression:
        return ir.Element("out", row_index(count, place), real)

    def named(name: str, place: int) -> ir.Variable:
        return ir.Variable(f"{name}{place}", real)

    body: list[ir.Instruction] = []
    for place in range(count):
        top: ir.Expression = element(place)
        if place:
            top = ir.Invoke("maximum", (named("top", place - 1), top), type=real)
        body.append(ir.Declare(named("top", place), top))
    greatest = named("top", count - 1)
    for place in range(count):
        difference = ir.Binary("-", element(place), greatest, real)
        body.append(ir.Declare(named("e", place), ir.Invoke("exp_down", (difference,), type=real)))
    for place in range(count):
        total: ir.Expression = named("e", place)
        if place:
            total = ir.Binary("+", named("sum", place - 1), total, real)
        body.append(ir.Declare(named("sum", place), total))
    for place in range(count):
        share = ir.Binary("/", named("e", place), named("sum", count - 1), real)
        body.append(ir.Store("out", row_index(count, place), share))
    about = "Turn the sums of each row into probabilities, in the order of a row's operations."
    parameters = (ir.ArrayParameter("out", real, 0, is_written=True), _ROWS)
    return ir.Procedure("finish_rows", about, parameters, (ir.Loop(_ROW, _ROWS, tuple(body)),))
