"""A circuit: a graph of operations on integers with known limits, and its pipeline stages.

Equal operations are shared and constants are folded. Some operations are rewritten, because a
circuit does them better than a processor: low bits are wires, and tables are read once.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

INT32 = (-(1 << 31), (1 << 31) - 1)
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
_MOST_SHIFT = 31

_LONGEST = 6  # the longest delay of a stage: three additions, or a product and a sum
_DELAYS = {"+": 2, "-": 2, "*": 5, "choose": 1, "<<": 2, ">>": 2, "rom": _LONGEST}
_DELAYS |= dict.fromkeys(COMPARISONS, 2)
_CONSTANT_DELAYS = {"*": 4, "<<": 0, ">>": 0}  # with a constant operand

Interval = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Gate:
    """An operation on nodes with lower numbers, whose values lie between `low` and `high`.

    `value` is the value of a `constant`, the number of a `column` or of a `rom`, the number of bits
    that are `cut` off, and otherwise 0.
    """

    operation: str
    operands: tuple[int, ...]
    value: int
    low: int
    high: int

    @property
    def is_truth(self) -> bool:
        return self.operation in COMPARISONS

    @property
    def bits(self) -> int:
        """Return the bits of its values, with the sign."""
        return 1 if self.is_truth else max(bits_of(self.low), bits_of(self.high))


def bits_of(value: int) -> int:
    """Return the bits of a number, with the sign."""
    return (value if value >= 0 else -1 - value).bit_length() + 1


class Circuit:
    """The nodes, identified by their numbers, and the contents of the tables that they read."""

    def __init__(self) -> None:
        self.nodes: list[Gate] = []
        self.roms: list[tuple[int, ...]] = []
        self._known: dict[tuple[str, tuple[int, ...], int, Interval], int] = {}

    def _add(self, name: str, operands: tuple[int, ...], value: int, interval: Interval) -> int:
        low, high = max(interval[0], INT32[0]), min(interval[1], INT32[1])
        if low > high:  # it is never computed
            low, high = INT32
        key = (name, operands, value, (low, high))
        if key not in self._known:
            self._known[key] = len(self.nodes)
            self.nodes.append(Gate(name, operands, value, low, high))
        return self._known[key]

    def constant(self, value: int) -> int:
        return self._add("constant", (), value, (value, value))

    def column(self, number: int, bits: int) -> int:
        return self.input(number, -1 << (bits - 1), (1 << (bits - 1)) - 1)

    def input(self, number: int, low: int, high: int) -> int:
        """Add a value that comes from outside, between limits."""
        return self._add("column", (), number, (low, high))

    def number(self, node: int) -> int | None:
        """Return the value of a constant node, or None."""
        found = self.nodes[node]
        return found.low if found.low == found.high else None

    def limited(self, node: int, low: int, high: int) -> int:
        """Return a node with the same values, known to lie between limits."""
        found = self.nodes[node]
        if found.low >= low and found.high <= high:
            return node
        interval = max(low, found.low), min(high, found.high)
        return self._add("limited", (node,), 0, interval)

    def apply(self, name: str, left: int, right: int) -> int:
        """Add one of + - * << >> or a comparison."""
        add = self.compare if name in COMPARISONS else self._arithmetic
        return add(name, left, right)

    def _arithmetic(self, name: str, left: int, right: int) -> int:
        a, b = self.number(left), self.number(right)
        if name in ("<<", ">>") and b == 0:
            return left
        if name == "+" and a == 0:
            return right
        if name in ("+", "-") and b == 0:
            return left
        if name == "*" and (a is not None or b is not None):
            return self._product(left, right)
        return self._rewrite_difference(name, left, right) or self._compute(name, left, right)

    def _product(self, left: int, right: int) -> int:
        """Add a product with a constant; one with a power of two becomes a shift."""
        if self.number(left) is not None:
            left, right = right, left
        factor = self.number(right)
        assert factor is not None
        if factor > 0 and factor & (factor - 1) == 0:
            return self._arithmetic("<<", left, self.constant(factor.bit_length() - 1))
        return self._compute("*", left, right)

    def _compute(self, name: str, left: int, right: int) -> int:
        """Return the node of an operation of arithmetic, or a constant if it has one value only."""
        a, b = self.nodes[left], self.nodes[right]
        ends = (b.low, b.high)
        if name in ("<<", ">>"):
            ends = max(b.low, 0), max(min(b.high, _MOST_SHIFT), 0)
        if name == "-":
            found = [a.low - b.high, a.high - b.low]
        elif name == "+":
            found = [a.low + b.low, a.high + b.high]
        else:
            found = [_ARITHMETIC[name](x, y) for x in (a.low, a.high) for y in ends]
        interval = min(found), max(found)
        if interval[0] == interval[1]:
            return self.constant(interval[0])
        return self._add(name, (left, right), 0, interval)

    def _rewrite_difference(self, name: str, left: int, right: int) -> int | None:
        """Rewrite a difference of two tables at one index or a - ((a >> n) << n), if it is one."""
        if name != "-":
            return None
        a, b = self.nodes[left], self.nodes[right]
        if a.operation == b.operation == "rom" and a.operands == b.operands:
            pairs = zip(self.roms[a.value], self.roms[b.value], strict=False)
            return self.read([x - y for x, y in pairs], a.operands[0])
        if b.operation == "<<":
            inner, count = self.nodes[b.operands[0]], self.number(b.operands[1])
            if (
                inner.operation == ">>"
                and inner.operands == (left, b.operands[1])
                and count
                and a.low >= 0
            ):
                return self._add("cut", (left,), count, (0, (1 << count) - 1))
        return None

    def compare(self, name: str, left: int, right: int) -> int:
        """Add a comparison, whose value is 0 or 1."""
        a, b = self.nodes[left], self.nodes[right]
        test = COMPARISONS[name]
        found = {test(x, y) for x in (a.low, a.high) for y in (b.low, b.high)}
        overlap = a.low <= b.high and b.low <= a.high
        if name in ("==", "!="):
            is_known = not overlap or (a.low == a.high == b.low == b.high)
        else:
            is_known = len(found) == 1
        if is_known:
            return self.constant(int(found.pop()))
        return self._add(name, (left, right), 0, (0, 1))

    def choose(self, test: int, yes: int, no: int) -> int:
        """Add a multiplexer: `yes` if the test holds, otherwise `no`."""
        known = self.number(test)
        if known is not None:
            return yes if known else no
        if yes == no:
            return yes
        return self._add("choose", (test, yes, no), 0, self._range_of_choice(test, yes, no))

    def _range_of_choice(self, test: int, yes: int, no: int) -> Interval:
        """Return the range of a choice; it is narrow for a minimum, maximum or absolute value."""
        name, operands = self.nodes[test].operation, self.nodes[test].operands
        a, b = self.nodes[yes], self.nodes[no]
        if set(operands) == {yes, no} and name in ("<", "<=", ">", ">="):
            if (operands[0] == yes) == (name in ("<", "<=")):
                return min(a.low, b.low), min(a.high, b.high)
            return max(a.low, b.low), max(a.high, b.high)
        is_below_0 = name == "<" and operands[0] == no and self.number(operands[1]) == 0
        if is_below_0 and a.operation == "-" and a.operands == (operands[1], no):
            return max(b.low, 0), max(-b.low, b.high)  # an absolute value
        return min(a.low, b.low), max(a.high, b.high)

    def read(self, entries: Sequence[int], index: int) -> int:
        """Add a read of a table; at index i + 1 it is a read of another table at i."""
        node = self.nodes[index]
        if node.operation == "+":
            step = self.number(node.operands[1])
            if step is not None and self.nodes[node.operands[0]].low >= 0:
                return self.read(entries[step:], node.operands[0])
        known = self.number(index)
        if known is not None:
            return self.constant(entries[known])
        content = tuple(entries[: node.high + 1])
        if content not in self.roms:
            self.roms.append(content)
        interval = min(content), max(content)
        if interval[0] == interval[1]:
            return self.constant(interval[0])
        return self._add("rom", (index,), self.roms.index(content), interval)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The pipeline stage of each needed node, and the last stage in which it is read.

    Results are ready at the end of stage `latency` - 1.
    """

    stages: dict[int, int]
    read: dict[int, int]
    latency: int


