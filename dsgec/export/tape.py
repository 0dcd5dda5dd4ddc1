"""Write a network as a tape: steps over columns of rows, which a kernel runs block by block.

A slot is a column with a value for each row of a block. A sum of weighted columns is one step that
up to six sums of the same columns share; functions of one argument in neighbouring slots share one,
too. The order of all operations is that of the network, so the bits are the same.
"""

from dataclasses import dataclass, field, replace
from typing import assert_never

from dsgec.arithmetic.functions import ALL_FUNCTIONS
from dsgec.export.sums import ONE, Terms, inner_nodes, network_sums
from dsgec.network.ir import Apply, Constant, Input, Network, multiplications

TILE = 6
"""The most sums of the same columns that one step computes."""


@dataclass(frozen=True, slots=True)
class Step:
    """An operation on the slots `sources` whose results go to `count` slots, beginning with `to`.

    The operation `sum` has for each source a weight for each sum. A function of one argument with
    a larger count is applied to the next slots as well.
    """

    operation: str
    to: int
    sources: tuple[int, ...]
    count: int = 1
    weights: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Tape:
    """The steps of a network, and the slots of its inputs, constants and outputs.

    `inputs` has columns of the table with their slots, `constants` values with theirs. `sums` are
    the slots of the arguments of a softmax.
    """

    slots: int
    inputs: tuple[tuple[int, int], ...]
    constants: tuple[tuple[float, int], ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    sums: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TapeStep:
    """A step before slots are assigned: values are numbered in the order of their making."""

    name: str
    arguments: tuple[int, ...]
    result: int  # the first of `results`
    results: int = 1
    weights: tuple[tuple[float, ...], ...] = ()


def tape(network: Network) -> Tape:
    """Return the tape of a network."""
    writer = TapeWriter(network)
    return _with_slots(writer, writer.write())


@dataclass
class TapeWriter:
    """A writer of the operations of a network; nodes, columns and constants become values."""

    network: Network
    operations: list[TapeStep] = field(default_factory=list)
    made: dict[int, int] = field(default_factory=dict)  # values by node
    columns: dict[int, int] = field(default_factory=dict)  # values by column
    constants: dict[str, tuple[float, int]] = field(default_factory=dict)  # by hexadecimal form
    values: int = 0
    logits: tuple[int, ...] = ()  # the arguments of a softmax

    def write(self) -> list[int]:
        """Write all operations; return the values of the outputs."""
        sums = network_sums(self.network)
        alike: dict[tuple[int, ...], list[int]] = {}
        for position, terms in sums.items():
            alike.setdefault(tuple(source for _, source in terms), []).append(position)
        inside = inner_nodes(self.network, sums)
        for position, node in enumerate(self.network.nodes):
            if not isinstance(node, Apply) or position in inside or position in self.made:
                continue
            if position in sums:
                self.sums(alike[tuple(source for _, source in sums[position])], sums)
            elif node.function == "pow":
                self.made[position] = self.power(node)
            else:
                arguments = [self.value(argument) for argument in node.arguments]
                self.made[position] = self.operation(_name(node.function), *arguments)
        outputs = [self.value(position) for position in self.network.outputs]
        return self.softmax(outputs) if self.network.softmax else outputs

    def value(self, position: int) -> int:
        """Return the value of a node; constants and columns become values at their first use."""
        if position == ONE:
            return self.constant(1.0)
        node = self.network.nodes[position]
        match node:
            case Constant(value):
                return self.constant(value)
            case Input(column):
                if column not in self.columns:
                    self.columns[column] = self.fresh()
                return self.columns[column]
            case Apply():
                return self.made[position]
            case _:
                assert_never(node)

    def constant(self, number: float) -> int:
        if number.hex() not in self.constants:
            self.constants[number.hex()] = (number, self.fresh())
        return self.constants[number.hex()][1]

    def fresh(self, count: int = 1) -> int:
        self.values += count
        return self.values - count

    def operation(self, name: str, *arguments: int) -> int:
        self.operations.append(TapeStep(name, arguments, self.fresh()))
        return self.operations[-1].result

    def sums(self, positions: list[int], sums: dict[int, Terms]) -> None:
        sources = tuple(self.value(source) for _, source in sums[positions[0]])
        tiles = -(-len(positions) // TILE)
        for number in range(tiles):
            # Tiles of nearly equal sizes: one of few sums would read its columns for little work.
            start, end = (-(-len(positions) * i // tiles) for i in (number, number + 1))
            group = positions[start:end]
            count = len(group)
            rows = zip(*(sums[position] for position in group), strict=True)
            weights = tuple(tuple(weight for weight, _ in row) for row in rows)
            first = self.fresh(count)
            self.operations.append(TapeStep("sum", sources, first, count, weights))
            self.made.update({position: first + i for i, position in enumerate(group)})

    def power(self, node: Apply) -> int:
        base = self.value(node.arguments[0])
        exponent = self.network.nodes[node.arguments[1]]
        assert isinstance(exponent, Constant)
        if exponent.value == 0.0:
            return self.constant(1.0)
        last = base
        for step in multiplications(int(exponent.value)):
            last = self.operation("mul", last, last if step == "square" else base)
        return self.operation("div", self.constant(1.0), last) if exponent.value < 0 else last

    def softmax(self, z: list[int]) -> list[int]:
        """Write the steps of the softmax; return the values of its results."""
        self.logits = tuple(z)
        greatest = z[0]
        for value in z[1:]:
            greatest = self.operation("maximum", greatest, value)
        e = [self.operation("exp_down", self.operation("sub", v, greatest)) for v in z]
        total = e[0]
        for value in e[1:]:
            total = self.operation("add", total, value)
        return [self.operation("quotient", value, total) for value in e]


def _name(function: str) -> str:
    return ALL_FUNCTIONS[function].symbol if function in ALL_FUNCTIONS else function


def _with_slots(writer: TapeWriter, outputs: list[int]) -> Tape:
    """Assign slots to values; a slot is free again after the last step that reads it."""
    last: dict[int, int] = {}
    for number, operation in enumerate(writer.operations):
        last.update(dict.fromkeys(operation.arguments, number))
    sums = writer.logits
    kept = {*outputs, *sums, *(value for _, value in writer.constants.values())}
    slots = _Slots()
    slot: dict[int, int] = {}
    for value in (*writer.columns.values(), *(value for _, value in writer.constants.values())):
        slot[value] = slots.take(1)
    steps: list[Step] = []
    for number, operation in enumerate(writer.operations):
        sources = tuple(slot[argument] for argument in operation.arguments)
        ended = [
            argument
            for argument in dict.fromkeys(operation.arguments)
            if last[argument] == number and argument not in kept
        ]
        for argument in ended:
            slots.free(slot[argument])
        if ended and operation.name != "sum":
            to = slots.take_back(slot[ended[0]])
        else:
            to = slots.take(operation.results)
        slot.update({operation.result + i: to + i for i in range(operation.results)})
        step = Step(operation.name, to, sources, operation.results, operation.weights)
        if steps and _continues(steps[-1], step):
            steps[-1] = replace(steps[-1], count=steps[-1].count + 1)
        else:
            steps.append(step)
    return Tape(
        max(slots.count, 1),
        tuple((column, slot[value]) for column, value in writer.columns.items()),
        tuple((number, slot[value]) for number, value in writer.constants.values()),
        tuple(steps),
        tuple(slot[value] for value in outputs),
        tuple(slot[value] for value in sums),
    )


def _continues(before: Step, step: Step) -> bool:
    """Return whether a step repeats the one before it in the next slot, in place."""
    return (
        before.operation == step.operation
        and step.sources == (step.to,)
        and before.sources == (before.to,)
        and step.to == before.to + before.count
    )


class _Slots:
    """An allocator of slots, the lowest free ones first."""

    def __init__(self) -> None:
        self.count = 0
        self.unused: set[int] = set()

    def take(self, count: int) -> int:
        for first in sorted(self.unused):
            if all(first + i in self.unused for i in range(count)):
                break
        else:
            first = self.count
            self.count += count
        self.unused -= set(range(first, first + count))
        return first

    def take_back(self, slot: int) -> int:
        self.unused.remove(slot)
        return slot

    def free(self, slot: int) -> None:
        self.unused.add(slot)