def schedule(circuit: Circuit, outputs: Iterable[int]) -> Schedule:
    """Schedule each operation as soon as its operands are ready and its stage has time left."""
    wanted = sorted(_needed(circuit, outputs))
    stages: dict[int, int] = {}
    ends: dict[int, int] = {}
    for number in wanted:
        node = circuit.nodes[number]
        moving = [o for o in node.operands if circuit.number(o) is None]
        stage = max((stages[o] for o in moving), default=0)
        start = max((ends[o] for o in moving if stages[o] == stage), default=0)
        delay = _delay(circuit, node)
        if start + delay > _LONGEST:
            stage, start = stage + 1, 0
        stages[number], ends[number] = stage, start + delay
    latency = 1 + max(stages.values(), default=0)
    read = dict(stages)
    for number in wanted:
        for operand in circuit.nodes[number].operands:
            if operand in stages:
                read[operand] = max(read[operand], stages[number])
    for output in outputs:
        if output in stages:
            read[output] = latency - 1
    return Schedule(stages, read, latency)


def _needed(circuit: Circuit, outputs: Iterable[int]) -> set[int]:
    """Return the nodes that outputs depend on, except constants."""
    found: set[int] = set()
    waiting = list(outputs)
    while waiting:
        number = waiting.pop()
        if number not in found and circuit.number(number) is None:
            found.add(number)
            waiting.extend(circuit.nodes[number].operands)
    return found


def _delay(circuit: Circuit, node: Gate) -> int:
    if node.operation in _CONSTANT_DELAYS and circuit.number(node.operands[1]) is not None:
        return _CONSTANT_DELAYS[node.operation]
    return _DELAYS.get(node.operation, 0)
